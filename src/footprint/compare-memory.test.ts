/** Two sides of runs: which methods cost more, and in which cells. */
import { describe, expect, test } from 'vitest';
import { type CompilerMemory, type MemoryDetails, NO_DETAILS } from '../model/compiler-memory.js';
import { type ComparedRun, compareMemory } from './compare-memory.js';

interface Cells {
	readonly [arena: string]: number;
}

function cells(bytes: Cells): CompilerMemory['byArena'] {
	return { arenas: Object.keys(bytes), bytes: Object.values(bytes) };
}

function compilation(method: string, totalBytes: number, more: Partial<CompilerMemory & { details: () => MemoryDetails }> = {}): ComparedRun[number] {
	return {
		compileId: '1',
		compiler: 'c2',
		level: 4,
		osrBci: null,
		method,
		signature: null,
		totalBytes,
		byArena: cells({}),
		nodes: null,
		result: null,
		limitBytes: null,
		hitLimit: false,
		seconds: null,
		thread: null,
		timesCompiled: null,
		skipped: null,
		details: () => NO_DETAILS,
		...more,
	};
}

const phases =
	(...rows: readonly (readonly [string, Cells])[]) =>
	() => ({
		...NO_DETAILS,
		phases: rows.map(([name, bytes]) => ({ name, totalBytes: 0, byArena: cells(bytes) })),
	});

const short = (a: readonly ComparedRun[], b: readonly ComparedRun[]) =>
	compareMemory(a, b).changes.map(({ handle, method, a: before, b: after, kind, isNoise, pValue }) => [
		handle,
		method,
		before.bytes,
		after.bytes,
		kind,
		isNoise,
		pValue,
	]);

describe('one run a side', () => {
	test('a method stands for its largest compilation, compilers and signatures are apart', () => {
		const a = [
			compilation('A.f', 10),
			compilation('A.f', 30),
			compilation('A.f', 20),
			compilation('A.f', 5, { compiler: 'c1' }),
			compilation('A.g', 7, { signature: '()V' }),
		];
		const b = [compilation('A.f', 25), compilation('A.f', 5, { compiler: 'c1' }), compilation('A.g', 7, { signature: '(I)V' })];
		expect(compareMemory([a], [b])).toMatchObject({
			runsA: 1,
			runsB: 1,
			totalA: 72,
			totalB: 37,
			unchanged: 1,
			changes: [
				{
					handle: 'd1',
					method: 'A.g',
					signature: '()V',
					kind: 'vanished',
					a: { bytes: 7, runs: 1, values: [7] },
					b: { bytes: 0, runs: 0, values: [] },
					isNoise: null,
					pValue: null,
				},
				{ handle: 'd2', method: 'A.g', signature: '(I)V', kind: 'appeared', a: { bytes: 0, runs: 0 }, b: { bytes: 7, runs: 1 }, isNoise: null },
				{ handle: 'd3', method: 'A.f', compiler: 'c2', kind: 'changed', a: { bytes: 30 }, b: { bytes: 25 } },
			],
		});
	});

	test('a hidden class is the same in both runs, whatever its address', () => {
		const a = [compilation('A$$Lambda/0x00000000b8246c48.f', 10), compilation('A$$Lambda$12/0x0000000800c03000.g', 5), compilation('B.0xff', 5)];
		const b = [compilation('A$$Lambda/0x00000000c0000000.f', 10), compilation('A$$Lambda$7/0x0000000800c04000.g', 5), compilation('B.0xfe', 5)];
		expect(compareMemory([a], [b])).toMatchObject({ unchanged: 2, changes: [{ method: 'B.0xfe' }, { method: 'B.0xff' }] });
	});

	test('nothing was compiled on a side, or there is no run', () => {
		expect(short([[]], [[compilation('A.f', 0)]])).toEqual([['d1', 'A.f', 0, 0, 'appeared', null, null]]);
		expect(compareMemory([], [])).toEqual({ runsA: 0, runsB: 0, totalA: 0, totalB: 0, changes: [], unchanged: 0 });
	});
});

