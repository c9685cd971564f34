import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countsDiffer, halfInterval, wilsonInterval } from './shares.js';

test.each([
	// Newcombe (1998), table I, method 3.
	[81, 263, 0.2553, 0.3662],
	[15, 148, 0.0624, 0.1605],
	[0, 20, 0, 0.1611],
	[1, 29, 0.0061, 0.1718],
	[10, 10, 0.7225, 1],
])("Wilson's interval of %i in %i", (count, total, low, high) => {
	const interval = wilsonInterval(count, total);
	expect(interval.percent).toBeCloseTo((100 * count) / total, 10);
	expect(interval.low / 100).toBeCloseTo(low, 4);
	expect(interval.high / 100).toBeCloseTo(high, 4);
});

test('nothing of nothing', () => {
	expect(wilsonInterval(0, 0)).toEqual({ percent: 0, low: 0, high: 0 });
});

test('any counts: limits around the share, within 0 and 100, the same from both ends', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 1e7 }), fc.double({ min: 0, max: 1, noNaN: true }), (total, part) => {
			const count = Math.round(part * total);
			const { percent, low, high } = wilsonInterval(count, total);
			expect(low).toBeGreaterThanOrEqual(0);
			expect(low).toBeLessThanOrEqual(percent + 1e-9);
			expect(high).toBeGreaterThanOrEqual(percent - 1e-9);
			expect(high).toBeLessThanOrEqual(100);
			expect(wilsonInterval(total - count, total).high).toBeCloseTo(100 - low, 6);
		}),
	);
});

test('counts that differ beyond chance', () => {
	expect(countsDiffer(0, 0)).toBe(false);
	expect(countsDiffer(4, 0)).toBe(true);
	expect(countsDiffer(3, 0)).toBe(false);
	expect(countsDiffer(120, 90)).toBe(true);
	expect(countsDiffer(90, 119)).toBe(true);
	expect(countsDiffer(110, 90)).toBe(false);
});

test('half of an interval', () => {
	expect(halfInterval(0, 0)).toBe(0);
	expect(halfInterval(1, 1)).toBeCloseTo((100 - 20.6543) / 2, 3);
	expect(halfInterval(50, 100)).toBeCloseTo((59.6168 - 40.3832) / 2, 3);
});

test('another quantile: 99 %', () => {
	// Wilson's formula by hand: 10 of 100, z² = 6.6349.
	const { low, high } = wilsonInterval(10, 100, 2.575829);
	expect(low).toBeCloseTo(4.6026, 3);
	expect(high).toBeCloseTo(20.3751, 3);
});
