/**
 * What the JVM tells of its compilations on standard output (-XX:+PrintCompilation) or through unified logging (-Xlog:jit+compilation=debug),
 * JDK 17 to 25; the line itself is described in model/compilation-line.ts. What follows its size (compileBroker.cpp, nmethod.cpp):
 *   made not entrant | made not entrant: not used | made zombie | COMPILE SKIPPED: out of nodes (not retryable) | (static)
 * On standard output it is mixed with what the program prints: lines begin behind the program's, and are cut by others and
 * continued later. The JVM prints a line and its message in two parts, and gives up its lock of the output between them for a safepoint.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type CompilationLine, compilationLineWithoutStamp, cutCompilationLine, findCompilationLine } from '../shared/hotspot/compilation-line.js';
import { readLogDecorations } from '../shared/hotspot/log-decorations.js';

/** What a line of PrintCompilation tells: a compilation, or that code was given up. */
export type PrintedEvent = 'compiled' | 'made not entrant' | 'made zombie' | 'skipped';

/** A compilation as a line of PrintCompilation has it. */
export interface PrintedCompilation extends Omit<CompilationLine, 'stampMs' | 'start' | 'end'> {
	/**
	 * Milliseconds since the JVM's start; a fraction only where it was logged in nanoseconds. Null where the line has no such stamp. The line is
	 * printed when the compilation begins, of native wrappers when they are made.
	 */
	readonly timeMs: number | null;
	/** Nanoseconds of the monotonic clock, where unified logging tells. */
	readonly clockNs: number | null;
	/** Milliseconds since 1970, where unified logging tells. */
	readonly epochMs: number | null;
	readonly event: PrintedEvent;
	/** Why it was made not entrant (from JDK 24 on) or skipped; null where the line does not tell. */
	readonly reason: string | null;
	/** Of a skipped one: `retry at different tier`, `not retryable`; null where the line does not tell. */
	readonly retry: string | null;
	/** Whether it is a native wrapper of a static method. */
	readonly isStatic: boolean;
	/** Line in the file in which it begins, from 1. */
	readonly line: number;
}

/** All that -XX:+PrintCompilation printed. */
export interface PrintCompilation {
	/** In the order of the file. */
	readonly rows: readonly PrintedCompilation[];
	/** Lines that were cut and put together again. */
	readonly repairedLines: number;
	/** Lines that were cut and whose rest was not found. */
	readonly lostLines: number;
	readonly problems: readonly Problem[];
}

/** Never throws on content. */
export function readPrintCompilation(source: Source): PrintCompilation {
	const reader = new Reader(source.name);
	forEachLine(source, (line, offset, number) => reader.line(line, offset, number));
	return reader.end();
}

/** Whether the first bytes of a file are those of this format, possibly behind some of the program's lines. LogFiles hold such lines too, and are not. */
export function isPrintCompilation(head: string): boolean {
	if (head.includes('<hotspot_log ')) {
		return false;
	}
	return head.split('\n').some((line) => loggedLine(line) !== null || findCompilationLine(line, 0) !== null);
}

const MESSAGE = /^ {3}(?:(made not entrant)(?:: (\S.*))?|(made zombie)|COMPILE SKIPPED:( .*?|)(?: \(((?:not )?retry[^()]*)\))?|(\(static\)))$/;
/** What can only be the rest of a message. */
const MESSAGE_START = /^ {3}(?:made |COMPILE SKIPPED|\(static\))/;
const MESSAGES = ['   made not entrant', '   made zombie', '   COMPILE SKIPPED: ', '   (static)'];

/** The beginning of a line that was cut, and where. */
interface Cut {
	readonly text: string;
	readonly isSure: boolean;
	readonly line: number;
	readonly offset: number;
}

/** Threads that may have cut lines at a time, and lines after which the rest is no longer waited for. */
const MAX_CUTS = 4;
const MAX_DISTANCE = 100;

type Row = { -readonly [K in keyof PrintedCompilation]: PrintedCompilation[K] };