describe('repeated runs', () => {
	const runs = (...values: readonly (number | null)[]): ComparedRun[] => values.map((bytes) => (bytes === null ? [] : [compilation('A.f', bytes)]));

	test('means over the runs that compiled it; what keeps apart is no noise', () => {
		expect(short(runs(10, 12, 14), runs(20, 22, 24))).toEqual([['d1', 'A.f', 12, 22, 'changed', false, 1 / 20]]);
		expect(short(runs(10, 12, 14), runs(13, 15, 17))).toEqual([['d1', 'A.f', 12, 15, 'changed', true, 2 / 20]]);
		expect(compareMemory(runs(10, null), runs(20, 30)).changes[0]).toMatchObject({ a: { bytes: 10, runs: 1, values: [10] }, b: { bytes: 25, runs: 2 } });
		expect(compareMemory(runs(10, null, 20), runs(10)).totalA).toBe(10);
	});

	test('repeats of one side are enough to tell', () => {
		expect(short(runs(10), runs(20, 22))).toEqual([['d1', 'A.f', 10, 21, 'changed', true, 1 / 3]]);
		expect(short(runs(20, 22), runs(10))).toEqual([['d1', 'A.f', 21, 10, 'changed', true, 1 / 3]]);
	});

	test('where a method was not compiled it cost nothing', () => {
		expect(short(runs(null, null, null), runs(5, 6, 7))).toEqual([['d1', 'A.f', 0, 6, 'appeared', false, 1 / 20]]);
		// Ten of the twenty labellings put the one run that compiled it on this side.
		expect(short(runs(null, null, null), runs(5, null, null))).toEqual([['d1', 'A.f', 0, 5, 'appeared', true, 1 / 2]]);
		expect(short(runs(5, 6, 7), runs(null, null, null))).toEqual([['d1', 'A.f', 6, 0, 'vanished', false, 1 / 20]]);
		// Of a method that both sides compiled only the runs that did.
		expect(short(runs(1, null, null), runs(5, 6, null))).toEqual([['d1', 'A.f', 1, 5.5, 'changed', true, 1 / 3]]);
	});

	test('noise comes last, then by size, then by name', () => {
		const run = (sizes: Record<string, number>): ComparedRun => Object.entries(sizes).map(([method, bytes]) => compilation(method, bytes));
		const a = [run({ big: 1000, noisy: 10, y: 1, x: 1 }), run({ big: 1001, noisy: 9000, y: 1, x: 1 }), run({ big: 1002, noisy: 20, y: 1, x: 1 })];
		const b = [run({ big: 10, noisy: 30, y: 2, x: 2 }), run({ big: 11, noisy: 20, y: 2, x: 2 }), run({ big: 12, noisy: 10, y: 2, x: 2 })];
		expect(compareMemory(a, b).changes.map(({ handle, method, isNoise }) => [handle, method, isNoise])).toEqual([
			['d1', 'big', false],
			['d2', 'x', false],
			['d3', 'y', false],
			['d4', 'noisy', true],
		]);
	});
});

describe('cells', () => {
	test('by phase and arena, largest change first, means over the runs', () => {
		const a = [
			[compilation('A.f', 100, { details: phases(['parse', { ra: 10, node: 40 }], ['gcm', { ra: 50 }]) })],
			[compilation('A.f', 120, { details: phases(['parse', { ra: 20, node: 40 }], ['gcm', { ra: 70 }]) })],
		];
		const b = [[compilation('A.f', 50, { details: phases(['parse', { ra: 5, node: 40 }], ['', { ra: 5 }]) })]];
		expect(compareMemory(a, b).changes[0]!.cells).toEqual([
			{ phase: 'gcm', arena: 'ra', bytesA: 60, bytesB: 0 },
			{ phase: 'parse', arena: 'ra', bytesA: 15, bytesB: 5 },
			{ phase: '', arena: 'ra', bytesA: 0, bytesB: 5 },
		]);
	});

	test('by arena alone where a side has no table', () => {
		const a = [[compilation('A.f', 100, { byArena: cells({ ra: 1, node: 2 }), details: phases(['parse', { ra: 99 }]) })]];
		const b = [[compilation('A.f', 50, { byArena: cells({ ra: 4, node: 2 }) })]];
		expect(compareMemory(a, b).changes[0]!.cells).toEqual([{ phase: '(all phases)', arena: 'ra', bytesA: 1, bytesB: 4 }]);
	});

	test('of the two hundred largest changes', () => {
		const run = (bytes: number) => Array.from({ length: 201 }, (_, i) => compilation(`A.m${i}`, bytes * (1000 - i), { byArena: cells({ ra: bytes }) }));
		const { changes } = compareMemory([run(1)], [run(2)]);
		expect(changes.map(({ cells: of }) => of.length)).toEqual([...Array<number>(200).fill(1), 0]);
	});
});
