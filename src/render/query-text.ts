/** The rows of `assay query` as a table for terminals, and as Markdown. */
import type { Cell, Column, Table } from '../model/table.js';
import { thousands } from './quantities.js';
import { columns as columnsOf, padEnd, padStart, shortenMethod, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

export interface QueryHead {
	/** A line; null for SQL of the user's own. */
	readonly title: string | null;
	readonly about: string | null;
}

const GAP = 2;
/** A text column that has to give way keeps so much. */
const NARROWEST = 20;

export function writeQueryText(writer: TextWriter, { title, about }: QueryHead, { columns, rows }: Table, terminal: Terminal): void {
	if (title !== null) {
		writer.line(0, terminal.paint('bold', title));
	}
	for (const line of about === null ? [] : wrapped(about, terminal.width ?? 100)) {
		writer.line(0, terminal.paint('dim', line));
	}
	const cells = [...rows()].map((row) => row.map((cell, i) => cellText(cell, columns[i]!)));
	// Where all rows say the same, the table says it once.
	if (cells.length === 0) {
		writer.line(0, 'no rows');
		return;
	}
	const heads = columns.map(headOf);
	const widths = fitted(
		heads.map((head, i) => Math.max(columnsOf(head), ...cells.map((row) => columnsOf(row[i]!)))),
		heads.map((head, i) => (columns[i]!.type === 'text' ? Math.max(NARROWEST, columnsOf(head)) : Number.POSITIVE_INFINITY)),
		terminal.width,
	);
	if (widths === null) {
		writeRecords(writer, heads, cells, terminal);
		return;
	}
	const line = (row: readonly string[]): string =>
		row
			.map((cell, i) => (columns[i]!.type === 'text' ? padEnd(shortened(cell, widths[i]!), widths[i]!) : padStart(cell, widths[i]!)))
			.join(' '.repeat(GAP))
			.trimEnd();
	writer.line(0, terminal.paint('bold', line(heads)));
	for (const row of cells) {
		writer.line(0, line(row));
	}
	writer.line(0, `${thousands(cells.length)} row${cells.length === 1 ? '' : 's'}`);
}

/** Tables with more columns than fit: a block a row, what is not null. */
function writeRecords(writer: TextWriter, heads: readonly string[], cells: readonly (readonly string[])[], terminal: Terminal): void {
	const width = Math.max(...heads.map(columnsOf));
	const room = terminal.width === null ? null : Math.max(NARROWEST, terminal.width - width - GAP);
	for (const [number, row] of cells.entries()) {
		writer.line(0, terminal.paint('dim', `${number + 1}`));
		for (const [i, cell] of row.entries()) {
			if (cell !== '') {
				writer.line(0, `${padEnd(heads[i]!, width)}${' '.repeat(GAP)}${shortened(cell, room)}`);
			}
		}
	}
	writer.line(0, `${thousands(cells.length)} row${cells.length === 1 ? '' : 's'}`);
}

/** Of a method the class and the name stay; of a sentence its ends. */
function shortened(text: string, width: number | null): string {
	return /^[\w$.<>/]+$/.test(text) ? shortenMethod(text, width) : shortenMiddle(text, width);
}

function headOf({ name, unit }: Column): string {
	return unit === undefined || name.endsWith(unit) || unit === 'samples' ? visible(name) : `${visible(name)} (${unit})`;
}

function cellText(cell: Cell, { type }: Column): string {
	if (cell === null) {
		return '';
	}
	return typeof cell === 'number' && type === 'integer' && Math.abs(cell) >= 10_000
		? `${cell < 0 ? '-' : ''}${thousands(Math.abs(cell))}`
		: visible(String(cell));
}

/** The widest give way first, down to what they need at least; null: that is too much. */
function fitted(wanted: readonly number[], least: readonly number[], width: number | null): number[] | null {
	const widths = [...wanted];
	const total = (): number => widths.reduce((sum, one) => sum + one + GAP, -GAP);
	while (width !== null && total() > width) {
		let widest = -1;
		for (const [i, one] of widths.entries()) {
			if (one > least[i]! && (widest < 0 || one > widths[widest]!)) {
				widest = i;
			}
		}
		if (widest < 0) {
			return null;
		}
		widths[widest] = widths[widest]! - 1;
	}
	return widths;
}

export function writeQueryMarkdown(writer: TextWriter, { title, about }: QueryHead, { columns, rows }: Table): void {
	if (title !== null) {
		writer.line(0, `## ${markdown(title)}`);
		writer.line(0, '');
		writer.line(0, markdown(about ?? ''));
		writer.line(0, '');
	}
	writer.line(0, `| ${columns.map((column) => markdown(headOf(column))).join(' | ')} |`);
	writer.line(0, `| ${columns.map(({ type }) => (type === 'text' ? '---' : '---:')).join(' | ')} |`);
	for (const row of rows()) {
		writer.line(0, `| ${row.map((cell, i) => markdown(cellText(cell, columns[i]!))).join(' | ')} |`);
	}
}

/** Names are data: nothing of them is markup. */
function markdown(text: string): string {
	return text.replace(/[\\`*_{}[\]<>#|&]/g, (character) => `\\${character}`).replaceAll('\n', ' ');
}
