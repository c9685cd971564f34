/** Findings about the whole run: from which share of the samples on, in percent, they are worth a sentence, and what a percent of that would win. */
import type { RecordingFinding } from '../model/joined-recording.js';

interface WholeRun {
	readonly leastPercent: number;
	readonly worthOfPercent: number;
}

export const WHOLE_RUN = {
	collector: { leastPercent: 10, worthOfPercent: 1 },
	'class-loading': { leastPercent: 5, worthOfPercent: 1 },
	compilers: { leastPercent: 20, worthOfPercent: 1 / 4 },
	interpreter: { leastPercent: 5, worthOfPercent: 1 / 2 },
} satisfies Partial<Record<RecordingFinding['kind'], WholeRun>>;

/** Of a finding that is about the whole run; null of others. */
export function wholeRun(kind: RecordingFinding['kind']): WholeRun | null {
	return (WHOLE_RUN as Partial<Record<RecordingFinding['kind'], WholeRun>>)[kind] ?? null;
}
