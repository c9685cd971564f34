/**
 * Lists of functions in the order in which they first ran, as tracers write them, one a line:
 *     sqlite3_config                        a symbol; `file.c;name` for a local function
 *     0 24e0a0 _start                       ptrace: number, address, symbol; or address and symbol
 *     0x55d0c1a2f139                        hooks of -finstrument-functions: an address
 *     enter 0x401136 main                   the same with exits between them (enter/exit, E/X, >/<), which are passed over
 * Blank lines and those that begin with # are comments. What form a file has is told by its first lines.
 */
import { forEachLine, hasOpenEnd } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { symbolOfIrName } from '../../model/function-trace.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

export interface FunctionList {
	/** A row for each function, the first to run first; one may come again. */
	readonly rows: readonly ListedFunction[];
	/** What `llvm-profdata order` writes: its functions are laid out, not in the order in which they ran. */
	readonly isLayout: boolean;
	readonly problems: readonly Problem[];
}

type LineForm = (line: string) => ListedFunction | 'exit' | null;

/** No symbol of a linker holds blanks, but for methods of Objective-C. */
const SYMBOL = /^(?:[^\s#;,"'`{}()[\]=\d][^\s;,"]*|[-+]\[[^\]]+\])$/;
const SEQUENCE = /^\s*\d+[\s:,]+(?:0x)?([0-9a-fA-F]{1,16})\s+(\S.*)$/;
const ADDRESS_AND_SYMBOL = /^\s*(0x[0-9a-fA-F]{1,16}|[0-9a-fA-F]{5,16})[\s:,]+(?:[tTwWiVvuU]\s+)?(\S[\s\S]*)/;
const ADDRESS = /^\s*0x([0-9a-fA-F]{1,16})(?:\s+0x[0-9a-fA-F]{1,16})?$/;
const MARKED =
	/^\s*(enter(?:ing)?|entry|exit(?:ing)?|leav(?:e|ing)|return|call|begin|end|[EeXx](?=\s|0x)|-*>|<-*)[\s:,]*(?:(0x[0-9a-fA-F]{1,16})(?=[\s,]|$))?[\s:,]*([\s\S]*)/i;
const EXIT = /^(?:exit|leav|return|end|x$|<)/i;
/** A caller's address after the function. */
const CALLER = /(?<!\s)\s{1,100}(?:(?:from|called from|caller)\s{1,100})?0x[0-9a-fA-F]+$/;

const FORMS: readonly LineForm[] = [readSequence, readMarked, readAddressAndSymbol, readAddress, readSymbol];

/** Never throws on content. */
export function readFunctionList(source: Source): FunctionList {
	const skipped = new SkippedLines(source.name, 'expected a function: a symbol, an address, or number, address and symbol');
	const rows: ListedFunction[] = [];
	/** Lines before the form is known. */
	let waiting: { line: string; offset: number; number: number }[] | null = [];
	let form: LineForm = readSymbol;
	let isLayout = false;
	const take = (line: string, offset: number, number: number): void => {
		const row = form(line);
		if (row === null) {
			skipped.add(number, offset);
		} else if (row !== 'exit') {
			rows.push(row);
		}
	};
	const decide = (): void => {
		const lines = waiting ?? [];
		waiting = null;
		form = formOf(lines.map(({ line }) => line)) ?? readSymbol;
		for (const { line, offset, number } of lines) {
			take(line, offset, number);
		}
	};
	forEachLine(source, (line, offset, number) => {
		if (isComment(line)) {
			isLayout ||= number === 1 && /^# Ordered \d+ functions/.test(line);
			return;
		}
		if (waiting === null) {
			take(line, offset, number);
			return;
		}
		waiting.push({ line, offset, number });
		if (waiting.length === LINES_LOOKED_AT) {
			decide();
		}
	});
	if (waiting !== null) {
		decide();
	}
	const problems = skipped.problems();
	// People write lists of symbols, and may leave the last line open; tracers do not.
	if (form !== readSymbol && rows.length > 0 && hasOpenEnd(source)) {
		rows.pop();
		problems.push({ severity: 'error', file: source.name, message: 'the list ends within a line', action: 'its last function is left out; copy it again' });
	}
	return { rows, isLayout, problems };
}

const LINES_LOOKED_AT = 100;

/** Whether the first bytes of a file, as Latin-1, are those of a list: nearly all of its lines have one form. */
export function isFunctionList(head: string): boolean {
	if (/[\x00\x02-\x08\x0e-\x1f]/.test(head)) {
		return false;
	}
	const lines = head.split(/\r?\n/, LINES_LOOKED_AT + 1).slice(0, LINES_LOOKED_AT);
	return formOf(lines.filter((line) => !isComment(line))) !== null;
}

/** The form that most lines have, if it is three quarters of them. */
function formOf(lines: readonly string[]): LineForm | null {
	let best: LineForm | null = null;
	let most = Math.max(1, Math.ceil(lines.length * 0.75)) - 1;
	for (const form of FORMS) {
		const fitting = lines.filter((line) => form(line) !== null).length;
		if (fitting > most) {
			most = fitting;
			best = form;
		}
	}
	return best;
}

function isComment(line: string): boolean {
	return /^\s*(?:#.*)?$/.test(line);
}

function readSequence(line: string): ListedFunction | null {
	const [, address, name] = SEQUENCE.exec(line) ?? [];
	return address === undefined || name === undefined ? null : named(name, Number.parseInt(address, 16));
}

function readAddressAndSymbol(line: string): ListedFunction | null {
	const [, address, name] = ADDRESS_AND_SYMBOL.exec(line) ?? [];
	return address === undefined || name === undefined || /^0x[0-9a-fA-F]+$/.test(name) ? null : named(name, Number.parseInt(address, 16));
}

function readAddress(line: string): ListedFunction | null {
	const [, address] = ADDRESS.exec(line) ?? [];
	return address === undefined ? null : { symbol: null, module: null, address: Number.parseInt(address, 16) };
}

function readMarked(line: string): ListedFunction | 'exit' | null {
	const [, mark, address, rest = ''] = MARKED.exec(line) ?? [];
	if (mark === undefined || (address === undefined && rest === '')) {
		return null;
	}
	if (EXIT.test(mark)) {
		return 'exit';
	}
	const name = rest.replace(CALLER, '').replace(/\(\)$/, '');
	const number = address === undefined ? null : Number.parseInt(address, 16);
	return name === '' || /^(?:0x[0-9a-fA-F]+|\?\?)$/.test(name)
		? number === null
			? null
			: { symbol: null, module: null, address: number }
		: named(name, number);
}

function readSymbol(line: string): ListedFunction | null {
	return named(line, null);
}

function named(text: string, address: number | null): ListedFunction | null {
	const name = text.trim();
	const semicolon = name.indexOf(';');
	const symbol = semicolon > 0 ? name.slice(semicolon + 1) : name;
	return SYMBOL.test(symbol) ? { symbol: symbolOfIrName(symbol), module: semicolon > 0 ? name.slice(0, semicolon) : null, address } : null;
}
