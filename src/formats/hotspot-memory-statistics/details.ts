/**
 * The two tables of a compilation of C2: arenas by phase at the peak, and the timeline. The same lines in print mode, in `jcmd Compiler.memory
 * verbose=true` and in error reports, at other indentation; found by looking at OpenJDK 25's output (fixtures/jvm/memstat).
 */
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { ArenaBytes, MemoryDetails, PhaseMemory, TimelineEntry } from '../../model/compiler-memory.js';
import { phaseTitle, unquoted } from './phase-title.js';
import type { ByteRange } from './rows.js';

/** The tables in these bytes; lines that are none of theirs are left out. The caller bounds the range. */
export function readDetails(source: Source, range: ByteRange): MemoryDetails {
	const bytes = readRange(source, range.start, range.end);
	return parseDetails(decodeUtf8(bytes, 0, bytes.length).split(/\r?\n|\r$/));
}

function parseDetails(lines: readonly string[]): MemoryDetails {
	const phases: PhaseMemory[] = [];
	const timeline: TimelineEntry[] = [];
	let lostEntries = 0;
	let arenas: readonly string[] | null = null;
	let baseIndent = -1;
	let quote = '';
	for (const text of lines) {
		quote = phaseTitle(text)?.quote ?? quote;
		const line = unquoted(text, quote);
		if (baseIndent >= 0) {
			const entry = timelineEntry(withMark(line), baseIndent);
			if (entry !== null) {
				timeline.push(entry);
			} else {
				lostEntries += Number(/^ *\((\d+) older entries lost\)/.exec(line)?.[1] ?? 0);
			}
			continue;
		}
		const head = phaseColumns(line);
		const timelineHead = line.indexOf('Phase seq. number');
		if (head !== null) {
			arenas = head;
		} else if (timelineHead >= 0) {
			baseIndent = timelineHead;
		} else if (arenas !== null) {
			const row = phaseRow(line, arenas);
			if (row !== null) {
				phases.push(row);
			}
		}
	}
	return { phases, timeline, lostEntries };
}

/** The arenas in the head of the table at the peak; null for any other line. */
export function phaseColumns(line: string): string[] | null {
	const [, arenas] = /^ *Phase +Total +(\S.*)$/.exec(line) ?? [];
	return arenas === undefined ? null : arenas.trim().split(/ +/);
}

/** A row of the table at the peak: name, total and arenas; the name may be empty or hold blanks. */
export function phaseRow(line: string, arenas: readonly string[]): PhaseMemory | null {
	const { name, rest } = splitNumbers(line.trimEnd());
	const fields = rest.slice(-(arenas.length + 1));
	const isDigits = (text: string): boolean => /^\d{1,15}$/.test(text);
	if (fields.length !== arenas.length + 1 || !fields.every(isDigits)) {
		return null;
	}
	// Digits at the end of a name that stand alone belong to it.
	const ownName = [name, ...rest.slice(0, rest.length - fields.length)].join(' ').trim();
	const [total = '', ...bytes] = fields;
	const byArena: ArenaBytes = { arenas, bytes: bytes.map(Number) };
	return { name: ownName, totalBytes: Number(total), byArena };
}

/** What stands before the words of digits that end a line, and these; a line of digits alone begins with one of the name. */
function splitNumbers(line: string): { readonly name: string; readonly rest: readonly string[] } {
	const rest: string[] = [];
	let end = line.length;
	for (;;) {
		let start = end;
		while (isDigit(line.charCodeAt(start - 1))) {
			start--;
		}
		if (line[start - 1] !== ' ') {
			return { name: line.slice(0, end), rest: rest.reverse() };
		}
		rest.push(line.slice(start, end));
		end = start;
		while (line[end - 1] === ' ') {
			end--;
		}
	}
}

function isDigit(code: number): boolean {
	return code >= 0x30 && code <= 0x39;
}

const ENTRY =
	/^( *)[<> ]?(\d+) (\(cont\.\) )? *(?! )(.*?) {0,100}(\d{1,20}) \(([+-]\d{1,20})\) {1,100}(\d{1,20}) \(([+-]\d{1,20})\) {0,100}(?:significant temporary peak: (\d{1,20}) \([+-]\d{1,20}\))?$/;

/** In a LogFile, which is XML, the marks are written as entities. */
function withMark(line: string): string {
	return line.replace(/^( *)&([lg])t;/, (_, blanks: string, letter: string) => blanks + (letter === 'l' ? '<' : '>'));
}

function timelineEntry(line: string, baseIndent: number): TimelineEntry | null {
	const match = ENTRY.exec(line);
	if (match === null) {
		return null;
	}
	const [, blanks = '', sequence, continued, phase = '', bytes, delta, nodes, deltaNodes, peak] = match;
	const hasMark = line[blanks.length] === '<' || line[blanks.length] === '>';
	const depth = blanks.length + (hasMark ? 1 : 0) - baseIndent - 1;
	return {
		sequence: Number(sequence),
		depth: Math.max(0, depth),
		phase,
		isContinued: continued !== undefined,
		bytes: Number(bytes),
		deltaBytes: Number(delta),
		nodes: Number(nodes),
		deltaNodes: Number(deltaNodes),
		temporaryPeakBytes: peak === undefined ? null : Number(peak),
	};
}
