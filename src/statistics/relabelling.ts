/**
 * How many differences chance alone gives: the labels of the same runs are shuffled, and what is called a difference then is counted (a permutation
 * test of the number of differences).
 */
import { isDifference, type Presence } from './exact-test.js';

/** What occurs in the same runs, counted. */
export interface PresencePattern {
	/** Runs in which it could be and those that have it, one bit a run, at most 53: side A's bits, then side B's. */
	readonly possible: number;
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
		for (const { possible, present, count } of patterns) {
			if (isDifference(presenceIn(splits[i]!, all, possible, present))) {
				sum += count;
			}
		}
	}
	return sum / tried;
}

function presenceIn(split: number, all: number, possible: number, present: number): Presence {
	return {
		ofA: countBits(possible, split),
		ofB: countBits(possible, all - split),
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
