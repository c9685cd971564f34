/** Recordings of native methods and of new memory: whose time it was, against the program's own dumps of its stack and its source. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import type { BiasResult, HotspotsResult, ReportResult } from './results.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const DEFLATE = 'java.util.zip.Deflater.deflateBytesBytes';
const INFLATE = 'java.util.zip.Inflater.inflateBytesBytes';

async function json<T>(...argv: readonly string[]): Promise<T> {
	return JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
}

/** Percent of the dumps whose innermost frame is a method. */
function dumped(folder: string): (method: string) => number {
	const lines = fs
		.readFileSync(path.join(root, folder, 'dump.collapsed'), 'utf8')
		.trim()
		.split('\n');
	const rows = lines.map((line) => [line.replace(/^.*;| \d+$/g, ''), Number(/\d+$/.exec(line)?.[0])] as const);
	const all = rows.reduce((sum, [, count]) => sum + count, 0);
	return (method) => (100 * rows.reduce((sum, [name, count]) => sum + (name === method ? count : 0), 0)) / all;
}

describe.each([
	['jdk17', 'libz.so.1.2.13'],
	['jdk25', 'libzip.so'],
])('%s', (jdk, library) => {
	const folder = `fixtures/agent/native/${jdk}`;

	test('native methods have the time that dumps gave them, by what was sampled and by what is predicted', async () => {
		const { methods, unknownPercent, distances } = await json<BiasResult>(
			'bias',
			folder,
			'--thread',
			'java',
			'--against',
			`dump=${folder}/dump.collapsed`,
			'--rounds',
			'0',
		);
		const of = (name: string) => methods.find(({ method }) => method === name);
		const inDumps = dumped(folder);
		for (const name of [DEFLATE, INFLATE]) {
			expect(Math.abs((of(name)?.unbiasedPercent ?? 0) - inDumps(name)), name).toBeLessThan(4);
			expect(Math.abs((of(name)?.predictedPercent ?? 0) - inDumps(name)), name).toBeLessThan(5);
		}
		expect(unknownPercent).toBeLessThan(10);
		expect(distances.find(({ a, b }) => a === 'predicted' && b === 'dump')?.totalVariation).toBeLessThan(0.08);
	});

	test('the tree of stacks agrees, of the kernel’s work too', async () => {
		const { tree, methods } = await json<BiasResult>('bias', folder, '--thread', 'java', '--by', 'tree', '--rounds', '0');
		for (const name of [DEFLATE, INFLATE, 'NativeWork.fresh']) {
			const nodes = tree?.nodes.filter(({ method }) => method === name) ?? [];
			const { unbiasedPercent = 0, predictedPercent = 0 } = methods.find(({ method }) => method === name) ?? {};
			expect(
				nodes.reduce((sum, one) => sum + one.unbiasedSelfPercent, 0),
				name,
			).toBeCloseTo(unbiasedPercent, 1);
			expect(Math.abs(nodes.reduce((sum, one) => sum + one.predictedSelfPercent, 0) - predictedPercent), name).toBeLessThan(0.1);
		}
	});

	test('the library’s functions work for both methods, of which compiled code calls some', async () => {
		const { regions } = await json<HotspotsResult>('hot', folder);
		const own = regions.filter(({ source, callers }) => source === library && callers !== undefined);
		const rows = own.flatMap(({ callers }) => callers?.rows ?? []);
		const sum = (name: string): number => rows.reduce((all, { method, samples }) => all + (method === name ? samples : 0), 0);
		const total = rows.reduce((all, { samples }) => all + samples, 0);
		const told = sum(DEFLATE) + sum(INFLATE);
		expect(told / total).toBeGreaterThan(0.98);
		const inDumps = dumped(folder);
		expect(Math.abs(sum(INFLATE) / told - inDumps(INFLATE) / (inDumps(INFLATE) + inDumps(DEFLATE)))).toBeLessThan(0.04);
		expect(own.reduce((all, { samples }) => all + samples, 0) / total).toBeLessThan(1.02);
		expect(rows.some(({ callers }) => callers?.some(({ method, compileId }) => /^java\.util\.zip\./.test(method) && compileId !== null))).toBe(true);
	});

	test('report names them beside the library, and in a finding', async () => {
		const { otherTime, findings } = await json<ReportResult>('report', folder, '--no-index');
		const row = otherTime.find(({ name }) => name === `(${library})`);
		expect(row?.callers?.rows.slice(0, 2).map(({ method }) => method)).toEqual([DEFLATE, INFLATE]);
		expect((row?.callers?.samples ?? 0) / (row?.samples ?? 1)).toBeGreaterThan(0.98);
		const finding = findings.find(({ kind }) => kind === 'native-work');
		expect(finding?.place?.method).toBe(DEFLATE);
		const { stdout } = await runAssay(['report', folder, '--no-index'], root);
		expect(stdout).toMatch(/\n +for Deflater\.deflateBytesBytes 7\d\.\d %, /);
		expect(stdout.replace(/\s+/g, ' ')).toMatch(
			/8\d\.\d % of all samples are in \S+ \([^)]+\), 9\d % of that for the native method java\.util\.zip\.Deflater\.deflateBytesBytes/,
		);
	});

	test('stacks have them below the native method, and that below what called it; no sample is lost', async () => {
		const { stdout } = await runAssay(['export', folder, '--to', 'collapsed'], root);
		const rows = stdout
			.trim()
			.split('\n')
			.map((line) => [line.replace(/ \d+$/, ''), Number(/\d+$/.exec(line)?.[0])] as const);
		const { samples } = await json<ReportResult>('report', folder, '--no-index');
		expect(rows.reduce((sum, [, count]) => sum + count, 0)).toBe(samples.counted);
		const below = (method: string) => rows.filter(([stack]) => stack.endsWith(')') && stack.split(';').at(-2) === method);
		const callers = (method: string): string[] => [...new Set(below(method).map(([stack]) => stack.split(';').at(-3) ?? '(interpreted)'))].sort();
		expect([callers(DEFLATE), callers(INFLATE)]).toEqual([['(interpreted)'], ['(interpreted)', 'java.util.zip.Inflater.inflate']]);
		expect((100 * below(DEFLATE).reduce((sum, [, count]) => sum + count, 0)) / samples.counted).toBeGreaterThan(75);
	});

	test('the rows of hot say so, where there is room', async () => {
		expect((await runAssay(['hot', folder], root)).stdout).toMatch(/lib\S+, for java\.util\.zip\.Deflater\.deflateBytesBytes( \d+ %)?\n/);
		expect((await runAssay(['hot', folder, '--width', '80'], root)).stdout).not.toContain(', for java');
	});
});

