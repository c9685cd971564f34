import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDifference, runsNeeded, separationProbability, splitProbability } from './exact-test.js';

test.each([
	[0, 0, 1],
	[1, 1, 1 / 2],
	[2, 3, 1 / 10],
	[3, 3, 1 / 20],
	[3, 4, 1 / 35],
	[10, 10, 1 / 184_756],
])('runs that separate fully, %i and %i', (n, m, probability) => {
	expect(separationProbability(n, m)).toBe(probability);
	expect(separationProbability(m, n)).toBe(probability);
});

test('a difference begins at the level: 1 in 20', () => {
	expect(isDifference({ ofA: 3, ofB: 3, runsA: 0, runsB: 3 })).toBe(true);
	expect(isDifference({ ofA: 1, ofB: 19, runsA: 1, runsB: 0 })).toBe(true);
	expect(isDifference({ ofA: 1, ofB: 18, runsA: 1, runsB: 0 })).toBe(false);
	expect(isDifference({ ofA: 2, ofB: 3, runsA: 2, runsB: 0 })).toBe(false);
	expect(runsNeeded()).toBe(3);
});

test('only full separations are differences', () => {
	expect(isDifference({ ofA: 4, ofB: 4, runsA: 4, runsB: 1 })).toBe(false);
	expect(isDifference({ ofA: 10, ofB: 10, runsA: 9, runsB: 0 })).toBe(false);
	expect(isDifference({ ofA: 10, ofB: 10, runsA: 10, runsB: 10 })).toBe(false);
	expect(isDifference({ ofA: 10, ofB: 10, runsA: 0, runsB: 0 })).toBe(false);
	expect(isDifference({ ofA: 0, ofB: 10, runsA: 0, runsB: 10 })).toBe(false);
});

test.each([
	// Fisher's lady and her tea (The Design of Experiments, 1935): 3 of 4 cups right, and all.
	[{ ofA: 4, ofB: 4, runsA: 3, runsB: 1 }, 17 / 70],
	[{ ofA: 4, ofB: 4, runsA: 4, runsB: 0 }, 1 / 70],
	// Agresti, Categorical Data Analysis: twins of convicts, 10 of 13 and 2 of 17.
	[{ ofA: 13, ofB: 17, runsA: 10, runsB: 2 }, 0.000_465_2],
	[{ ofA: 1, ofB: 1, runsA: 1, runsB: 0 }, 1 / 2],
	[{ ofA: 1, ofB: 1, runsA: 1, runsB: 1 }, 1],
	[{ ofA: 2, ofB: 5, runsA: 0, runsB: 5 }, 1 / 21],
	[{ ofA: 5, ofB: 5, runsA: 0, runsB: 0 }, 1],
	[{ ofA: 0, ofB: 5, runsA: 0, runsB: 5 }, 1],
	[{ ofA: 5, ofB: 0, runsA: 5, runsB: 0 }, 1],
])('%j', (presence, probability) => {
	expect(splitProbability(presence)).toBeCloseTo(probability, 7);
	const { ofA, ofB, runsA, runsB } = presence;
	expect(splitProbability({ ofA: ofB, ofB: ofA, runsA: runsB, runsB: runsA })).toBeCloseTo(probability, 7);
});

test('of any split: the part of all labellings that are as uneven', () => {
	fc.assert(
		fc.property(fc.nat(4), fc.nat(4), fc.nat(4), fc.nat(4), (ofA, ofB, a, b) => {
			const presence = { ofA, ofB, runsA: Math.min(a, ofA), runsB: Math.min(b, ofB) };
			fc.pre(ofA > 0 && ofB > 0);
			const present = [
				...Array<number>(presence.runsA).fill(1),
				...Array<number>(ofA - presence.runsA).fill(0),
				...Array<number>(presence.runsB).fill(1),
				...Array<number>(ofB - presence.runsB).fill(0),
			];
			const isMoreInA = presence.runsA * ofB > presence.runsB * ofA;
			const [size, seen] = isMoreInA ? [ofA, presence.runsA] : [ofB, presence.runsB];
			let asExtreme = 0;
			let all = 0;
			for (let labels = 0; labels < 2 ** present.length; labels++) {
				const chosen = present.filter((_, index) => (labels >> index) & 1);
				if (chosen.length === size) {
					all++;
					asExtreme += Number(chosen.reduce((sum, one) => sum + one, 0) >= seen);
				}
			}
			expect(splitProbability(presence)).toBeCloseTo(asExtreme / all);
		}),
	);
});

test('a thousand runs', () => {
	expect(splitProbability({ ofA: 500, ofB: 500, runsA: 500, runsB: 0 })).toBeCloseTo(0, 10);
	expect(splitProbability({ ofA: 500, ofB: 500, runsA: 250, runsB: 250 })).toBeGreaterThan(0.5);
	expect(separationProbability(500, 500)).toBeGreaterThan(0);
});
