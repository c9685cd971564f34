/** A part of the samples, by their times. */
export interface SampleWindow {
	/** Milliseconds from the first sample. */
	readonly delayMs: number;
	/** Milliseconds; null: to the last sample. */
	readonly lengthMs: number | null;
	/** What was measured there, where JMH said so. */
	readonly measured: string | null;
}
