/** All safepoints of a recording at a glance: how long it took to reach them, and what cost most. */
import type { Culprit, SafepointDelay } from './safepoint-delay.js';

export interface TimeClass {
	/** Nanoseconds, the end exclusive. */
	readonly fromNs: number;
	readonly toNs: number;
	readonly safepoints: number;
}

/** One place that delayed safepoints, by method, line and reason. */
export interface DelayCause {
	/** As it was at the safepoint that it delayed longest. */
	readonly culprit: Culprit;
	readonly threads: readonly string[];
	readonly safepoints: number;
	/** Its part of the times to safepoint, by samples; without samples the whole times. */
	readonly reachingNs: number;
}

const FIRST_NS = 1000;

/** Times to safepoint in classes of 1 to 3.16 and 3.16 to 10 times a power of ten; empty ones at both ends left out. The first is from 0 on. */
export function timeClasses(delays: readonly SafepointDelay[]): TimeClass[] {
	const counts: number[] = [];
	for (const { safepoint } of delays) {
		if (safepoint.reachingNs !== null) {
			const number = safepoint.reachingNs < FIRST_NS ? 0 : 1 + Math.floor(2 * Math.log10(safepoint.reachingNs / FIRST_NS) + 1e-9);
			counts[number] = (counts[number] ?? 0) + 1;
		}
	}
	const limit = (number: number): number => Math.round(FIRST_NS * 10 ** (number / 2));
	const all = Array.from(counts, (count = 0, i) => ({ fromNs: i === 0 ? 0 : limit(i - 1), toNs: limit(i), safepoints: count }));
	return all.slice(all.findIndex(({ safepoints }) => safepoints > 0));
}

/** The most expensive first. Of loops that only the code tells of, each safepoint's first. */
export function delayCauses(delays: readonly SafepointDelay[]): DelayCause[] {
	const causes = new Map<string, { culprit: Culprit; longest: number; threads: Set<string>; safepoints: number; reachingNs: number }>();
	for (const { safepoint, culprits } of delays) {
		for (const culprit of culprits[0]?.evidence === 'code' ? culprits.slice(0, 1) : culprits) {
			const reachingNs = (safepoint.reachingNs ?? 0) * (culprit.evidence === 'samples' ? culprit.percent / 100 : 1);
			const key = `${culprit.method}\0${culprit.line}\0${culprit.why}`;
			const cause = causes.get(key) ?? { culprit, longest: reachingNs, threads: new Set(), safepoints: 0, reachingNs: 0 };
			if (reachingNs > cause.longest) {
				cause.culprit = culprit;
				cause.longest = reachingNs;
			}
			if (culprit.thread !== null) {
				cause.threads.add(culprit.thread);
			}
			cause.safepoints++;
			cause.reachingNs += reachingNs;
			causes.set(key, cause);
		}
	}
	return [...causes.values()]
		.sort((a, b) => b.reachingNs - a.reachingNs)
		.map(({ culprit, threads, safepoints, reachingNs }) => ({ culprit, threads: [...threads], safepoints, reachingNs }));
}
