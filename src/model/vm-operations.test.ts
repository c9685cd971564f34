import { expect, test } from 'vitest';
import type { Safepoint } from './safepoint.js';
import { runLength, vmOperations } from './vm-operations.js';

const safepoint = (operation: string | null, totalNs: number, more: Partial<Safepoint> = {}): { readonly safepoint: Safepoint } => ({
	safepoint: {
		operation,
		sinceLastNs: null,
		reachingNs: totalNs / 4,
		cleanupNs: null,
		atSafepointNs: null,
		leavingNs: null,
		totalNs,
		runningThreads: null,
		totalThreads: null,
		end: { uptimeNs: 3e9, monotonicNs: null, epochNs: null },
		unfinished: null,
		timeout: null,
		line: 1,
		...more,
	},
});

test('sums by operation, the longest first; thread dumps are told apart; what never ended is left out', () => {
	const delays = [
		safepoint('G1CollectForAllocation', 8e6),
		safepoint('ThreadDump', 6e6),
		safepoint('ThreadDump', 4e6),
		safepoint('G1CollectFull (System.gc())', 4e6),
		safepoint(null, 4),
		safepoint('Halt', 9e9, { unfinished: 'begun' }),
	];
	expect(
		vmOperations(delays, 1e9).map(({ operation, safepoints, totalNs, percentOfRun, takesStacks }) => [
			operation,
			safepoints,
			totalNs,
			percentOfRun,
			takesStacks,
		]),
	).toEqual([
		['ThreadDump', 2, 10e6, 1, true],
		['G1CollectForAllocation', 1, 8e6, 0.8, false],
		['G1CollectFull', 1, 4e6, 0.4, false],
		[null, 1, 4, 4e-7, false],
	]);
	expect(vmOperations(delays, null)[0]?.percentOfRun).toBeNull();
	expect(vmOperations([], 1)).toEqual([]);
});

test('the run lasts until the last that is known of it', () => {
	expect(runLength([safepoint(null, 1)], null, Number.NaN)).toBe(3e9);
	expect(runLength([safepoint(null, 1)], 105, 100)).toBe(5e9);
	expect(runLength([safepoint(null, 1)], 105, Number.NaN)).toBe(3e9);
	expect(runLength([], 105, 100)).toBe(5e9);
	// A log that was begun later: it knows of the time since the safepoint before its first.
	expect(runLength([safepoint(null, 0.5e9, { sinceLastNs: 0.5e9 })], null, 0)).toBe(1e9);
	expect(runLength([safepoint(null, 0.5e9, { sinceLastNs: 1.5e9 })], null, 0)).toBe(3e9);
	expect(runLength([safepoint(null, 1, { end: { uptimeNs: null, monotonicNs: 5, epochNs: null } })], null, 0)).toBeNull();
});
