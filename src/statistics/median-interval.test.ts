/** The interval of a median: the published ranks, and that it holds the median as often as it says. */
import { describe, expect, test } from 'vitest';
import { medianInterval, medianOf } from './median-interval.js';
import { xorshift32 } from './random.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test('the median', () => {
	expect(medianOf([])).toBeNull();
	expect(medianOf([7])).toBe(7);
	expect(medianOf([9, 1, 5])).toBe(5);
	expect(medianOf([4, 1, 2, 9])).toBe(3);
});

describe('the interval', () => {
	// Conover, Practical Nonparametric Statistics: ranks of the limits at 95 %, and what they give exactly.
	test.each([
		[6, 1, 0.96875],
		[9, 2, 0.9609375],
		[10, 2, 0.978515625],
		[20, 6, 0.9586105346679688],
		[30, 10, 0.957226],
		[100, 40, 0.9648],
	])('of %i values: from rank %i, %f', (count, rank, confidence) => {
		const interval = medianInterval(upTo(count).reverse());
		expect(interval).toMatchObject({ median: (count + 1) / 2, low: rank, high: count + 1 - rank });
		expect(interval?.confidence).toBeCloseTo(confidence, 4);
	});

	test('too few values tell nothing', () => {
		expect([0, 1, 5].map((count) => medianInterval(upTo(count)))).toEqual([null, null, null]);
		expect(medianInterval(upTo(5), 0.9)).toMatchObject({ low: 1, high: 5, confidence: 0.9375 });
	});

	test('equal values', () => {
		expect(medianInterval([3, 3, 3, 3, 3, 3])).toMatchObject({ median: 3, low: 3, high: 3 });
	});

	test('holds the median of what the values are drawn from as often as it says', () => {
		const random = xorshift32(20_261_123);
		for (const count of [6, 11, 20]) {
			const tried = 4000;
			let held = 0;
			let said = 0;
			for (let i = 0; i < tried; i++) {
				// Far from symmetrical: its median is the logarithm of two.
				const interval = medianInterval(Array.from({ length: count }, () => -Math.log(1 - random())));
				held += interval !== null && interval.low <= Math.LN2 && Math.LN2 <= interval.high ? 1 : 0;
				said = interval?.confidence ?? 0;
			}
			expect(said).toBeGreaterThanOrEqual(0.95);
			// Four standard deviations.
			expect(Math.abs(held / tried - said)).toBeLessThan(4 * Math.sqrt((said * (1 - said)) / tried));
		}
	});
});
