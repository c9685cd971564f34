/** Which methods the interpreter was in, of real JVMs: a program that takes the time of its own methods, which are excluded from compilation, beside what perf's samples tell. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BiasResult, ReportResult } from '../src/answers/results.js';
import { RecordedProgram } from './recorded-program.js';

const program = new RecordedProgram('Interpreted');
const TIMED = ['heavy', 'light', 'filling'];

beforeAll(() => program.compile());
afterAll(() => program.remove());

/** Percent of its time in the methods that take theirs, by the program's clock. */
function record(name: string, major: 17 | 25, ...flags: readonly string[]): readonly number[] {
	return program
		.record(name, major, '--', 'java', ...flags, '-cp', '.', 'Interpreted', '3000')
		.trim()
		.split(' ')
		.map(Number);
}

test.each([
	[17, 'Serial'],
	[17, 'G1'],
	[25, 'Serial'],
	[25, 'G1'],
] satisfies [17 | 25, string][])('JDK %i, %s', (major, collector) => {
	const name = `${major}${collector}`;
	const excluded = TIMED.map((method) => `-XX:CompileCommand=exclude,Interpreted::${method}`);
	const timed = record(name, major, `-XX:+Use${collector}GC`, '-Xmx600m', '-XX:CompileCommand=quiet', ...excluded);
	const { methods } = program.json<BiasResult>('bias', name, '--thread', 'java', '--rounds', '0');
	const percentOf = (method: string): number => methods.find((row) => row.method === method)?.unbiasedPercent ?? 0;
	const sampled = TIMED.map((method) => percentOf(`Interpreted.${method}`));
	const shares = (values: readonly number[]): number[] => values.map((value) => (100 * value) / values.reduce((sum, one) => sum + one, 0));
	const differences = shares(sampled).map((share, i) => Math.abs(share - shares(timed)[i]!));
	expect(Math.max(...differences), JSON.stringify([sampled, timed])).toBeLessThan(4);
	expect(percentOf('(interpreter)')).toBeLessThan(2);
	const { otherTime, findings } = program.json<ReportResult>('report', name, '--no-index');
	const interpreter = otherTime.find((row) => row.name === '(interpreter)');
	expect(interpreter?.callers?.rows.slice(0, 2).map(({ method }) => method)).toEqual(['Interpreted.heavy', 'Interpreted.light']);
	expect((interpreter?.callers?.samples ?? 0) / (interpreter?.samples ?? 1)).toBeGreaterThan(0.97);
	// What the JVM does for interpreted code is that method's too; it clears memory by the C library.
	const counts = new Map<string, number>();
	for (const { method, samples } of otherTime.flatMap(({ name: library, callers }) => (/^\((?:libjvm|libc)\.so/.test(library) ? (callers?.rows ?? []) : []))) {
		counts.set(method, (counts.get(method) ?? 0) + samples);
	}
	expect([...counts].sort((a, b) => b[1] - a[1])[0]?.[0]).toBe('Interpreted.filling');
	expect(findings.map(({ kind }) => kind)).toContain('excluded');
});

test.each([17, 25] as const)('where nothing is compiled, JDK %i', (major) => {
	const [heavy = 0, light = 0] = record(`xint${major}`, major, '-Xint');
	const { otherTime } = program.json<ReportResult>('report', `xint${major}`, '--no-index');
	const interpreter = otherTime.find((row) => row.name === '(interpreter)');
	const percentOf = (method: string): number =>
		(100 * (interpreter?.callers?.rows.find((row) => row.method === `Interpreted.${method}`)?.samples ?? 0)) / (interpreter?.samples ?? 1);
	expect(Math.abs(percentOf('heavy') / (percentOf('heavy') + percentOf('light')) - heavy / (heavy + light))).toBeLessThan(0.03);
	expect(percentOf('spinning')).toBeGreaterThan(5);
});
