/**
 * Safepoints as Flight Recorder tells of them, in the form of the log of safepoints (-Xlog:safepoint). HotSpot (safepoint.cpp) commits an event where it takes the
 * log's time, some hundred nanoseconds later:
 *   begin              from the begin until all threads stand; up to JDK 21 until the cleanup behind that is done, too
 *   synchronization    from when it starts to wait until all threads stand (off in the JDK's own settings)
 *   cleanup            up to JDK 21
 *   end                while threads are let go: the log is written in it, and the log's own total ends before that
 *   VM operation       the operation itself
 * What was off leaves its part out; a total then ends with the last that is told.
 */

import type { SafepointLog } from '../formats/hotspot-safepoint-log/read.js';
import type { JfrSafepointPart, JfrVmOperation } from '../formats/jfr/jvm-events.js';
import type { JfrEvents } from '../formats/jfr/read.js';
import type { Collection } from '../model/collector-pauses.js';
import { isAskedFor } from '../model/collector-pauses.js';
import type { Problem } from '../model/problem.js';
import type { Safepoint } from '../model/safepoint.js';
import type { FlightRecorderFile } from './flight-recorder-file.js';
import { SETTINGS_FILE } from './runtime-folder.js';

/** What Flight Recorder tells beside safepoints. */
export interface RecordedPauses {
	/** In the order of their begin. */
	readonly collections: readonly Collection[];
	/** How long the JVM was watched; null where the file does not tell. */
	readonly watchedNs: number | null;
}

interface RecordedSafepoints extends SafepointLog {
	readonly file: string;
	readonly processId: number | null;
	readonly recorded: RecordedPauses;
}

/** null when the recording tells neither of safepoints nor of collections. */
export function recordedSafepoints({ name, read: jvm }: FlightRecorderFile): RecordedSafepoints | null {
	const safepoints = safepointsOf(jvm);
	const recorded = recordedPauses(jvm);
	return safepoints.length + recorded.collections.length === 0
		? null
		: {
				safepoints,
				timeouts: [],
				lostLines: 0,
				problems: [...jvm.problems, ...doubts(jvm, name)],
				file: name,
				processId: jvm.information?.processId ?? null,
				recorded,
			};
}

export function recordedPauses({ collections, startMs, endMs }: JfrEvents): RecordedPauses {
	const fromMs = Math.max(0, startMs ?? 0);
	return {
		collections: collections.map(({ sumOfPausesMs, longestPauseMs, cause }) => ({
			pausesNs: sumOfPausesMs * 1e6,
			longestNs: longestPauseMs * 1e6,
			isAskedFor: isAskedFor(cause),
		})),
		watchedNs: startMs === null || endMs === null || endMs <= fromMs ? null : (endMs - fromMs) * 1e6,
	};
}

interface Parts {
	begin?: JfrSafepointPart;
	synchronization?: JfrSafepointPart;
	cleanup?: JfrSafepointPart;
	end?: JfrSafepointPart;
	operation?: JfrVmOperation;
}

/** In the order of their begin. */
function safepointsOf({ safepoints, operations, jvmStartEpochNs, declared }: JfrEvents): Safepoint[] {
	const hasCleanups = declared.has('jdk.SafepointCleanup');
	const byId = new Map<number, Parts>();
	const partsOf = (id: number): Parts => {
		const parts = byId.get(id) ?? {};
		byId.set(id, parts);
		return parts;
	};
	for (const part of safepoints) {
		partsOf(part.safepointId)[part.part] = part;
	}
	for (const operation of operations) {
		if (operation.safepointId > 0) {
			// One safepoint may have several: the first is what it was for.
			partsOf(operation.safepointId).operation ??= operation;
		}
	}
	const rows = [...byId].flatMap(([id, parts]) => timesOf(id, parts, hasCleanups)).sort((a, b) => a.beginMs - b.beginMs);
	return rows.map((row, i) => {
		const before = rows[i - 1];
		// With a number left out one is not told of, or was before the recording.
		const sinceLastNs = before?.id === row.id - 1 && before.isEndTold ? ns(row.beginMs - before.endMs) : null;
		const uptimeNs = ns(row.endMs);
		return {
			...row.times,
			sinceLastNs,
			end: { uptimeNs, monotonicNs: null, epochNs: jvmStartEpochNs === null ? null : Number(jvmStartEpochNs) + uptimeNs },
			unfinished: null,
			timeout: null,
			line: 0,
		};
	});
}

