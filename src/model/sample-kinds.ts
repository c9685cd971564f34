/**
 * Which of several kinds of samples tells best where a run's time went: decided here alone. Samples with addresses (perf and the like) come before all of these:
 * they tell of every thread, and of the instruction.
 */
import type { ObservedFile, ObservedKind } from './observed-profile.js';

/** What the samples of an event are worth as time, and what they tell. */
interface SampleKind {
	/** The best has 0. */
	readonly rank: number;
	/** What is sampled, in words. */
	readonly words: string;
}

/**
 * By event. jdk.CPUTimeSample has a timer for each thread and tells what it lost. async-profiler samples on a CPU clock or counter, too. HotSpot's execution
 * samples are of a few threads at a time that happen to run Java code. Samples of all threads by the wall clock are time only where threads run.
 */
function sampleKindOf(event: string, isOfHotspot: boolean): SampleKind | null {
	switch (event) {
		case 'jdk.CPUTimeSample':
			return { rank: 0, words: 'CPU time of Java threads' };
		case 'jdk.ExecutionSample':
			return isOfHotspot ? { rank: 2, words: 'Java threads that run Java code, some of them at a time' } : { rank: 1, words: 'CPU time, by async-profiler' };
		case 'datadog.ExecutionSample':
			return { rank: 1, words: 'CPU time, by ddprof' };
		case 'profiler.WallClockSample':
		case 'datadog.MethodSample':
			return { rank: 3, words: 'threads that run, by the wall clock' };
		default:
			// Of jdk.NativeMethodSample nobody knows whether the threads run or wait.
			return null;
	}
}

/** The one to take as time of those that a file holds; null: none tells of time. */
export function bestSampleKind(file: Pick<ObservedFile, 'kinds' | 'stacks' | 'jvmStartEpochNs'>): { kind: ObservedKind; rank: number; words: string } | null {
	const isHotspot = isOfHotspot(file);
	const ranked = file.kinds.flatMap((kind) => {
		const told = kind.words === undefined ? sampleKindOf(kind.event, isHotspot) : { rank: 4, words: kind.words };
		const known = kind.number < 0 ? null : told;
		return known === null ? [] : [{ kind, ...known }];
	});
	return ranked.sort((a, b) => a.rank - b.rank)[0] ?? null;
}

/** Others use the same name of an event; only they walk native code, and have events of their own. */
function isOfHotspot({ kinds, stacks, jvmStartEpochNs }: Pick<ObservedFile, 'kinds' | 'stacks' | 'jvmStartEpochNs'>): boolean {
	return (
		jvmStartEpochNs !== null ||
		!(kinds.some(({ event }) => !event.startsWith('jdk.')) || (stacks?.frames.kinds ?? []).some((kind) => /^(?:C\+\+|Kernel|C[12] compiled)$/.test(kind)))
	);
}
