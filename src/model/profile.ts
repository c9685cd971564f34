/** Where a run spent its time, by piece of code: what a sampling profiler gave, summed. */
import type { CompilationKind } from './compilation.js';

/** A piece of code with its part of the profile. */
export interface ProfileEntry {
	/** Compile id without an on-stack-replacement mark; null for code that no compiler made in this run. */
	readonly compileId: string | null;
	readonly name: string;
	/** Compilation level (HotSpot: 4 is the top tier); null where there is none. */
	readonly level: number | null;
	/** Sum of the sample periods: cycles, or nanoseconds when the event was a clock. */
	readonly period: number;
}

/** A sampled profile, summed by piece of code. */
export interface Profile {
	readonly kind: CompilationKind;
	/** Names the run, usually the process id; null when unknown. */
	readonly executionId: string | null;
	/** Sum over all samples, also those outside `entries`. */
	readonly totalPeriod: number;
	readonly entries: readonly ProfileEntry[];
	/** Of compilations that are not in the log that this is the profile of: of other tiers. Where they are apart from `entries`. */
	readonly otherEntries?: readonly ProfileEntry[];
}
