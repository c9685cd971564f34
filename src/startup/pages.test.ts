import { describe, expect, test } from 'vitest';
import { called, type HandFunction, handLayout, ran } from '../../test/text-layout.js';
import type { ExecutionTrace } from '../model/executed-code.js';
import type { TextLayout } from '../model/text-layout.js';
import { functionAt } from './function-at.js';
import { countPages } from './page-counts.js';
import { placeOrder, sectionPriorities } from './place-order.js';
import { simulate } from './simulate.js';
import { withStartUpCode } from './start-up-code.js';
import { carryTrace, functionsByName, layTrace } from './trace-on-layout.js';

const P = 4096;
const W = 65536;
const BASE = 16 * P;

const count = (layout: TextLayout, trace: ExecutionTrace) => countPages(layout, layTrace(trace, layout));

describe('pages', () => {
	test('a byte before the end of a page is on it, the next is not', () => {
		const layout = handLayout(BASE, [{ name: 'f', size: 3 * P }]);
		const pages = (...bytes: readonly (readonly [number, number])[]) => [...count(layout, ran(...bytes)).map.pages];
		expect(pages([BASE + P - 1, 1])).toEqual([2, 1, 1]);
		expect(pages([BASE + P, 1])).toEqual([1, 2, 1]);
		expect(pages([BASE + P - 1, 2])).toEqual([2, 2, 1]);
		expect(pages([BASE + P - 2, 2])).toEqual([2, 1, 1]);
		expect(pages([BASE + 3 * P - 1, 1])).toEqual([1, 1, 2]);
	});

	test('the code is as long as its last byte', () => {
		const textPages = (size: number, start = BASE) => count(handLayout(start, [{ name: 'f', size }]), called('f')).counts.textPages;
		expect([1, P, P + 1, 2 * P].map((size) => textPages(size))).toEqual([1, 1, 2, 2]);
		expect(textPages(2, BASE + P - 1)).toBe(2);
		expect(textPages(1, BASE + P - 1)).toBe(1);
		expect(count({ ...handLayout(BASE, []), regions: [] }, called()).counts.textPages).toBe(1);
	});

	test('functions: entries, bodies, and the area under the curve', () => {
		const layout = handLayout(BASE, [
			{ name: 'a', size: P },
			{ name: 'b', size: 10 },
			{ name: 'c', size: P },
			{ name: 'empty', size: 0 },
			{ name: 'never', size: 2 * P },
		]);
		const { counts, map } = count(layout, called('b', 'a', 'c', 'empty'));
		expect(counts).toEqual({
			textPages: 5,
			// b and c begin on page 1, a on page 0, empty on page 2.
			entryPages: 3,
			execPages: null,
			wholeFunctionPages: 3,
			windows64k: 1,
			// 1 page after b, 2 after a, 2 after c, 3 after empty.
			areaUnderCurve: 8,
			codePages: null,
			codeExecPages: null,
			codeWindows64k: null,
		});
		expect([...map.newPageAt]).toEqual([1, 2, 4]);
		expect([...map.touchedAt]).toEqual([2, 1, 3, 0, 0]);
		expect(map.firstFunctions).toEqual([
			{ name: 'b', page: 1 },
			{ name: 'a', page: 0 },
			{ name: 'c', page: 1 },
			{ name: 'empty', page: 2 },
		]);
		expect([...map.pages]).toEqual([2, 2, 2, 0, 0]);
		expect(map.firstPage).toBe(16);
	});

	test('what no order moves is code too, and moves with the end of what an order moves', () => {
		const functions = [
			{ name: 'a', size: 100, alignment: 64 },
			{ name: 'b', size: P - 100, alignment: 64 },
			{ name: 'c', size: 60, alignment: 64 },
		];
		const section = (name: string, address: number, sizeBytes: number) => ({ name, address, sizeBytes, alignment: 16, fileOffset: null });
		const end = BASE + P + 92;
		const plt = Math.ceil(end / 16) * 16;
		const layout = handLayout(BASE, functions, {
			code: [section('.init', BASE - 2 * P, 23), section('.text', BASE, end - BASE), section('.plt', plt, P), section('.far', BASE + 9 * P, 16)],
		});
		const trace = ran([BASE, 4], [BASE - 2 * P, 3], [plt + P - 2, 2], [BASE + 9 * P, 1], [BASE + 40 * P, 2]);
		const { counts } = count(layout, trace);
		expect([counts.execPages, counts.windows64k]).toEqual([1, 1]);
		expect([counts.codePages, counts.codeExecPages, counts.codeWindows64k]).toEqual([1 + 2 + 1 + 1, 4, 2]);
		expect(layTrace(trace, layout).unplaced).toBe(4);
		const placed = placeOrder(layout, ['b'], 'o');
		expect(placed.code.map(({ name, address, sizeBytes }) => [name, address - BASE, sizeBytes])).toEqual([
			['.init', -2 * P, 23],
			['.text', 0, 4220],
			['.plt', 4224, P],
			['.far', 9 * P, 16],
		]);
		expect(count(layout, called('a')).counts).toMatchObject({ codePages: 5, codeExecPages: null, codeWindows64k: null });
		const other = { ...placed, functionNames: [...placed.functionNames] };
		expect(countPages(other, carryTrace(layTrace(trace, layout), layout, other)).counts.codeExecPages).toBe(4);
	});

	test('windows are aligned, wherever the code begins', () => {
		const windows = (start: number, size: number) => count(handLayout(start, [{ name: 'f', size }]), called('f')).counts.windows64k;
		expect(windows(W, W)).toBe(1);
		expect(windows(W, W + 1)).toBe(2);
		expect(windows(2 * W - 1, 1)).toBe(1);
		expect(windows(2 * W - 1, 2)).toBe(2);
		expect(windows(2 * W - P, W + P)).toBe(2);
	});
});

