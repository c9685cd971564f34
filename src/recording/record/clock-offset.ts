/**
 * How far CLOCK_MONOTONIC is from the real-time clock. Node gives the first in nanoseconds, the second in whole milliseconds: each
 * pair of readings bounds the difference by a millisecond, and many pairs together by some microseconds.
 */

export interface ClockOffset {
	readonly seconds: number;
	/** Half the width of the interval that holds the true difference. */
	readonly uncertaintySeconds: number;
}

const GOOD_ENOUGH_NS = 20_000n;
const LONGEST_NS = 30_000_000n;
const MILLISECOND_NS = 1_000_000n;

export function measureClockOffset(monotonicNs = process.hrtime.bigint, realTimeMs = Date.now): ClockOffset {
	const start = monotonicNs();
	let low: bigint | null = null;
	let high: bigint | null = null;
	for (let now = start; now - start < LONGEST_NS; ) {
		const before = monotonicNs();
		const realNs = BigInt(realTimeMs()) * MILLISECOND_NS;
		now = monotonicNs();
		// The real time was somewhere in [realNs, realNs + 1 ms), the monotonic in [before, now].
		const lower = before - realNs - MILLISECOND_NS;
		const upper = now - realNs;
		if (low === null || high === null || lower > high || upper < low) {
			// The first pair, or the real-time clock was set meanwhile: what was known is worth nothing.
			low = lower;
			high = upper;
			continue;
		}
		low = lower > low ? lower : low;
		high = upper < high ? upper : high;
		if (high - low <= GOOD_ENOUGH_NS) {
			break;
		}
	}
	if (low === null || high === null) {
		throw new Error('the clock stands still');
	}
	return { seconds: Number(low + high) / 2e9, uncertaintySeconds: Number(high - low) / 2e9 };
}
