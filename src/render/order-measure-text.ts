/** `assay order measure` as text: faults of cold and warm runs, and the pages of the code that were faulted in. */

import type { Measured } from '../answers/order/measure-result.js';
import type { MeasuredRun } from '../startup/results.js';
import { thousands } from './quantities.js';
import { padStart, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

const SHOWN_PAGES = 20;

export function writeMeasureText(writer: TextWriter, { program, runs, notes, functionAt }: Measured, terminal: Terminal): void {
	const line = (text: string): void => writer.line(0, shortenMiddle(text, terminal.width));
	line(terminal.paint('bold', visible(program)));
	writer.line(0, '');
	line(terminal.paint('dim', '            faults in its code   of them major   windows   all faults   major'));
	for (const kind of ['cold', 'warm'] as const) {
		const own = runs.filter((run) => run.kind === kind);
		if (own.length > 0) {
			const cell = (of: (run: MeasuredRun) => number, width: number): string => padStart(range(own.map(of)), width);
			line(
				`${kind} × ${String(own.length).padEnd(4)}  ${cell(({ codeFaults }) => codeFaults, 18)}   ${cell(({ codeMajorFaults }) => codeMajorFaults, 13)}   ${cell(({ codeWindows64k }) => codeWindows64k, 7)}   ${cell(({ allFaults }) => allFaults, 10)}   ${cell(({ majorFaults }) => majorFaults, 5)}`,
			);
		}
	}
	const last = runs.at(-1);
	if (last !== undefined && last.places.length > 0) {
		writePlaces(writer, last, terminal);
	}
	if (last !== undefined && last.pages.length > 0) {
		writer.line(0, '');
		line(terminal.paint('bold', `Faults in the code that an order moves, of the last ${last.kind} run, in their order`));
		for (const page of last.pages.slice(0, SHOWN_PAGES)) {
			line(`  0x${page.toString(16)}  ${visible(functionAt(page) ?? '–')}`);
		}
		if (last.pages.length > SHOWN_PAGES) {
			line(terminal.paint('dim', `  … ${thousands(last.pages.length - SHOWN_PAGES)} more (--json)`));
		}
	}
	if (notes.length > 0) {
		writer.line(0, '');
		for (const note of notes) {
			wrapped(writer, `- ${visible(note)}`, terminal.width ?? 120);
		}
	}
}

const KIND_COLUMNS = 14;

function writePlaces(writer: TextWriter, { kind: run, places, allFaults }: MeasuredRun, terminal: Terminal): void {
	const line = (text: string): void => writer.line(0, shortenMiddle(text, terminal.width));
	writer.line(0, '');
	line(terminal.paint('bold', `Where the ${thousands(allFaults)} faults of the last ${run} run were`));
	line(terminal.paint('dim', '  faults   major   kind            file'));
	for (const { kind, file, faults, majorFaults } of places.slice(0, SHOWN_PAGES)) {
		line(
			`  ${padStart(thousands(faults), 6)}  ${padStart(thousands(majorFaults), 6)}   ${kind.padEnd(KIND_COLUMNS)}  ${file === null ? '–' : visible(file.slice(file.lastIndexOf('/') + 1))}`,
		);
	}
	const rest = places.slice(SHOWN_PAGES).reduce((sum, { faults }) => sum + faults, 0);
	if (rest > 0) {
		line(terminal.paint('dim', `  ${padStart(thousands(rest), 6)}  elsewhere (--json)`));
	}
}

/** `12` or `12 to 14` */
function range(values: readonly number[]): string {
	const least = Math.min(...values);
	const most = Math.max(...values);
	return least === most ? thousands(least) : `${thousands(least)} to ${thousands(most)}`;
}

function wrapped(writer: TextWriter, text: string, width: number): void {
	let line = '';
	for (const word of text.split(' ')) {
		if (line !== '' && line.length + 1 + word.length > width) {
			writer.line(0, line);
			line = ' ';
		}
		line += line === '' ? word : ` ${word}`;
	}
	writer.line(0, line);
}
