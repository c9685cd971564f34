/**
 * Why C2 did not vectorize a loop, of real JVMs: what each loop does is known from its source, and of what would help the loop that does so is seen to have vector
 * instructions.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HotspotsResult, ReportResult } from '../src/answers/results.js';
import { RecordedProgram } from './recorded-program.js';

const program = new RecordedProgram('ArrayLoops');

beforeAll(() => program.compile());
afterAll(() => program.remove());

describe.each([
	[17, 'Serial'],
	[25, 'G1'],
] satisfies [17 | 25, string][])('JDK %i, %s', (major, collector) => {
	test.each([
		['twoIndices', 'what it writes may be what it reads later'],
		['oneArray', 'what it writes may be what it reads later'],
		['neighbours', 'what it writes may be what it reads later'],
		['sums', 'each element needs the one before'],
		['uncounted', 'C2 does not count its ways round'],
		['reversed', 'it goes up in one array and down in the other'],
		['everySecond', 'it leaves out elements'],
		['remainders', 'it divides integers'],
		['oneIndex', null],
		['downwards', null],
	])('%s', (loop, why) => {
		const name = `${loop}${major}`;
		program.record(name, major, '--', 'java', `-XX:+Use${collector}GC`, '-cp', '.', 'ArrayLoops', loop, '900');
		const { findings } = program.json<ReportResult>('report', name, '--no-index');
		const found = findings.find(({ kind }) => kind === 'not-vectorized');
		const { regions } = program.json<HotspotsResult>('hot', name, '--top', '1');
		const hasVectors = regions[0]?.lines.some(({ text }) => /%[yz]mm|\bv?(?:addpd|paddd)\b/.test(text ?? ''));
		expect(hasVectors).toBe(why === null);
		if (why === null) {
			expect(found).toBeUndefined();
		} else {
			expect(found?.text).toContain(`in a loop over arrays in ArrayLoops.${loop} (line `);
			expect(found?.text).toContain(`that C2 did not vectorize: ${why}`);
		}
	});
});
