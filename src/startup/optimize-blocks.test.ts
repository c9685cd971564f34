/** Lists of blocks and layouts of split functions, on functions made by hand. */
import { describe, expect, test } from 'vitest';
import { handLayout, ran } from '../../test/text-layout.js';
import { BLOCK_FALLS_THROUGH, BLOCK_IS_LANDING_PAD, type BlockMap } from '../model/block-map.js';
import type { LayoutBlocks, TextLayout } from '../model/text-layout.js';
import { makeBlockList } from './block-list.js';
import { layoutBlocks } from './layout-blocks.js';
import { optimizeBlocks } from './optimize-blocks.js';
import { withParts } from './part-order.js';
import { splitLayout } from './split-layout.js';
import { carryTrace, type LaidTrace, layTrace } from './trace-on-layout.js';

const BASE = 0x10000;
type HandBlock = readonly [id: number, size: number, flags?: number];

/** Functions one behind the other at multiples of 16, each with these blocks. */
function program(functions: Readonly<Record<string, readonly HandBlock[]>>, more: Partial<Parameters<typeof handLayout>[1][number]> = {}): TextLayout {
	const sizes = Object.values(functions).map((blocks) => blocks.reduce((sum, [, size]) => sum + size, 0));
	const layout = handLayout(
		BASE,
		Object.keys(functions).map((name, f) => ({ name, size: sizes[f]!, alignment: 16, ...more })),
	);
	const blocks = Object.values(functions).flat();
	const starts: number[] = [];
	const firstBlock = [0];
	Object.values(functions).forEach((own, f) => {
		let at = layout.sectionStarts[f]!;
		for (const [, size] of own) {
			starts.push(at);
			at += size;
		}
		firstBlock.push(starts.length);
	});
	const map: BlockMap = {
		functionStarts: layout.sectionStarts,
		firstBlock: Int32Array.from(firstBlock),
		ids: Int32Array.from(blocks, ([id]) => id),
		starts: Float64Array.from(starts),
		sizes: Float64Array.from(blocks, ([, size]) => size),
		flags: Uint8Array.from(blocks, ([, , flags = 0]) => flags),
		calls: blocks.map(() => null),
		compilers: ['clang'],
	};
	return { ...layout, blocks: layoutBlocks(map, layout) };
}

/** What runs: of a function these bytes. */
function run(layout: TextLayout, ...executed: readonly (readonly [name: string, offset: number, size?: number])[]): LaidTrace {
	return layTrace(
		ran(...executed.map(([name, offset, size = 1]) => [layout.sectionStarts[layout.functionNames.indexOf(name)]! + offset, size] as const)),
		layout,
	);
}

const blocksOf = ({ blocks }: TextLayout): LayoutBlocks => {
	if (blocks == null) {
		throw new Error('the layout tells no blocks');
	}
	return blocks;
};
const rangesOf = ({ ranges }: LaidTrace) => {
	if (ranges === null) {
		throw new Error('the trace tells functions only');
	}
	return ranges;
};
const listed = (layout: TextLayout, traces: readonly LaidTrace[], least = 16) => makeBlockList(layout, blocksOf(layout), traces, least);
const FALLS = BLOCK_FALLS_THROUGH;

describe('what stays', () => {
	const layout = program({
		f: [
			[0, 10, FALLS],
			[7, 0, FALLS],
			[2, 40],
			[3, 6],
			[1, 30],
		],
		g: [
			[0, 8],
			[1, 15],
		],
		h: [[0, 9]],
	});

	test('the first block, what was executed as it lies, and empty blocks in front of that', () => {
		const { functions, untold } = listed(layout, [run(layout, ['f', 52, 2], ['g', 0]), run(layout, ['f', 12])]);
		expect(functions).toMatchObject([{ function: 0, names: ['f'], blocks: [0, 7, 2, 3], keptBytes: 56, coldBytes: 30, stamp: { blocks: 5 } }]);
		expect(untold).toBe(0);
		expect(listed(layout, [run(layout, ['f', 50])]).functions[0]?.blocks).toEqual([0, 3]);
	});

	test('functions with less to put apart than asked for stay whole, and those that did not run', () => {
		const traces = [run(layout, ['f', 52], ['g', 0])];
		expect([15, 16, 71].map((least) => listed(layout, traces, least).functions.map(({ names }) => names[0]))).toEqual([['f', 'g'], ['f'], []]);
	});

	test('an instruction over the end of a block is of both', () => {
		expect(listed(layout, [run(layout, ['f', 49, 2])]).functions[0]?.blocks).toEqual([0, 7, 2, 3]);
	});

	test('functions of one name are not listed; their aliases are', () => {
		const twins = program(
			{
				f: [
					[0, 4],
					[1, 99],
				],
				g: [
					[0, 4],
					[1, 99],
				],
			},
			{ aliases: ['same'] },
		);
		expect(listed(twins, [run(twins, ['f', 0])])).toMatchObject({ functions: [], sharedNames: ['f'] });
		const one = program(
			{
				f: [
					[0, 4],
					[1, 99],
				],
			},
			{ aliases: ['alias'] },
		);
		expect(listed(one, [run(one, ['f', 0])]).functions[0]?.names).toEqual(['f', 'alias']);
	});
});

