/**
 * The ways to split runs into two sides of given sizes: what a permutation test compares the true split with (Fisher 1935; Good, Permutation, Parametric and
 * Bootstrap Tests of Hypotheses, 2005). Sides of one size have no order: a split and its mirror image are one.
 */
import { xorshift32 } from './random.js';

/** The runs that go to the first side, one bit a run: of those that are on side A in truth, and of those on side B. */
export interface Split {
	readonly a: number;
	readonly b: number;
}

export interface OtherSplits {
	/** All but the true one; where there are too many, a sample. */
	readonly others: readonly Split[];
	/** How many there are in all, the true one among them. */
	readonly total: number;
	readonly isSample: boolean;
}

/** More are not all tried. */
const MOST_SPLITS = 2000;
const SAMPLED = 999;
const SEED = 20_260_101;

/** How many ways there are to split n + m runs into sides of n and m. */
export function countSplits(n: number, m: number): number {
	let count = 1;
	for (let i = 1; i <= Math.min(n, m); i++) {
		count = (count * (n + m - i + 1)) / i;
	}
	return Math.round(n === m ? count / 2 : count);
}

/** At most 20 runs a side. The same sample for the same numbers of runs. */
export function otherSplits(runsA: number, runsB: number): OtherSplits {
	const total = countSplits(runsA, runsB);
	return total <= MOST_SPLITS
		? { others: allButTheTrue(runsA, runsB), total, isSample: false }
		: { others: sampledSplits(runsA, runsB, total), total, isSample: true };
}

function allButTheTrue(runsA: number, runsB: number): Split[] {
	const splits: Split[] = [];
	const chosen: number[] = [];
	const choose = (from: number): void => {
		if (chosen.length === runsA) {
			const split = splitOf(chosen, runsA);
			if (split.b !== 0) {
				splits.push(split);
			}
			return;
		}
		for (let run = from; run <= runsA + runsB - (runsA - chosen.length); run++) {
			// Of a split and its mirror image the one that has the first run on the first side.
			if (runsA !== runsB || chosen.length > 0 || run === 0) {
				chosen.push(run);
				choose(run + 1);
				chosen.pop();
			}
		}
	};
	choose(0);
	return splits;
}

function sampledSplits(runsA: number, runsB: number, total: number): Split[] {
	const random = xorshift32(SEED);
	const splits: Split[] = [];
	const count = Math.min(SAMPLED, total - 1);
	while (splits.length < count) {
		const runs = Array.from({ length: runsA + runsB }, (_, i) => i);
		for (let i = 0; i < runsA; i++) {
			const j = i + Math.floor(random() * (runs.length - i));
			[runs[i], runs[j]] = [runs[j]!, runs[i]!];
		}
		const split = splitOf(runs.slice(0, runsA), runsA);
		const isTrue = split.b === 0 || (runsA === runsB && split.a === 0);
		if (!isTrue) {
			splits.push(split);
		}
	}
	return splits;
}

function splitOf(runs: readonly number[], runsA: number): Split {
	let a = 0;
	let b = 0;
	for (const run of runs) {
		if (run < runsA) {
			a |= 1 << run;
		} else {
			b |= 1 << (run - runsA);
		}
	}
	return { a, b };
}

/** The rank of a value among others, the highest first: 1 where all others are lower. Equal ones come before it. */
export function rankAmong(value: number, others: readonly number[]): number {
	const least = value - 1e-9 * Math.max(1, Math.abs(value));
	return 1 + others.filter((other) => other >= least).length;
}

/**
 * The smallest of the observed scores that are called, so that of all observed scores from it on at most a part of `rate` is expected by chance: Benjamini and
 * Hochberg's step-up rule (1995) on the permutation p-values of all scores together, which is the estimate of Tusher, Tibshirani and Chu (2001). `chance` has
 * the scores of all of `splits` other splits. Infinity where none is called. Scores of 0 are none.
 */
export function discoveryThreshold(observed: readonly number[], chance: readonly number[], splits: number, rate: number): number {
	const descending = (x: number, y: number): number => y - x;
	const scores = observed.filter((score) => score > 0).sort(descending);
	const expected = chance.filter((score) => score > 0).sort(descending);
	let threshold = Number.POSITIVE_INFINITY;
	let above = 0;
	scores.forEach((score, i) => {
		const isLastOfEqual = scores[i + 1] === undefined || scores[i + 1]! < score;
		while (above < expected.length && expected[above]! >= score) {
			above++;
		}
		if (isLastOfEqual && above / Math.max(1, splits) <= rate * (i + 1)) {
			threshold = score;
		}
	});
	return threshold;
}
