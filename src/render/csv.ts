/** Tables as CSV (RFC 4180, with a head). */
import type { Cell, Table } from '../model/table.js';

export function writeCsv({ columns, rows }: Table, write: (text: string) => void): void {
	write(csvRow(columns.map(({ name }) => name)));
	for (const row of rows()) {
		write(csvRow(row));
	}
}

export function csvRow(values: readonly Cell[]): string {
	return `${values.map(csvCell).join(',')}\r\n`;
}

/** Text that a spreadsheet would take for a formula gets an apostrophe before it: names come from files that nobody vouches for. */
function csvCell(value: Cell): string {
	if (typeof value !== 'string') {
		return value === null ? '' : String(value);
	}
	const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
	return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
