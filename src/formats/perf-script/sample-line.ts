/**
 * The usual lines of `perf script`, a whole sample each, read over their bytes: no string and no object for a line, and every distinct text
 * of symbol and file decoded once. A line with anything unusual is refused, and left to line-reader.ts, which decides what it means.
 */
import { decodeUtf8, hashBytes, StringTable } from '../../bytes/string-table.js';
import type { SamplesBuilder } from '../../model/samples.js';
import { eventNumber } from '../shared/event-name.js';
import { parsePlace } from './line-reader.js';

const TAB = 0x09;
const BLANK = 0x20;
const MINUS = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
const OPENING = 0x5b;
const CLOSING = 0x5d;

/** A number of so many digits and a power of ten are exact as doubles, and so is their quotient, correctly rounded. */
const MAX_TIME_DIGITS = 15;
const POWERS_OF_TEN = Float64Array.from({ length: MAX_TIME_DIGITS + 1 }, (_, i) => Number(`1e${i}`));
const MAX_PROCESS_DIGITS = 9;
const REFUSED = -2;

export class SampleLineReader {
	private readonly builder: SamplesBuilder;
	private readonly eventTexts = new StringTable([]);
	private readonly placeTexts = new StringTable([]);
	/** By number in the tables of texts: the numbers in the builder. */
	private readonly events: number[] = [];
	private readonly places: number[] = [];
	private bytes: Uint8Array = new Uint8Array(0);
	private view: DataView = new DataView(this.bytes.buffer);

	constructor(builder: SamplesBuilder) {
		this.builder = builder;
	}

	/** Whether the bytes [start, end) are such a line; its sample is added then. */
	take(bytes: Uint8Array, start: number, end: number): boolean {
		const timeEnd = endOfTime(bytes, start, end);
		if (timeEnd < 0) {
			return false;
		}
		let timeStart = timeEnd;
		let digits = 0;
		let fraction = -1;
		while (timeStart > start && isTimeCharacter(bytes[timeStart - 1]!)) {
			timeStart--;
			if (bytes[timeStart] !== DOT) {
				digits++;
			} else if (fraction < 0) {
				fraction = digits;
			} else {
				return false;
			}
		}
		if (digits > MAX_TIME_DIGITS) {
			return false;
		}
		let ticks = 0;
		for (let i = timeStart; i < timeEnd; i++) {
			const digit = bytes[i]! - 0x30;
			ticks = digit < 0 ? ticks : ticks * 10 + digit;
		}
		const processId = processBefore(bytes, start, timeStart);
		if (processId === REFUSED) {
			return false;
		}
		const eventStart = skipPeriod(bytes, skipBlanks(bytes, timeEnd + 1, end), end);
		let eventEnd = eventStart;
		while (eventEnd < end && (bytes[eventEnd] !== COLON || bytes[eventEnd + 1] !== BLANK)) {
			eventEnd++;
		}
		// The blank behind the colon has to be in the line too.
		if (eventEnd === eventStart || eventEnd + 1 >= end) {
			return false;
		}
		const addressStart = skipBlanks(bytes, eventEnd + 1, end);
		let at = addressStart;
		let low = 0;
		let high = 0;
		for (; at < end; at++) {
			const digit = hexadecimalDigit(bytes[at]!);
			if (digit < 0) {
				break;
			}
			high = (high << 4) | (low >>> 28);
			low = (low << 4) | digit;
		}
		if (at === addressStart || at - addressStart > 16) {
			return false;
		}
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		}
		const time = ticks / POWERS_OF_TEN[fraction]!;
		this.builder.addWords(time, low, high, this.event(eventStart, eventEnd), this.place(at, end), processId);
		return true;
	}

	private event(start: number, end: number): number {
		const { bytes, view, events } = this;
		const text = this.eventTexts.find(bytes, view, start, end, hashBytes(view, start, end));
		const known = text < 0 ? undefined : events[text];
		if (known !== undefined) {
			return known;
		}
		const event = eventNumber(this.builder, decodeUtf8(bytes, start, end));
		if (text >= 0) {
			events[text] = event;
		}
		return event;
	}

	private place(start: number, end: number): number {
		const { bytes, view, places } = this;
		const text = this.placeTexts.find(bytes, view, start, end, hashBytes(view, start, end));
		const known = text < 0 ? undefined : places[text];
		if (known !== undefined) {
			return known;
		}
		const place = this.builder.placeNumber(decodeUtf8(bytes, start, end), parsePlace);
		if (text >= 0) {
			places[text] = place;
		}
		return place;
	}
}

