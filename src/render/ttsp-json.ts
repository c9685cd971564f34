/** The result of `assay bias --ttsp` as JSON: see docs/json.md. */
import type { Culprit, SafepointDelay } from '../bias/safepoint-delay.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import { hexadecimal } from '../model/hexadecimal.js';
import type { LateThread, SafepointTimeout } from '../model/safepoint.js';
import type { JsonSink } from './json-stream.js';
import type { TtspView } from './ttsp-text.js';

export interface TtspSource {
	readonly safepointsFile: string | null;
	readonly samplesFile: string | null;
	readonly logFile: string | null;
	/** Those whose safepoint is not in the log. */
	readonly timeouts: readonly SafepointTimeout[];
	readonly clock: JvmClock;
}

export function writeTtspJson(json: JsonSink, view: TtspView, { safepointsFile, samplesFile, logFile, timeouts, clock }: TtspSource): void {
	json.field('recording', { safepointsFile, samplesFile, logFile });
	json.field('clock', { source: clock.source, startSeconds: Number.isFinite(clock.startSeconds) ? clock.startSeconds : null });
	json.field('slowNs', view.slowNs);
	json.beginList('safepoints');
	for (const delay of view.delays) {
		json.item(safepointRow(delay));
	}
	json.closeTo(json.depth - 1);
	json.field('histogram', view.classes);
	json.field(
		'causes',
		view.causes.map(({ culprit, threads, safepoints, reachingNs }) => ({
			method: culprit.method,
			...lineOf(culprit),
			threads,
			safepoints,
			reachingNs: Math.round(reachingNs),
			why: culprit.why,
			remedy: culprit.remedy,
			cost: culprit.cost,
		})),
	);
	json.field(
		'otherTimeouts',
		timeouts.map(({ time, threads }) => ({ uptimeNs: time.uptimeNs, lateThreads: threads.map(lateRow) })),
	);
}

/** An item of `safepoints`. */
export type SafepointJson = ReturnType<typeof safepointRow>;

function safepointRow({ safepoint, startedNs, clock, isSlow, samples, culprits }: SafepointDelay) {
	return {
		operation: safepoint.operation,
		sinceLastNs: safepoint.sinceLastNs,
		reachingNs: safepoint.reachingNs,
		cleanupNs: safepoint.cleanupNs,
		atSafepointNs: safepoint.atSafepointNs,
		leavingNs: safepoint.leavingNs,
		totalNs: safepoint.totalNs,
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
		percent: Math.round(culprit.percent * 10_000) / 10_000,
		evidence: culprit.evidence,
		why: culprit.why,
		remedy: culprit.remedy,
		cost: culprit.cost,
	};
}

function lineOf({ line }: Culprit): { readonly line?: number } {
	return line === null ? {} : { line };
}
