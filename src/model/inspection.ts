/** What `assay doctor` found: of a recording, and of a machine on which one is to be made. */
import type { ObservedFormat } from './observed-profile.js';
import type { FlagPassing, RecordedJdk } from './recording-manifest.js';

/** A file of no known format. */
export const OTHER_KIND = 'other';

export interface InspectedFile {
	readonly name: string;
	/** The name of its format in the registry; `other`: of none. */
	readonly kind: string;
	readonly sizeBytes: number;
	/** Of logs and assembly. */
	readonly code: CodeCounts | null;
	/** Of jitdumps. */
	readonly jitdump: JitdumpCounts | null;
	/** Of samples. */
	readonly samples: SampleCounts | null;
	/** Of what another profiler said: stacks without program counters, or shares. It may stand in the output of a JVM. */
	readonly profile: ProfileCounts | null;
	/** Of a native program's start-up: functions that ran, or that the program or the map has; executed instructions. Null where the file could not be read. */
	readonly startup: { readonly functions: number } | { readonly instructions: number } | null;
	/** Of recordings of Flight Recorder: all that is in them. */
	readonly flightRecorder?: FlightRecorderCounts;
}

export interface CodeCounts {
	readonly processId: number | null;
	/** Milliseconds since 1970 of the log's stamp 0. */
	readonly startMs: number | null;
	/** Highest stamp, in seconds. */
	readonly lastStampSeconds: number | null;
	/** Whether the JVM came to write the last line. */
	readonly isWhole: boolean;
	/** `<nmethod`: code that was installed, and where. */
	readonly nmethods: number;
	/** `<task_queued`: compilations that were asked for. */
	readonly tasksQueued: number;
	/** `Compiled method`, `C2-compiled nmethod` and the like: code that was printed. */
	readonly printedMethods: number;
	/** `[MachCode]`: blocks of code in hex. */
	readonly machCodeBlocks: number;
	/** Lines that a disassembler (hsdis) printed. */
	readonly disassembledLines: number;
	/** Interpreter and stubs. */
	readonly codelets: number;
}

export interface JitdumpCounts {
	readonly processId: number | null;
	/** Pieces of code that were loaded or moved. */
	readonly pieces: number;
	/** Of these: with lines of source. */
	readonly withLines: number;
	/** CLOCK_MONOTONIC at the first and the last piece; null where the stamps are of another clock. */
	readonly firstSeconds: number | null;
	readonly lastSeconds: number | null;
	/** Places that could not be read. */
	readonly problems: number;
}

export interface SampleCounts {
	readonly total: number;
	readonly events: readonly { readonly name: string; readonly count: number }[];
	/** Of the profiler's clock; null without samples. */
	readonly firstSeconds: number | null;
	readonly lastSeconds: number | null;
	/** Samples in the code of some `<nmethod` of the logs beside, or of a jitdump; null when there is neither. */
	readonly inCompilations: number | null;
	/** Lines that could not be read. */
	readonly problems: number;
}

export interface ProfileCounts {
	readonly format: ObservedFormat;
	/** False: only shares are told, and what is counted are their rows. */
	readonly isCounted: boolean;
	readonly events: readonly { readonly name: string; readonly count: number }[];
	/** From the first sample to the last; null where there are no times. */
	readonly seconds: number | null;
	/** Places that could not be read. */
	readonly problems: number;
}

export interface FlightRecorderCounts {
	readonly chunks: number;
	/** Those of them that could be read to their end. */
	readonly wholeChunks: number;
	/** Null where no event tells of it. */
	readonly jvm: {
		readonly version: string | null;
		readonly arguments: string | null;
		/** The program: its main class or archive, and its arguments. */
		readonly command: string | null;
		readonly processId: number | null;
		/** Milliseconds since 1970. */
		readonly startMs: number | null;
	} | null;
	/** When the recording began and ended, since the JVM's start; null where another tool wrote it. */
	readonly firstSeconds: number | null;
	readonly lastSeconds: number | null;
	/** Of every kind, most first. */
	readonly events: readonly { readonly name: string; readonly count: number }[];
	/** What the settings left out of what assay reads. */
	readonly missing: readonly MissingSetting[];
	/** The JVM's flag of this name; null where the recording does not tell. */
	readonly debugNonSafepoints: boolean | null;
	/** Places that could not be read. */
	readonly problems: number;
}

/** A kind of event that was off, or whose short ones are not in the file. */
export interface MissingSetting {
	readonly event: string;
	readonly setting: 'enabled' | 'threshold';
	readonly value: string;
	/** What assay tells by it. */
	readonly gives: string;
}

export interface EvidenceJoin {
	readonly name: 'address' | 'method' | 'time' | 'memory' | 'safepoints' | 'graal' | 'startup' | 'remarks';
	readonly what: string;
	readonly works: boolean;
	/** By what, or why not. */
	readonly why: string;
}

export interface MissingEvidence {
	readonly what: string;
	/** What cannot be said without it. */
	readonly without: string;
	/** The flag or command that gives it. */
	readonly remedy: string;
}

export interface RecordingInspection {
	readonly name: string;
	readonly files: readonly InspectedFile[];
	readonly manifest: {
		readonly state: string;
		readonly command: readonly string[];
		readonly jdk: RecordedJdk | null;
		readonly clocks: { readonly monotonicMinusRealtimeSeconds: number; readonly uncertaintySeconds: number } | null;
	} | null;
	readonly joins: readonly EvidenceJoin[];
	readonly missing: readonly MissingEvidence[];
}

export interface MachineInspection {
	readonly java: {
		/** Null for a command that is no java: its JVM is a guess. */
		readonly path: string | null;
		readonly jdk: RecordedJdk | null;
		readonly hsdis: string | null;
	};
	readonly perf: {
		readonly version: string;
		/** `kernel.perf_event_paranoid`. */
		readonly paranoid: number | null;
		readonly hardwareCycles: boolean;
		/** Null when a trial recording worked, else what perf said. */
		readonly failure: string | null;
	} | null;
	/** The agent. */
	readonly asyncProfiler: string | null;
	readonly plan: {
		readonly passing: FlagPassing;
		readonly argv: readonly string[];
		readonly environment: Readonly<Record<string, string>>;
		/** Without the process; null without perf. */
		readonly perfArgv: readonly string[] | null;
		readonly event: string | null;
	};
	readonly missing: readonly MissingEvidence[];
}