/**
 * Where the first `12.345: ` has its colon, -1 where none is plain to see. Digits without a dot before it may belong to the name of a thread: they
 * are none when a time follows.
 */
function endOfTime(bytes: Uint8Array, start: number, end: number): number {
	for (let at = start + 1; at < end - 1; at++) {
		if (bytes[at] === COLON && bytes[at + 1] === BLANK) {
			let first = at;
			while (first > start && isDigit(bytes[first - 1]!)) {
				first--;
			}
			if (first > start && bytes[first - 1] === DOT) {
				// `5.: ` is a number too, but a strange one.
				return first === at ? -1 : at;
			}
		}
	}
	return -1;
}

/** The process in `comm 2764/2770 [001] `, which ends at `end`; -1 where there is none, REFUSED where it is not plain to see. */
function processBefore(bytes: Uint8Array, start: number, end: number): number {
	let at = blanksBefore(bytes, start, end);
	if (at === start) {
		return -1;
	}
	const last = bytes[at - 1]!;
	if (last === CLOSING) {
		const processor = digitsBefore(bytes, start, at - 1);
		if (processor === at - 1 || processor === start || bytes[processor - 1] !== OPENING) {
			return REFUSED;
		}
		at = blanksBefore(bytes, start, processor - 1);
	}
	let first = digitsBefore(bytes, start, at);
	if (first === at) {
		return last > BLANK && last < 0x7f && last !== CLOSING ? -1 : REFUSED;
	}
	if (first > start && bytes[first - 1] === MINUS) {
		return REFUSED;
	}
	if (at - first > MAX_PROCESS_DIGITS) {
		return REFUSED;
	}
	if (first > start && bytes[first - 1] === SLASH) {
		const process = digitsBefore(bytes, start, first - 1);
		if (process < first - 1) {
			at = first - 1;
			first = process;
		}
		if (first > start && bytes[first - 1] === MINUS) {
			return REFUSED;
		}
	}
	if (at - first > MAX_PROCESS_DIGITS) {
		return REFUSED;
	}
	let result = 0;
	for (; first < at; first++) {
		result = result * 10 + bytes[first]! - 0x30;
	}
	return result;
}

function blanksBefore(bytes: Uint8Array, start: number, end: number): number {
	let at = end;
	while (at > start && isBlank(bytes[at - 1]!)) {
		at--;
	}
	return at;
}

function digitsBefore(bytes: Uint8Array, start: number, end: number): number {
	let at = end;
	while (at > start && isDigit(bytes[at - 1]!)) {
		at--;
	}
	return at;
}

/** Past a period, all digits, and the blanks behind it. */
function skipPeriod(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end && isDigit(bytes[at]!)) {
		at++;
	}
	return at > start && at < end && bytes[at] === BLANK ? skipBlanks(bytes, at, end) : start;
}

function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end && isBlank(bytes[at]!)) {
		at++;
	}
	return at;
}

function isBlank(byte: number): boolean {
	return byte === BLANK || byte === TAB;
}

function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}

function isTimeCharacter(byte: number): boolean {
	return isDigit(byte) || byte === DOT;
}

/** -1 where there is none. */
function hexadecimalDigit(byte: number): number {
	if (isDigit(byte)) {
		return byte - 0x30;
	}
	return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}
