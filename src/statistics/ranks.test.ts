import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kendallTau, ranksOf } from './ranks.js';

const tau = (...ranks: number[]): number | null => kendallTau(Int32Array.from(ranks));

test('ranks', () => {
	expect([...ranksOf(Int32Array.from([40, -2, 7]))]).toEqual([2, 0, 1]);
	expect([...ranksOf(Int32Array.from([5]))]).toEqual([0]);
	expect([...ranksOf(new Int32Array(0))]).toEqual([]);
});

test("Kendall's tau", () => {
	expect(tau()).toBeNull();
	expect(tau(0)).toBeNull();
	expect(tau(0, 1)).toBe(1);
	expect(tau(1, 0)).toBe(-1);
	expect(tau(0, 1, 2, 3)).toBe(1);
	expect(tau(3, 2, 1, 0)).toBe(-1);
	// Two of six pairs stand the other way round.
	expect(tau(1, 0, 3, 2)).toBeCloseTo(1 - 4 / 6, 12);
	// Of 45 pairs 21 the other way round, counted by hand.
	expect(tau(4, 7, 2, 10, 3, 6, 1, 9, 8, 5)).toBeCloseTo(1 - (2 * 21) / 45, 12);
});

test('any order: pairs counted one by one; the reverse has the opposite', () => {
	fc.assert(
		fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9, maxLength: 9 }), fc.integer({ min: 2, max: 9 }), (order, size) => {
			const ranks = ranksOf(Int32Array.from(order.slice(0, size)));
			let descending = 0;
			ranks.forEach((rank, i) => {
				descending += ranks.slice(i + 1).filter((other) => other < rank).length;
			});
			const pairs = (size * (size - 1)) / 2;
			expect(kendallTau(ranks)).toBeCloseTo(1 - (2 * descending) / pairs, 12);
			expect(kendallTau(ranks.slice().reverse())).toBeCloseTo(-kendallTau(ranks)!, 12);
		}),
	);
});
