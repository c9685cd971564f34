/** Two runs of a program, one with a call that may not be inlined, each recorded by Flight Recorder and by LogCompilation: both tell of the same change. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../../test/report-json.js';
import { runAssay } from '../../test/run-assay.js';

const FOLDER = path.join('jvm', 'recorded-compilations', 'changed');
const RUNS = path.resolve(import.meta.dirname, '..', '..', 'fixtures', FOLDER);
const file = (side: string, name: string): string => path.join(FOLDER, side, name);

const CHANGE = {
	method: 'Ledger.book',
	before: 'inlined',
	after: 'direct',
	where: [{ method: 'Ledger.name', signature: '(int)', bci: 72 }],
	reasonsBefore: ['inline (hot)'],
	reasonsAfter: ['disallowed by CompileCommand'],
};

test.each([
	['Flight Recorder', [file('a', 'rec.jfr.gz'), file('b', 'rec.jfr.gz')]],
	['LogCompilation', [file('a', 'hotspot.log.gz'), file('b', 'hotspot.log.gz')]],
	['both', [path.join(FOLDER, 'a'), path.join(FOLDER, 'b')]],
])('%s tells of the one change', async (_, sides) => {
	const { changes } = await json('diff', ...sides);
	const own = changes.filter(({ kind, cause }) => kind === 'callsite' && cause === null);
	expect(own).toHaveLength(1);
	expect(own[0]).toMatchObject(CHANGE);
});

test('samples of the files are the heat of both sides, whichever tells of the compilations', async () => {
	const recorded = await json('diff', file('a', 'rec.jfr.gz'), file('b', 'rec.jfr.gz'));
	const both = await json('diff', path.join(FOLDER, 'a'), path.join(FOLDER, 'b'));
	for (const { runsA, runsB } of [recorded, both]) {
		expect([runsA[0]?.profile, runsB[0]?.profile]).toMatchObject([
			{ totalPeriod: 193, ofStacks: { event: 'jdk.CPUTimeSample', lost: 0, failed: 0 } },
			{ totalPeriod: 142, ofStacks: { event: 'jdk.CPUTimeSample', lost: 0, failed: 0 } },
		]);
	}
	const book = [recorded, both].map(({ methods }) => methods.find(({ method }) => method === 'Ledger.book')?.a);
	expect(book[0]).toMatchObject({ samples: 5, codeBytes: null });
	expect(book[1]?.samples).toBe(5);
	expect(book[1]?.codeBytes).toBeGreaterThan(5000);
});

test('the text says what is counted, and that shares of other samples are not the same', async () => {
	const { stdout } = await runAssay(['diff', 'a/rec.jfr.gz', 'b/rec.jfr.gz'], RUNS);
	expect(stdout).toContain('40 top-tier compilations, 44.6 % of the samples (jdk.CPUTimeSample) in them');
	expect(stdout).toContain('d1   2.59→1.41  * inlined → direct  Ledger.name in Ledger.book');
	const { stderr } = await runAssay(['diff', 'a/rec.jfr.gz', path.join('..', '..', '..', '..', 'examples', 'hot')], RUNS);
	expect(stderr).toContain('shares are of samples with addresses, or a profile, those of a/rec.jfr.gz of jdk.CPUTimeSample');
});

test('a report of the file alone: samples as jfr print has them, and what they come to', async () => {
	const { samples, hotMethods = [], compilations, otherTime, findings, evidence } = await json('report', file('a', 'rec.jfr.gz'));
	expect(samples).toMatchObject({ total: 288, counted: 193, event: 'jdk.CPUTimeSample', byReason: { 'other event': 95, interpreter: 96 } });
	expect(samples.ofStacks?.kinds).toMatchObject([
		{ event: 'jdk.CPUTimeSample', samples: 193, isCounted: true },
		{ event: 'jdk.ExecutionSample', samples: 95, isCounted: false },
	]);
	const sum = (rows: readonly { readonly samples: number }[]): number => rows.reduce((total, row) => total + row.samples, 0);
	expect(sum(compilations) + sum(otherTime)).toBe(193);
	expect(sum(hotMethods)).toBe(193);
	expect(compilations[0]).toMatchObject({ handle: 'c266', method: 'java.util.TimSort.mergeHi', level: 4, samples: 26, evidence: ['flightRecorder', 'stacks'] });
	expect(hotMethods[1]).toMatchObject({ method: 'java.util.TimSort.mergeHi', compiled: 27, line: { line: 854 } });
	expect(evidence.samples.present).toBe(false);
	expect(evidence.stacks).toMatchObject({ present: true, records: 288 });
	for (const { evidence: kinds, command } of findings) {
		expect(kinds).not.toContain('samples');
		expect(kinds).not.toContain('logCompilation');
		expect(command).not.toMatch(/assay hot/);
	}
});

test('a report of one class of threads, or of one thread', async () => {
	const { samples } = await json('report', file('a', 'rec.jfr.gz'), '--class', 'java');
	expect(samples.counted).toBeGreaterThan(180);
	const none = await json('report', file('a', 'rec.jfr.gz'), '--thread', 'nobody');
	expect(none.samples.counted).toBe(0);
});
