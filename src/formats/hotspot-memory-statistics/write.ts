/**
 * Writes what the readers read, in the forms of OpenJDK 25, byte for byte. A field is padded to its column; one that is too wide pushes the rest of its
 * line to the right.
 */
import type { CompilerMemory, MemoryDetails } from '../../model/compiler-memory.js';
import { descriptionOfArena } from './arena-names.js';
import { arenasOf, firstArena } from './columns.js';
import type { StatisticRow, StatisticTable } from './rows.js';

const MEBIBYTE = 1 << 20;

/** The block of print mode: one line for C1, a line and two tables for C2. */
export function writePrintBlock(row: StatisticRow, details: MemoryDetails): string {
	return `${row.compiler} (${row.compileId}) (${row.result}) Arena usage ${row.spelling}: ${usage(row, details)}`;
}

/** The same in an error report, under the method's name. */
export function writeErrorReportBlock(row: StatisticRow, details: MemoryDetails): string {
	return `${row.spelling}\n${usage(row, details)}`;
}

function usage(row: CompilerMemory, details: MemoryDetails): string {
	const { totalBytes, byArena, compiler } = row;
	const head = `Total Usage: ${totalBytes} `;
	if (compiler === 'c1' && totalBytes > 0) {
		return `${head}[${byArena.arenas.map((arena, i) => `${arena} ${byArena.bytes[i]}`).join(', ')}]\n`;
	}
	if (compiler !== 'c2' || totalBytes === 0) {
		return `${head}\n`;
	}
	return [
		`${head}\n`,
		`    --- Arena Usage by Arena Type and compilation phase, at arena usage peak of ${totalBytes} ---\n`,
		...phaseTable(details, 8),
		'    --- Allocation timelime by phase ---\n',
		...timeline(details, 8),
		'    ---\n',
	].join('');
}

function phaseTable({ phases }: MemoryDetails, indent: number): string[] {
	const blanks = ' '.repeat(indent);
	const [first] = phases;
	if (first === undefined) {
		return [];
	}
	const cells = (values: readonly (string | number)[]): string => values.map((value) => String(value).padStart(10)).join('');
	return [
		`${blanks}${'Phase'.padEnd(24)} ${cells(['Total', ...first.byArena.arenas])}\n`,
		...phases.map(({ name, totalBytes, byArena }) => `${blanks}${name.padEnd(24)} ${cells([totalBytes, ...byArena.bytes])}\n`),
	];
}

function timeline({ timeline: entries, lostEntries }: MemoryDetails, indent: number): string[] {
	const blanks = ' '.repeat(indent);
	const lines = entries.length === 0 ? [] : [`${blanks}Phase seq. number                             Bytes                  Nodes\n`];
	if (lostEntries > 0) {
		lines.push(`${blanks}         (${lostEntries} older entries lost)\n`);
	}
	let lastDepth = -1;
	for (const entry of entries) {
		const mark = entry.depth < lastDepth ? '<' : entry.depth > lastDepth ? '>' : ' ';
		lastDepth = entry.depth;
		let line = `${mark.padStart(entry.depth + 1)}${entry.sequence} ${entry.isContinued ? '(cont.) ' : ''}`.padEnd(15);
		line = `${line}${entry.phase.padStart(24)}`.padEnd(40);
		line = `${line}${String(entry.bytes).padStart(9)} (${signed(entry.deltaBytes)}) `.padEnd(61);
		line = `${line}${String(entry.nodes).padStart(6)} (${signed(entry.deltaNodes)}) `;
		if (entry.temporaryPeakBytes !== null) {
			const start = entry.bytes - entry.deltaBytes;
			line = `${line.padEnd(81)} significant temporary peak: ${entry.temporaryPeakBytes} (${signed(entry.temporaryPeakBytes - start)})`;
		}
		lines.push(`${blanks}${line}\n`);
	}
	return lines;
}

/** A table of `jcmd Compiler.memory`, of the exit, or of an error report; `detailsOf` gives the tables of a row in the verbose form. */
export function writeTable(table: StatisticTable, detailsOf: (row: StatisticRow) => MemoryDetails): string {
	const head = `${table.processId === null ? '' : `${table.processId}:\n`}${table.title}\n`;
	if (table.verbose) {
		return head + table.rows.map((row) => verboseBlock(row, detailsOf(row), table.indent)).join('');
	}
	const blanks = ' '.repeat(table.indent);
	const { total, omitted } = table;
	return [
		head,
		...table.legend.map((line) => `${line}\n`),
		`${blanks}${table.columns.map((name) => name.padEnd(widthOf(name))).join('')}\n`,
		...table.rows.map((row) => `${blanks}${tableRow(row, table.columns)}\n`),
		total === null ? '' : `${blanks}Total: ${total.all} (C1: ${total.c1}, C2: ${total.c2})\n`,
		table.rows.length === 0 && total === null ? `${blanks}No entries.\n` : '',
		omitted === null ? '' : `${blanks} (${omitted.count} compilations smaller than ${omitted.minsizeBytes} omitted)\n`,
	].join('');
}

