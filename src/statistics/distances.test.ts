import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectedFromSampling, totalOf, totalVariation, type Weights } from './distances.js';

const of = (weights: Record<string, number>): Weights => new Map(Object.entries(weights));

test.each([
	[{ a: 1 }, { a: 7 }, 0],
	[{ a: 1 }, { b: 1 }, 1],
	[{ a: 1, b: 1 }, { a: 1 }, 0.5],
	[{ a: 50, b: 30, c: 20 }, { a: 40, b: 30, d: 30 }, 0.3],
	[{}, { a: 1 }, 0],
	[{ a: 1 }, {}, 0],
	[{}, {}, 0],
	[{ a: 0 }, { a: 1 }, 0],
])('%j and %j', (a, b, distance) => {
	expect(totalVariation(of(a), of(b))).toBeCloseTo(distance, 12);
});

test('a distance: 0 to itself, at most 1, the same from both sides, no way round is shorter', () => {
	const weights = fc
		.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 1, max: 100 }), { minKeys: 1 })
		.map((record) => new Map(Object.entries(record)));
	fc.assert(
		fc.property(weights, weights, weights, (a, b, c) => {
			expect(totalVariation(a, a)).toBe(0);
			expect(totalVariation(a, b)).toBeLessThanOrEqual(1 + 1e-12);
			expect(totalVariation(a, b)).toBeCloseTo(totalVariation(b, a), 12);
			expect(totalVariation(a, c)).toBeLessThanOrEqual(totalVariation(a, b) + totalVariation(b, c) + 1e-12);
			expect(expectedFromSampling(a, b)).toBeCloseTo(expectedFromSampling(b, a), 12);
		}),
	);
});

test('two samples of a coin', () => {
	// Exactly: the mean of |x - y| / n of two binomial variables of n throws; the normal one is near.
	const throws = 100;
	const chance: number[] = [2 ** -throws];
	for (let heads = 1; heads <= throws; heads++) {
		chance.push((chance[heads - 1]! * (throws - heads + 1)) / heads);
	}
	let exact = 0;
	chance.forEach((p, x) => {
		chance.forEach((q, y) => {
			exact += (p * q * Math.abs(x - y)) / throws;
		});
	});
	const expected = expectedFromSampling(of({ heads: 50, tails: 50 }), of({ heads: 50, tails: 50 }));
	expect(expected).toBeCloseTo(Math.sqrt(2 / Math.PI) * Math.sqrt(0.25 * (2 / 100)), 12);
	expect(Math.abs(expected / exact - 1)).toBeLessThan(0.005);
});

test('what sampling cannot do', () => {
	expect(expectedFromSampling(of({ a: 5 }), of({ a: 9 }))).toBe(0);
	expect(expectedFromSampling(of({}), of({ a: 9 }))).toBe(0);
	expect(expectedFromSampling(of({ a: 9 }), of({}))).toBe(0);
});

test('a sample of one: of two names, each as likely', () => {
	expect(expectedFromSampling(of({ a: 1 }), of({ b: 1 }))).toBeCloseTo(Math.sqrt(1 / Math.PI), 12);
});

test('the more samples, the nearer: by the square root', () => {
	const sampled = (n: number): number => expectedFromSampling(of({ a: n, b: 3 * n }), of({ a: n, b: 3 * n }));
	expect(sampled(100) / sampled(10_000)).toBeCloseTo(10, 10);
});

test('totals', () => {
	expect(totalOf(of({}))).toBe(0);
	expect(totalOf(of({ a: 1, b: 2.5 }))).toBe(3.5);
});
