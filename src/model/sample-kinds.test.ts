/** Which kind of samples is taken as time, of those that a file holds. */
import { expect, test } from 'vitest';
import { bestSampleKind } from './sample-kinds.js';

type File = Parameters<typeof bestSampleKind>[0];

const best = (
	events: readonly string[],
	more: { readonly frameKinds?: readonly string[]; readonly jvmStartEpochNs?: bigint; readonly numbers?: readonly number[] } = {},
) => {
	const { frameKinds, jvmStartEpochNs = null, numbers } = more;
	const file = {
		kinds: events.map((event, i) => ({ kind: event, event, number: numbers?.[i] ?? i })),
		stacks: frameKinds === undefined ? null : { frames: { kinds: frameKinds } },
		jvmStartEpochNs,
	};
	const found = bestSampleKind(file as unknown as File);
	return found === null ? null : [found.kind.event, found.rank, found.words];
};

test('CPU time before execution samples, and these before samples by the wall clock', () => {
	expect(best(['profiler.WallClockSample', 'jdk.ExecutionSample', 'jdk.CPUTimeSample'])).toEqual(['jdk.CPUTimeSample', 0, 'CPU time of Java threads']);
	expect(best(['datadog.MethodSample', 'datadog.ExecutionSample'])).toEqual(['datadog.ExecutionSample', 1, 'CPU time, by ddprof']);
	expect(best(['profiler.WallClockSample'])).toEqual(['profiler.WallClockSample', 3, 'threads that run, by the wall clock']);
	expect(best(['datadog.MethodSample'])?.[1]).toBe(3);
	expect(best(['jdk.NativeMethodSample', 'x'])).toBeNull();
	expect(best([])).toBeNull();
});

test("execution samples are HotSpot's own, or async-profiler's under the same name", () => {
	const hotspot = ['jdk.ExecutionSample', 2, 'Java threads that run Java code, some of them at a time'];
	const other = ['jdk.ExecutionSample', 1, 'CPU time, by async-profiler'];
	expect(best(['jdk.ExecutionSample'])).toEqual(hotspot);
	expect(best(['jdk.ExecutionSample', 'jdk.NativeMethodSample'], { frameKinds: ['Interpreted', 'JIT compiled'] })).toEqual(hotspot);
	expect(best(['jdk.ExecutionSample', 'profiler.Malloc'])).toEqual(other);
	for (const kind of ['C++', 'Kernel', 'C1 compiled', 'C2 compiled']) {
		expect(best(['jdk.ExecutionSample'], { frameKinds: ['Interpreted', kind] })).toEqual(other);
	}
	expect(best(['jdk.ExecutionSample'], { frameKinds: ['C3 compiled', 'a Kernel', 'Kernels'] })).toEqual(hotspot);
	// Only HotSpot says when the JVM started.
	expect(best(['jdk.ExecutionSample', 'profiler.Malloc'], { jvmStartEpochNs: 0n })).toEqual(hotspot);
});

test('a sum without samples is not taken', () => {
	expect(best(['jdk.CPUTimeSample', 'jdk.ExecutionSample'], { numbers: [-1, 0] })?.[0]).toBe('jdk.ExecutionSample');
	expect(best(['jdk.CPUTimeSample'], { numbers: [-1] })).toBeNull();
});
