/**
 * What uftrace prints (0.9 to 0.17). `uftrace replay`, by time, and of `uftrace dump` each task for itself:
 *        0.475 us [ 20536] |   mid() {                       27308.959237319  20536: [entry] mid(5607084ed1f2) depth: 1
 *        0.065 us [ 20536] |     leaf();
 * Names are demangled unless it is told not to (--demangle=no).
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

export interface UftraceText {
	/** A row for each function, the first to run first. */
	readonly rows: readonly ListedFunction[];
	readonly problems: readonly Problem[];
}

/** `main() {`, `leaf();`, with arguments and values in the brackets, and a comment behind. */
const CALL_END = / \{$|;$/;
const DUMPED = /^\s*(\d+\.\d+)\s+(\d+): \[(entry|exit ?)\] (.*)\(([0-9a-f]+)\) depth: \d+/;
const NO_CALL = /^\}|^\/\*|^linux:|^\.\.\.|^(?:Event|event)\b/;
const EVENT = /^\s*\d+\.\d+\s+\d+: \[(?:event|lost|exit ?)\]/;
/** Duration, task and others. */
const COLUMNS = /^[\s\d.:a-z[\]/+-]*$/;
const HEADER = /^uftrace file header:|^reading \S+\.dat$|^# *(?:DURATION|ELAPSED|TIMESTAMP|TID|FUNCTION)|^\s*$/;

export function isUftraceText(head: string): boolean {
	const lines = head.split(/\r?\n/, 200).filter((line) => !HEADER.test(line) && !line.startsWith('#'));
	const own = lines.filter((line) => DUMPED.test(line) || EVENT.test(line) || isReplayed(bodyOf(line)));
	// Without its columns (-f none) a replay looks like C, but for the comments.
	return (
		own.length > 0 &&
		2 * own.length >= lines.length &&
		/^# *(?:DURATION|ELAPSED|TIMESTAMP|TID|FUNCTION)|\[ *\d+\] \||: \[entry\] |^ *\} \/\* \S+ \*\//m.test(head)
	);
}

/** Never throws on content. */
export function readUftraceText(source: Source): UftraceText {
	const skipped = new SkippedLines(source.name, 'expected a line of uftrace replay or uftrace dump');
	/** Of the tasks of a dump the earliest call of each function. */
	const first = new Map<string, { readonly row: ListedFunction; readonly time: string; readonly line: number }>();
	forEachLine(source, (line, offset, number) => {
		const [, time, , kind, name, address] = DUMPED.exec(line) ?? [];
		if (time !== undefined && name !== undefined && address !== undefined) {
			const known = first.get(name);
			if (kind === 'entry' && (known === undefined || isEarlier(time, known.time))) {
				first.set(name, { row: rowOf(name, Number.parseInt(address, 16)), time, line: number });
			}
			return;
		}
		const body = bodyOf(line);
		const called = calledIn(body) ?? '';
		if (called !== '') {
			if (!first.has(called)) {
				first.set(called, { row: rowOf(called, null), time: '', line: number });
			}
		} else if (!(HEADER.test(line) || line.startsWith('#') || EVENT.test(line) || isReplayed(body))) {
			skipped.add(number, offset);
		}
	});
	const rows = [...first.values()].sort((a, b) => (a.time === b.time ? a.line - b.line : isEarlier(a.time, b.time) ? -1 : 1));
	return { rows: rows.map(({ row }) => row), problems: skipped.problems() };
}

/** What stands behind the columns of a replay, without its indentation. */
function bodyOf(line: string): string {
	const bar = line.indexOf('|');
	return (bar >= 0 && COLUMNS.test(line.slice(0, bar)) ? line.slice(bar + 1) : line).trim();
}

function isReplayed(body: string): boolean {
	return body === '' || calledIn(body) !== null || NO_CALL.test(body);
}

/** The function that a line of a replay calls; null where it calls none. */
function calledIn(body: string): string | null {
	const comment = body.endsWith('*/') ? body.lastIndexOf('/*') : -1;
	const call = comment < 0 ? body : body.slice(0, comment).trimEnd();
	const end = CALL_END.exec(call)?.index ?? -1;
	const open = call.indexOf('(');
	const close = open < 0 || end < 0 ? -1 : call[end - 1] === ')' ? end - 1 : call.indexOf(') = ', open);
	return close > open ? call.slice(0, open) : null;
}

function rowOf(name: string, address: number | null): ListedFunction {
	return { symbol: name, module: null, address };
}

/** Seconds with nine digits behind the point: more than a double holds. */
function isEarlier(a: string, b: string): boolean {
	const [secondsA = '', restA = ''] = a.split('.');
	const [secondsB = '', restB = ''] = b.split('.');
	return secondsA.length === secondsB.length ? (secondsA === secondsB ? restA < restB : secondsA < secondsB) : secondsA.length < secondsB.length;
}