const WIDTHS: Record<string, number> = { ctyp: 6, '#nodes': 8, result: 8, limit: 10, time: 8, id: 6, thread: 19, method: 0 };

function widthOf(column: string): number {
	return WIDTHS[column] ?? 10;
}

function tableRow(row: StatisticRow, columns: readonly string[]): string {
	const first = firstArena(columns);
	const end = first + arenasOf(columns).length;
	let line = '';
	let width = 0;
	columns.forEach((column, i) => {
		const text = i >= first && i < end ? `${row.byArena.bytes[i - first]} ` : fieldText(row, column);
		width += widthOf(column);
		line = column === 'thread' || column === 'method' ? line + text : (line + text).padEnd(width);
	});
	return line;
}

function fieldText(row: StatisticRow, column: string): string {
	switch (column) {
		case 'ctyp':
			return `${row.compiler.padStart(2)} `;
		case 'total':
			return `${row.totalBytes} `;
		case '#nodes':
			return row.nodes === null ? '-' : `${row.nodes} `;
		case 'result':
			return `${row.result ?? ''} `;
		case 'limit':
			return row.limitBytes === null ? '-' : `${row.limitBytes}${row.hitLimit ? '*' : ''} `;
		case 'time':
			return `${(row.seconds ?? 0).toFixed(3)} `;
		case 'id':
			return `${row.compileId} `;
		case 'thread':
			return `${row.thread} `;
		default:
			return `${row.spelling} `;
	}
}

function verboseBlock(row: StatisticRow, details: MemoryDetails, indent: number): string {
	const blanks = ' '.repeat(indent);
	const field = (name: string, value: string): string => `${blanks}${name.padEnd(20)}: ${value}\n`;
	const { totalBytes, compiler, limitBytes } = row;
	return [
		field('Method', row.spelling),
		field('Compiler', compiler.padStart(2)),
		field('Arena Usage at peak', `${totalBytes}${totalBytes > MEBIBYTE ? ` (${twoDecimals(totalBytes / MEBIBYTE)}M)` : ''}`),
		compiler === 'c2' ? field('Nodes at peak', String(row.nodes ?? 0)) : '',
		field('Compile ID', String(row.compileId)),
		field('Result', `${row.result}${row.result === 'oom' ? ` (memory limit was: ${limitBytes})` : ''}`),
		field('Thread', String(row.thread)),
		field('Timestamp', (row.seconds ?? 0).toFixed(3)),
		'\n',
		...(details.phases.length > 0 || compiler === 'c2' ? verboseTables(totalBytes, details, indent) : verboseArenas(row, indent)),
		`\n${blanks}------------------------\n\n`,
	].join('');
}

function verboseTables(totalBytes: number, details: MemoryDetails, indent: number): string[] {
	const blanks = ' '.repeat(indent);
	return [
		`${blanks}Arena Usage by Arena Type and compilation phase, at arena usage peak of ${totalBytes}:\n`,
		...phaseTable(details, indent),
		`\n${blanks}Allocation timelime by phase:\n`,
		...timeline(details, indent),
	];
}

function verboseArenas({ totalBytes, byArena }: CompilerMemory, indent: number): string[] {
	const blanks = ' '.repeat(indent);
	return [
		`${blanks}Arena Usage by Arena Type, at arena usage peak of ${totalBytes}:\n`,
		...byArena.arenas.map((arena, i) => `${blanks}${descriptionOfArena(arena).padEnd(36)}: ${byArena.bytes[i]} \n`),
	];
}

/** As C prints it: a tie goes to the even digit, where JavaScript rounds up. */
function twoDecimals(value: number): string {
	const hundredths = value * 100;
	const low = Math.floor(hundredths);
	const isTie = hundredths - low === 0.5;
	return (isTie ? (low + (low % 2)) / 100 : value).toFixed(2);
}

function signed(value: number): string {
	return value < 0 ? String(value) : `+${value}`;
}
