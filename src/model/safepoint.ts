/** Safepoints of a JVM as its logs tell of them: how long its threads took to stop, and how long they stood. */

/** When a line was printed, on each clock that its decorations give. Nanoseconds; null where the line does not tell. */
export interface LoggedTime {
	/** Since the start of the JVM. */
	readonly uptimeNs: number | null;
	/** Of the system's monotonic clock. */
	readonly monotonicNs: number | null;
	/** Since 1970. */
	readonly epochNs: number | null;
}

/** A thread that had not stopped when the JVM's patience (SafepointTimeoutDelay) was over. */
export interface LateThread {
	readonly name: string;
	/** The operating system's number (`nid`); null where the line does not tell. */
	readonly threadId: number | null;
	/** Processor time since the thread's start, in milliseconds; null where the line does not tell. */
	readonly cpuMs: number | null;
}

/** When the JVM's patience was over, and who was late. */
export interface SafepointTimeout {
	readonly time: LoggedTime;
	readonly threads: readonly LateThread[];
}

/** Times in nanoseconds, null where the form of the log does not tell. */
export interface Safepoint {
	/** `G1CollectFull`; null where only the stop was logged. */
	readonly operation: string | null;
	/** From the end of the safepoint before to the begin of this one. */
	readonly sinceLastNs: number | null;
	/** Time to safepoint (TTSP): from the begin until the last thread stood. */
	readonly reachingNs: number | null;
	readonly cleanupNs: number | null;
	/** The operation itself, all threads standing. */
	readonly atSafepointNs: number | null;
	readonly leavingNs: number | null;
	readonly totalNs: number;
	/** Threads that were running when it began. */
	readonly runningThreads: number | null;
	readonly totalThreads: number | null;
	/** When the line was printed: at the end of the safepoint. Of one without end: when the log last told of it. */
	readonly end: LoggedTime;
	/**
	 * Null: it ended. `begun`: the log has its begin and no end; `late`: only that threads were late; `silent`: no log tells of it, but the JVM answered nobody.
	 * `reachingNs` and `totalNs` are then how long it was waited for, as far as that is known.
	 */
	readonly unfinished: 'begun' | 'late' | 'silent' | null;
	/** Null where no thread was late, or nobody asked (-XX:+SafepointTimeout). */
	readonly timeout: SafepointTimeout | null;
	/** Line in the file, from 1. */
	readonly line: number;
}
