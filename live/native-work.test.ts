/** Whose work native methods are, of real JVMs: a program that dumps its own stack, beside what perf's samples and the tops of stacks tell of the C code that it is in. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BiasResult, ReportResult } from '../src/answers/results.js';
import { RecordedProgram } from './recorded-program.js';

const program = new RecordedProgram('NativeWork');
const KEPT = ['packed', 'unpacked', 'fresh'];
const METHODS = ['java.util.zip.Deflater.deflateBytesBytes', 'java.util.zip.Inflater.inflateBytesBytes'];

beforeAll(() => program.compile());
afterAll(() => program.remove());

test('where hardly anything is copied of stacks, how much would show for whom a library works', () => {
	program.record('shallow', 25, '--stack', '64', '--', 'java', '-cp', '.', 'NativeWork', '170', 'shallow.collapsed');
	const { otherTime, findings } = program.json<ReportResult>('report', 'shallow', '--no-index');
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
	program.record(name, major, '--', 'java', ...flags, '-cp', '.', 'NativeWork', '400', `${name}.collapsed`);
	const { methods, distances } = program.json<BiasResult>('bias', name, '--thread', 'java', '--against', `dump=${name}.collapsed`, '--rounds', '0');
	expect(distances.find(({ a, b }) => a === 'predicted' && b === 'dump')?.totalVariation, JSON.stringify(distances)).toBeLessThan(0.15);
	// Of the time in native methods: on a busy machine the memory that the kernel clears, and the start before the first dump, are another part of the whole.
	const rows = METHODS.map((native) => methods.find(({ method }) => method === native));
	const [sampled, dumped] = [rows.map((row) => row?.unbiasedPercent ?? 0), rows.map((row) => row?.observed.dump ?? 0)];
	const share = ([packing = 0, unpacking = 0]: readonly number[]): number => (100 * packing) / (packing + unpacking);
	expect(Math.min(...sampled, ...dumped), JSON.stringify([sampled, dumped])).toBeGreaterThan(4);
	expect(Math.abs(share(sampled) - share(dumped)), JSON.stringify([sampled, dumped])).toBeLessThan(4);
	const { otherTime, findings } = program.json<ReportResult>('report', name, '--no-index');
	const library = otherTime.find(({ name: row }) => /^\(lib(?:zip|z)\.so/.test(row));
	expect(library?.callers?.rows.slice(0, 2).map(({ method }) => method)).toEqual(METHODS);
	expect((library?.callers?.samples ?? 0) / (library?.samples ?? 1)).toBeGreaterThan(0.95);
	expect(findings.find(({ kind }) => kind === 'native-work')?.place?.method).toBe(METHODS[0]);
});
