/** The page of a native program has no word that only JVMs have. */
import { expect, test } from 'vitest';
import { renderedPage } from './testing/rendered-page.js';

const WORDS =
	/.{0,40}\b(?:tiers?|jit|c1|c2|safepoints?|jdk|jvm|java|hotspot|bytecodes?|interpret\w*|bci|level|deoptimi\w*|not entrant|osr|null)\b.{0,40}|.{0,40}@ ?-1.{0,40}/gi;

test.each([
	[
		['report', 'fixtures/native/demo'],
		['overview', 'compilations', 'compilation/c4', 'samples', 'timeline'],
	],
	[
		['diff', 'fixtures/native/demo', 'fixtures/native/grown'],
		['compare', 'overview', 'compilations', 'compare/m2'],
	],
])('%s', async (argv, views) => {
	const page = await renderedPage(argv);
	const found = views.flatMap((view) => {
		const box = page?.show(`#/${view}`) ?? null;
		if (box === null) {
			return ['no page'];
		}
		const said = [
			box.textContent ?? '',
			...[...box.querySelectorAll('[title],[aria-label]')].flatMap((one) => [one.getAttribute('title') ?? '', one.getAttribute('aria-label') ?? '']),
		];
		return said.flatMap((text) => text.match(WORDS) ?? []).map((text) => `${view}: ${text}`);
	});
	expect([...new Set(found)]).toEqual([]);
	page?.close();
});
