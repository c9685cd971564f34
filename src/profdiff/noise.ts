/**
 * When a difference between two sets of runs is more than chance. Just-in-time compilers are not deterministic: two runs of one
 * configuration differ in thousands of decisions. If the runs of both sides were alike, any way of labelling them would be as
 * likely; a decision that is in all n runs of one side and in none of the m of the other is then one labelling of C(n + m, n).
 */

/** Above this a split is what chance alone gives too easily. */
const SIGNIFICANCE = 0.05;

export interface Presence {
	/** Runs of a side in which the decision could be made: the method was compiled. */
	readonly ofA: number;
	readonly ofB: number;
	/** Those among them that have it. */
	readonly runsA: number;
	readonly runsB: number;
}

/** In all runs of one side and in none of the other. */
function isFullSeparation({ ofA, ofB, runsA, runsB }: Presence): boolean {
	return ofA > 0 && ofB > 0 && ((runsA === ofA && runsB === 0) || (runsA === 0 && runsB === ofB));
}

/** A difference that is not noise. */
export function isDifference(presence: Presence): boolean {
	return isFullSeparation(presence) && separationProbability(presence.ofA, presence.ofB) <= SIGNIFICANCE;
}

/** The probability of a full separation under exchangeable runs. */
export function separationProbability(n: number, m: number): number {
	return 1 / binomial(n + m, n);
}

/**
 * Probability of a split at least as uneven, in the direction it has (Fisher's exact test, one-sided). For a full separation
 * it is 1 / C(n + m, n).
 */
export function splitProbability({ ofA, ofB, runsA, runsB }: Presence): number {
	if (ofA === 0 || ofB === 0) {
		return 1;
	}
	const isMoreInA = runsA * ofB > runsB * ofA;
	const [n, m, k] = isMoreInA ? [ofA, ofB, runsA] : [ofB, ofA, runsB];
	const total = runsA + runsB;
	let sum = 0;
	for (let i = k; i <= Math.min(n, total); i++) {
		sum += binomial(n, i) * binomial(m, total - i);
	}
	return Math.min(1, sum / binomial(n + m, total));
}

/** How many runs each side needs, at least, before anything can be called a difference: equal sides. */
export function runsNeeded(): number {
	let runs = 1;
	while (separationProbability(runs, runs) > SIGNIFICANCE) {
		runs++;
	}
	return runs;
}

function binomial(n: number, k: number): number {
	if (k < 0 || k > n) {
		return 0;
	}
	let result = 1;
	for (let i = 1; i <= Math.min(k, n - k); i++) {
		result = (result * (n - i + 1)) / i;
	}
	return Math.round(result);
}

/** Decisions that occur in the same runs, counted. */
export interface PresencePattern {
	/** Runs in which the method was compiled and those that have the decision, one bit a run: side A's bits, then side B's. */
	readonly compiled: number;
	readonly present: number;
	readonly count: number;
}

/** With more splits than this, evenly spaced ones stand for all. */
const MAX_SPLITS = 2000;

/**
 * How many differences the same runs give, on average, when their labels are shuffled: all other splits into sides of the same
 * sizes are counted as if they were the true one. null when there is no other split.
 */
export function differencesByLuck(runsA: number, runsB: number, patterns: readonly PresencePattern[]): number | null {
	const total = runsA + runsB;
	const trueSplit = 2 ** runsA - 1;
	const all = 2 ** total - 1;
	const splits = subsets(total, runsA).filter((split) => split !== trueSplit && split !== all - trueSplit);
	if (splits.length === 0) {
		return null;
	}
	const step = Math.max(1, Math.floor(splits.length / MAX_SPLITS));
	let sum = 0;
	let tried = 0;
	for (let i = 0; i < splits.length; i += step) {
		tried++;
		for (const { compiled, present, count } of patterns) {
			if (isDifference(presenceIn(splits[i]!, all, compiled, present))) {
				sum += count;
			}
		}
	}
	return sum / tried;
}

function presenceIn(split: number, all: number, compiled: number, present: number): Presence {
	return {
		ofA: countBits(compiled, split),
		ofB: countBits(compiled, all - split),
		runsA: countBits(present, split),
		runsB: countBits(present, all - split),
	};
}

/** Bits that are in both numbers; numbers of up to 53 bits. */
function countBits(x: number, y: number): number {
	let count = 0;
	for (let a = x, b = y; a > 0 && b > 0; a = Math.floor(a / 2), b = Math.floor(b / 2)) {
		count += (a % 2) * (b % 2);
	}
	return count;
}

/** All numbers with `ones` of `bits` bits set, as far as there are not too many to try. */
function subsets(bits: number, ones: number): number[] {
	const limit = 200_000;
	const result: number[] = [];
	const build = (start: number, left: number, value: number): void => {
		if (left === 0) {
			result.push(value);
			return;
		}
		for (let bit = start; bit <= bits - left && result.length < limit; bit++) {
			build(bit + 1, left - 1, value + 2 ** bit);
		}
	};
	build(0, ones, 0);
	return result;
}
