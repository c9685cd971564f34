import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstWhere, lastAtOrBelow } from './binary-search.js';

test('the last number at or below', () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 0, max: 20 })), fc.integer({ min: -1, max: 21 }), (numbers, value) => {
			const sorted = Float64Array.from(numbers).sort();
			expect(lastAtOrBelow(sorted, value)).toBe(sorted.filter((number) => number <= value).length - 1);
		}),
	);
});

test('the first place from which on a condition holds', () => {
	fc.assert(
		fc.property(fc.nat(20), fc.nat(21), (length, from) => {
			expect(firstWhere(length, (index) => index >= from)).toBe(Math.min(length, from));
		}),
	);
});
