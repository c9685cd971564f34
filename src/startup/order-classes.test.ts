/** Functions of the same runs in one piece, and in which order the pieces follow each other. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handLayout } from '../../test/text-layout.js';
import { balancedPartitioning } from './balanced-partitioning.js';
import { type HotCode, hotCode, scoreOrder } from './hot-code.js';
import { optimizeOrder } from './optimize-order.js';
import { classMembers, orderByClass } from './order-classes.js';
import { layTrace } from './trace-on-layout.js';

const P = 4096;
const W = 65536;

/** Functions in the order of their places, each with the letters of the runs that it runs in. A weight a letter; 1 where none is given. */
function program(functions: readonly (readonly [runs: string, size: number])[], weights: Readonly<Record<string, number>> = {}) {
	const layout = handLayout(
		16 * W,
		functions.map(([, size], i) => ({ name: `f${i}`, size })),
	);
	const letters = [...new Set(functions.flatMap(([runs]) => [...runs]))].sort();
	const traces = letters.map((letter) => {
		const addresses = functions.flatMap(([runs, size], f) => {
			const start = layout.sectionStarts[f]!;
			return runs.includes(letter) ? [...new Set([start, start + size - 1])] : [];
		});
		const instructions = { addresses: Float64Array.from(addresses), sizes: new Uint8Array(addresses.length).fill(1) };
		return layTrace({ name: letter, weight: weights[letter] ?? 1, instructions, functions: null }, layout);
	});
	const hot = hotCode(layout, layout.regions[0]!, traces);
	/** Letters of each class. */
	const classes = hot.classes.map(({ traces: own }) => own.map((trace) => letters[trace]).join(''));
	return { layout, traces, hot, classes, pagesOf: (listed: Int32Array) => scoreOrder(hot, layout, listed).pages };
}

function permutations<T>(items: readonly T[]): T[][] {
	return items.length === 0 ? [[]] : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

const byPages = (a: { pages: number }, b: { pages: number }): boolean => a.pages < b.pages;
const listing = (hot: HotCode, order: readonly number[]): Int32Array => Int32Array.from(order.flatMap((one) => classMembers(hot)[one]!));

describe('classes where no order is better than another', () => {
	const start = (weights: Record<string, number>, ...runs: readonly string[]): string => {
		const { layout, hot, classes } = program(
			runs.map((own) => [own, 16]),
			weights,
		);
		const { listed, classOrder } = orderByClass(hot, layout, () => false);
		expect(listed).toEqual(listing(hot, classOrder));
		return classOrder.map((number) => classes[number]).join(' ');
	};

	test.each<[what: string, order: string, runs: readonly string[], weights: Record<string, number>]>([
		['the heaviest first, whatever ran first', 'abc a b', ['a', 'b', 'abc'], {}],
		['then what shares most with the one before', 'abc bc b a', ['a', 'abc', 'bc', 'b'], {}],
		['heavier ones before those that are more alike', 'abc c ab', ['ab', 'abc', 'c'], { c: 10 }],
		['alike by what is shared of all that either has', 'abc bc a', ['a', 'abc', 'bc'], { a: 2 }],
		['more in common does not help who has more alone', 'abcd ab cdefgh', ['cdefgh', 'abcd', 'ab'], { a: 3, b: 3, e: 0.5, f: 0.5, g: 0.5, h: 0.5 }],
		['of equal ones the first to run', 'ab c d e', ['c', 'ab', 'd', 'e'], {}],
	])('%s', (_what, order, runs, weights) => {
		expect(start(weights, ...runs)).toBe(order);
	});

	test('more than a thousand: by weight, of equal ones the first to run', () => {
		const runs = Array.from({ length: 1001 }, (_, i) => [...'abcdefghij'].filter((_letter, bit) => ((i + 1) >> bit) & 1).join(''));
		const { layout, hot } = program(runs.map((own) => [own, 16]));
		const { classOrder } = orderByClass(hot, layout, () => true);
		const weight = (number: number): number => hot.classes[number]!.weight;
		expect([...classOrder].sort((a, b) => weight(b) - weight(a) || a - b)).toEqual(classOrder);
		expect(new Set(classOrder).size).toBe(1001);
	});
});

describe('classes in a better order', () => {
	const functions = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'ab', 'bc'), fc.integer({ min: 1, max: 2 * P })), { minLength: 1, maxLength: 9 });

	test('of few all orders are tried', () => {
		fc.assert(
			fc.property(functions, (given) => {
				const { layout, hot, pagesOf } = program(given);
				const { listed, classOrder } = orderByClass(hot, layout, byPages);
				expect(listed).toEqual(listing(hot, classOrder));
				expect(pagesOf(listed)).toBe(Math.min(...permutations([...hot.classes.keys()]).map((order) => pagesOf(listing(hot, order)))));
			}),
			{ numRuns: 100 },
		);
	});

	test('by windows the fewest windows, then pages; by pages the fewest pages without more windows than by first execution', () => {
		const large = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'ab', 'bc'), fc.oneof(fc.integer({ min: 1, max: P }), fc.integer({ min: W / 4, max: W }))), {
			minLength: 1,
			maxLength: 8,
		});
		fc.assert(
			fc.property(large, (given) => {
				const { layout, traces, hot } = program(given, { b: 2 });
				const orders = permutations([...hot.classes.keys()]).map((order) => scoreOrder(hot, layout, listing(hot, order)));
				const first = scoreOrder(hot, layout, Int32Array.from(hot.sections.keys()));
				const all = [first, ...orders];
				const best = (objective: 'pages' | 'windows') => optimizeOrder(layout, traces, { method: 'classes', objective }).score;
				const leastWindows = Math.min(...all.map(({ windows }) => windows));
				const leastPages = Math.min(...all.filter(({ windows }) => windows === leastWindows).map(({ pages }) => pages));
				expect(best('windows')).toEqual({ pages: leastPages, windows: leastWindows });
				// A window counts as 0.3 pages.
				const cost = ({ pages, windows }: { pages: number; windows: number }): number => pages + 0.3 * windows;
				const allowed = all.filter(({ windows }) => windows <= first.windows);
				expect(best('pages').windows).toBeLessThanOrEqual(first.windows);
				expect(cost(best('pages'))).toBeCloseTo(Math.min(...allowed.map(cost)), 9);
			}),
			{ numRuns: 200 },
		);
	});

	test.each([
		// Each is a run of its own, all weigh the same: they begin in the order given.
		['neighbours are exchanged', [3000, 3000, 1096, 1096, P, P, P, P], 9, 8],
		['far ones too', [2000, P, P, P, P, P, P, P, P], 17, 9],
		// Fewer than a page each there cannot be; far and near exchanges are both needed for it.
		['far ones and near ones', [512, P, 3072, 2048, 2048, 2048, P, 1024], 12, 8],
		['far ones and near ones of nine', [512, P, 2048, 512, 3072, 3072, 1024, 2048, 1024], 12, 9],
	])('of more than seven %s', (_what, sizes, before, after) => {
		const { layout, hot, pagesOf } = program(sizes.map((size, i) => ['abcdefghi'[i]!, size]));
		expect(pagesOf(Int32Array.from(sizes.keys()))).toBe(before);
		const { listed, classOrder } = orderByClass(hot, layout, byPages);
		expect(pagesOf(listed)).toBe(after);
		expect(listed).toEqual(listing(hot, classOrder));
		expect([...classOrder].sort()).toEqual([...sizes.keys()]);
	});
});