describe('traces on a layout', () => {
	const layout = handLayout(BASE, [
		{ name: 'a', size: 10 },
		{ name: 'b', size: 10, sharesSection: true },
		{ name: 'c', size: 10, alignment: 64, file: 'x/one.c' },
		{ name: 'twin', size: 5, alignment: 64, file: 'x/one.c', isLocal: true },
		{ name: 'twin', size: 6, alignment: 64, file: 'y/two.c', isLocal: true },
	]);

	test('instructions belong to the function that they lie in; touching ones are one range', () => {
		const laid = layTrace(
			ran(
				[BASE + 12, 3],
				[BASE + 64, 4],
				[BASE + 2, 2],
				[BASE + 4, 1],
				[BASE + 7, 3],
				[BASE + 5, 1],
				[BASE + 10, 2],
				[BASE - 1, 1],
				[BASE + 20, 1],
				[BASE + 63, 1],
				[BASE + 74, 1],
			),
			layout,
		);
		expect([...laid.functions]).toEqual([1, 2, 0]);
		expect(laid.unplaced).toBe(4);
		expect(laid.ranges && { functions: [...laid.ranges.functions], starts: [...laid.ranges.starts], ends: [...laid.ranges.ends] }).toEqual({
			functions: [0, 0, 1, 2],
			starts: [2, 7, 0, 0],
			ends: [6, 10, 5, 4],
		});
	});

	test('on a program that is linked in another order, too', () => {
		const placed = placeOrder(layout, ['c', 'a'], 'o');
		const starts = [...placed.sectionStarts];
		const laid = layTrace(ran([starts[0]! + 12, 1], [starts[1]!, 1], [starts[0]! + 3, 1], [starts[1]! + 9, 1], [starts[0]! + 13, 1]), placed);
		expect(laid.functions.map((f) => f)).toEqual(Int32Array.of(1, 2, 0));
		expect([laid.unplaced, laid.ranges?.functions]).toEqual([0, Int32Array.of(0, 1, 2, 2)]);
	});

	test('a name that a function has twice is one', () => {
		const twice = handLayout(BASE, [{ name: 'a', size: 10, aliases: ['b', 'a'] }]);
		expect([...functionsByName(twice)]).toEqual([
			['a', [0]],
			['b', [0]],
		]);
	});

	test('an instruction inside another one adds nothing', () => {
		const { ranges } = layTrace(ran([BASE, 5], [BASE + 1, 2], [BASE + 5, 1]), layout);
		expect([ranges?.starts, ranges?.ends].map((column) => [...(column ?? [])])).toEqual([[0], [6]]);
	});

	test('functions by name, module and address', () => {
		const lay = (...functions: NonNullable<ExecutionTrace['functions']>) => {
			const laid = layTrace({ name: 't', weight: 2, instructions: null, functions }, layout);
			return [[...laid.functions], laid.unplaced, laid.ambiguous, laid.unknownNames];
		};
		const by = (symbol: string | null, address: number | null = null, module: string | null = null) => ({ symbol, address, module });
		expect(lay(by('b'), by('a'), by('b'))).toEqual([[1, 0], 0, 0, []]);
		expect(lay(by(null, BASE + 10), by(null, BASE + 11), by('nobody'))).toEqual([[1], 2, 0, ['0x1000b', 'nobody']]);
		// An address of another function than the name says is of another build.
		expect(lay(by('a', BASE + 10))).toEqual([[0], 0, 0, []]);
		expect(lay(by('twin', null, 'elsewhere/two.c'), by('twin', null, 'one.c'))).toEqual([[4, 3], 0, 0, []]);
		expect(lay(by('twin', BASE + 192))).toEqual([[4], 0, 0, []]);
		// Nobody says which: one after the other.
		expect(lay(by('twin'), by('twin', null, 'three.c'), by('twin'))).toEqual([[3, 4], 0, 3, []]);
		expect(lay(...Array.from({ length: 12 }, (_, i) => by(`u${i}`)))).toEqual([[], 12, 0, Array.from({ length: 10 }, (_, i) => `u${i}`)]);
	});

	test('carried to another link: by name, those that share one by file and size, then by size, then in order', () => {
		const other = handLayout(BASE, [
			{ name: 'twin', size: 6, file: 'y/two.c' },
			{ name: 'b', size: 10 },
			{ name: 'twin', size: 7, file: 'x/one.c' },
			{ name: 'c', size: 99 },
		]);
		const carried = carryTrace(layTrace(called('twin', 'twin', 'a', 'b', 'c'), layout), layout, other);
		expect([[...carried.functions], carried.unplaced, carried.unknownNames]).toEqual([[2, 0, 1, 3], 1, ['a']]);
		const bytes = carryTrace(layTrace(ran([BASE, 1], [BASE + 11, 2], [BASE + 64, 3], [1, 1]), layout), layout, other);
		expect([[...bytes.functions], bytes.unplaced]).toEqual([[1, 3], 2]);
		expect([bytes.ranges?.functions, bytes.ranges?.starts, bytes.ranges?.ends].map((column) => [...(column ?? [])])).toEqual([
			[1, 3],
			[1, 0],
			[3, 3],
		]);
		// Two of one size: that of the same file.
		const sizes = [5, 5].map((size, i) => ({ name: 'twin', size, file: i === 0 ? 'b.c' : 'a.c' }));
		const swapped = carryTrace(layTrace(called('twin'), handLayout(0, [...sizes].reverse())), handLayout(0, [...sizes].reverse()), handLayout(0, sizes));
		expect([...swapped.functions]).toEqual([1]);
		// Files that do not fit the sizes: sizes alone, then what is left.
		const byFile = (...own: readonly (readonly [size: number, file: string])[]) =>
			handLayout(
				0,
				own.map(([size, file]) => ({ name: 'twin', size, file })),
			);
		const counterparts = (from: TextLayout, to: TextLayout) => [...carryTrace(layTrace(called('twin', 'twin'), from), from, to).functions];
		expect(counterparts(byFile([5, 'a.c'], [6, 'b.c']), byFile([6, 'a.c'], [5, 'b.c']))).toEqual([1, 0]);
		expect(counterparts(byFile([5, 'a.c'], [6, 'b.c']), byFile([6, 'b.c'], [5, 'b.c']))).toEqual([1, 0]);
		expect(counterparts(byFile([5, 'a.c'], [6, 'b.c']), byFile([7, 'b.c'], [5, 'a.c']))).toEqual([1, 0]);
		expect(counterparts(byFile([5, 'a.c']), byFile([7, 'b.c'], [5, 'a.c']))).toEqual([1]);
		const first = handLayout(BASE, [{ name: 'b', size: 10 }]);
		expect(carryTrace(layTrace(ran([BASE + 11, 2]), layout), layout, first).ranges).toEqual({
			functions: Int32Array.of(0),
			starts: Float64Array.of(1),
			ends: Float64Array.of(3),
		});
		const same = layTrace(called('a'), layout);
		expect(carryTrace(same, layout, { ...layout, name: 'placed' })).toBe(same);
	});

	test('start-up code that no compiler instruments is added once, where its section did not run', () => {
		const program = handLayout(BASE, [
			{ name: '_start', size: 5 },
			{ name: 'frame_dummy', size: 5 },
			{ name: 'main', size: 5, sharesSection: true },
			{ name: 'g', size: 5 },
		]);
		const complete = (trace: ExecutionTrace) => {
			const { traces, added } = withStartUpCode([layTrace(trace, program)], program);
			return [[...traces[0]!.functions], added];
		};
		expect(complete(called('g'))).toEqual([
			[0, 1, 3],
			['_start', 'frame_dummy'],
		]);
		expect(complete(called('g', 'main'))).toEqual([[0, 3, 2], ['_start']]);
		expect(complete(called('_start', 'main'))).toEqual([[0, 2], []]);
		expect(complete(ran([BASE + 15, 1]))).toEqual([[3], []]);
		const twice = handLayout(BASE, [
			{ name: '_start', size: 5 },
			{ name: '_start', size: 5 },
			{ name: 'g', size: 5 },
		]);
		expect(withStartUpCode([layTrace(called('g'), twice)], twice).added).toEqual([]);
	});
});

