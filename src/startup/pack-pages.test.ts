/** Packing, against trying everything: which functions go before one with much cold code, and which that never ran fill a page. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handLayout } from '../../test/text-layout.js';
import type { TextLayout } from '../model/text-layout.js';
import { hotCode } from './hot-code.js';
import { type PackOptions, packPages } from './pack-pages.js';
import { type LaidTrace, layTrace } from './trace-on-layout.js';

const P = 4096;
const W = 65536;
/** Sizes are told in these; every section is aligned to one, so that a page has 64. */
const G = 64;
/** What a function that is put before another costs, in pages. */
const COST_OF_MOVING = 0.002;
const NO_FILLING = { leastFilling: Number.POSITIVE_INFINITY, fillsWithCold: true, hasPrefix: false };

/** Sections f0, f1, … of these sizes in bytes, each a function. */
function program(start: number, sizes: readonly number[]): TextLayout {
	return handLayout(
		start,
		sizes.map((size, i) => ({ name: `f${i}`, size, alignment: G })),
	);
}

type Executed = readonly [section: number, start: number, bytes: number];

/** A run that executes these bytes, in this order. */
function run(layout: TextLayout, executed: readonly Executed[], weight = 1): LaidTrace {
	const bytes = executed.flatMap(([section, start, length]) => {
		const first = layout.sectionStarts[section]! + start;
		return [first, first + length - 1];
	});
	const addresses = Float64Array.from(new Set(bytes));
	return layTrace({ name: 'run', weight, instructions: { addresses, sizes: new Uint8Array(addresses.length).fill(1) }, functions: null }, layout);
}

/** Sections as they are packed, classes by first execution; those that fill are in brackets. */
function packed(layout: TextLayout, traces: readonly LaidTrace[], options: PackOptions): string[] {
	const region = layout.regions[0]!;
	const hot = hotCode(layout, region, traces);
	const order = hot.classes.map((_class, i) => i);
	return [...packPages(hot, layout, region, order, options)].map((one) => (one < 0 ? `(f${-1 - one})` : `f${hot.sections[one]}`));
}

function subsets<T>(items: readonly T[]): T[][] {
	return Array.from({ length: 2 ** items.length }, (_way, bits) => items.filter((_item, i) => (bits >> i) & 1));
}

/** All bytes of the sections from `first` on. */
const whole = (sizes: readonly number[], first: number): Executed[] => sizes.map((size, i) => [first + i, 0, size]);

describe('before a function with much cold code', () => {
	const executedParts = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 * G })), { minLength: 1, maxLength: 3 });

	test('stand those of the next that bring it to where it costs least, as few as possible', () => {
		fc.assert(
			fc.property(
				fc.nat(63),
				fc.integer({ min: P + 1, max: 4 * P }),
				fc.array(executedParts, { minLength: 1, maxLength: 2 }),
				fc.array(fc.integer({ min: 1, max: P }), { minLength: 1, maxLength: 6 }),
				(startGranule, large, runs, small) => {
					const layout = program(16 * W + startGranule * G, [large, ...small]);
					const parts = runs.map((own) =>
						own.map(([at, length]): readonly [number, number] => {
							const bytes = Math.min(length, large);
							return [at % (large - bytes + 1), bytes];
						}),
					);
					const traces = parts.map((own, i) => run(layout, [...own.map(([start, bytes]): Executed => [0, start, bytes]), ...whole(small, 1)], i + 1));
					const list = packed(layout, traces, { leastSaving: 1e-9, ...NO_FILLING });

					/** Of each page that a run touches in the large one, the share that this takes. */
					const cost = (before: readonly number[]): number => {
						const offset = layout.sectionStarts[0]! + before.reduce((sum, s) => sum + Math.ceil(small[s]! / G) * G, 0);
						const end = offset + Math.ceil(large / G) * G;
						let bytes = 0;
						parts.forEach((own, i) => {
							const pages = new Set<number>();
							for (const [start, length] of own) {
								for (let page = Math.floor((offset + start) / P); page <= Math.floor((offset + start + length - 1) / P); page++) {
									pages.add(page);
								}
							}
							for (const page of pages) {
								bytes += (i + 1) * (Math.min(end, (page + 1) * P) - Math.max(offset, page * P));
							}
						});
						return bytes / P + before.length * COST_OF_MOVING;
					};
					const all = small.map((_size, s) => s);
					const before = list.slice(0, list.indexOf('f0')).map((name) => Number(name.slice(1)) - 1);
					expect(cost(before)).toBeCloseTo(Math.min(...subsets(all).map(cost)), 9);
					// Both parts in the order of their execution.
					expect(list).toEqual([...all.filter((s) => before.includes(s)), -1, ...all.filter((s) => !before.includes(s))].map((s) => `f${s + 1}`));
				},
			),
			{ numRuns: 300 },
		);
	});

	test.each([
		// The head is on one page wherever it lies: a mean of 32.5 granules of the page are its own, 1 at best.
		{ size: 2 * P, head: 1, weight: 1, saving: 31.5 / 64 },
		{ size: 2 * P, head: G, weight: 4, saving: (4 * 31.5) / 64 },
		// Less than a page, it would take 32 granules of one; at the end of a page it takes 1.
		{ size: P / 2, head: 1, weight: 1, saving: 31 / 64 },
		{ size: P / 2 - 60, head: 1, weight: 2, saving: (2 * 31) / 64 },
	])('it is placed with care when that saves enough: $size bytes, weight $weight', ({ size, head, weight, saving }) => {
		const layout = program(16 * W, [size, 63 * G]);
		const trace = run(
			layout,
			[
				[0, 0, head],
				[1, 0, 63 * G],
			],
			weight,
		);
		const order = (leastSaving: number) => packed(layout, [trace], { leastSaving, ...NO_FILLING }).join(' ');
		// Not more than the code that does not run.
		const least = Math.min(saving, (weight * (size - head)) / P);
		expect([order(least), order(least + 1e-6)]).toEqual(['f1 f0', 'f0 f1']);
	});

	test('what ran before it stays before it, although it was well placed without', () => {
		const layout = program(16 * W + P - G, [G, 2 * P]);
		const trace = run(layout, [
			[0, 0, G],
			[1, 0, 1],
		]);
		expect(packed(layout, [trace], { leastSaving: 0.1, ...NO_FILLING })).toEqual(['f0', 'f1']);
	});

	test('functions that ran between two such stay between them', () => {
		const layout = program(16 * W, [10, 2 * P, 20, 2 * P, 30]);
		const trace = run(layout, [
			[0, 0, 10],
			[1, 0, 1],
			[2, 0, 20],
			[3, 0, 1],
			[4, 0, 30],
		]);
		expect(packed(layout, [trace], { leastSaving: 3, ...NO_FILLING })).toEqual(['f0', 'f1', 'f2', 'f3', 'f4']);
		// f1 takes what it can get before it: each granule saves more than the move costs; f3 comes to lie at the end of another page's first quarter.
		expect(packed(layout, [trace], { leastSaving: 0.1, ...NO_FILLING })).toEqual(['f0', 'f2', 'f4', 'f1', 'f3']);
	});
});