describe('balanced partitioning', () => {
	/** It knows no sizes: large functions, executed at both ends, are listed as small ones are. */
	const listed = (weights: Record<string, number>, ...runs: readonly string[]): string => {
		const [small, large] = [16, 3 * P].map((size) => {
			const { hot } = program(
				runs.map((own) => [own, size]),
				weights,
			);
			return Array.from(balancedPartitioning(hot), (one) => `f${hot.sections[one]}`).join(' ');
		});
		expect(large).toBe(small);
		return small ?? '';
	};

	test('one run stays as it is', () => {
		expect(listed({}, ...Array.from({ length: 8 }, () => 'a'))).toBe('f0 f1 f2 f3 f4 f5 f6 f7');
	});

	const halves = (order: string): string[] => [order.split(' ').slice(0, 4).sort().join(' '), order.split(' ').slice(4).sort().join(' ')];

	test('functions of the heavier runs come together', () => {
		// The first run has all of them in the order of their places, and hardly any weight.
		const runs = ['abd', 'abd', 'abe', 'acd', 'acd', 'ace', 'abe', 'ace'];
		const by = (weights: Record<string, number>) => halves(listed({ a: 0.001, ...weights }, ...runs));
		expect(by({ b: 9, c: 9 })).toEqual(['f0 f1 f2 f6', 'f3 f4 f5 f7']);
		expect(by({ d: 9, e: 9 })).toEqual(['f0 f1 f3 f4', 'f2 f5 f6 f7']);
	});

	test('two runs come apart that most of the order keeps apart already', () => {
		const letters = fc
			.array(fc.boolean(), { minLength: 16, maxLength: 16 })
			.filter((isB) => isB.filter(Boolean).length === 8 && isB.slice(0, 8).filter(Boolean).length !== 4);
		fc.assert(
			fc.property(letters, (isB) => {
				const order = listed({ a: 0.001 }, ...isB.map((one) => (one ? 'ab' : 'ac')))
					.split(' ')
					.map((name) => isB[Number(name.slice(1))]);
				expect(new Set(order.slice(0, 8)).size).toBe(1);
			}),
		);
	});
});
