/** What is to be recorded, and what the recorder says while it does. */
import type { RecordingManifest } from '../../model/recording-manifest.js';
import type { CodeFrom } from './jvm-flags.js';

export interface RecordRequest {
	/** Where the recording goes; made if it does not exist. */
	readonly outputFolder: string;
	/** The same as the user named it. */
	readonly outputName: string;
	readonly force: boolean;
	/** perf's name of the event; null for the best there is. */
	readonly event: string | null;
	readonly frequencyHz: number;
	/** After this time the program is ended, or a process is no longer watched; null for no limit. */
	readonly durationSeconds: number | null;
	readonly jdkHome: string | null;
	/** By what: `all` is the logs of the JVM, its agent and perf; `jfr` is Flight Recorder alone. */
	readonly evidence: 'all' | 'jfr';
	/** Where the code comes from; the agent gives way to printing where it cannot be had. */
	readonly code: CodeFrom;
	/** Have the JVM tell what each compilation cost in memory. */
	readonly memory: boolean;
	/** Whether Flight Recorder notes what a JVM that runs compiles meanwhile. */
	readonly withDecisions: boolean;
	/** How much of each stack perf copies, where callers are read: memory of the program, in whole words; 0: nothing; null: what suits the program. */
	readonly stackBytes: number | null;
	/** Whether the JVM logs its safepoints. */
	readonly withSafepoints: boolean;
	/** Where the program is started. */
	readonly workingDirectory: string;
	readonly environment: NodeJS.ProcessEnv;
	readonly assayVersion: string;
	/** A line for the user. */
	readonly say: (line: string) => void;
}

export interface RecordOutcome {
	readonly manifest: RecordingManifest;
	readonly exitStatus: number;
}

export const DEFAULT_FREQUENCY_HZ = 999;
/** What perf can always count on its own: a timer, and so with skid. */
export const SOFTWARE_EVENT = 'cpu-clock';
export const HARDWARE_EVENT = 'cycles';