test('threads other than Java’s are told with their samples, beside whom the rest is for', async () => {
	const argv = ['report', 'fixtures/agent/native/jdk17', '--no-index'];
	const { threadTime, samples } = await json<ReportResult>(...argv);
	const other = threadTime?.classes.find((row) => row.class === 'jvm')?.activities.find(({ name }) => name === 'kernel');
	const percent = (100 * (other?.samples ?? 0)) / samples.counted;
	expect(percent).toBeGreaterThan(0);
	// Of the recording's cost, which is in threads of Java too, it is not known whom it adds to.
	expect(threadTime?.classes.find((row) => row.class === 'recording')?.samples).toBeGreaterThan(0);
	expect((await runAssay(argv, root, { isTerminal: true, columns: 200 })).stdout).not.toMatch(/^ +for .*the recording itself/m);
	const told = `for NativeWork.fresh 3.8 %, other JVM threads ${percent.toFixed(1)} %, `;
	expect((await runAssay(argv, root)).stdout).toContain(told);
	const narrow = (await runAssay(argv, root, { isTerminal: true, columns: 80 })).stdout.split('\n');
	const at = narrow.findIndex((line) => line.trimStart().startsWith(told));
	expect(narrow[at - 1]).toMatch(/^ +\(kernel\) +8\.3 %/);
	expect((narrow[at] ?? '').length).toBeLessThanOrEqual(80);
});

test('what the kernel did for new memory is of the compiled code that touched it first', async () => {
	const { otherTime } = await json<ReportResult>('report', 'fixtures/agent/native/jdk17', '--no-index');
	const kernel = otherTime.find(({ name }) => name === '(kernel)');
	expect(kernel?.callers?.rows[0]).toMatchObject({ method: 'NativeWork.fresh', line: 42 });
	expect((kernel?.callers?.rows[0]?.samples ?? 0) / (kernel?.samples ?? 1)).toBeGreaterThan(0.4);
});
