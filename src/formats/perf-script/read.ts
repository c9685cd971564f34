/**
 * The text of `perf script`: one sample a line, with the fields
 *     692.107938: cpu-clock:      55b13b0b8687 file_isdir (/usr/bin/bash)
 * or with comm, pid/tid and cpu before the time and a period before the event (its default form):
 *   java 2764/2770 [001] 6046.157274:    1000000 cpu-clock:      5653c0de f+0x1 (/app/bin)
 * Symbols may hold blanks and round brackets; the file stands in the last ` (…)`. With stacks (perf record -g) the address and what
 * follows stand in a line of their own, the first of the stack; the rest of the stack is passed over.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type SamplePlace, type Samples, SamplesBuilder } from '../../model/samples.js';

export interface PerfScript {
	readonly samples: Samples;
	/** Lines that are no samples: frames of stacks, comments and blank lines are none either and not counted. */
	readonly problems: readonly Problem[];
}

/** What stands before the time when there is more: comm, pid or pid/tid, perhaps the cpu. */
const PROCESS = /(\d+)(?:\/\d+)?\s*(?:\[\d+\]\s*)?$/;

/** Never throws on content. */
export function readPerfScript(source: Source): PerfScript {
	const reader = new LineReader();
	const skipped = new SkippedLines(source.name, 'expected a sample of perf script: time, event, address, symbol and file');
	forEachLine(source, (line, offsetBytes, number) => {
		if (!reader.take(line) && !isNoSample(line)) {
			skipped.add(number, offsetBytes);
		}
	});
	const problems = skipped.problems();
	const withoutAddress = reader.end();
	if (withoutAddress > 0) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `${withoutAddress} samples have neither an address nor a stack`,
			action: 'they are left out',
		});
	}
	return { samples: reader.builder.build(), problems };
}

/** Whether the first bytes of a file are those of this format: most of its first lines are samples, or belong to one. */
export function isPerfScript(head: string): boolean {
	const reader = new LineReader();
	const lines = head.split('\n', 200).filter((line) => !isNoSample(line));
	const taken = lines.filter((line) => reader.take(line)).length;
	return taken > 0 && 2 * taken >= lines.length;
}

/** A sample up to its event: where its address is to be read. */
interface SampleHead {
	readonly time: number;
	readonly event: number;
	readonly processId: number;
	readonly end: number;
}

class LineReader {
	readonly builder = new SamplesBuilder();
	/** A sample with a stack has its address in the first frame, a line of its own. */
	private waiting: SampleHead | null = null;
	private withoutAddress = 0;

	/** Whether the line is a sample, the head of one, or the frame that completes it. */
	take(line: string): boolean {
		const head = this.readHead(line);
		const { waiting } = this;
		this.waiting = null;
		if (head === null && waiting !== null && this.add(waiting, line, 0)) {
			return true;
		}
		this.withoutAddress += waiting === null ? 0 : 1;
		if (head !== null && skipBlanks(line, head.end) === line.length) {
			this.waiting = head;
			return true;
		}
		return head !== null && this.add(head, line, head.end);
	}

	/** How many samples had no address. */
	end(): number {
		return this.withoutAddress + (this.waiting === null ? 0 : 1);
	}

	private readHead(line: string): SampleHead | null {
		const timeEnd = endOfTime(line);
		if (timeEnd < 0) {
			return null;
		}
		const timeStart = startOfTime(line, timeEnd);
		let at = skipBlanks(line, timeEnd + 1);
		// A period, all digits, may stand before the event.
		const periodEnd = skipDigits(line, at);
		if (periodEnd > at && line.charCodeAt(periodEnd) === 0x20) {
			at = skipBlanks(line, periodEnd);
		}
		const colon = line.indexOf(': ', at);
		const eventEnd = colon < 0 && line.endsWith(':') ? line.length - 1 : colon;
		if (eventEnd <= at) {
			return null;
		}
		return {
			time: Number(line.slice(timeStart, timeEnd)),
			event: this.eventNumber(line.slice(at, eventEnd)),
			processId: timeStart === skipBlanks(line, 0) ? -1 : processOf(line.slice(0, timeStart)),
			end: eventEnd + 1,
		};
	}

	/** `cycles:u` is the event `cycles` with a modifier. */
	private eventNumber(text: string): number {
		const modifier = text.lastIndexOf(':');
		return modifier > 0 ? this.builder.eventNumber(text.slice(0, modifier), text.slice(modifier)) : this.builder.eventNumber(text);
	}

	private add({ time, event, processId }: SampleHead, line: string, from: number): boolean {
		const start = skipBlanks(line, from);
		let end = start;
		let low = 0;
		let high = 0;
		for (let digit = hexadecimalDigit(line, end); digit >= 0; digit = hexadecimalDigit(line, ++end)) {
			high = (high << 4) | (low >>> 28);
			low = (low << 4) | digit;
		}
		if (end === start || end - start > 16) {
			return false;
		}
		this.builder.addWords(time, low, high, event, this.builder.placeNumber(line.slice(end), parsePlace), processId);
		return true;
	}
}

/** Where the first `12.345:` of a line has its colon; -1 where there is none. Names of threads may hold colons too. */
function endOfTime(line: string): number {
	for (let colon = line.indexOf(': '); colon >= 0; colon = line.indexOf(': ', colon + 1)) {
		const start = startOfTime(line, colon);
		if (start < colon && line.indexOf('.', start) < colon && !Number.isNaN(Number(line.slice(start, colon)))) {
			return colon;
		}
	}
	return -1;
}

function startOfTime(line: string, end: number): number {
	let start = end;
	while (start > 0 && isTimeCharacter(line.charCodeAt(start - 1))) {
		start--;
	}
	return start;
}

function processOf(head: string): number {
	return Number(PROCESS.exec(head)?.[1] ?? -1);
}

function parsePlace(untrimmed: string): SamplePlace {
	const text = untrimmed.trim();
	const fileStart = text.lastIndexOf(' (');
	const isOnlyFile = text.startsWith('(');
	if (fileStart < 0 && !isOnlyFile) {
		return { symbol: text.replace(/\s+/g, ' ') || null, library: null };
	}
	const symbol = isOnlyFile && fileStart < 0 ? '' : text.slice(0, fileStart).replace(/\s+/g, ' ').trim();
	const file = text.slice((isOnlyFile && fileStart < 0 ? 0 : fileStart + 1) + 1).replace(/\)$/, '');
	return { symbol: symbol === '' ? null : symbol, library: file };
}

/** Blank lines, comments and the frames of stacks, which have no time. */
function isNoSample(line: string): boolean {
	return /^\s*(#.*)?$/.test(line) || /^\s+[0-9a-f]+ /.test(line);
}

function isTimeCharacter(code: number): boolean {
	return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

function skipBlanks(line: string, start: number): number {
	let at = start;
	while (line.charCodeAt(at) === 0x20 || line.charCodeAt(at) === 0x09) {
		at++;
	}
	return at;
}

function skipDigits(line: string, start: number): number {
	let at = start;
	while (line.charCodeAt(at) >= 0x30 && line.charCodeAt(at) <= 0x39) {
		at++;
	}
	return at;
}

/** -1 where there is none. */
function hexadecimalDigit(line: string, at: number): number {
	const code = line.charCodeAt(at);
	if (code >= 0x30 && code <= 0x39) {
		return code - 0x30;
	}
	return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}