describe('the rest of a page that a cold end begins', () => {
	const OPTIONS = { leastSaving: 0.1, fillsWithCold: true, hasPrefix: false };
	/** f0 has 48 granules on its last page, 16 are left; only its head runs. */
	const LARGE = P + 48 * G;

	test('is filled with what never ran when enough is lost: the share of the page, for each run that does not need it', () => {
		const layout = program(16 * W, [LARGE, 5, 16 * G, 7]);
		const traces = (weight: number) => [run(layout, [[0, 0, 1]], weight), run(layout, [[1, 0, 5]])];
		const list = (leastFilling: number, weight = 1) => packed(layout, traces(weight), { ...OPTIONS, leastFilling }).join(' ');
		expect([list(0.75), list(0.75 + 1e-6)]).toEqual(['f0 (f2) f1', 'f0 f1']);
		expect([list(1.5, 2), list(1.5 + 1e-6, 2)]).toEqual(['f0 (f2) f1', 'f0 f1']);
	});

	test('is left when nothing fits exactly, when the end is the end of the page, and when all runs need it', () => {
		const list = (sizes: readonly number[], ...ends: readonly Executed[]) => {
			const layout = program(16 * W, sizes);
			return packed(layout, [run(layout, [[0, 0, 1], ...ends]), run(layout, [[1, 0, 5]])], { ...OPTIONS, leastFilling: 0.1 }).join(' ');
		};
		expect(list([LARGE, 5, 16 * G])).toBe('f0 (f2) f1');
		expect(list([LARGE, 5, 16 * G + 1])).toBe('f0 f1');
		expect(list([LARGE, 5, 15 * G])).toBe('f0 f1');
		// Sizes count as the places between alignments that they take.
		expect(list([LARGE - 63, 5, 16 * G - 5])).toBe('f0 (f2) f1');
		expect(list([LARGE - 64, 5, 16 * G - 5])).toBe('f0 f1');
		expect(list([2 * P, 5, 16 * G, P])).toBe('f0 f1');
		expect(list([LARGE, 5, 16 * G], [0, LARGE - 1, 1])).toBe('f0 f1');
		expect(list([LARGE, 5, 16 * G], [0, P, 1])).toBe('f0 f1');
		expect(list([LARGE, 5, 16 * G], [0, P - 1, 1])).toBe('f0 (f2) f1');
		// Its only page is the one that its head needs.
		expect(list([48 * G, 5, 16 * G])).toBe('f0 f1');
	});

	test('is filled with functions that only the runs need which are there anyway, if they fit exactly', () => {
		const list = (...sizes: readonly number[]) => {
			const layout = program(16 * W, [LARGE, ...sizes, 16 * G]);
			// Both run the head, the second the end too, and all the others.
			const second = run(layout, [[0, 0, 1], [0, LARGE - 1, 1], ...whole(sizes, 1)]);
			return packed(layout, [run(layout, [[0, 0, 1]]), second], { ...OPTIONS, leastFilling: 0.1 }).join(' ');
		};
		expect(list(10 * G, 3 * G, 6 * G)).toBe('f0 f1 f3 f2');
		expect(list(10 * G, 16 * G - 1)).toBe('f0 f2 f1');
		expect(list(10 * G, 17 * G)).toBe('f0 (f3) f1 f2');
		// A function is put in one place: for the second large one there is none left, and nothing else fits.
		const two = program(16 * W, [LARGE, LARGE, 16 * G]);
		const both: Executed[] = [
			[0, 0, 1],
			[1, 0, 1],
		];
		const end = run(two, [...both, [0, LARGE - 1, 1], [1, LARGE - 1, 1], [2, 0, 16 * G]]);
		expect(packed(two, [run(two, both), end], { ...OPTIONS, leastFilling: 0.1 })).toEqual(['f0', 'f2', 'f1']);
		const layout = program(16 * W, [LARGE, 16 * G, 16 * G]);
		const third = [
			run(layout, [[0, 0, 1]]),
			run(layout, [
				[0, 0, 1],
				[0, LARGE - 1, 1],
			]),
			run(layout, [[1, 0, 16 * G]]),
		];
		expect(packed(layout, third, { ...OPTIONS, leastFilling: 0.1 })).toEqual(['f0', '(f2)', 'f1']);
	});
});