describe('orders placed', () => {
	const functions: HandFunction[] = [
		{ name: 'a', size: 10, alignment: 16 },
		{ name: 'b', size: 20, alignment: 16 },
		{ name: 'c', size: 3, alignment: 4, aliases: ['c2'] },
		{ name: 'd', size: 8, alignment: 32 },
	];
	const layout = handLayout(BASE, functions);

	test('listed sections first, each at its alignment, the others as they were', () => {
		const placed = placeOrder(layout, ['c2', 'nobody', 'd', 'c'], 'o');
		// c at 0, d at 32, a at 48, b at 64.
		expect([...placed.sectionStarts].map((start) => start - BASE)).toEqual([48, 64, 0, 32]);
		expect([...sectionPriorities(layout, ['d', 'c2', 'c', 'd'])]).toEqual([-1, -1, 1, 0]);
		expect(placed.name).toBe('o');
		expect([...placeOrder(layout, [], 'o').sectionStarts]).toEqual([...layout.sectionStarts]);
	});

	test('what follows a region moves with its end, unless it lies elsewhere', () => {
		const sectionStarts = (secondStart: number, order: readonly string[]) => {
			const two: TextLayout = {
				...handLayout(BASE, [
					{ name: 'a', size: 2, alignment: 1 },
					{ name: 'b', size: 16, alignment: 16 },
					{ name: 'z', size: 8, alignment: 8 },
				]),
				sectionStarts: Float64Array.of(BASE, BASE + 16, secondStart),
				regions: [
					{ name: '.text', start: BASE, alignment: 16, precededBy: [], firstSection: 0, endSection: 2 },
					{ name: '.text.hot', start: secondStart, alignment: 16, precededBy: [{ sizeBytes: 5, alignment: 8 }], firstSection: 2, endSection: 3 },
				],
			};
			const placed = placeOrder(two, order, 'o');
			return [[...placed.sectionStarts].map((start) => start - BASE), placed.regions[1]!.start - BASE];
		};
		// The first ends at 32: 5 bytes at 32, then 16-aligned: 48. With b first it ends at 18: 5 bytes at 24, then 32.
		expect(sectionStarts(BASE + 48, [])).toEqual([[0, 16, 48], 48]);
		expect(sectionStarts(BASE + 48, ['b'])).toEqual([[16, 0, 32], 32]);
		expect(sectionStarts(BASE + 64, ['b'])).toEqual([[16, 0, 64], 64]);
	});

	test('where branches do not reach far, listed sections go into the middle', () => {
		const REACH = 0x1000000 - 0x30000;
		const big = (machine: string, size: number) => {
			const program = handLayout(
				0,
				[
					{ name: 'a', size: size - 300 },
					{ name: 'b', size: 100 },
					{ name: 'c', size: 100 },
					{ name: 'd', size: 100 },
				],
				{ machine },
			);
			return [...placeOrder(program, ['d'], 'o').sectionStarts];
		};
		expect(big('ARM', REACH - 1)[3]).toBe(0);
		expect(big('X86_64', REACH)[3]).toBe(0);
		// Of the others a alone is more than half.
		expect(big('ARM', REACH)).toEqual([100, 100 + REACH - 300, 200 + REACH - 300, 0]);
		const even = handLayout(
			0,
			[
				{ name: 'a', size: REACH / 2 },
				{ name: 'b', size: REACH / 2 },
				{ name: 'd', size: 10 },
			],
			{ machine: 'ARM' },
		);
		expect([...placeOrder(even, ['d'], 'o').sectionStarts]).toEqual([0, REACH / 2 + 10, REACH / 2]);
		expect([...placeOrder(even, [], 'o').sectionStarts]).toEqual([0, REACH / 2, REACH]);
	});

	test('a page is called after the function at its first byte, else after the first that begins in it', () => {
		const program = handLayout(BASE, [
			{ name: 'a', size: P },
			{ name: 'empty', size: 0 },
			{ name: 'late', size: 8, alignment: 2 * P },
			{ name: 'last', size: 2 * P, alignment: 4 * P },
		]);
		// a on page 0, empty at the begin of page 1, late on page 2, last from page 4.
		const name = functionAt(program);
		expect([-2, -1, 0, 1, 2, 3, 4, 5, 6].map((page) => name(BASE + page * P))).toEqual([null, null, 'a', 'empty', 'late', null, 'last', 'last', null]);
		expect([name(BASE + P - 1), name(BASE + P + 1), name(BASE + P + 1 - 2), name(BASE + 2 * P + 8)]).toEqual(['a', 'late', 'a', null]);
		expect(functionAt(handLayout(BASE, []))(BASE)).toBeNull();
		const placed = functionAt(placeOrder(program, ['last', 'late'], 'o'));
		expect([0, 1, 2, 3, 4].map((page) => placed(BASE + page * P))).toEqual(['last', 'last', 'late', 'a', null]);
	});
});

