/**
 * Entries of functions as dtrace prints them, for example of `dtrace -c ./app -n 'pid$target:a.out::entry'`: with columns, or with -F (flowindent) by depth.
 * Written by dt_consume.c of DTrace's libdtrace; no dtrace could be run here.
 *   CPU     ID                    FUNCTION:NAME         CPU FUNCTION
 *     0  81899                       main:entry           0  -> main
 *     0  81900                      parse:entry           0    -> parse
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

/** `=>` and `<=` are system calls; `|` what is neither entry nor return. */
const FLOW_HEADER = /^ *CPU +FUNCTION *$/;
const FLOW = /^ *(\d+) +(->|<-|=>|<=|\|) ?(.*)$/;
const HEADER = /^ *CPU +ID +FUNCTION:NAME *$/;
const ROW = /^ *(\d+) +\d+ +(\S.*)$/;
const ENTRY = /^(.*?):(?:entry|return|[\w-]+)(?= |$)/;
/** Padded to its column, then what the script prints. Methods of Objective-C have a space, demangled names may. */
const NAME = /^(?:[-+]\[[^\]]+\]|[^\s(]+(?:\(.*\)\S*)?)/;
const OTHER = /^(?:dtrace: |\s*$)/;
const ENTERED = /:entry(?: |$)/;

export interface DtraceCalls {
	/** A row for each function, the first to be entered first. */
	readonly rows: readonly ListedFunction[];
	readonly problems: readonly Problem[];
}

export function isDtraceCalls(head: string): boolean {
	const lines = head.split(/\r?\n/, 50);
	const header = lines.findIndex((line) => FLOW_HEADER.test(line) || HEADER.test(line));
	return header >= 0 && lines.slice(0, header).every((line) => OTHER.test(line));
}

/** Never throws on content. */
export function readDtraceCalls(source: Source): DtraceCalls {
	const skipped = new SkippedLines(source.name, 'expected a line of dtrace: processor, and the function that was entered');
	const names = new Set<string>();
	const processors = new Set<string>();
	let isFlow = false;
	forEachLine(source, (line, offset, number) => {
		if (FLOW_HEADER.test(line) || HEADER.test(line)) {
			isFlow = FLOW_HEADER.test(line);
			return;
		}
		const [, processor, mark = '', body = ''] = isFlow ? (FLOW.exec(line) ?? []) : entryOf(line);
		if (processor === undefined) {
			if (!OTHER.test(line)) {
				skipped.add(number, offset);
			}
			return;
		}
		const name = mark === '->' ? NAME.exec(body)?.[0] : undefined;
		if (name !== undefined) {
			names.add(name);
			processors.add(processor);
		}
	});
	const problems = [...skipped.problems()];
	if (processors.size > 1) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `has lines of ${processors.size} processors, which dtrace prints one after the other and not by time`,
			action: 'record with -x temporal=yes where dtrace knows it, or bind the program to one processor',
		});
	}
	return { rows: Array.from(names, (symbol) => ({ symbol, module: null, address: null })), problems };
}

/** A line with columns as one of -F would be. */
function entryOf(line: string): (string | undefined)[] {
	const [, processor, rest = ''] = ROW.exec(line) ?? [];
	const [probe, name = ''] = ENTRY.exec(rest) ?? [];
	return probe === undefined ? [] : [line, processor, ENTERED.test(`${probe} `) ? '->' : '|', name];
}
