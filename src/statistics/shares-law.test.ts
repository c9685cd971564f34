/** What an interval of a share means, and from which difference on two counts differ. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countsDiffer, wilsonInterval } from './shares.js';

describe("Wilson's interval", () => {
	test('its limits are the shares that the count is 1.96 deviations away from', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 500 }), (total, extra) => {
				const count = extra % (total + 1);
				const { percent, low, high } = wilsonInterval(count, total);
				expect(percent).toBeCloseTo((100 * count) / total, 10);
				for (const limit of [low / 100, high / 100]) {
					if (limit > 1e-9 && limit < 1 - 1e-9) {
						expect(Math.abs(count / total - limit) / Math.sqrt((limit * (1 - limit)) / total)).toBeCloseTo(1.959964, 5);
					}
				}
				expect(low).toBeLessThanOrEqual(percent + 1e-9);
				expect(high).toBeGreaterThanOrEqual(percent - 1e-9);
			}),
		);
	});

	test('stays between nothing and all; of no samples it is nothing', () => {
		expect(wilsonInterval(0, 5).low).toBe(0);
		expect(wilsonInterval(5, 5).high).toBeLessThanOrEqual(100);
		expect(wilsonInterval(5, 5).high).toBeCloseTo(100, 9);
		expect(wilsonInterval(0, 0)).toEqual({ percent: 0, low: 0, high: 0 });
		expect(wilsonInterval(1, 1).percent).toBe(100);
	});
});

test('two counts differ when their difference is more than 1.96 deviations of a fair coin', () => {
	// Of 100 tosses 60 are two deviations from 40; 59 to 41 are 1.8.
	expect([countsDiffer(60, 40), countsDiffer(40, 60), countsDiffer(59, 41), countsDiffer(0, 0)]).toEqual([true, true, false, false]);
	// 3.8415 is the square: 4 to 0 differ, 3 to 0 do not.
	expect([countsDiffer(4, 0), countsDiffer(3, 0)]).toEqual([true, false]);
});
