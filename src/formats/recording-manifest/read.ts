/** What is known of a recording beside its evidence: the clocks, and the part of it that counts. */
import type { MeasuredIterations } from '../../model/recording-manifest.js';

export interface RecordingNote {
	/** CLOCK_MONOTONIC minus real time when the program ran, in seconds; null where it was not noted. */
	readonly monotonicMinusRealtimeSeconds: number | null;
	readonly clockUncertaintySeconds: number;
	/** Samples a second; null where it was not noted. */
	readonly frequencyHz: number | null;
	/** The measurement within the samples, in milliseconds from the first one, as JMH's perfasm has it; null: all. */
	readonly window: { readonly skipMs: number; readonly lengthMs: number } | null;
	/** Of forks of JMH, on the clock of the samples; empty where none was noted, or where the samples have another clock. */
	readonly measured: readonly MeasuredIterations[];
	/** Whether the JVM did not answer jcmd while it was watched. */
	readonly isSilent: boolean;
	/** When recording began, milliseconds since 1970; null where it was not noted. */
	readonly startedEpochMs: number | null;
	/** Where it ran; null where it was not noted. */
	readonly machine: { readonly host: string | null; readonly cpu: string | null; readonly cpus: number | null } | null;
}

/** Reads `assay-recording.json`, or a note of a JMH run with `skipMs` and `lenMs`; null for any other text. */
export function readNote(text: string): RecordingNote | null {
	if (!text.trimStart().startsWith('{') || !/"(?:assayRecording|skipMs)"/.test(text)) {
		return null;
	}
	let parsed: {
		readonly clocks?: { readonly perf?: unknown; readonly monotonicMinusRealtimeSeconds?: unknown; readonly uncertaintySeconds?: unknown } | null;
		readonly samples?: { readonly frequencyHz?: unknown } | null;
		readonly isSilent?: unknown;
		readonly measured?: unknown;
		readonly startTime?: unknown;
		readonly machine?: { readonly host?: unknown; readonly cpu?: unknown; readonly cpus?: unknown } | null;
		readonly skipMs?: unknown;
		readonly lenMs?: unknown;
	};
	try {
		parsed = JSON.parse(text) as typeof parsed;
	} catch {
		return null;
	}
	const { clocks, samples, measured, isSilent, startTime, machine, skipMs, lenMs } = parsed;
	return {
		monotonicMinusRealtimeSeconds: numberOrNull(clocks?.monotonicMinusRealtimeSeconds),
		frequencyHz: numberOrNull(samples?.frequencyHz),
		clockUncertaintySeconds: numberOrNull(clocks?.uncertaintySeconds) ?? 0,
		window: typeof skipMs === 'number' && typeof lenMs === 'number' && skipMs >= 0 && lenMs > 0 ? { skipMs, lengthMs: lenMs } : null,
		measured: clocks?.perf === 'CLOCK_MONOTONIC' && Array.isArray(measured) ? measured.flatMap(measuredIterations) : [],
		isSilent: isSilent === true,
		startedEpochMs: typeof startTime === 'string' && START.test(startTime) ? numberOrNull(Date.parse(startTime)) : null,
		machine: machine == null ? null : { host: textOrNull(machine.host), cpu: textOrNull(machine.cpu), cpus: numberOrNull(machine.cpus) },
	};
}

const START = /^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z$/;

function measuredIterations(value: unknown): MeasuredIterations[] {
	if (typeof value !== 'object' || value === null) {
		return [];
	}
	const { benchmark, parameters, fork, iterations, fromSeconds, toSeconds }: Partial<Record<keyof MeasuredIterations, unknown>> = value;
	const [from, to] = [numberOrNull(fromSeconds), numberOrNull(toSeconds)];
	return from === null || to === null || to <= from
		? []
		: [
				{
					benchmark: textOrNull(benchmark),
					parameters: textOrNull(parameters),
					fork: textOrNull(fork),
					iterations: numberOrNull(iterations) ?? 0,
					fromSeconds: from,
					toSeconds: to,
				},
			];
}

function textOrNull(value: unknown): string | null {
	return typeof value === 'string' ? value : null;
}

function numberOrNull(value: unknown): number | null {
	return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function isRecordingNote(head: string): boolean {
	return readNote(head) !== null;
}
