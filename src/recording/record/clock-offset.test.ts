import { expect, test } from 'vitest';
import { measureClockOffset } from './clock-offset.js';

/** Two clocks of which the second is `offsetNs` behind and shows whole milliseconds; each reading takes a while. */
function clocks(offsetNs: bigint, readingNs: bigint): { monotonic: () => bigint; realTime: () => number } {
	let now = 5_000_000_000n;
	return {
		monotonic: () => {
			now += readingNs;
			return now;
		},
		realTime: () => {
			now += readingNs;
			return Number((now - offsetNs) / 1_000_000n);
		},
	};
}

test.each([
	[-1_700_000_000_123_456_789n, 100n],
	[-1_700_000_000_000_000_000n, 7_777n],
	[-4_000n, 300_000n],
	[1_234_567_890n, 333n],
])('the offset of %i ns is within its uncertainty, readings of %i ns', (offsetNs, readingNs) => {
	const { monotonic, realTime } = clocks(offsetNs, readingNs);
	const { seconds, uncertaintySeconds } = measureClockOffset(monotonic, realTime);
	// A double of this size has a resolution of a quarter of a microsecond.
	expect(Math.abs(seconds - Number(offsetNs) / 1e9)).toBeLessThanOrEqual(uncertaintySeconds + 1e-6);
	expect(uncertaintySeconds).toBeLessThan(0.002);
});

test('a clock that is set meanwhile does no harm', () => {
	const { monotonic, realTime } = clocks(0n, 1000n);
	let readings = 0;
	const { seconds, uncertaintySeconds } = measureClockOffset(monotonic, () => realTime() + (readings++ < 3 ? 0 : 5000));
	expect(Math.abs(seconds + 5)).toBeLessThanOrEqual(uncertaintySeconds + 1e-6);
});
