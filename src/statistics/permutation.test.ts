import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meansProbability } from './permutation.js';
import { isSignificant, SIGNIFICANCE_LEVEL } from './significance.js';

test.each<[number[], number[], number | null]>([
	[[], [1], null],
	[[1], [], null],
	[[], [], null],
	[[1], [1], 1],
	[[1], [2], 1 / 2],
	[[1, 2], [1, 2], 1],
	// Sums of two of 1, 2, 3, 4: 3, 4, 5, 5, 6, 7; two are at most 4.
	[[1, 3], [2, 4], 2 / 6],
	[[1, 2, 3], [4, 5, 6], 1 / 20],
	[[4, 5, 6], [1, 2, 3], 1 / 20],
	// Ties are as far apart: each of 5 values may be the one of 2.
	[[1], [2, 2, 2, 2], 1 / 5],
	[[1, 1], [1, 2, 2], 3 / 10],
	[[0, 0, 0], [0, 0, 0], 1],
])('%j and %j', (a, b, probability) => {
	if (probability === null) {
		expect(meansProbability(a, b)).toBeNull();
	} else {
		expect(meansProbability(a, b)).toBeCloseTo(probability, 12);
	}
});

test("Fisher's exact test of zeros and ones", () => {
	// The lady and her tea again: 3 of 4 and 1 of 4.
	expect(meansProbability([1, 1, 1, 0], [1, 0, 0, 0])).toBeCloseTo(17 / 70, 12);
});

test('sums that differ only by rounding are equal', () => {
	expect(meansProbability([0.1, 0.2], [0.3, 0.4])).toBeCloseTo(1 / 6, 12);
	expect(meansProbability([0.1 + 0.2], [0.3])).toBe(1);
});

test('any values: by brute force, the same from both sides, and in any unit', () => {
	const values = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 });
	fc.assert(
		fc.property(values, values, (a, b) => {
			const all = [...a, ...b];
			const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
			const direction = Math.sign(mean(b) - mean(a));
			let asFar = 0;
			let tried = 0;
			for (let labels = 0; labels < 2 ** all.length; labels++) {
				const one = all.filter((_, i) => (labels >> i) & 1);
				if (one.length === a.length) {
					const other = all.filter((_, i) => !((labels >> i) & 1));
					tried++;
					asFar += Number(direction * (mean(other) - mean(one)) >= direction * (mean(b) - mean(a)) - 1e-9);
				}
			}
			const probability = meansProbability(a, b)!;
			expect(probability).toBeCloseTo(direction === 0 ? 1 : asFar / tried, 12);
			expect(meansProbability(b, a)).toBeCloseTo(probability, 12);
			expect(
				meansProbability(
					a.map((value) => 1e9 * value),
					b.map((value) => 1e9 * value),
				),
			).toBeCloseTo(probability, 12);
		}),
	);
});

test('the level itself is significant', () => {
	expect(SIGNIFICANCE_LEVEL).toBe(0.05);
	expect(isSignificant(1 / 20)).toBe(true);
	expect(isSignificant(meansProbability([1, 2, 3], [4, 5, 6])!)).toBe(true);
	expect(isSignificant(0.05 + 1e-12)).toBe(false);
	expect(isSignificant(0)).toBe(true);
	expect(isSignificant(1)).toBe(false);
});
