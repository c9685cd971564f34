import { expect, test } from 'vitest';
import { xorshift32 } from './random.js';

test("Marsaglia's sequence from 1, shifts 13, 17 and 5", () => {
	const random = xorshift32(1);
	expect([1, 2, 3, 4, 5].map(() => random() * 2 ** 32)).toEqual([270_369, 67_634_689, 2_647_435_461, 307_599_695, 2_398_689_233]);
});

test('from 0 to 1, the same from the same seed, even', () => {
	const draw = (): number[] => {
		const random = xorshift32(0x2545f491);
		return Array.from({ length: 100_000 }, random);
	};
	const values = draw();
	expect(draw()).toEqual(values);
	const counts = new Array<number>(10).fill(0);
	for (const value of values) {
		counts[Math.floor(10 * value)]! += 1;
	}
	// Chi-squared of 9 degrees of freedom: 27.9 at one in a thousand.
	expect(counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
});
