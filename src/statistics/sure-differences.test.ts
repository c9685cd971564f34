/** Fisher's test with mid-p against its own definition; what is called different of profiles that are alike, and of ones that are not. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xorshift32 } from './random.js';
import { type CountPair, differenceProbability, sureDifferences } from './sure-differences.js';

/** By counting with whole numbers. */
function byDefinition(a: number, b: number, totalA: number, totalB: number): number {
	const choose = (n: number, k: number): bigint => {
		let result = k < 0 || k > n ? 0n : 1n;
		for (let i = 1; i <= k && result > 0n; i++) {
			result = (result * BigInt(n - k + i)) / BigInt(i);
		}
		return result;
	};
	const ways = (x: number): number => Number((choose(totalA, x) * choose(totalB, a + b - x) * 10n ** 18n) / choose(totalA + totalB, a + b)) / 1e18;
	const sum = (from: number, to: number): number => Array.from({ length: Math.max(0, to - from) }, (_, i) => ways(from + i)).reduce((x, y) => x + y, 0);
	return Math.min(1, 2 * (ways(a) / 2 + Math.min(sum(0, a), sum(a + 1, a + b + 1))));
}

describe('one difference', () => {
	test('is as probable as the definition has it', () => {
		fc.assert(
			fc.property(fc.nat(40), fc.nat(40), fc.nat(200), fc.nat(200), (a, b, moreA, moreB) => {
				const [totalA, totalB] = [a + moreA + 1, b + moreB + 1];
				expect(differenceProbability({ a, b }, totalA, totalB)).toBeCloseTo(a + b === 0 ? 1 : byDefinition(a, b, totalA, totalB), 9);
			}),
		);
	});

	test.each([
		[{ a: 5, b: 0 }, 1000, 1000, 0.0311],
		// The example of shares in compare-hot.test.ts: Newcombe's interval leaves zero out.
		[{ a: 56, b: 48 }, 70, 80, 0.0087],
		[{ a: 500_000, b: 501_500 }, 5_000_000, 5_000_000, 0.114],
		[{ a: 0, b: 0 }, 10, 10, 1],
		[{ a: 3, b: 0 }, 10, 0, 1],
	])('%j of %d and %d', (pair, totalA, totalB, expected) => {
		expect(differenceProbability(pair, totalA, totalB)).toBeCloseTo(expected, 3);
		expect(differenceProbability({ a: pair.b, b: pair.a }, totalB, totalA)).toBeCloseTo(expected, 3);
	});
});

describe('of many', () => {
	const random = xorshift32(7);
	const draw = (samples: number, weights: readonly number[]): number[] => {
		const sum = weights.reduce((x, y) => x + y, 0);
		const counts = weights.map(() => 0);
		for (let i = 0; i < samples; i++) {
			let left = random() * sum;
			const at = weights.findIndex((weight) => {
				left -= weight;
				return left < 0;
			});
			counts[at < 0 ? 0 : at]!++;
		}
		return counts;
	};
	const pairsOf = (a: readonly number[], b: readonly number[]): CountPair[] => a.map((count, i) => ({ a: count, b: b[i]! }));
	const flat = Array.from({ length: 300 }, (_, i) => 1 / (i + 1));

	test('profiles that are alike rarely have a difference', () => {
		let withSome = 0;
		for (let run = 0; run < 100; run++) {
			withSome += sureDifferences(pairsOf(draw(2000, flat), draw(1500, flat)), 2000, 1500).some((one) => one) ? 1 : 0;
		}
		// A twentieth is expected, and 100 runs have no more than 12 of them but once in 500.
		expect(withSome).toBeLessThanOrEqual(12);
	});

	test('what differs is found, and little else', () => {
		// What ten have more, the first has less: all others have what they had.
		const more = flat.reduce((sum, weight, i) => sum + (i % 30 === 2 ? 2 * weight : 0), 0);
		const changed = flat.map((weight, i) => (i === 0 ? weight - more : i % 30 === 2 ? 3 * weight : weight));
		const sure = sureDifferences(pairsOf(draw(60_000, flat), draw(60_000, changed)), 60_000, 60_000);
		const found = sure.flatMap((one, i) => (one ? [i] : []));
		expect(found.filter((i) => i === 0 || i % 30 === 2)).toHaveLength(11);
		expect(found.length).toBeLessThanOrEqual(12);
	});

	test('what can be no difference takes no part', () => {
		const few = Array.from({ length: 5000 }, () => ({ a: 1, b: 0 }));
		expect(sureDifferences([{ a: 20, b: 2 }, ...few], 10_000, 10_000).filter((one) => one)).toHaveLength(1);
		expect(sureDifferences([], 0, 0)).toEqual([]);
	});
});
