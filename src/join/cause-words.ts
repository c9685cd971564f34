/** What causes are told with. */
import type { EvidenceKind } from '../model/evidence.js';
import type { RecordingFinding } from '../model/joined-recording.js';

export type Finding = RecordingFinding | null;
export type Place = NonNullable<RecordingFinding['place']>;

/** Below this share of all samples nothing is said. */
export const LEAST_PERCENT = 5;

/** Compilations whose decisions are read in the search for a caller. */
export const MOST_READ = 300;
export const SAMPLED: readonly EvidenceKind[] = ['samples'];
export const LOGGED: readonly EvidenceKind[] = ['logCompilation', 'samples'];

/** `Words.count (line 41)` */
export function spelled({ method, line }: Place): string {
	return `${method}${line === null ? '' : ` (line ${line})`}`;
}

export function durationText(ms: number): string {
	return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.max(1, Math.round(ms))} ms`;
}

export function thousands(value: number): string {
	return value.toLocaleString('en-US');
}

export function sum<T>(items: readonly T[], value: (item: T) => number): number {
	return items.reduce((total, item) => total + value(item), 0);
}