interface Row {
	readonly id: number;
	readonly beginMs: number;
	readonly endMs: number;
	readonly isEndTold: boolean;
	readonly times: Omit<Safepoint, 'sinceLastNs' | 'end' | 'unfinished' | 'timeout' | 'line'>;
}

function timesOf(id: number, { begin, synchronization, cleanup, end, operation }: Parts, hasCleanups: boolean): Row[] {
	const known = { operation: operation?.operation ?? null, runningThreads: synchronization?.threads ?? null, totalThreads: begin?.threads ?? null };
	if (begin === undefined) {
		// Shorter than the threshold, or off: of the operation alone it is not told how long it was waited for.
		return operation === undefined
			? []
			: [
					{
						id,
						beginMs: operation.startMs,
						endMs: endOf(operation),
						isEndTold: false,
						times: {
							...known,
							reachingNs: null,
							cleanupNs: null,
							atSafepointNs: ns(operation.durationMs),
							leavingNs: null,
							totalNs: ns(operation.durationMs),
						},
					},
				];
	}
	// The cleanup begins where the log's time is taken; the synchronization ends a few microseconds before.
	const reachedMs = cleanup?.startMs ?? endOf(hasCleanups ? (synchronization ?? begin) : begin);
	const standMs = endOf(begin);
	const operatedMs = end?.startMs ?? (operation === undefined ? null : endOf(operation));
	const endMs = end === undefined ? (operatedMs ?? standMs) : endOf(end);
	return [
		{
			id,
			beginMs: begin.startMs,
			endMs,
			isEndTold: end !== undefined,
			times: {
				...known,
				reachingNs: ns(reachedMs - begin.startMs),
				cleanupNs: cleanup === undefined ? null : ns(standMs - reachedMs),
				atSafepointNs: operatedMs === null ? null : ns(operatedMs - standMs),
				leavingNs: end === undefined ? null : ns(end.durationMs),
				totalNs: ns(endMs - begin.startMs),
			},
		},
	];
}

function endOf({ startMs, durationMs }: { readonly startMs: number; readonly durationMs: number }): number {
	return startMs + durationMs;
}

function ns(ms: number): number {
	return Math.max(0, Math.round(ms * 1e6));
}

/** What the settings of the recording leave out. */
function doubts({ settings, declared, safepoints }: JfrEvents, file: string): Problem[] {
	const problems: Problem[] = [];
	const of = (event: string, name: string): string => settings.get(`jdk.${event}`)?.get(name) ?? '';
	const isShort = (event: string): boolean => /^[1-9]/.test(of(event, 'threshold'));
	const tell = (message: string, action: string): void => {
		problems.push({ severity: 'warning', file, message, action: `${action}; settings=${SETTINGS_FILE} records all` });
	};
	if (of('SafepointBegin', 'enabled') === 'false') {
		tell('tells of operations only (jdk.SafepointBegin is off)', 'how long threads took to stop is not known');
	} else if (isShort('SafepointBegin')) {
		tell(
			`tells only of safepoints that took ${of('SafepointBegin', 'threshold')} or more to reach (jdk.SafepointBegin#threshold)`,
			'the others are missing in all counts',
		);
	}
	if (of('SafepointEnd', 'enabled') === 'false' || isShort('SafepointEnd')) {
		const hasOperations = of('ExecuteVMOperation', 'enabled') === 'true' && !isShort('ExecuteVMOperation');
		tell(
			`does not tell when ${isShort('SafepointEnd') ? 'short ' : ''}safepoints ended (jdk.SafepointEnd)`,
			hasOperations ? 'their totals end with the operation' : 'totals end with what is told, the operation or its begin',
		);
	}
	if (declared.has('jdk.SafepointCleanup') && safepoints.length > 0 && !safepoints.some(({ part }) => part === 'cleanup' || part === 'synchronization')) {
		tell(
			'does not tell when all threads stood (jdk.SafepointStateSynchronization, jdk.SafepointCleanup)',
			'the time to safepoint has the cleanup behind it, too',
		);
	}
	return problems;
}
