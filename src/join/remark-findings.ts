/** What LLVM's remarks, and the code itself, tell of the hot code of a native program, as sentences. */
import type { HotRemark } from '../hot/hot-remarks.js';
import type { RecordingFinding } from '../model/joined-recording.js';
import { hotCommand } from './commands.js';
import type { JoinedRun } from './joined-run.js';
import { ofThe, percentText } from './run-facts.js';

/** Loops and loads below this part of the samples are not told. */
const LEAST_PERCENT = 1;

export function remarkFindings(run: JoinedRun, mostOfAKind: number): RecordingFinding[] {
	const rows = (run.hotRemarks ?? []).filter(({ percent, halfInterval }) => percent >= LEAST_PERCENT && percent > halfInterval);
	return (['not-vectorized', 'not-hoisted', 'spills', 'cold-inlined'] as const).flatMap((kind) =>
		rows
			.filter((row) => row.kind === kind)
			.slice(0, mostOfAKind)
			.map((row) => findingOf(run, row)),
	);
}

function findingOf(run: JoinedRun, row: HotRemark): RecordingFinding {
	const { kind, compileId, file, line, column, percent, halfInterval, region } = row;
	const handle = `c${compileId}`;
	const share = `${percentText(percent)} (± ${halfInterval.toFixed(1)}) ${ofThe(run)}`;
	const where = file === null || line === 0 ? null : `${file}:${line}:${column}`;
	return {
		kind,
		place: { method: row.function, line: line === 0 ? null : line, bci: null },
		text: `${handle} ${row.function}: ${share} ${TEXT[kind](row, where ?? 'a place without a line')}`,
		handles: [handle],
		evidence: kind === 'spills' || kind === 'cold-inlined' ? ['samples', 'executables'] : ['remarks', 'samples'],
		command: hotCommand(run, region ?? handle),
		// What may be won is a part of the loop's time.
		worth: percent * WORTH[kind],
	};
}

const WORTH: Readonly<Record<HotRemark['kind'], number>> = { 'not-vectorized': 0.5, 'not-hoisted': 0.5, spills: 0.5, 'cold-inlined': 0.02 };

const TEXT: Readonly<Record<HotRemark['kind'], (row: HotRemark, where: string) => string>> = {
	'not-vectorized': ({ message }, where) => `are in the loop at ${where}, which was not vectorized: ${message.replace(/^loop not vectorized: /, '')}`,
	'not-hoisted': ({ message, clobberedBy }, where) =>
		`are at the load at ${where}, which stays in its loop: ${message}${clobberedBy === null ? '' : `; written by ${clobberedBy}`}`,
	spills: ({ message }, where) => `are at ${message}, near ${where}`,
	'cold-inlined': ({ message }) => `are in it; ${message}`,
};
