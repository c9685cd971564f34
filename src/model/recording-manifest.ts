/** `assay-recording.json`, the manifest of a recording folder; docs/schema/recording.json is its exact form. */
import type { Problem } from './problem.js';

export const MANIFEST_NAME = 'assay-recording.json';

/** Raised when a field changes its meaning or goes away. */
export const MANIFEST_VERSION = 1;

export type RecordedFileKind =
	| 'jvm-log'
	| 'agent-log'
	| 'flight-recording'
	| 'compiler-log'
	| 'safepoint-log'
	| 'perf-data'
	| 'perf-script'
	| 'native-symbols'
	| 'async-profiler-collapsed'
	| 'perf-map'
	| 'jitdump'
	| 'code-list'
	| 'vm-flags'
	| 'vm-command-line'
	| 'executable';

export interface RecordedFile {
	/** Relative to the folder. */
	readonly name: string;
	readonly kind: RecordedFileKind;
	/** The same in words. */
	readonly what: string;
	readonly sizeBytes: number;
	/** Of a JVM's log, of an agent's, and of a jitdump: the process that wrote it. */
	readonly processId?: number;
}

export interface RecordedMachine {
	readonly host: string;
	/** The processor, in its own words; null where the system does not tell. */
	readonly cpu: string | null;
	readonly cpus: number;
}

export interface RecordedJdk {
	readonly home: string;
	/** As `JAVA_VERSION` in the `release` file has it; null where there is none. */
	readonly version: string | null;
	readonly runtimeVersion: string | null;
	readonly vendor: string | null;
}

/** How the flags came into the JVM; `none`: it was running already. */
export type FlagPassing = 'command-line' | 'jmh-jvm-args' | 'environment' | 'none';

export interface RecordingManifest {
	readonly assayRecording: typeof MANIFEST_VERSION;
	/** `running` also when assay was killed before it could complete the folder. */
	readonly state: 'running' | 'complete';
	/** What the user asked for; empty when a running process was watched. */
	readonly command: readonly string[];
	/** What was started. */
	readonly executed: readonly string[];
	readonly workingDirectory: string;
	/** Where it ran: what tells the runs of a store apart. */
	readonly machine: RecordedMachine;
	readonly jdk: RecordedJdk | null;
	readonly flags: readonly string[];
	readonly flagsPassedBy: FlagPassing;
	readonly tools: {
		readonly assay: string;
		readonly node: string;
		readonly perf: string | null;
		readonly asyncProfiler: string | null;
	};
	/** ISO 8601, in UTC. */
	readonly startTime: string;
	readonly endTime: string | null;
	/** Of the program; null before it was started. */
	readonly processId: number | null;
	/** Of the program: null while it runs, and of a process that was only watched. */
	readonly exit: { readonly status: number | null; readonly signal: string | null } | null;
	readonly endedBy: 'program' | 'duration' | 'interrupt' | 'terminated' | null;
	/** Of a JVM that was watched: it did not answer jcmd, as one that waits for a safepoint. */
	readonly isSilent?: true;
	readonly samples: { readonly event: string; readonly frequencyHz: number; readonly count: number | null } | null;
	readonly clocks: RecordedClocks;
	/** Where the program was JMH: the measured iterations of each fork; what lies outside is warm-up, and JMH's own. */
	readonly measured?: readonly MeasuredIterations[];
	readonly files: readonly RecordedFile[];
	readonly problems: readonly Problem[];
}

/** The measured iterations of one fork of JMH, one after the other. */
export interface MeasuredIterations {
	/** `org.sample.Bench.method`. */
	readonly benchmark: string | null;
	/** `size = 10`, as JMH prints them. */
	readonly parameters: string | null;
	/** `1 of 5`. */
	readonly fork: string | null;
	readonly iterations: number;
	/** CLOCK_MONOTONIC: when the first one began, and when the result of the last was printed. */
	readonly fromSeconds: number;
	readonly toSeconds: number;
}

interface RecordedClocks {
	/** The clock of the samples' times; null without samples that have any. */
	readonly perf: 'CLOCK_MONOTONIC' | null;
	/**
	 * Seconds. A JVM's stamp `s` is the sample time `time_ms / 1000 + s + monotonicMinusRealtimeSeconds`, with `time_ms` as in the
	 * first line of its log (to the millisecond).
	 */
	readonly monotonicMinusRealtimeSeconds: number;
	/** Half the width of the interval that surely holds it, in seconds. */
	readonly uncertaintySeconds: number;
}
