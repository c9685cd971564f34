import { expect, test } from 'vitest';
import { collectorPauses } from './collector-pauses.js';
import type { Safepoint } from './safepoint.js';

function stop(operation: string | null, totalNs: number, unfinished: Safepoint['unfinished'] = null): Safepoint {
	return {
		operation,
		sinceLastNs: null,
		reachingNs: null,
		cleanupNs: null,
		atSafepointNs: null,
		leavingNs: null,
		totalNs,
		runningThreads: null,
		totalThreads: null,
		end: { uptimeNs: null, monotonicNs: null, epochNs: null },
		unfinished,
		timeout: null,
		line: 1,
	};
}

test('safepoints of every collector are counted, whole, and no others', () => {
	const own = ['SerialCollectForAllocation', 'GenCollectForAllocation', 'ParallelGCSystemGC', 'G1CollectForAllocation (G1 Evacuation Pause)', 'G1PauseRemark'];
	const more = ['CollectForMetadataAllocation', 'ShenandoahInitMark', 'ZMarkStart', 'XRelocateStart', 'ZRelocateStartYoung'];
	const others = ['Cleanup', 'MarkActiveNMethods', 'RedefineClasses', 'ThreadDump', 'GetOrSetLocal', 'ICBufferFull', null];
	const stops = [...own, ...more, ...others].map((operation, i) => stop(operation, 100 + i));
	expect(collectorPauses(stops, [], 4180)).toEqual({ counted: 'safepoints', count: 10, totalNs: 1045, longestNs: 109, percentOfRun: 25 });
	expect(collectorPauses([stop('G1CollectForAllocation', 9e9, 'begun')], [], 1)).toBeNull();
	expect(collectorPauses([], [], 1)).toBeNull();
});

test('collections that are told come first: short safepoints may be left out', () => {
	const collections = [
		{ pausesNs: 30, longestNs: 20 },
		{ pausesNs: 0, longestNs: 0 },
		{ pausesNs: 5, longestNs: 5 },
	];
	expect(collectorPauses([stop('G1CollectForAllocation', 30)], collections, null)).toEqual({
		counted: 'collections',
		count: 2,
		totalNs: 35,
		longestNs: 20,
		percentOfRun: null,
	});
});
