/** Orders of several runs merged, against counting pairs one by one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeOrders } from './merge-orders.js';

const run = (name: string, symbols: string, weight = 1) => ({ name, weight, symbols: [...symbols] });
const merged = (...runs: readonly ReturnType<typeof run>[]) => mergeOrders(runs).symbols.join('');

describe('the order', () => {
	test('of one run is its own, of none is empty', () => {
		expect(merged(run('a', 'xyz'))).toBe('xyz');
		expect(mergeOrders([])).toEqual({ symbols: [], functions: [], scenarios: [], inAll: 0, comparedWith: 'each other', pairs: [], disagreements: [] });
	});

	test('what most of the weight runs comes first, functions of the same runs together', () => {
		expect(merged(run('a', 'pcq'), run('b', 'crs'))).toBe('cpqrs');
		expect(merged(run('a', 'pcq'), run('b', 'crs', 3))).toBe('crspq');
		expect(merged(run('a', 'ab'), run('b', 'cd'), run('c', 'bd'))).toBe('bdac');
	});

	test('within these by the weighted mean of places, ties as given', () => {
		expect(merged(run('a', 'xyz'), run('b', 'yxz'))).toBe('xyz');
		expect(merged(run('a', 'xyz'), run('b', 'yxz', 2))).toBe('yxz');
		// Places 0, 1, 2 and 2, 0, 1: means 1, 0.5, 1.5.
		expect(merged(run('a', 'xyz'), run('b', 'yzx'))).toBe('yxz');
		expect(merged(run('a', 'x'), run('b', 'x'))).toBe('x');
		// Places 0, 1 and 1, 0, whatever else a run has: a tie.
		for (let others = 0; others < 60; others++) {
			const long = ['x', 'y', ...Array.from({ length: others }, (_, i) => `other${i}`)];
			const [first, second] = mergeOrders([{ name: 'a', weight: 1, symbols: long }, run('b', 'yx')]).symbols;
			expect([others, first, second]).toEqual([others, 'x', 'y']);
		}
	});
});

test('of each function how many runs have it, their share of the weight, and its mean place', () => {
	expect(mergeOrders([run('a', 'xyz'), run('b', 'yx', 3)]).functions).toEqual([
		{ symbol: 'y', runs: 2, share: 1, meanPlace: 0.25 },
		{ symbol: 'x', runs: 2, share: 1, meanPlace: 0.75 },
		{ symbol: 'z', runs: 1, share: 0.25, meanPlace: 2 },
	]);
});

test('scenarios: own functions, and those of all', () => {
	const { scenarios, inAll } = mergeOrders([run('a', 'xyp'), run('b', 'yxqr', 2), run('c', 'xq')]);
	expect(scenarios).toEqual([
		{ name: 'a', weight: 1, functions: 3, own: 1 },
		{ name: 'b', weight: 2, functions: 4, own: 1 },
		{ name: 'c', weight: 1, functions: 2, own: 0 },
	]);
	expect(inAll).toBe(1);
});

describe('pairs', () => {
	const order = fc.shuffledSubarray([...'abcdefghij']);

	test("Kendall's tau and what both run, as counted pair by pair", () => {
		fc.assert(
			fc.property(order, order, (a, b) => {
				const [pair] = mergeOrders([run('a', a.join('')), run('b', b.join(''))]).pairs;
				const common = a.filter((symbol) => b.includes(symbol));
				let [concordant, all] = [0, 0];
				common.forEach((x, i) => {
					for (const y of common.slice(i + 1)) {
						all++;
						concordant += b.indexOf(x) < b.indexOf(y) ? 1 : -1;
					}
				});
				expect(pair).toMatchObject({ a: 'a', b: 'b', common: common.length, onlyA: a.length - common.length, onlyB: b.length - common.length });
				if (all === 0) {
					expect(pair?.tau).toBeNull();
				} else {
					expect(pair?.tau).toBeCloseTo(concordant / all, 12);
				}
			}),
		);
	});

	test('each pair once', () => {
		expect(mergeOrders([run('a', 'x'), run('b', 'x'), run('c', 'x')]).pairs.map(({ a, b }) => a + b)).toEqual(['ab', 'ac', 'bc']);
	});
});

describe('disagreements', () => {
	test('the two runs that differ most about a function, places among those that both run', () => {
		const { disagreements } = mergeOrders([run('a', 'xpyz'), run('b', 'yxzq'), run('c', 'zyx')]);
		expect(disagreements).toEqual([
			{ symbol: 'x', earlyIn: 'a', earlyPlace: 0, lateIn: 'c', latePlace: 1, spread: 1 },
			{ symbol: 'z', earlyIn: 'c', earlyPlace: 0, lateIn: 'a', latePlace: 1, spread: 1 },
			{ symbol: 'y', earlyIn: 'b', earlyPlace: 0, lateIn: 'a', latePlace: 0.5, spread: 0.5 },
		]);
	});

	test('places are parts of the way, from 0 to 1', () => {
		const { disagreements } = mergeOrders([run('a', 'vwxyz'), run('b', 'vzwxy')]);
		expect(disagreements.find(({ symbol }) => symbol === 'w')).toEqual({
			symbol: 'w',
			earlyIn: 'a',
			earlyPlace: 0.25,
			lateIn: 'b',
			latePlace: 0.5,
			spread: 0.25,
		});
		expect(disagreements[0]).toEqual({ symbol: 'z', earlyIn: 'b', earlyPlace: 0.25, lateIn: 'a', latePlace: 1, spread: 0.75 });
	});

	test('from a tenth on', () => {
		const swapped = (count: number) => {
			const symbols = Array.from({ length: count }, (_, i) => `s${i}`);
			const other = [symbols[1]!, symbols[0]!, ...symbols.slice(2)];
			return mergeOrders([
				{ name: 'a', weight: 1, symbols },
				{ name: 'b', weight: 1, symbols: other },
			]).disagreements.map(({ symbol }) => symbol);
		};
		expect(swapped(11)).toEqual(['s0', 's1']);
		expect(swapped(12)).toEqual([]);
	});

	test('the thousand largest', () => {
		const symbols = Array.from({ length: 1200 }, (_, i) => `s${i}`);
		const { disagreements } = mergeOrders([
			{ name: 'a', weight: 1, symbols },
			{ name: 'b', weight: 1, symbols: [...symbols].reverse() },
		]);
		expect(disagreements).toHaveLength(1000);
		expect(disagreements[0]!.spread).toBe(1);
		expect(disagreements.at(-1)!.spread).toBeLessThan(0.2);
	});
});

describe('many runs', () => {
	const many = fc
		.array(fc.shuffledSubarray([...'abcdefgh']), { minLength: 41, maxLength: 60 })
		.map((orders) => orders.map((order, i) => run(`r${i}`, order.join(''), 1 + (i % 3))));

	test('are merged as few are: by weight, by set of runs, by mean place', () => {
		fc.assert(
			fc.property(many, (runs) => {
				const { symbols, scenarios, inAll } = mergeOrders(runs);
				const all = [...new Set(runs.flatMap((one) => one.symbols))];
				const about = new Map(
					all.map((symbol) => {
						const own = runs.filter((one) => one.symbols.includes(symbol));
						const weight = own.reduce((sum, one) => sum + one.weight, 0);
						const mean = own.reduce((sum, one) => sum + one.weight * one.symbols.indexOf(symbol), 0) / weight;
						return [symbol, { weight, mean, set: own.map(({ name }) => name).join(), runs: own.length }] as const;
					}),
				);
				const firstOfSet = (symbol: string): number => all.findIndex((other) => about.get(other)!.set === about.get(symbol)!.set);
				const expected = [...all].sort(
					(a, b) => about.get(b)!.weight - about.get(a)!.weight || firstOfSet(a) - firstOfSet(b) || about.get(a)!.mean - about.get(b)!.mean,
				);
				expect(symbols).toEqual(expected);
				expect(inAll).toBe(all.filter((symbol) => about.get(symbol)!.runs === runs.length).length);
				expect(scenarios.map(({ own }) => own)).toEqual(runs.map((one) => one.symbols.filter((symbol) => about.get(symbol)!.runs === 1).length));
			}),
			{ numRuns: 20 },
		);
	});

	test('are compared with the merged order: as many pairs as runs, what is moved most is told with its runs', () => {
		const runs = [...Array.from({ length: 60 }, (_, i) => run(`r${i}`, 'abcdefghijk')), run('late', 'bcdefghijka')];
		const { symbols, comparedWith, pairs, disagreements } = mergeOrders(runs);
		expect(symbols.join('')).toBe('abcdefghijk');
		expect(comparedWith).toBe('merged order');
		expect(pairs).toHaveLength(61);
		expect(pairs[0]).toEqual({ a: 'r0', b: 'merged order', common: 11, onlyA: 0, onlyB: 0, tau: 1 });
		expect(pairs[60]).toMatchObject({ a: 'late', tau: 1 - (2 * 10) / 55 });
		expect(disagreements[0]).toEqual({ symbol: 'a', earlyIn: 'r0', earlyPlace: 0, lateIn: 'late', latePlace: 1, spread: 1 });
		expect(disagreements.slice(1).every(({ earlyIn, lateIn, spread }) => earlyIn === 'late' && lateIn === 'r0' && Math.abs(spread - 0.1) < 1e-9)).toBe(true);
		expect(disagreements).toHaveLength(11);
	});

	test('places are counted among the functions of a run: a short one disagrees with nothing that it has in the same order', () => {
		const runs = [...Array.from({ length: 60 }, (_, i) => run(`r${i}`, 'abcdefghijk')), run('short', 'ab')];
		expect(mergeOrders(runs).disagreements).toEqual([]);
	});
});
