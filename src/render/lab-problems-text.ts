/** `assay lab problems` as text: a row a cause, with the rank at which the first screen names it. */
import type { LabProblemsResult } from '../answers/results.js';
import { columns, padEnd, padStart, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

/** The ranks, and the blanks before the twin. */
const INDENT = 16;

export function writeLabProblemsText(writer: TextWriter, lab: LabProblemsResult, terminal: Terminal): void {
	const { javaPath, version, javaOptions, seconds, causes } = lab;
	const width = terminal.width ?? 80;
	const options = javaOptions.length === 0 ? '' : ` ${javaOptions.join(' ')}`;
	writer.line(0, terminal.paint('bold', visible(`JDK ${version ?? '(unknown)'}: ${javaPath}${options}, ${seconds} s each`)));
	const nameWidth = Math.max(6, ...causes.map(({ cause }) => columns(cause))) + 2;
	writer.line(0, terminal.paint('bold', `${padEnd('cause', nameWidth)}${padStart('report', 8)}${padStart('diff', 6)}  twin`));
	for (const row of causes) {
		const { cause, rank, diffRank, skipped, falseAlarm } = row;
		const ranks = [
			{ text: rankText(rank, skipped), width: 8, isGood: rank !== null && rank <= 2 },
			{ text: rankText(diffRank, skipped), width: 6, isGood: diffRank === 1 },
		];
		const twin = skipped ?? (falseAlarm === null ? 'quiet' : `accused: ${falseAlarm}`);
		const cells = ranks.map((one) => (skipped !== null || one.isGood ? padStart(one.text, one.width) : terminal.paint('red', padStart(one.text, one.width))));
		const [first = '', ...rest] = wrapped(visible(twin), Math.max(20, width - nameWidth - INDENT));
		writer.line(0, `${padEnd(cause, nameWidth)}${cells.join('')}  ${first}`);
		for (const line of rest) {
			writer.line(0, `${' '.repeat(nameWidth + INDENT)}${line}`);
		}
		if (skipped === null && ranks[0]?.isGood !== true) {
			for (const line of wrapped(visible(`instead: ${row.text ?? 'no findings'}`), Math.max(20, width - nameWidth - INDENT))) {
				writer.line(0, `${' '.repeat(nameWidth + INDENT)}${line}`);
			}
		}
	}
}

function rankText(rank: number | null, skipped: string | null): string {
	return skipped !== null ? '–' : rank === null ? 'no' : `${rank}`;
}