describe('a split layout', () => {
	const layout = program({
		f: [
			[0, 10, FALLS],
			[1, 40, FALLS],
			[2, 6],
		],
		g: [
			[0, 20],
			[5, 50, BLOCK_IS_LANDING_PAD],
			[6, 4, BLOCK_IS_LANDING_PAD],
			[7, 90],
		],
		h: [[0, 9]],
	});
	const traces = [run(layout, ['f', 0], ['f', 51], ['g', 3], ['g', 72], ['h', 1])];
	const split = splitLayout(layout, blocksOf(layout), listed(layout, traces).functions, 'split');

	test('has the parts as sections, jumps where blocks no longer follow, landing pads together', () => {
		expect(split.functionNames).toEqual(['f', 'f.cold', 'g', 'g.eh', 'g.cold', 'h']);
		// Both of f run on into blocks that lie elsewhere: a jump of 5 bytes each.
		expect([...split.sectionSizes]).toEqual([10 + 5 + 6, 40 + 5, 20, 54, 90, 9]);
		expect([...split.sectionStarts].map((start) => start - BASE)).toEqual([0, 21, 80, 100, 154, 256]);
		const blocks = blocksOf(split);
		expect(
			Array.from(blocks.ids, (id, i) => `${split.functionNames[blocks.parts[i]!]}+${blocks.offsets[i]} ${split.functionNames[blocks.functions[i]!]} ${id}`),
		).toEqual([...['f+0 f 0', 'f+15 f 2', 'f.cold+0 f 1', 'g+0 g 0', 'g.eh+0 g 5', 'g.eh+50 g 6', 'g.cold+0 g 7', 'h+0 h 0']]);
	});

	test('runs what ran, each block where it now lies', () => {
		const trace = carryTrace(traces[0]!, layout, split);
		const { functions, starts, ends } = rangesOf(trace);
		expect(Array.from(functions, (f, i) => `${split.functionNames[f]} ${starts[i]} ${ends[i]}`)).toEqual(['f 0 1', 'f 16 17', 'g 3 4', 'g.eh 52 53', 'h 1 2']);
		expect(Array.from(trace.functions, (f) => split.functionNames[f])).toEqual(['f', 'g', 'g.eh', 'h']);
		expect(trace.unplaced).toBe(0);
	});

	test('a run that was not traced runs parts that were put apart; who comes to the end of a block jumps', () => {
		const other = carryTrace(run(layout, ['f', 0, 10], ['f', 10, 40]), layout, split);
		const { functions, starts, ends } = rangesOf(other);
		expect(Array.from(functions, (f, i) => `${split.functionNames[f]} ${starts[i]} ${ends[i]}`)).toEqual(['f 0 15', 'f.cold 0 45']);
	});

	test('an order keeps parts near their functions', () => {
		expect(withParts(split, ['h', 'g', 'x', 'f'])).toEqual(['h', 'g', 'x', 'f', 'g.eh', 'g.cold', 'f.cold']);
		expect(withParts(split, ['g.cold', 'g'])).toEqual(['g.cold', 'g', 'g.eh']);
		expect(withParts(layout, ['g'])).toEqual(['g']);
	});

	test('functions with other blocks are carried by the distance from their start', () => {
		const changed = program({
			f: [
				[0, 10, FALLS],
				[1, 41, FALLS],
				[3, 6],
			],
			g: [[0, 174]],
			h: [[0, 9]],
		});
		const { functions, starts } = rangesOf(carryTrace(traces[0]!, layout, changed));
		expect(Array.from(functions, (f, i) => `${changed.functionNames[f]} ${starts[i]}`)).toEqual(['f 0', 'f 51', 'g 3', 'g 72', 'h 1']);
	});
});

describe('which list is made', () => {
	/** Pages of functions of which a tenth runs. */
	const names = Array.from({ length: 40 }, (_, i) => `f${i}`);
	const layout = program(
		Object.fromEntries(
			names.map((name) => [
				name,
				[
					[0, 200],
					[1, 1848],
				],
			]),
		),
	);
	const options = { method: 'pages', objective: 'pages' } as const;

	test('one that serves each run that is left out', () => {
		const runs = [0, 1, 2].map((left) => run(layout, ...names.filter((_, i) => i % 3 !== left || i < 20).map((name) => [name, 0] as const)));
		const { list, order, leastColdBytes, refused } = optimizeBlocks(layout, blocksOf(layout), runs, options);
		expect([list.functions.length, refused, leastColdBytes]).toEqual([40, 0, 16]);
		expect(order.symbols.slice(-40).every((symbol) => symbol.endsWith('.cold'))).toBe(true);
	});

	test('none where the runs that are left out need what others do not run', () => {
		const runs = [0, 1, 2].map((left) =>
			run(layout, ...names.map((name, i) => [name, i % 3 === left ? 300 : 0] as const), ...names.map((name) => [name, left === 1 ? 1000 : 1999] as const)),
		);
		const few = [run(layout, ['f0', 0]), run(layout, ['f39', 0])];
		expect(optimizeBlocks(layout, blocksOf(layout), few, options)).toMatchObject({ leastColdBytes: null, refused: 3, list: { functions: [] } });
		expect(optimizeBlocks(layout, blocksOf(layout), runs, options).tried).toBe(3);
	});

	test('any for a single run, which cannot be left out', () => {
		expect(optimizeBlocks(layout, blocksOf(layout), [run(layout, ['f3', 0])], options)).toMatchObject({ leastColdBytes: 16, refused: 0 });
	});
});
