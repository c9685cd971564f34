/** The result of `assay order measure` as JSON: see docs/json.md. */
import type { MeasuredRun } from '../startup/results.js';
import type { JsonStream } from './json-stream.js';

export interface MeasureShown {
	readonly program: string;
	readonly command: readonly string[];
	readonly runs: readonly MeasuredRun[];
	/** What the numbers do not say. */
	readonly notes: readonly string[];
	/** A function of a page, given its address. */
	readonly functionAt: (pageAddress: number) => string | null;
}

export function writeMeasureJson(json: JsonStream, { program, command, runs, notes, functionAt }: MeasureShown): void {
	json.field('program', program);
	json.field('command', command);
	json.field('notes', notes);
	json.field(
		'runs',
		runs.map(({ kind, residentPages, exitStatus, textFaults, textMajorFaults, windows64k, allFaults, majorFaults, pages }) => ({
			kind,
			residentPages,
			exitStatus,
			textFaults,
			textMajorFaults,
			windows64k,
			allFaults,
			majorFaults,
			pages: pages.map((page) => ({ address: `0x${page.toString(16)}`, function: functionAt(page) })),
		})),
	);
}
