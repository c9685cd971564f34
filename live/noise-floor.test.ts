/** The noise floor of `assay diff` on a real program: six equal runs of a database, split in all ways, and three runs whose inliner stops earlier. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerDiff, DEFAULT_DIFF_REQUEST, type DiffAnswer } from '../src/answers/diff.js';
import { type FailCondition, parseFailCondition } from '../src/profdiff/findings.js';
import { type Evidence, openEvidence } from '../src/recording/evidence.js';
import { compileProgram, findJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';

const ROWS = '20000';
let folder = '';
const equal: Evidence[] = [];
const shallow: Evidence[] = [];

beforeAll(async () => {
	const jdk = findJdk(25);
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-noise-'));
	compileProgram(jdk, 'H2Queries', folder);
	const classPath = [folder, downloadFromMaven(folder, 'com.h2database:h2:2.3.232')].join(path.delimiter);
	const record = async (name: string, ...flags: string[]): Promise<Evidence> => {
		const run = path.join(folder, name);
		fs.mkdirSync(run);
		const log = ['-XX:+UnlockDiagnosticVMOptions', '-XX:+LogCompilation', `-XX:LogFile=${path.join(run, 'hotspot.log')}`];
		execFileSync(jdk.java, [...log, ...flags, '-cp', classPath, 'H2Queries', ROWS], { stdio: ['ignore', 'ignore', 'inherit'] });
		return openEvidence([{ filePath: run, name }]);
	};
	// In turns, so that what else the machine does meets both.
	for (let i = 1; i <= 3; i++) {
		equal.push(await record(`equal-${2 * i - 1}`));
		shallow.push(await record(`shallow-${i}`, '-XX:MaxInlineLevel=2'));
		equal.push(await record(`equal-${2 * i}`));
	}
});

afterAll(() => {
	for (const evidence of [...equal, ...shallow]) {
		evidence.close();
	}
	fs.rmSync(folder, { recursive: true, force: true });
});

const conditions: readonly FailCondition[] = [parseFailCondition('any')!];

function diff(a: readonly Evidence[], b: readonly Evidence[]): Promise<DiffAnswer> {
	return answerDiff({ a, b }, { ...DEFAULT_DIFF_REQUEST, workingDirectory: folder, conditions });
}

test('of the ten ways to split six equal runs at most one is called changed, and the others fail no build', async () => {
	let changed = 0;
	for (let i = 1; i < 6; i++) {
		for (let j = i + 1; j < 6; j++) {
			const isFirst = (run: number): boolean => run === 0 || run === i || run === j;
			const { report } = await diff(
				equal.filter((_, run) => isFirst(run)),
				equal.filter((_, run) => !isFirst(run)),
			);
			const isChanged = report.comparison.noiseTest?.verdict === 'changed';
			changed += isChanged ? 1 : 0;
			expect(report.failed && !isChanged).toBe(false);
			expect(report.comparison.changes.some(({ noise }) => noise !== true) && !isChanged).toBe(false);
		}
	}
	expect(changed).toBeLessThanOrEqual(1);
});

test.each([
	[0, 1, 2],
	[3, 4, 5],
	[0, 2, 4],
])('equal runs %i, %i and %i against three with -XX:MaxInlineLevel=2: changed, and what is no longer inlined comes first', async (...runs) => {
	const { report } = await diff(
		runs.map((run) => equal[run]!),
		shallow,
	);
	expect(report.comparison.noiseTest).toEqual({ verdict: 'changed', rank: 1, tried: 10, splits: 10 });
	expect(report.comparison.shifts[0]).toMatchObject({ kind: 'direct', text: 'inlining too deep', countsA: [0, 0, 0], isMoreInA: false });
	for (const change of report.comparison.changes.slice(0, 5)) {
		expect(change).toMatchObject({ kind: 'callsite', before: 'inlined', noise: false, shift: report.comparison.shifts[0] });
	}
	expect(report.failed).toBe(true);
});
