/** Pages of profiles without addresses: what their samples cannot be chosen by is not offered. */
import { expect, test } from 'vitest';
import { renderedPage } from './testing/rendered-page.js';

test("async-profiler's .jfr: whose time it was, and no choice of threads that would choose nothing", async () => {
	const page = await renderedPage(['report', 'fixtures/jvm/jfr/async-profiler.jfr.gz']);
	const rows = [...(page?.show('#/overview')?.querySelectorAll('.thread-time summary') ?? [])].map((row) => row.textContent?.trim());
	expect(rows.map((text) => text?.replace(/\s+/g, ' '))).toEqual([
		expect.stringMatching(/^Java\s?57\.5/),
		expect.stringMatching(/^the recording itself\s?37\.0/),
		expect.stringMatching(/^C2\s?4\.1/),
		expect.stringMatching(/^other JVM\s?1\.4/),
		expect.stringMatching(/^libasyncProfiler\.so\s?37\.0/),
		expect.stringMatching(/^libjvm\.so\s?5\.5/),
	]);
	const labels = [...(page?.show('#/samples')?.querySelectorAll('select') ?? [])].map((select) => select.getAttribute('aria-label') ?? '');
	expect(labels.filter((label) => label.includes('thread'))).toEqual([]);
	page?.close();
});
