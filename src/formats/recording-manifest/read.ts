/** What is known of a recording beside its evidence: the clocks, and the part of it that counts. */

export interface RecordingNote {
	/** CLOCK_MONOTONIC minus real time when the program ran, in seconds; null where it was not noted. */
	readonly monotonicMinusRealtimeSeconds: number | null;
	readonly clockUncertaintySeconds: number;
	/** Samples a second; null where it was not noted. */
	readonly frequencyHz: number | null;
	/** The measurement within the samples, in milliseconds from the first one, as JMH's perfasm has it; null: all. */
	readonly window: { readonly skipMs: number; readonly lengthMs: number } | null;
	/** Whether the JVM did not answer jcmd while it was watched. */
	readonly isSilent: boolean;
}

/** Reads `assay-recording.json`, or a note of a JMH run with `skipMs` and `lenMs`; null for any other text. */
export function readNote(text: string): RecordingNote | null {
	if (!text.trimStart().startsWith('{') || !/"(?:assayRecording|skipMs)"/.test(text)) {
		return null;
	}
	let parsed: {
		readonly clocks?: { readonly monotonicMinusRealtimeSeconds?: unknown; readonly uncertaintySeconds?: unknown } | null;
		readonly samples?: { readonly frequencyHz?: unknown } | null;
		readonly isSilent?: unknown;
		readonly skipMs?: unknown;
		readonly lenMs?: unknown;
	};
	try {
		parsed = JSON.parse(text) as typeof parsed;
	} catch {
		return null;
	}
	const { clocks, samples, isSilent, skipMs, lenMs } = parsed;
	return {
		monotonicMinusRealtimeSeconds: numberOrNull(clocks?.monotonicMinusRealtimeSeconds),
		frequencyHz: numberOrNull(samples?.frequencyHz),
		clockUncertaintySeconds: numberOrNull(clocks?.uncertaintySeconds) ?? 0,
		window: typeof skipMs === 'number' && typeof lenMs === 'number' && skipMs >= 0 && lenMs > 0 ? { skipMs, lengthMs: lenMs } : null,
		isSilent: isSilent === true,
	};
}

function numberOrNull(value: unknown): number | null {
	return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function isRecordingNote(head: string): boolean {
	return readNote(head) !== null;
}
