/** A safepoint that was late, and the code that was waited for. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import type { Safepoint } from '../model/safepoint.js';
import type { DelayReason } from './delay-reasons.js';
import type { DelayingLoop } from './delaying-loop.js';

/** A place where a thread was while the others waited. */
export interface Culprit extends DelayReason {
	/** Its whole name where the JVM told it, else as the samples have it; null where neither does. */
	readonly thread: string | null;
	readonly threadId: number | null;
	/** Whether SafepointTimeout named the thread at this safepoint. */
	readonly isReported: boolean;
	/** Innermost method, or what it was in round brackets. */
	readonly method: string;
	readonly line: number | null;
	readonly compileId: string | null;
	/** Header of the loop, else the instruction with most samples; null where no code is known. */
	readonly address: number | null;
	readonly loop: DelayingLoop | null;
	readonly samples: number;
	/** Of the samples of the JVM while the safepoint was not reached. */
	readonly percent: number;
	/** `code`: no sample, but the only printed loops without a poll. */
	readonly evidence: 'samples' | 'code' | 'timeout';
}

/** A safepoint, when it began, and who delayed it. */
export interface SafepointDelay {
	readonly safepoint: Safepoint;
	/** Begin, in nanoseconds on `clock`; null where the log has no times. */
	readonly startedNs: number | null;
	readonly clock: 'samples' | 'uptime' | null;
	readonly isSlow: boolean;
	/** Samples of the JVM while it was not reached. */
	readonly samples: number;
	/** Of slow ones: worst first. */
	readonly culprits: readonly Culprit[];
}

/** A piece of code, its printed instructions, and which of them a sample hits. */
export interface SampledCode {
	readonly code: GeneratedCode;
	readonly instructions: Instructions | null;
}
