/** The result of `assay bias --ttsp`: docs/schema/bias-ttsp.json. */
import { type DelayCause, delayCauses, type TimeClass, timeClasses } from '../bias/delay-summary.js';
import type { Culprit, SafepointDelay } from '../bias/safepoint-delay.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import { type CollectorPauses, collectorPauses } from '../model/collector-pauses.js';
import { hexadecimal } from '../model/hexadecimal.js';
import type { LateThread } from '../model/safepoint.js';
import { runLength, type VmOperation, vmOperations } from '../model/vm-operations.js';
import type { Recording } from '../recording/open-recording.js';
import type { TimeToSafepointResult } from './results.js';
import { round } from './rounding.js';
import { type Frozen, mapped, type Streamed } from './streamed.js';

export interface DelaySummary {
	/** From this time to safepoint on the cause was looked for. */
	readonly slowNs: number;
	readonly classes: readonly TimeClass[];
	readonly causes: readonly DelayCause[];
	/** How long the run was, as far as the log and the samples tell; of Flight Recorder how long it watched. */
	readonly runNs: number | null;
	readonly operations: readonly VmOperation[];
	/** null: nothing tells of a pause of the collector. */
	readonly collector: CollectorPauses | null;
}

export function delaySummary(
	{
		delays,
		clock,
		recording: { samples, safepoints },
	}: { readonly delays: readonly SafepointDelay[]; readonly clock: JvmClock; readonly recording: Pick<Recording, 'samples' | 'safepoints'> },
	slowNs: number,
): DelaySummary {
	const lastSample = samples.length === 0 ? null : samples.timeSeconds.reduce((last, time) => Math.max(last, time));
	const { recorded } = safepoints ?? {};
	const runNs = recorded?.watchedNs ?? runLength(delays, lastSample, clock.startSeconds);
	return {
		slowNs,
		classes: timeClasses(delays),
		causes: delayCauses(delays),
		runNs,
		operations: vmOperations(delays, runNs),
		collector: collectorPauses(
			delays.map(({ safepoint }) => safepoint),
			recorded?.collections ?? [],
			runNs,
		),
	};
}

/** Times are in nanoseconds. */
export function timeToSafepointResult(
	{ safepoints, format, samplesFile, logFile }: Pick<Recording, 'safepoints' | 'format' | 'samplesFile' | 'logFile'>,
	delays: readonly SafepointDelay[],
	clock: JvmClock,
	{ slowNs, classes, causes, runNs, operations, collector }: DelaySummary,
): Streamed<TimeToSafepointResult> {
	return {
		recording: { safepointsFile: safepoints?.file ?? null, samplesFile: format === null ? null : samplesFile, logFile },
		clock: { source: clock.source, startSeconds: Number.isFinite(clock.startSeconds) ? clock.startSeconds : null },
		slowNs,
		runNs: runNs === null ? null : Math.round(runNs),
		operations: operations.map((row) => ({ ...row, percentOfRun: row.percentOfRun === null ? null : round(row.percentOfRun) })),
		collector:
			collector === null
				? null
				: {
						...collector,
						totalNs: Math.round(collector.totalNs),
						longestNs: Math.round(collector.longestNs),
						askedNs: Math.round(collector.askedNs),
						percentOfRun: collector.percentOfRun === null ? null : round(collector.percentOfRun),
					},
		safepoints: mapped(delays, safepointRow),
		histogram: classes,
		causes: causes.map(({ culprit, threads, safepoints: delayed, reachingNs }) => ({
			method: culprit.method,
			...lineOf(culprit),
			threads,
			safepoints: delayed,
			reachingNs: Math.round(reachingNs),
			why: culprit.why,
			remedy: culprit.remedy,
			cost: culprit.cost,
		})),
		// Those whose safepoint is not in the log.
		otherTimeouts: (safepoints?.timeouts ?? []).map(({ time, threads }) => ({ uptimeNs: time.uptimeNs, lateThreads: threads.map(lateRow) })),
	};
}

/** An item of `safepoints`. */
export type SafepointJson = Frozen<TimeToSafepointResult['safepoints'][number]>;

function safepointRow({ safepoint, startedNs, clock, isSlow, samples, culprits }: SafepointDelay) {
	return {
		operation: safepoint.operation,
		sinceLastNs: safepoint.sinceLastNs,
		reachingNs: safepoint.reachingNs,
		cleanupNs: safepoint.cleanupNs,
		atSafepointNs: safepoint.atSafepointNs,
		leavingNs: safepoint.leavingNs,
		totalNs: safepoint.totalNs,
		unfinished: safepoint.unfinished,
		startedNs,
		startedClock: clock,
		runningThreads: safepoint.runningThreads,
		totalThreads: safepoint.totalThreads,
		lateThreads: (safepoint.timeout?.threads ?? []).map(lateRow),
		isSlow,
		samples,
		culprits: culprits.map(culpritRow),
	};
}

function lateRow({ name, threadId, cpuMs }: LateThread) {
	return { name, threadId, cpuMs };
}

function culpritRow(culprit: Culprit) {
	const { loop, address } = culprit;
	return {
		thread: culprit.thread,
		threadId: culprit.threadId,
		isReported: culprit.isReported,
		method: culprit.method,
		...lineOf(culprit),
		compileId: culprit.compileId,
		address: address === null ? null : hexadecimal(address),
		loop: loop === null ? null : { header: hexadecimal(loop.header), end: hexadecimal(loop.end), instructions: loop.instructions.length, poll: loop.poll },
		samples: culprit.samples,
		percent: round(culprit.percent),
		evidence: culprit.evidence,
		why: culprit.why,
		remedy: culprit.remedy,
		cost: culprit.cost,
	};
}

function lineOf({ line }: Culprit): { readonly line?: number } {
	return line === null ? {} : { line };
}
