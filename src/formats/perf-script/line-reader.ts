/**
 * Lines of `perf script` read one by one as strings, in all their forms: what a line means is decided here. Most lines have one of a few forms
 * and are read over their bytes (sample-line.ts) to the same effect.
 */
import { type SamplePlace, SamplesBuilder } from '../../model/samples.js';
import { nameOfMapped } from '../shared/deleted-file.js';
import { eventNumber } from '../shared/event-name.js';

/** What stands before the time when there is more: comm, pid or pid/tid, perhaps the cpu. A thread that has nearly ended has the number -1. */
const PROCESS = /(\d{1,10}|-1)(?:\/(?:\d{1,10}|-1))?\s{0,100}(?:\[\d{1,10}\]\s{0,100})?$/;
const MAX_PROCESS = 2 ** 31 - 1;

/** A sample up to its event: where its address is to be read. */
interface SampleHead {
	readonly time: number;
	readonly event: number;
	readonly processId: number;
	readonly end: number;
}

export class LineReader {
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

	/** A line that {@link take} was not given is a sample: none waits for its frame any more. */
	passSample(): void {
		this.withoutAddress += this.waiting === null ? 0 : 1;
		this.waiting = null;
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
		if (line.charCodeAt(periodEnd) === 0x20) {
			at = skipBlanks(line, periodEnd);
		}
		const colon = line.indexOf(': ', at);
		const eventEnd = colon < 0 && line.endsWith(':') ? line.length - 1 : colon;
		if (eventEnd <= at) {
			return null;
		}
		return {
			time: Number(line.slice(timeStart, timeEnd)),
			event: eventNumber(this.builder, line.slice(at, eventEnd)),
			processId: processOf(line.slice(0, timeStart)),
			end: eventEnd + 1,
		};
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
		const time = line.slice(startOfTime(line, colon), colon);
		if (time.includes('.') && !Number.isNaN(Number(time))) {
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

/** -1: not told, or more than a process' number can be. */
function processOf(head: string): number {
	const number = Number(PROCESS.exec(head)?.[1] ?? -1);
	return number > MAX_PROCESS ? -1 : number;
}

/** The symbol and the file, which is what stands in the last round brackets; a file that is gone has its name. */
export function parsePlace(untrimmed: string): SamplePlace {
	const told = untrimmed.trim();
	const text = told.endsWith('))') ? `${nameOfMapped(told.slice(0, -1))})` : told;
	const fileStart = text.lastIndexOf(' (');
	if (fileStart < 0 && !text.startsWith('(')) {
		return { symbol: text.replace(/\s+/g, ' ') || null, library: null };
	}
	const symbol = text.slice(0, Math.max(0, fileStart)).replace(/\s+/g, ' ').trim();
	return { symbol: symbol || null, library: text.slice(fileStart + 2).replace(/\)$/, '') };
}

/** Blank lines, comments and the frames of stacks, which have no time. */
export function isNoSample(line: string): boolean {
	// The name of a program may read as an address too: `dd`.
	return /^\s*(#.*)?$/.test(line) || (/^\s+[0-9a-f]+ /.test(line) && endOfTime(line) < 0);
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
