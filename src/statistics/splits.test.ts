import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countSplits, discoveryThreshold, otherSplits, rankAmong } from './splits.js';

const bits = (set: number): number => set.toString(2).replaceAll('0', '').length;

describe('splits of runs', () => {
	test.each([
		[3, 3, 10],
		[4, 4, 35],
		[5, 5, 126],
		[2, 3, 10],
		[1, 9, 10],
		[1, 1, 1],
		[10, 10, 92_378],
	])('%d and %d runs: %d', (a, b, count) => {
		expect(countSplits(a, b)).toBe(count);
		const { others, total, isSample } = otherSplits(a, b);
		expect([total, isSample, others.length]).toEqual([count, count > 2000, count > 2000 ? 999 : count - 1]);
	});

	test('all but the true one, each once, in sides of the same sizes', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (a, b) => {
				const { others, isSample } = otherSplits(a, b);
				const keys = new Set<string>();
				for (const split of others) {
					expect(bits(split.a) + bits(split.b)).toBe(a);
					expect(split.b).not.toBe(0);
					const mirror = { a: 2 ** a - 1 - split.a, b: 2 ** b - 1 - split.b };
					const key = `${split.a} ${split.b}`;
					keys.add(a === b && `${mirror.a} ${mirror.b}` < key ? `${mirror.a} ${mirror.b}` : key);
				}
				expect(keys.has(`${2 ** a - 1} 0`)).toBe(false);
				if (!isSample) {
					expect(keys.size).toBe(others.length);
				}
			}),
		);
	});

	test('a rank counts what is as high', () => {
		expect([rankAmong(3, [1, 2]), rankAmong(2, [2, 1, 3]), rankAmong(0, [0, 0])]).toEqual([1, 3, 3]);
	});
});

describe('the rate of false discoveries', () => {
	test('the lowest score from which on few enough are expected', () => {
		// Nine other splits with one score of 1 each: one is expected among those from 1 on.
		const chance = new Array<number>(9).fill(1);
		expect(discoveryThreshold([5, 4, 1], chance, 9, 0.1)).toBe(4);
		expect(discoveryThreshold(new Array<number>(10).fill(1), chance, 9, 0.1)).toBe(1);
		expect(discoveryThreshold(new Array<number>(9).fill(1), chance, 9, 0.1)).toBe(Number.POSITIVE_INFINITY);
		expect(discoveryThreshold([], chance, 9, 0.1)).toBe(Number.POSITIVE_INFINITY);
		expect(discoveryThreshold([0, 0], [], 9, 0.1)).toBe(Number.POSITIVE_INFINITY);
	});

	test('never more is expected than the rate allows', () => {
		const scores = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 });
		fc.assert(
			fc.property(scores, scores, fc.integer({ min: 1, max: 30 }), (observed, chance, splits) => {
				const threshold = discoveryThreshold(observed, chance, splits, 0.1);
				const called = observed.filter((score) => score >= threshold).length;
				const expected = chance.filter((score) => score > 0 && score >= threshold).length / splits;
				expect(expected).toBeLessThanOrEqual(0.1 * called + 1e-9);
			}),
		);
	});
});
