/** Recordings of methods that were interpreted: their time, against the program's own clock. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import type { BiasResult, HotspotsResult, ReportResult } from './results.js';

const root = path.resolve(import.meta.dirname, '..', '..');

async function json<T>(...argv: readonly string[]): Promise<T> {
	return JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
}

/** Of the whole, by the program's clock. */
describe.each([
	['jdk17', { heavy: 40.74, light: 11.68, filling: 45.81 }],
	['jdk25', { heavy: 36.72, light: 10.77, filling: 50.55 }],
])('%s', (jdk, timed) => {
	const folder = `fixtures/agent/interpreted/${jdk}`;

	test('methods have the time that the program measured, by what was sampled and by what is predicted', async () => {
		const { methods, unknownPercent } = await json<BiasResult>('bias', folder, '--thread', 'java', '--rounds', '0');
		const of = (name: string) => methods.find(({ method }) => method === name);
		for (const [name, percent] of Object.entries(timed)) {
			expect(Math.abs((of(`Interpreted.${name}`)?.unbiasedPercent ?? 0) - percent), name).toBeLessThan(4);
			expect(Math.abs((of(`Interpreted.${name}`)?.predictedPercent ?? 0) - percent), name).toBeLessThan(4);
		}
		expect(of('(interpreter)')?.unbiasedPercent ?? 0).toBeLessThan(1);
		expect(unknownPercent).toBeLessThan(4);
	});

	test('the tree of stacks agrees', async () => {
		const { tree, methods } = await json<BiasResult>('bias', folder, '--thread', 'java', '--by', 'tree', '--rounds', '0');
		for (const name of Object.keys(timed).map((method) => `Interpreted.${method}`)) {
			const nodes = tree?.nodes.filter(({ method }) => method === name) ?? [];
			const { unbiasedPercent = 0 } = methods.find(({ method }) => method === name) ?? {};
			expect(
				nodes.reduce((sum, one) => sum + one.unbiasedSelfPercent, 0),
				name,
			).toBeCloseTo(unbiasedPercent, 1);
		}
	});

	test('the interpreter’s rows, and what the JVM and the C library did for interpreted code, say for which', async () => {
		const { otherTime, findings } = await json<ReportResult>('report', folder, '--no-index');
		const of = (row: string) => otherTime.find(({ name }) => name === row)?.callers?.rows.map(({ method, isInterpreted }) => [method, isInterpreted]) ?? [];
		expect(of('(interpreter)').slice(0, 2)).toEqual([
			['Interpreted.heavy', true],
			['Interpreted.light', true],
		]);
		expect([of('(libc.so.6)')[0], of('(libjvm.so)')[0]]).toEqual(Array(2).fill(['Interpreted.filling', true]));
		const { samples = 0, callers } = otherTime.find(({ name }) => name === '(interpreter)') ?? {};
		expect((callers?.samples ?? 0) / samples).toBeGreaterThan(0.99);
		expect(findings.find(({ kind }) => kind === 'native-work')?.text).toMatch(/100 % of that for Interpreted\.filling, which was interpreted\. No compiler/);
	});

	test('regions and methods of hot', async () => {
		const { regions } = await json<HotspotsResult>('hot', folder);
		const told = regions.filter(({ source }) => source === 'interpreter').slice(0, 10);
		for (const { method, callers, samples } of told) {
			expect(callers?.rows[0]?.method, method).toMatch(/^Interpreted\.(?:heavy|light)$/);
			expect(callers?.samples).toBeLessThanOrEqual(samples);
		}
		const { stdout } = await runAssay(['hot', folder, '--by', 'method'], root);
		expect(stdout).toMatch(/\(interpreter\)\n +\d+\.\d\d % {4}Interpreted\.heavy\n +\d+\.\d\d % {4}Interpreted\.light\n/);
	});

	test('exported stacks have the method below the interpreter', async () => {
		const { stdout } = await runAssay(['export', folder, '--to', 'collapsed'], root);
		const counts = stdout.split('\n').filter((line) => line.includes('Interpreted.heavy;(interpreter)'));
		expect(counts.length).toBeGreaterThan(0);
	});
});
