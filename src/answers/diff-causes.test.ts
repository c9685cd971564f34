/** What went wrong on one side alone. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { FIXTURES, json } from '../../test/report-json.js';
import { runAssay } from '../../test/run-assay.js';
import type { RecordingFinding } from '../model/joined-recording.js';
import { diffCauses } from './diff-causes.js';
import type { RecordingReport } from './joined-report.js';

const HOT = path.join('..', 'examples', 'hot');
const OTHER = 'agent/jdk25';

function finding(kind: RecordingFinding['kind'], method: string | null, worth: number): RecordingFinding {
	const place = method === null ? null : { method, line: 7, bci: null };
	return { kind, text: `${kind} ${method}`, place, handles: [], evidence: [], command: null, worth };
}

/** Of samples, unless `counted` is 0. */
function report(findings: readonly RecordingFinding[], counted = 100): RecordingReport {
	return { findings, heat: { attribution: { counted } } } as unknown as RecordingReport;
}

const causes = async (a: RecordingReport | null, b: RecordingReport | null) =>
	(await diffCauses([], [], a, b)).map(({ side, finding: { text } }) => `${side} ${text}`);

test('findings of one side, most time first; the same fault of the same method is none', async () => {
	const a = [finding('osr-only', 'a.B.f', 3), finding('failed', 'a.B$$Lambda/0x00000000440024e8.g', 9)];
	const b = [finding('failed', 'a.B$$Lambda/0x00000000440099e8.g', 2), finding('osr-only', 'a.B.h', 5), finding('exceptions', null, 30)];
	expect(await causes(report(a), report(b))).toEqual(['B exceptions null', 'B osr-only a.B.h']);
	expect(await causes(report(b), report(b))).toEqual([]);
});

test('of a kind that a report names the worst of, one that is hardly worse than that of the other side may be there too', async () => {
	const slow = (method: string, worth: number) => report([finding('slow-instructions', method, worth)]);
	expect(await causes(slow('a.B.f', 10), slow('a.B.g', 14))).toEqual([]);
	expect(await causes(slow('a.B.f', 10), slow('a.B.g', 15))).toEqual(['B slow-instructions a.B.g']);
	// The worst load stands beside the worst of the others.
	const load = report([{ ...finding('slow-instructions', 'a.B.f', 10), isLoad: true }]);
	expect(await causes(slow('a.B.g', 9), load)).toEqual(['B slow-instructions a.B.f', 'A slow-instructions a.B.g']);
	expect(await causes(slow('a.B.f', 9), load)).toEqual(['B slow-instructions a.B.f', 'A slow-instructions a.B.f']);
	const calls = (method: string, worth: number) => report([finding('not-inlined', method, worth)]);
	expect(await causes(calls('a.B.f', 10), calls('a.B.g', 2))).toEqual(['A not-inlined a.B.f', 'B not-inlined a.B.g']);
});

test('the collector is a fault of the run, whichever code is the hottest', async () => {
	expect(await causes(report([finding('collector', 'a.B.f', 20)]), report([finding('collector', 'a.B.g', 80)]))).toEqual([]);
});

test('what only says where time went stands behind what says why', async () => {
	const b = [
		finding('interpreter', null, 15),
		finding('slow-compilation', 'a.B.f', 12),
		finding('compilers', null, 40),
		finding('deoptimized-hot', 'a.B.g', 30),
	];
	expect(await causes(report([]), report(b))).toEqual(['B slow-compilation a.B.f', 'B compilers null', 'B deoptimized-hot a.B.g', 'B interpreter null']);
});

test('what hardly costs anything, or is hardly a finding, comes and goes by chance', async () => {
	const faint = [finding('osr-only', 'a.B.f', 0.9), finding('collector', null, 14), finding('compilers', null, 7), finding('not-inlined', 'a.B.f', 1.4)];
	expect(await causes(report([]), report(faint))).toEqual([]);
	const clear = [finding('osr-only', 'a.B.f', 1), finding('collector', null, 15), finding('compilers', null, 7.5), finding('not-inlined', 'a.B.f', 1.5)];
	expect(await causes(report([]), report(clear))).toHaveLength(4);
});

test('without samples nothing tells what anything costs', async () => {
	const b = report([finding('exceptions', null, 30)]);
	for (const a of [null, report([], 0)]) {
		expect(await causes(a, b)).toEqual([]);
		expect(await causes(b, a)).toEqual([]);
	}
});

test('are told before the decisions, and in JSON', async () => {
	const { causes: told } = await json('diff', HOT, OTHER);
	expect(told[0]).toMatchObject({ side: 'A', kind: 'slow-instructions', place: { method: 'HotLoop.divide', line: 31 }, command: `assay hot ${HOT} c18 c12%` });
	const { stdout } = await runAssay(['diff', HOT, OTHER], FIXTURES);
	const lines = stdout.split('\n');
	expect(lines.findIndex((line) => line.startsWith(' - only in A: ') && line.includes('of all samples wait for a slow instruction in'))).toBeLessThan(
		lines.findIndex((line) => /decisions changed/.test(line)),
	);
	const same = await json('diff', HOT, HOT);
	expect(same.causes).toEqual([]);
});

test('a filter leaves those of methods that are meant', async () => {
	expect((await json('diff', HOT, OTHER, '--method', 'HotLoop.divide')).causes.map(({ place }) => place?.method)).toEqual(['HotLoop.divide']);
	expect((await json('diff', HOT, OTHER, '--method', 'none.such')).causes).toEqual([]);
	expect((await json('diff', HOT, OTHER, '--decision', 'inlined')).causes).toEqual([]);
});

test('of repeats a cause is in every run of its side and in none of the other', async () => {
	const { causes: told } = await json('diff', HOT, OTHER, '--repeat-a', OTHER, '--repeat-b', OTHER);
	expect(told).toEqual([]);
});