class Reader {
	private readonly printed: Row[] = [];
	private readonly logged: Row[] = [];
	private cuts: Cut[] = [];
	/** The last row if its message may have been cut, with as much as there is of it. */
	private cutMessage: { row: Row; text: string } | null = null;
	/** Rows before it whose messages are missing: they tell of code that is told of before. */
	private withoutMessage: { row: Row; offset: number }[] = [];
	/** What was told last of the code of each compilation of the JVM. */
	private code = new Map<string, PrintedEvent>();
	private lastMs = 0;
	private repaired = 0;
	private readonly lost: SkippedLines;
	private lostLines = 0;
	private readonly file: string;

	constructor(file: string) {
		this.file = file;
		this.lost = new SkippedLines(file, 'the line of a compilation is cut, and its rest was not found');
	}

	line(line: string, offset: number, number: number): void {
		const logged = loggedLine(line);
		if (logged !== null) {
			this.logged.push({ ...rowOf(logged.compilation, number, logged.message), ...logged.stamps });
			return;
		}
		let at = 0;
		let isFirst = true;
		for (let found = findCompilationLine(line, 0); found !== null; isFirst = false) {
			this.between(line.slice(at, found.start), offset + at, number, isFirst);
			const next = findCompilationLine(line, found.end);
			this.take(found, line.slice(found.end, next?.start), number, offset + found.start);
			at = next?.start ?? line.length;
			found = next;
		}
		if (isFirst) {
			this.between(line, offset, number, true);
		}
	}

	end(): PrintCompilation {
		this.forget(Number.POSITIVE_INFINITY);
		for (const row of this.withoutMessage) {
			this.dropMessage(row);
		}
		const problems = this.lost.problems();
		const isLogged = this.logged.length >= this.printed.length;
		const dropped = Math.min(this.logged.length, this.printed.length);
		if (dropped > 0) {
			problems.push({
				severity: 'warning',
				file: this.file,
				message: `the file tells of compilations in two forms, PrintCompilation and -Xlog:jit+compilation`,
				action: `the ${dropped} lines of the form that occurs less often are left out`,
			});
		}
		return { rows: isLogged ? this.logged : this.printed, repairedLines: this.repaired, lostLines: this.lostLines, problems };
	}

	private take(found: CompilationLine, rest: string, number: number, offset: number): void {
		const row = rowOf(found, number, rest);
		this.printed.push(row);
		const isCut = row.event === 'compiled' && !row.isStatic && (rest === '' || MESSAGES.some((message) => message.startsWith(rest)));
		this.cutMessage = isCut ? { row, text: rest } : null;
		if (isCut && rest.trim() !== '') {
			// `   made not ent`: until the rest is found, the nearest meaning.
			row.event = rest.startsWith('   C')
				? 'skipped'
				: rest.startsWith('   (')
					? 'compiled'
					: rest.startsWith('   made z')
						? 'made zombie'
						: 'made not entrant';
		}
		this.tellsOfCode(row, offset, isCut && rest.trim() === '');
	}

	/** A compilation begins only once: a second line of it that has no message has lost it. */
	private tellsOfCode(row: Row, offset: number, hasNoMessage: boolean): void {
		if (row.timeMs !== null && row.timeMs < this.lastMs) {
			// Another JVM's output begins. (Or a line was late: then what was cut is not noticed.)
			this.code.clear();
		}
		this.lastMs = row.timeMs ?? this.lastMs;
		const key = `${row.compileId} ${row.level} ${row.method} ${row.sizeBytes} ${row.osrBci}`;
		const before = this.code.get(key);
		if (before !== undefined && hasNoMessage) {
			row.event = before === 'compiled' ? 'made not entrant' : 'made zombie';
			this.withoutMessage.push({ row, offset });
			if (this.withoutMessage.length > MAX_CUTS) {
				this.dropMessage(this.withoutMessage.shift()!);
			}
		}
		this.code.set(key, row.event);
	}

