/** What the JVM stopped its threads for, and what that cost of the run: a profiler that takes thread dumps shows here as their time. */
import type { Safepoint } from './safepoint.js';

interface Stop {
	readonly safepoint: Safepoint;
}

export interface VmOperation {
	/** `G1CollectForAllocation`; null where the log does not name it. */
	readonly operation: string | null;
	readonly safepoints: number;
	readonly reachingNs: number;
	readonly totalNs: number;
	/** Of the run; null where its length is not known. */
	readonly percentOfRun: number | null;
	/** Whether it takes the stacks of all threads, as samplers by thread dumps, jstack and monitors do. */
	readonly takesStacks: boolean;
}

/** VM_ThreadDump, VM_PrintThreads, and those of JVMTI (GetAllStackTraces, GetThreadListStackTraces, GetStackTrace); JDK 17 to 25. */
const TAKES_STACKS = /^(?:ThreadDump|PrintThreads|GetAllStackTraces|GetThreadListStackTraces|GetStackTrace|FindDeadlocks)\b/;

/** The longest sum first. What never ended is no cost of an operation. */
export function vmOperations(delays: readonly Stop[], runNs: number | null): VmOperation[] {
	const sums = new Map<string | null, { safepoints: number; reachingNs: number; totalNs: number }>();
	for (const { safepoint } of delays) {
		if (safepoint.unfinished === null) {
			// JDK 25 has the cause behind the name where it is logged.
			const operation = safepoint.operation?.replace(/ \(.*\)$/, '') ?? null;
			const sum = sums.get(operation) ?? { safepoints: 0, reachingNs: 0, totalNs: 0 };
			sum.safepoints++;
			sum.reachingNs += safepoint.reachingNs ?? 0;
			sum.totalNs += safepoint.totalNs;
			sums.set(operation, sum);
		}
	}
	return [...sums]
		.map(([operation, sum]) => ({
			operation,
			...sum,
			percentOfRun: runNs === null ? null : (100 * sum.totalNs) / runNs,
			takesStacks: operation !== null && TAKES_STACKS.test(operation),
		}))
		.sort((a, b) => b.totalNs - a.totalNs);
}

/** A log that begins with the JVM tells of the first safepoint within this time, or how long none was before it. */
const LATE_LOG_NS = 1e9;

/** From the JVM's start, or from where the log begins if that is later, to the last that is known of it; null where the log has no times of that kind. */
export function runLength(delays: readonly Stop[], lastSampleSeconds: number | null, jvmStartSeconds: number): number | null {
	const ends = delays.flatMap(({ safepoint }) => safepoint.end.uptimeNs ?? []);
	const sampled = lastSampleSeconds === null || Number.isNaN(jvmStartSeconds) ? 0 : (lastSampleSeconds - jvmStartSeconds) * 1e9;
	const longest = ends.reduce((most, end) => Math.max(most, end), sampled);
	const begin = delays.reduce((least, { safepoint: { end, totalNs, sinceLastNs } }) => {
		return Math.min(least, end.uptimeNs === null || sinceLastNs === null ? 0 : end.uptimeNs - totalNs - sinceLastNs);
	}, longest);
	return longest > 0 ? longest - (delays.length > 0 && begin > LATE_LOG_NS ? begin : 0) : null;
}