describe('what never ran and fills', () => {
	const OPTIONS = { leastSaving: 1, leastFilling: Number.POSITIVE_INFINITY, fillsWithCold: true };

	/** Section `ran` runs; the code begins `room` granules before a multiple of 64 KiB. */
	function fillers(sizes: readonly number[], ran: number, room: number): number[] {
		const layout = program(
			17 * W - room * G,
			sizes.map((size) => size * G),
		);
		const list = packed(layout, [run(layout, [[ran, 0, sizes[ran]! * G]])], { ...OPTIONS, hasPrefix: true });
		expect(list.at(-1)).toBe(`f${ran}`);
		return list.slice(0, -1).map((name) => Number(name.slice(2, -1)));
	}

	test('comes to exactly the room: one or two sections that are farthest from what ran, else as few as it takes', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 9 }), fc.nat(), fc.integer({ min: 1, max: 24 }), (sizes, at, room) => {
				const ran = at % sizes.length;
				const chosen = fillers(sizes, ran, room);
				const sum = (sections: readonly number[]): number => sections.reduce((total, section) => total + sizes[section]!, 0);
				/** Of more than two sections at most two of a size are looked at. */
				const isLooked = (sections: readonly number[]): boolean =>
					sections.every((section) => sections.filter((other) => sizes[other] === sizes[section]).length <= 2);
				const ways = subsets([...sizes.keys()].filter((section) => section !== ran)).filter((way) => sum(way) === room && isLooked(way));
				const farness = (way: readonly number[]): number => Math.min(...way.map((section) => Math.abs(section - ran))) / way.length;
				const few = ways.filter((way) => way.length <= 2);
				if (ways.length === 0) {
					expect(chosen).toEqual([]);
				} else {
					expect([new Set(chosen).size, sum(chosen), chosen.includes(ran)]).toEqual([chosen.length, room, false]);
					expect(chosen.length).toBe(few.length === 0 ? Math.min(...ways.map((way) => way.length)) : Math.min(2, chosen.length));
					expect(few.length === 0 || farness(chosen) === Math.max(...few.map(farness))).toBe(true);
				}
			}),
			{ numRuns: 1000 },
		);
	});

	test('one section before two that are as far', () => {
		// f1 is 1 from what ran; f2 and f3 are 2 and 3: half of 2.
		expect(fillers([1, 9, 4, 5], 0, 9)).toEqual([1]);
		expect(fillers([1, 8, 9, 4, 5], 0, 9)).toEqual([2]);
		expect(fillers([1, 9, 8, 4, 5], 0, 9)).toEqual([4, 3]);
	});

	test('nothing where the code begins at such a multiple, or where it is not asked for', () => {
		expect(fillers([1, 4], 0, 0)).toEqual([]);
		const layout = program(17 * W - 4 * G, [G, 4 * G]);
		expect(packed(layout, [run(layout, [[0, 0, G]])], { ...OPTIONS, hasPrefix: false })).toEqual(['f0']);
	});

	test('only sections that have a name and no stricter alignment', () => {
		const layout = program(17 * W - 4 * G, [G, 4 * G, 4 * G]);
		const list = (other: Partial<TextLayout>) => packed({ ...layout, ...other }, [run(layout, [[0, 0, G]])], { ...OPTIONS, hasPrefix: true });
		expect(list({})).toEqual(['(f2)', 'f0']);
		expect(list({ sectionAlignments: Float64Array.of(G, G, 2 * G) })).toEqual(['(f1)', 'f0']);
		expect(list({ functionSections: Int32Array.of(0, 1, 1) })).toEqual(['(f1)', 'f0']);
		expect(list({ regions: [{ ...layout.regions[0]!, endSection: 2 }] })).toEqual(['(f1)', 'f0']);
	});
});
