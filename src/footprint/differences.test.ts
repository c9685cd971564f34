/** The permutation test against counting all labellings one by one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meansProbability as splitProbability } from '../statistics/permutation.js';
import { isSignificant as isDifference } from '../statistics/significance.js';

/** All ways to call `size` of the values a, by their bits. */
function counted(a: readonly number[], b: readonly number[]): number {
	const all = [...a, ...b];
	const mean = (values: readonly number[]): number => values.reduce((x, y) => x + y, 0) / values.length;
	const difference = mean(b) - mean(a);
	if (difference === 0) {
		return 1;
	}
	let asFar = 0;
	let tried = 0;
	for (let bits = 0; bits < 1 << all.length; bits++) {
		const one = all.filter((_, i) => ((bits >> i) & 1) === 1);
		if (one.length === a.length) {
			const other = all.filter((_, i) => ((bits >> i) & 1) === 0);
			tried++;
			const labelled = mean(other) - mean(one);
			asFar += difference > 0 ? (labelled >= difference - 1e-6 ? 1 : 0) : labelled <= difference + 1e-6 ? 1 : 0;
		}
	}
	return asFar / tried;
}

test('as many labellings as are counted one by one', () => {
	const values = fc.array(fc.integer({ min: -5, max: 20 }), { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(values, values, (a, b) => {
			expect(splitProbability(a, b)).toBeCloseTo(counted(a, b), 12);
		}),
		{ numRuns: 200 },
	);
});

test('sides that are apart: one labelling of all', () => {
	expect(splitProbability([1, 2, 3], [10, 11, 12])).toBe(1 / 20);
	expect(splitProbability([10, 11, 12], [1, 2, 3])).toBe(1 / 20);
	expect(splitProbability([1], [2, 3])).toBe(1 / 3);
	expect(splitProbability([4, 4], [4, 4])).toBe(1);
	// Sums of fractions that are equal but for rounding count as equal.
	expect(splitProbability([0.1, 0.2], [0.3, 0.3])).toBe(1 / 6);
	expect(splitProbability([0.1, 0.7], [0.2, 0.7])).toBe(3 / 6);
	expect(splitProbability([2e9, 1e9], [3e9, 4e9])).toBe(1 / 6);
});

test('of no runs nothing is told', () => {
	expect(splitProbability([], [1])).toBeNull();
	expect(splitProbability([1], [])).toBeNull();
});

test('five percent is a difference still', () => {
	expect([0.05, 0.0500001].map(isDifference)).toEqual([true, false]);
});
