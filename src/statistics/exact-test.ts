/**
 * Whether something occurs in the runs of one side more often than chance gives. If the runs of both sides were alike, any way of labelling them
 * would be as likely: what is in all n runs of one side and in none of the m of the other is then one labelling of C(n + m, n). For other splits
 * Fisher's exact test (1935), one-sided. Exact as far as doubles are; up to 1,000 runs in all.
 */
import { isSignificant } from './significance.js';

/** In which runs of each side something is. */
export interface Presence {
	/** Runs of a side in which it could be. */
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

/** A full separation that is not noise. */
export function isDifference(presence: Presence): boolean {
	return isFullSeparation(presence) && isSignificant(separationProbability(presence.ofA, presence.ofB));
}

/** The probability of a full separation under exchangeable runs. */
export function separationProbability(n: number, m: number): number {
	return 1 / binomial(n + m, n);
}

/** Probability of a split at least as uneven, in the direction it has. For a full separation it is 1 / C(n + m, n); 1 where a side has no run. */
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
	while (!isSignificant(separationProbability(runs, runs))) {
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
