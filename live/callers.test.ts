/** Whom work is for, of real JVMs: a program that dumps its own stack, as profilers at safepoints do, beside what is predicted from perf's samples with the tops of stacks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BiasResult, HotspotsResult } from '../src/answers/results.js';
import { RecordedProgram } from './recorded-program.js';

const program = new RecordedProgram('Callers');
const KEPT = ['shared', 'often', 'seldom', 'moved', 'areas'];

beforeAll(() => program.compile());
afterAll(() => program.remove());

test.each([
	[17, 'Serial'],
	[17, 'G1'],
	[25, 'Serial'],
	[25, 'G1'],
] satisfies [17 | 25, string][])('JDK %i, %s', (major, collector) => {
	const name = `${major}${collector}`;
	const flags = [`-XX:+Use${collector}GC`, '-XX:CompileCommand=quiet', ...KEPT.map((method) => `-XX:CompileCommand=dontinline,Callers::${method}`)];
	program.record(name, major, '--', 'java', ...flags, '-cp', '.', 'Callers', '20000', `${name}.collapsed`);
	const { distances } = program.json<BiasResult>('bias', name, '--thread', 'java', '--against', `dump=${name}.collapsed`);
	expect(distances.find(({ a, b }) => a === 'predicted' && b === 'dump')?.totalVariation, JSON.stringify(distances)).toBeLessThan(0.15);
	const { regions } = program.json<HotspotsResult>('hot', name);
	const shares = [/arraycopy/, /itable stub/].map((pattern) => {
		const callers = regions.find(({ method, callers: seen }) => pattern.test(method) && seen !== undefined)?.callers;
		const [first] = callers?.rows ?? [];
		return [first?.method, (first?.samples ?? 0) / (callers?.samples ?? 1) > 0.8];
	});
	expect(shares).toEqual([
		['Callers.moved', true],
		['Callers.areas', true],
	]);
});
