import { expect, test } from 'vitest';
import { collectorName } from './collector-name.js';

test.each([
	['-Xmx1g -XX:+UseSerialGC -XX:+UseZGC', ['G1CollectForAllocation'], [], 'ZGC'],
	['-XX:+UseStringDeduplication', ['Cleanup', null, 'G1CollectForAllocation'], [], 'G1'],
	[null, ['GenCollectForAllocation'], [], 'Serial'],
	[null, ['SerialCollectForAllocation'], [], 'Serial'],
	[null, ['ParallelGCFailedAllocation'], [], 'Parallel'],
	[null, ['ParallelCollectForAllocation'], [], 'Parallel'],
	[null, ['XMarkStart'], [], 'ZGC'],
	[null, ['ZMarkStartYoung (Warmup)'], [], 'ZGC'],
	[null, ['ShenandoahInitMark'], [], 'Shenandoah'],
	['', ['Cleanup'], ['java', 'VM Thread', 'GC Thread#0', 'G1 Service'], 'G1'],
	['', [], ['ZDriverMinor'], 'ZGC'],
	['', [], ['Shenandoah GC T'], 'Shenandoah'],
	// Workers of G1 and of the parallel collector have the same name.
	['', [], ['GC Thread#0', null], null],
	[null, [], [], null],
	['-XX:+UseOtherGC', [], [], null],
])('%s, %j, %j: %s', (flags, operations, threads, name) => {
	const stops = operations.map((operation) => ({ safepoint: { operation } }));
	expect(
		collectorName(
			flags,
			stops,
			threads.map((thread) => ({ name: thread })),
		),
	).toBe(name);
});
