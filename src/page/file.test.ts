import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import type { PageDetails, PageDiff, PageMain, PageStacks } from './data.js';

const root = path.resolve(import.meta.dirname, '../..');
let folder = '';
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-page-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

async function partsOf(argv: readonly string[]): Promise<{ part<T>(name: string): T; names: string[] }> {
	const file = path.join(folder, 'page.html');
	const { exit, stdout } = await runAssay([...argv, '-o', file], root);
	expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${file}: open it in a browser\n` });
	const parts = new Map([...fs.readFileSync(file, 'utf8').matchAll(/data-part="([^"]+)">"([^"]*)"/g)].map(([, name = '', base64 = '']) => [name, base64]));
	expect(fs.readdirSync(folder)).toEqual(['page.html']);
	return { part: (name) => JSON.parse(gunzipSync(Buffer.from(parts.get(name) ?? '', 'base64')).toString()), names: [...parts.keys()] };
}

test('the page has what the commands print', async () => {
	const { part } = await partsOf(['report', 'examples/hot']);
	const [side] = part<PageMain>('main').sides;
	const result = async (...argv: string[]) => JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
	const report = await result('report', 'examples/hot');
	expect(side?.report.compilations).toEqual(report.compilations);
	expect(side?.report.findings).toEqual(report.findings);
	expect(side?.report.evidence).toEqual(report.evidence);
	const hot = await result('hot', 'examples/hot', '--each-sample', '--code');
	expect(side?.hot?.compilations).toEqual(hot.compilations);
	expect(side?.hot?.sampleColumns).toEqual(hot.sampleColumns);
	const compilations = await result('compilations', 'examples/hot');
	expect(side?.compilations?.summary).toEqual(compilations.summary);
	expect(side?.compilations?.methods).toEqual(compilations.methods);
	const [most] = hot.code;
	expect(part<PageDetails>(side?.details[`c${most.compileId}`] ?? '')[`c${most.compileId}`]?.code).toEqual(most);
	const bias = await result('bias', 'examples/hot', '--rounds', '0');
	expect(part(side?.biasPart ?? '')).toEqual(bias);
	expect(side?.stackSources).toMatchObject([{ name: 'samples, by inlining', isInlining: true }]);
	const stacks = part<PageStacks>(side?.stackSources[0]?.part ?? '');
	expect(stacks.stacks.reduce((sum, { samples }) => sum + samples, 0)).toBe(hot.samples.counted);
});

test('lines of sources stand beside the code when they are given', async () => {
	const { part } = await partsOf(['report', 'examples/hot', '--sources', 'live/programs']);
	const [side] = part<PageMain>('main').sides;
	const detail = part<PageDetails>(side?.details.c18 ?? '').c18;
	const source = fs.readFileSync(path.join(root, 'live', 'programs', 'HotLoop.java'), 'utf8').split('\n');
	const lines = Object.entries(detail?.sourceLines ?? {});
	expect(lines.length).toBeGreaterThan(1);
	for (const [place, text] of lines) {
		expect(source[Number(/:(\d+)$/.exec(place)?.[1]) - 1]?.trim()).toBe(text);
	}
});

test('of a memory recording every compilation has its phases and timeline', async () => {
	const { part } = await partsOf(['report', 'examples/memory']);
	const [side] = part<PageMain>('main').sides;
	const { result } = JSON.parse((await runAssay(['memory', 'examples/memory', '--json'], root)).stdout);
	for (const compilation of result.compilations) {
		// Statistics of memory do not mark on-stack replacement.
		const handle = [compilation.handle, `${compilation.handle}%`].find((one) => side?.details[one] !== undefined) ?? '';
		expect(part<PageDetails>(side?.details[handle] ?? '')[handle]?.memory).toEqual(compilation);
	}
});

test('two recordings: what assay diff prints, and their trees', async () => {
	const { part } = await partsOf(['diff', 'examples/a', 'examples/b']);
	const main = part<PageMain>('main');
	expect(main.sides).toHaveLength(2);
	const { trees, ...diff } = part<PageDiff>(main.parts.diff ?? '');
	expect(diff).toEqual(JSON.parse((await runAssay(['diff', 'examples/a', 'examples/b', '--json'], root)).stdout).result);
	expect(Object.keys(trees).length).toBeGreaterThan(0);
	for (const [handle, name] of Object.entries(trees)) {
		const pair = part<Record<string, { inlining: { outcome: string }; left: string }>>(name)[handle];
		expect(pair?.inlining.outcome).toMatch(/^(?:difference|no-difference|too-big)$/);
	}
});

test('a flame graph of each kind of samples with whole stacks; those of perf are what assay export writes', async () => {
	const jvm = path.join(root, 'fixtures', 'jvm');
	const recording = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-profiled-'));
	for (const name of ['async-profiler/cpu.collapsed.gz', 'async-profiler/hotspot.log.gz', 'jfr/jdk25.jfr.gz', 'jfr/async-profiler.traces.txt.gz']) {
		fs.copyFileSync(path.join(jvm, name), path.join(recording, path.basename(name)));
	}
	for (const name of ['thread-dumps/jdk25-jstack.txt.gz', 'safepoint/jdk25-stack-g1.txt.gz', 'safepoint/strip-jdk17-serial/dump.collapsed']) {
		fs.copyFileSync(path.join(jvm, name), path.join(recording, path.basename(name)));
	}
	const { part } = await partsOf(['report', recording]);
	const sources = part<PageMain>('main').sides[0]?.stackSources ?? [];
	const inside = (name: string): string => name.replace(`${recording}${path.sep}`, '');
	const samplesOf = ({ stacks }: PageStacks): number => stacks.reduce((sum, { samples }) => sum + samples, 0);
	expect(sources.map(({ name, isInlining, part: of }) => [inside(name), isInlining, samplesOf(part<PageStacks>(of))])).toEqual([
		['cpu.collapsed.gz: samples', false, 624],
		['async-profiler.traces.txt.gz', false, 129],
		['dump.collapsed', false, 413],
		['jdk25-jstack.txt.gz: thread dump', false, 15],
		['jdk25-jstack.txt.gz: thread dump, threads that wait', false, 18],
		['jdk25.jfr.gz: jdk.ExecutionSample', false, 105],
		['jdk25.jfr.gz: jdk.CPUTimeSample', false, 102],
		['samples, by inlining', true, 624],
	]);
	for (const { part: of } of sources) {
		const { stacks, ofSample } = part<PageStacks>(of);
		const counts = stacks.map((_, stack) => ofSample?.filter((one) => one === stack).length);
		expect(counts).toEqual(ofSample === null ? stacks.map(() => undefined) : stacks.map(({ samples }) => samples));
	}
	expect(sources.map(({ part: of }) => part<PageStacks>(of).ofSample?.length)).toEqual([624, ...sources.slice(2).map(() => undefined), 624]);
	const { names, stacks } = part<PageStacks>(sources[0]?.part ?? '');
	const lines = stacks.map(({ frames, samples }) => `${frames.map((frame) => names[frame]).join(';')} ${samples}`);
	const exported = (await runAssay(['export', recording, '--to', 'collapsed'], root)).stdout;
	expect(lines.sort()).toEqual(exported.trimEnd().split('\n').sort());
	fs.rmSync(recording, { recursive: true });
});

test('wrong use, and a file that cannot be written', async () => {
	expect((await runAssay(['report', 'examples/hot', '-o', 'x.html', '--json'], root)).exit).toBe(2);
	expect((await runAssay(['diff', 'examples/a', 'examples/b', '-o', 'x.html', '--markdown'], root)).exit).toBe(2);
	const { exit, stderr } = await runAssay(['report', 'examples/memory', '-o', path.join(folder, 'none', 'x.html')], root);
	expect(exit).toBe(3);
	expect(stderr).toContain('cannot be written');
	expect((await runAssay(['open'], root)).exit).toBe(2);
	expect((await runAssay(['open', 'examples/hot', '--port', '99999'], root)).exit).toBe(2);
	expect((await runAssay(['open', path.join(folder, 'none'), '--no-browser'], root)).exit).toBe(3);
});
