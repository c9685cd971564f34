/**
 * Which of many shares differ between two profiles by more than chance. Each by Fisher's exact test with mid-p (Lancaster 1961), which agrees with intervals of
 * Wilson and Newcombe; all together by the procedure of Benjamini and Hochberg (1995), so that of those that are called different at most a twentieth are not. Shares
 * of so few samples that no outcome would be called different take no part (Gilbert 2005).
 */
import { isSignificant, SIGNIFICANCE_LEVEL } from './significance.js';

/** Counts of one thing in either profile. */
export interface CountPair {
	readonly a: number;
	readonly b: number;
}

/** Of each pair whether it differs; `totalA`, `totalB`: all counts of a profile. */
export function sureDifferences(pairs: readonly CountPair[], totalA: number, totalB: number): boolean[] {
	const result = pairs.map(() => false);
	const known = new Map<string, number>();
	const probabilityOf = ({ a, b }: CountPair): number => {
		const key = `${a} ${b}`;
		const probability = known.get(key) ?? differenceProbability({ a, b }, totalA, totalB);
		known.set(key, probability);
		return probability;
	};
	const tested = pairs
		.map((pair, position) => ({ pair, position }))
		.filter(({ pair }) => isSignificant(leastProbability(pair.a + pair.b, totalA, totalB)))
		.map(({ pair, position }) => ({ position, probability: probabilityOf(pair) }))
		.sort((x, y) => x.probability - y.probability);
	const last = tested.findLastIndex(({ probability }, i) => probability <= ((i + 1) / tested.length) * SIGNIFICANCE_LEVEL);
	for (const { position } of tested.slice(0, last + 1)) {
		result[position] = true;
	}
	return result;
}

/** Two-sided: twice the tail that is the smaller one, with half the weight of what was seen. 1 without counts. */
export function differenceProbability({ a, b }: CountPair, totalA: number, totalB: number): number {
	const count = a + b;
	if (count === 0 || totalA === 0 || totalB === 0) {
		return 1;
	}
	const seen = Math.exp(logChance(a, count, totalA, totalB));
	return Math.min(1, 2 * (seen / 2 + Math.min(tail(a, -1, seen, count, totalA, totalB), tail(a, 1, seen, count, totalA, totalB))));
}

/** What is not of this part of a sum changes none of its digits that matter. */
const NEGLIGIBLE = 1e-17;

/** Chances of all outcomes on one side of `a`, without it. */
function tail(a: number, step: 1 | -1, seen: number, count: number, totalA: number, totalB: number): number {
	let chance = seen;
	let sum = 0;
	for (let at = a + step; at >= Math.max(0, count - totalB) && at <= Math.min(count, totalA); at += step) {
		// From one outcome to the next.
		const up = step === 1 ? at : at + 1;
		const ratio = ((totalA - up + 1) * (count - up + 1)) / (up * (totalB - count + up));
		chance *= step === 1 ? ratio : 1 / ratio;
		sum += chance;
		if (chance < NEGLIGIBLE * (sum + seen) && chance < seen) {
			break;
		}
	}
	return sum;
}

/** That of the most uneven outcome. */
function leastProbability(count: number, totalA: number, totalB: number): number {
	const ends = [Math.max(0, count - totalB), Math.min(count, totalA)];
	return Math.min(...ends.map((a) => differenceProbability({ a, b: count - a }, totalA, totalB)));
}

/** The hypergeometric distribution: logarithm of the probability that `a` of `count` are in the first profile. */
function logChance(a: number, count: number, totalA: number, totalB: number): number {
	return logBinomial(totalA, a) + logBinomial(totalB, count - a) - logBinomial(totalA + totalB, count);
}

function logBinomial(n: number, k: number): number {
	return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

const LOG_FACTORIALS: number[] = [0];
const MOST_ADDED = 256;

/** Stirling's series, exact to the last digits from 256 on; sums below. */
function logFactorial(n: number): number {
	if (n < MOST_ADDED) {
		for (let i = LOG_FACTORIALS.length; i <= n; i++) {
			LOG_FACTORIALS.push(LOG_FACTORIALS[i - 1]! + Math.log(i));
		}
		return LOG_FACTORIALS[n]!;
	}
	return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n) - 1 / (360 * n ** 3);
}
