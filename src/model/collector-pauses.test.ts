import { expect, test } from 'vitest';
import { collectorPauses, isAskedFor } from './collector-pauses.js';
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
	expect(collectorPauses(stops, [], 4180)).toEqual({
		counted: 'safepoints',
		count: 10,
		totalNs: 1045,
		longestNs: 109,
		askedCount: 1,
		askedNs: 102,
		percentOfRun: 25,
	});
	expect(collectorPauses([stop('G1CollectForAllocation', 9e9, 'begun')], [], 1)).toBeNull();
	expect(collectorPauses([], [], 1)).toBeNull();
});

test('what somebody asked for, by the operation or by its cause', () => {
	const asked = ['GenCollectFull', 'SerialGCCollect', 'ParallelGCSystemGC', 'ParallelGCCollect', 'G1CollectFull', 'ZMarkStartYoungAndOld (System.gc())'];
	const others = ['GenCollectForAllocation', 'SerialCollectForAllocation', 'G1CollectForAllocation (G1 Evacuation Pause)', 'ZMarkStartYoung (Warmup)'];
	const pauses = collectorPauses(
		[...asked, ...others].map((operation) => stop(operation, 10)),
		[],
		null,
	);
	expect(pauses).toMatchObject({ count: 10, askedCount: 6, askedNs: 60 });
	expect(['System.gc()', 'Diagnostic Command', 'Allocation Failure', null].map(isAskedFor)).toEqual([true, true, false, false]);
});

test('collections that are told come first: short safepoints may be left out', () => {
	const collections = [
		{ pausesNs: 30, longestNs: 20, isAskedFor: false },
		{ pausesNs: 0, longestNs: 0, isAskedFor: true },
		{ pausesNs: 5, longestNs: 5, isAskedFor: true },
	];
	expect(collectorPauses([stop('G1CollectForAllocation', 30)], collections, null)).toEqual({
		counted: 'collections',
		count: 2,
		totalNs: 35,
		longestNs: 20,
		askedCount: 1,
		askedNs: 5,
		percentOfRun: null,
	});
});