	/** What stands before, between or instead of lines of compilations: the program's output, or pieces of lines that were cut. */
	private between(text: string, offset: number, number: number, isLineStart: boolean): void {
		this.forget(number);
		if (text === '' || (isLineStart && (this.completes(text, number) || this.completesMessage(text)))) {
			return;
		}
		const cut = cutCompilationLine(text);
		if (cut !== null) {
			this.cuts.push({ text: text.slice(cut.start), isSure: cut.isSure, line: number, offset: offset + cut.start });
			if (this.cuts.length > MAX_CUTS) {
				this.drop(this.cuts.shift()!);
			}
		}
	}

	/** Whether the text is the rest of a line that was cut. */
	private completes(text: string, number: number): boolean {
		for (let i = this.cuts.length - 1; i >= 0; i--) {
			const cut = this.cuts[i]!;
			const whole = cut.text + text;
			const found = findCompilationLine(whole, 0);
			if (found !== null && found.start === 0) {
				this.cuts.splice(i, 1);
				this.repaired++;
				this.take(found, whole.slice(found.end), Math.min(cut.line, number), cut.offset);
				return true;
			}
		}
		return false;
	}

	private completesMessage(text: string): boolean {
		const last = this.cutMessage;
		const told = this.withoutMessage.at(-1);
		// Of the last line when it is cut for sure, else of the last one that has lost its message.
		const cut = last !== null && (last.text !== '' || told === undefined) ? last : told === undefined ? null : { row: told.row, text: '' };
		if (cut === null || (cut.text === '' && !MESSAGE_START.test(text))) {
			return false;
		}
		const match = MESSAGE.exec((cut.text + text).trimEnd());
		if (match === null) {
			return false;
		}
		Object.assign(cut.row, messageOf(cut.text + text));
		if (cut.row === last?.row) {
			this.cutMessage = null;
		}
		if (cut.row === told?.row) {
			this.withoutMessage.pop();
		}
		this.repaired++;
		return true;
	}

	private forget(number: number): void {
		if (this.cuts.length > 0 && this.cuts[0]!.line + MAX_DISTANCE < number) {
			const old = this.cuts.filter((cut) => cut.line + MAX_DISTANCE < number);
			this.cuts = this.cuts.slice(old.length);
			for (const cut of old) {
				this.drop(cut);
			}
		}
	}

	private dropMessage({ row, offset }: { row: Row; offset: number }): void {
		this.lostLines++;
		this.lost.add(row.line, offset);
	}

	private drop({ isSure, line, offset }: Cut): void {
		if (isSure) {
			this.lostLines++;
			this.lost.add(line, offset);
		}
	}
}

/** A line of unified logging; null of one that is none, or has tags of another kind. */
function loggedLine(line: string): { compilation: CompilationLine; message: string; stamps: Pick<Row, 'timeMs' | 'clockNs' | 'epochMs'> } | null {
	const decorations = readLogDecorations(line);
	if (decorations === null || (decorations.tags !== null && decorations.tags !== 'jit,compilation')) {
		return null;
	}
	const compilation = compilationLineWithoutStamp(decorations.message);
	if (compilation === null) {
		return null;
	}
	const { uptimeMs, clockNs, epochMs } = decorations;
	return { compilation, message: decorations.message.slice(compilation.end), stamps: { timeMs: uptimeMs, clockNs, epochMs } };
}

function rowOf({ stampMs, start: _, end: __, ...line }: CompilationLine, number: number, message: string): Row {
	return { timeMs: stampMs, clockNs: null, epochMs: null, ...line, ...messageOf(message), line: number };
}

function messageOf(text: string): Pick<Row, 'event' | 'reason' | 'retry' | 'isStatic'> {
	const [, notEntrant, reason, zombie, skipped, retry, isStatic] = MESSAGE.exec(text.trimEnd()) ?? [];
	let event: PrintedEvent = 'compiled';
	if (notEntrant !== undefined) {
		event = 'made not entrant';
	} else if (zombie !== undefined) {
		event = 'made zombie';
	} else if (skipped !== undefined) {
		event = 'skipped';
	}
	return { event, reason: reason ?? skipped?.trim() ?? null, retry: retry ?? null, isStatic: isStatic !== undefined };
}
