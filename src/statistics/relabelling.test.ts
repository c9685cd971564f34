import { expect, test } from 'vitest';
import { differencesByLuck } from './relabelling.js';

test('luck is what the other labellings call', () => {
	// Runs 0, 1, 2 are A. What is in 0, 1, 3 is called by the split {0, 1, 3} and its mirror image, of 18 others.
	expect(differencesByLuck(3, 3, [{ possible: 0b111111, present: 0b001011, count: 9 }])).toBeCloseTo(1);
});

test('the true split and its mirror image are not luck', () => {
	expect(differencesByLuck(3, 3, [{ possible: 0b111111, present: 0b000111, count: 9 }])).toBe(0);
	expect(differencesByLuck(3, 3, [{ possible: 0b111111, present: 0b111000, count: 9 }])).toBe(0);
});

test('without run 5 no split is a difference: five runs give 1 in 10', () => {
	expect(differencesByLuck(3, 3, [{ possible: 0b011111, present: 0b001011, count: 9 }])).toBe(0);
});

test('sides of different sizes have no mirror image among the splits', () => {
	// {0, 1, 4} separates what is in these runs; of C(7, 3) = 35 splits the true one is left out.
	expect(differencesByLuck(3, 4, [{ possible: 0b1111111, present: 0b0010011, count: 34 }])).toBeCloseTo(1);
});

test('patterns add up by their counts', () => {
	const patterns = [
		{ possible: 0b111111, present: 0b001011, count: 9 },
		{ possible: 0b111111, present: 0b010011, count: 18 },
	];
	expect(differencesByLuck(3, 3, patterns)).toBeCloseTo(3);
	expect(differencesByLuck(3, 3, [])).toBe(0);
});

test('nothing can be relabelled', () => {
	expect(differencesByLuck(1, 1, [])).toBeNull();
	expect(differencesByLuck(0, 0, [])).toBeNull();
	expect(differencesByLuck(0, 3, [])).toBeNull();
	expect(differencesByLuck(3, 0, [])).toBeNull();
});

test('one run against two: other splits are there, none is a difference', () => {
	expect(differencesByLuck(1, 2, [{ possible: 0b111, present: 0b010, count: 1 }])).toBe(0);
});
