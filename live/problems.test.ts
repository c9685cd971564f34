/** `assay lab problems` with real JVMs and perf: every fault is finding 1 or 2, with its method, and the first cause of the diff with its twin, which is not accused of it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { LAB_PROBLEMS } from '../src/answers/lab-problems.js';
import type { LabProblemsResult } from '../src/answers/results.js';
import { findJdk } from './jdks.js';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');
const isValid = new Ajv2020({ allowUnionTypes: true, strict: false }).compile(
	JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'lab-problems.json'), 'utf8')),
);
/** The queue of the compilers grows for as long as the JVM warms up, which takes more of a short run: it is recorded for longer than the others. */
const LONGER = ['compile-queue'];
const CAUSES = LAB_PROBLEMS.map(({ cause }) => cause).filter((cause) => !LONGER.includes(cause));

/** Whole on one JVM; on the others what depends on the collector and on the JDK. */
test.each([
	[25, 'G1', CAUSES],
	[17, 'Serial', CAUSES],
	[25, 'Serial', ['no-poll', 'allocation', 'contention']],
	[17, 'G1', ['code-cache', 'allocation', 'storm']],
	[25, 'G1', LONGER],
	[17, 'Serial', LONGER],
] satisfies [17 | 25, string, string[]][])('JDK %i, %s, %j', (major, collector, causes) => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-problems-'));
	try {
		const seconds = causes === LONGER ? '3.5' : '2';
		const argv = ['lab', 'problems', '--json', '--java', findJdk(major).home, '--only', causes.join(','), '--seconds', seconds, '--', `-XX:+Use${collector}GC`];
		const { stdout, stderr } = spawnSync(process.execPath, [assay, ...argv], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 });
		const output = JSON.parse(stdout);
		expect(isValid(output), `${stderr} ${JSON.stringify(isValid.errors)}`).toBe(true);
		const { causes: rows }: LabProblemsResult = output.result;
		const wrong = rows.filter(
			({ skipped, rank, diffRank, falseAlarm }) => skipped === null && (rank === null || rank > 2 || diffRank !== 1 || falseAlarm !== null),
		);
		expect(wrong).toEqual([]);
		// A finding about loads stands only where the recording shows how samples skid, which those of some processors do not.
		const isOfProcessor = ({ cause, skipped }: (typeof rows)[number]): boolean =>
			cause === 'scattered' && skipped?.startsWith('samples of this processor do not show how far they skid: ') === true;
		expect(rows.filter((row) => !isOfProcessor(row)).flatMap(({ cause, skipped }) => (skipped === null ? [] : [cause]))).toEqual(
			collector === 'G1' && causes.includes('no-poll') ? ['no-poll'] : [],
		);
		const placed = rows.filter(({ skipped, method, kind }) => skipped === null && method !== null && kind !== 'huge-method' && kind !== 'excluded');
		expect(placed.filter(({ line }) => line === null)).toEqual([]);
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
});
