/** What another profiler said of a run, as far as `assay bias --against` needs it. */
import type { StackSamples } from './stack-samples.js';

/** What wrote a profile, or printed it. */
export type ObservedFormat =
	| 'flight-recording'
	| 'jfr-print'
	| 'thread-dumps'
	| 'jmh-stack'
	| 'async-profiler-text'
	| 'hprof-text'
	| 'collapsed-stacks'
	| 'speedscope'
	| 'pprof'
	| 'firefox-profile'
	| 'cpu-profile'
	| 'chrome-trace'
	| 'otlp-profiles';

/** One kind of samples of a file that may hold several. */
export interface ObservedKind {
	/** `execution`, `cpu`, `native`, `wall`, the method of a benchmark: what a user calls it. */
	readonly kind: string;
	/** The event in the file's own words: `jdk.ExecutionSample`. */
	readonly event: string;
	/** Position in the samples' `events`; -1 where there is a sum only. */
	readonly number: number;
	/** What is counted, in words; left out of events of the JVM's profilers, whose names tell it. */
	readonly words?: string;
	/** What weights are of, where these are no samples: `nanoseconds`, `bytes`. */
	readonly unit?: string;
}

/** Samples that a file gives only as a sum by thread, method and line of innermost frames. */
export interface ObservedLeaf {
	/** null where the profile does not say. */
	readonly thread: string | null;
	/** Holder and name with dots; what is no Java method, in round brackets. */
	readonly method: string;
	/** null: not told; -1: the profiler says that there is none. */
	readonly line: number | null;
	/** How many, or a share in percent. */
	readonly samples: number;
	/** Of files that hold several: the event that it belongs to. */
	readonly kind?: string;
}

/** A stack of which only its methods and samples are told. */
export interface ObservedCalls {
	/** null where the profile does not say. */
	readonly thread: string | null;
	/** The outermost first; what is no Java method, in round brackets. */
	readonly names: readonly string[];
	readonly samples: number;
}

/** What another profiler wrote of a run. */
export interface ObservedFile {
	/** In words: `a recording of Flight Recorder`. */
	readonly format: string;
	/** In the order of preference; empty where the file holds no samples. */
	readonly kinds: readonly ObservedKind[];
	/** Null where only sums are there. */
	readonly stacks: StackSamples | null;
	readonly leaves: readonly ObservedLeaf[];
	/** Whole stacks beside {@link leaves}, for those who ask for them. */
	readonly calls?: readonly ObservedCalls[];
	/** False: shares only, so that nothing is known of how many samples there were. */
	readonly isCounted: boolean;
	/** Samples that the profiler says it lost. */
	readonly lostSamples: number;
	/** Compilations that Flight Recorder watched, and decisions on inlining: they are no samples. */
	readonly compilerEvents?: readonly { readonly name: string; readonly count: number }[];
	/** Nanoseconds since 1970 at which the JVM started, as the profile has it; null: it does not say. */
	readonly jvmStartEpochNs: bigint | null;
}

/** How many samples of each kind there are; of shares, times and sizes, which tell no samples, how many rows. */
export function recordsByKind({ kinds, stacks, leaves, isCounted }: ObservedFile): { readonly event: string; readonly records: number }[] {
	const byNumber = new Map<number, number>();
	const others = new Set(kinds.filter(({ unit }) => unit !== undefined).map(({ number }) => number));
	for (let i = 0; i < (stacks?.length ?? 0); i++) {
		const event = stacks?.event[i] as number;
		byNumber.set(event, (byNumber.get(event) ?? 0) + (others.has(event) ? 1 : (stacks?.weight[i] as number)));
	}
	return kinds.map(({ event, number }) => {
		const own = leaves.filter(({ kind }) => kind === undefined || kind === event);
		const inLeaves = isCounted ? own.reduce((sum, { samples }) => sum + samples, 0) : own.length;
		return { event, records: Math.round(number >= 0 ? (byNumber.get(number) ?? 0) : inLeaves) };
	});
}