describe('simulation', () => {
	const layout = handLayout(BASE, [
		{ name: 'a', size: P },
		{ name: 'cold', size: P },
		{ name: 'b', size: P },
	]);

	test('binaries, then orders of the first; sums over the traces, pages of the program', () => {
		const traces = [ran([BASE, 4], [BASE + 2 * P + 16, 8]), { ...ran([BASE, 4]), name: 'second', weight: 3 }];
		const { traces: told, layouts } = simulate([layout], [{ name: 'order', symbols: ['b', 'b', 'nobody'] }], traces, layout);
		expect(told).toEqual([
			{ name: 'run', weight: 1, functions: 2, executedBytes: 12, unplaced: 0, ambiguous: 0, unknownNames: [], loaded: { slide: 0, by: 'linked', share: 1 } },
			{ name: 'second', weight: 3, functions: 1, executedBytes: 4, unplaced: 0, ambiguous: 0, unknownNames: [], loaded: { slide: 0, by: 'linked', share: 1 } },
		]);
		expect(layouts.map(({ name, kind, listedSections }) => [name, kind, listedSections])).toEqual([
			['app', 'binary', null],
			['order', 'order', 1],
		]);
		expect(layouts[0]!.counts).toEqual({
			textPages: 3,
			entryPages: 3,
			execPages: 3,
			wholeFunctionPages: 3,
			windows64k: 2,
			areaUnderCurve: 4,
			codePages: null,
			codeExecPages: null,
			codeWindows64k: null,
		});
		expect(layouts[1]!.byTrace.map(({ map }) => [...map.pages])).toEqual([
			[2, 2, 0],
			[0, 2, 0],
		]);
	});

	test('one trace of functions only: executed pages are not known; lost are those that another binary does not have', () => {
		const other = handLayout(BASE, [{ name: 'a', size: P }]);
		const { layouts } = simulate([layout, other], [], [called('a', 'b', 'x'), ran([BASE, 4])], layout);
		expect(layouts.map(({ counts: { execPages, textPages }, byTrace }) => [execPages, textPages, byTrace.map(({ lost }) => lost)])).toEqual([
			[null, 3, [0, 0]],
			[null, 1, [1, 0]],
		]);
		expect(simulate([], [{ name: 'o', symbols: [] }], [], layout).layouts).toEqual([]);
	});
});
