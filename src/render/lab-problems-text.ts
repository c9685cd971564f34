/** `assay lab problems` as text: a row a cause, with the rank at which the first screen names it. */
import type { LabProblemsResult } from '../answers/results.js';
import { columns, padEnd, padStart, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

export function writeLabProblemsText(writer: TextWriter, lab: LabProblemsResult, terminal: Terminal): void {
	const { javaPath, version, javaOptions, seconds, causes } = lab;
	const width = terminal.width ?? 80;
	const options = javaOptions.length === 0 ? '' : ` ${javaOptions.join(' ')}`;
	writer.line(0, terminal.paint('bold', visible(`JDK ${version ?? '(unknown)'}: ${javaPath}${options}, ${seconds} s each`)));
	const nameWidth = Math.max(6, ...causes.map(({ cause }) => columns(cause))) + 2;
	writer.line(0, terminal.paint('bold', `${padEnd('cause', nameWidth)}${padStart('named as', 8)}  twin`));
	for (const row of causes) {
		const { cause, rank, skipped, falseAlarm } = row;
		const isGood = rank !== null && rank <= 2;
		const named = skipped !== null ? '–' : rank === null ? 'no' : `${rank}`;
		const twin = skipped ?? (falseAlarm === null ? 'quiet' : `accused: ${falseAlarm}`);
		const cell = padStart(named, 8);
		const [first = '', ...rest] = wrapped(visible(twin), Math.max(20, width - nameWidth - 10));
		writer.line(0, `${padEnd(cause, nameWidth)}${skipped !== null || isGood ? cell : terminal.paint('red', cell)}  ${first}`);
		for (const line of rest) {
			writer.line(0, `${' '.repeat(nameWidth + 10)}${line}`);
		}
		if (skipped === null && !isGood) {
			for (const line of wrapped(visible(`instead: ${row.text ?? 'no findings'}`), Math.max(20, width - nameWidth - 10))) {
				writer.line(0, `${' '.repeat(nameWidth + 10)}${line}`);
			}
		}
	}
}
