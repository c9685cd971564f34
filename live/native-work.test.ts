/** Whose work native methods are, of real JVMs: a program that dumps its own stack, beside what perf's samples and the tops of stacks tell of the C code that it is in. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BiasResult, ReportResult } from '../src/answers/results.js';
import { compileProgram, findJdk } from './jdks.js';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');
const KEPT = ['packed', 'unpacked', 'fresh'];
const METHODS = ['java.util.zip.Deflater.deflateBytesBytes', 'java.util.zip.Inflater.inflateBytesBytes'];
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-native-work-'));
	compileProgram(findJdk(17), 'NativeWork', folder);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function record(name: string, major: 17 | 25, ...argv: readonly string[]): void {
	const { status, stderr } = spawnSync(process.execPath, [assay, 'record', '-o', name, '--jdk', findJdk(major).home, ...argv], {
		cwd: folder,
		encoding: 'utf8',
	});
	expect([status, stderr]).toEqual([0, expect.stringContaining('samples of')]);
}

function json<T>(...argv: readonly string[]): T {
	return JSON.parse(execFileSync(process.execPath, [assay, ...argv, '--json'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })).result;
}

test('where hardly anything is copied of stacks, how much would show for whom a library works', () => {
	record('shallow', 25, '--stack', '64', '--', 'java', '-cp', '.', 'NativeWork', '170', 'shallow.collapsed');
	const { otherTime, findings } = json<ReportResult>('report', 'shallow', '--no-index');
	const library = otherTime.find(({ name }) => /^\(lib(?:zip|z)\.so/.test(name));
	expect((library?.callers?.samples ?? 0) / (library?.samples ?? 1)).toBeLessThan(0.5);
	const texts = findings.filter(({ kind, place }) => kind === 'native-work' && place === null).map(({ text }) => text);
	expect(texts).toEqual([expect.stringMatching(/libz(?:ip)?\.so.* the 64 bytes that were copied of it; recorded with --stack 8192 more of it is seen$/)]);
});

test.each([
	[17, 'Serial'],
	[17, 'G1'],
	[25, 'Serial'],
	[25, 'G1'],
	[25, 'Z'],
] satisfies [17 | 25, string][])('JDK %i, %s', (major, collector) => {
	const name = `${major}${collector}`;
	const flags = [
		`-XX:+Use${collector}GC`,
		'-Xmx1200m',
		'-XX:CompileCommand=quiet',
		...KEPT.map((method) => `-XX:CompileCommand=dontinline,NativeWork::${method}`),
	];
	record(name, major, '--', 'java', ...flags, '-cp', '.', 'NativeWork', '400', `${name}.collapsed`);
	const { methods, distances } = json<BiasResult>('bias', name, '--thread', 'java', '--against', `dump=${name}.collapsed`, '--rounds', '0');
	expect(distances.find(({ a, b }) => a === 'predicted' && b === 'dump')?.totalVariation, JSON.stringify(distances)).toBeLessThan(0.15);
	// Of the time in native methods: on a busy machine the memory that the kernel clears, and the start before the first dump, are another part of the whole.
	const rows = METHODS.map((native) => methods.find(({ method }) => method === native));
	const [sampled, dumped] = [rows.map((row) => row?.unbiasedPercent ?? 0), rows.map((row) => row?.observed.dump ?? 0)];
	const share = ([packing = 0, unpacking = 0]: readonly number[]): number => (100 * packing) / (packing + unpacking);
	expect(Math.min(...sampled, ...dumped), JSON.stringify([sampled, dumped])).toBeGreaterThan(4);
	expect(Math.abs(share(sampled) - share(dumped)), JSON.stringify([sampled, dumped])).toBeLessThan(4);
	const { otherTime, findings } = json<ReportResult>('report', name, '--no-index');
	const library = otherTime.find(({ name: row }) => /^\(lib(?:zip|z)\.so/.test(row));
	expect(library?.callers?.rows.slice(0, 2).map(({ method }) => method)).toEqual(METHODS);
	expect((library?.callers?.samples ?? 0) / (library?.samples ?? 1)).toBeGreaterThan(0.95);
	expect(findings.find(({ kind }) => kind === 'native-work')?.place?.method).toBe(METHODS[0]);
});
