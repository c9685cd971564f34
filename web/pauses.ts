/** Stops of the JVM at safepoints, on its time. */
import type { PageSide } from '../src/page/data.js';

export interface Pause {
	readonly ms: number;
	readonly reachingNs: number;
	readonly totalNs: number;
	readonly operation: string;
}

/** Safepoints on the JVM's time; empty where that is not known. */
export function pausesOf(page: PageSide): Pause[] {
	if (page.ttsp === null) {
		return [];
	}
	const start = page.ttsp.clock.startSeconds ?? page.hot?.clock.startSeconds ?? null;
	return page.ttsp.safepoints.flatMap((one) => {
		if (one.startedNs === null) {
			return [];
		}
		const ms = one.startedClock === 'samples' ? (start === null ? Number.NaN : one.startedNs / 1e6 - start * 1000) : one.startedNs / 1e6;
		return Number.isNaN(ms) ? [] : [{ ms, reachingNs: one.reachingNs ?? 0, totalNs: one.totalNs ?? 0, operation: one.operation ?? 'safepoint' }];
	});
}
