/**
 * The text of `perf script`: one sample a line, with the fields
 *     692.107938: cpu-clock:      55b13b0b8687 file_isdir (/usr/bin/bash)
 * or with comm, pid/tid and cpu before the time and a period before the event (its default form):
 *   java 2764/2770 [001] 6046.157274:    1000000 cpu-clock:      5653c0de f+0x1 (/app/bin)
 * Symbols may hold blanks and round brackets; the file stands in the last ` (…)`.
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
	const builder = new SamplesBuilder();
	const skipped = new SkippedLines(source.name, 'expected a sample of perf script: time, event, address, symbol and file');
	forEachLine(source, (line, offsetBytes, number) => {
		if (!takeLine(line, builder) && !isNoSample(line)) {
			skipped.add(number, offsetBytes);
		}
	});
	return { samples: builder.build(), problems: skipped.problems() };
}

/** Whether the first bytes of a file are those of this format. */
export function isPerfScript(head: string): boolean {
	const builder = new SamplesBuilder();
	return head
		.split('\n')
		.slice(0, 50)
		.some((line) => takeLine(line, builder));
}

function takeLine(line: string, builder: SamplesBuilder): boolean {
	const timeEnd = line.indexOf(': ');
	if (timeEnd < 0) {
		return false;
	}
	let timeStart = timeEnd;
	while (timeStart > 0 && isTimeCharacter(line.charCodeAt(timeStart - 1))) {
		timeStart--;
	}
	const time = Number(line.slice(timeStart, timeEnd));
	let at = skipBlanks(line, timeEnd + 2);
	// A period, all digits, may stand before the event.
	const periodEnd = skipDigits(line, at);
	if (periodEnd > at && line.charCodeAt(periodEnd) === 0x20) {
		at = skipBlanks(line, periodEnd);
	}
	const eventEnd = line.indexOf(': ', at);
	if (timeStart === timeEnd || Number.isNaN(time) || eventEnd <= at) {
		return false;
	}
	const event = builder.eventNumber(eventName(line.slice(at, eventEnd)));
	const addressStart = skipBlanks(line, eventEnd + 2);
	let addressEnd = addressStart;
	let low = 0;
	let high = 0;
	for (let digit = hexadecimalDigit(line, addressEnd); digit >= 0; digit = hexadecimalDigit(line, ++addressEnd)) {
		high = (high << 4) | (low >>> 28);
		low = (low << 4) | digit;
	}
	if (addressEnd === addressStart || addressEnd - addressStart > 16) {
		return false;
	}
	const place = builder.placeNumber(line.slice(addressEnd), parsePlace);
	builder.addWords(time, low, high, event, place, timeStart === skipBlanks(line, 0) ? -1 : processOf(line.slice(0, timeStart)));
	return true;
}

function processOf(head: string): number {
	return Number(PROCESS.exec(head)?.[1] ?? -1);
}

/** `cycles:u` is the event `cycles` with a modifier. */
function eventName(text: string): string {
	const modifier = text.lastIndexOf(':');
	return modifier > 0 ? text.slice(0, modifier) : text;
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
