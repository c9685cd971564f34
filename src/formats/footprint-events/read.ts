/**
 * Events of a compiler's memory as lines of JSON (NDJSON): docs/schema/footprint-events.json is the form. Lines that are flat objects without escapes, as
 * every producer writes them, go through one loop over the bytes; others are given to JSON.parse, which decides what they mean.
 */
import { newBytes, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { FootprintEventSink } from '../../model/footprint-events.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { deliver } from './deliver.js';
import { fieldsOfObject } from './event-fields.js';
import { FlatLineReader } from './flat-line.js';

/** How many events there were, and what was no event. */
export interface ReadEvents {
	readonly problems: readonly Problem[];
	/** Lines that are events, those skipped not among them. */
	readonly events: number;
}

const CHUNK_BYTES = 1 << 20;
/** No event is as long. */
const MAX_LINE_BYTES = 16 << 20;
const LF = 0x0a;

/** Gives all events of a file to `sink`, in their order. Never throws on content. */
export function readFootprintEvents(source: Source, sink: FootprintEventSink): ReadEvents {
	const reader = new FootprintEventReader(source.name, sink);
	let piece = newBytes(CHUNK_BYTES);
	let position = 0;
	for (;;) {
		const count = source.read(piece, 0, CHUNK_BYTES, position);
		if (count === 0) {
			return reader.finish();
		}
		position += count;
		reader.push(count === CHUNK_BYTES ? piece : piece.subarray(0, count));
		if (reader.pendingBytes < count && position < source.sizeBytes) {
			// The line that was cut is read again, whole: cheaper than joining its parts.
			position -= reader.pendingBytes;
			reader.forgetPending();
		} else {
			piece = newBytes(CHUNK_BYTES);
		}
	}
}

/** The same for those who get the bytes piece by piece: from standard input, while they are written. */
export class FootprintEventReader {
	private readonly sink: FootprintEventSink;
	private readonly maxLineBytes: number;
	private readonly skipped: SkippedLines;
	private readonly flat = new FlatLineReader();
	private events = 0;
	private rest: Uint8Array = newBytes(0);
	private offset = 0;
	private lines = 0;
	private isInLongLine = false;

	/** Of a line with more than `maxLineBytes` the rest is not kept. */
	constructor(name: string, sink: FootprintEventSink, maxLineBytes = MAX_LINE_BYTES) {
		this.sink = sink;
		this.maxLineBytes = maxLineBytes;
		this.skipped = new SkippedLines(name, 'is no event: an object with "event" and what belongs to it is expected');
	}

	/** Takes whole lines out of the bytes that came; keeps the beginning of the last one. The bytes must not change afterwards. */
	push(piece: Uint8Array): void {
		const bytes = this.rest.length === 0 ? piece : joined(this.rest, piece);
		let start = 0;
		while (start < bytes.length) {
			const fields = this.flat.read(bytes, start, bytes.length);
			if (fields !== null && this.flat.next >= 0 && !this.isInLongLine) {
				this.lines++;
				this.take(deliver(fields, this.sink), this.offset + start);
				start = this.flat.next;
				continue;
			}
			const at = bytes.indexOf(LF, start);
			if (at < 0) {
				break;
			}
			this.line(bytes, start, at);
			start = at + 1;
		}
		this.keep(bytes, start);
	}

	/** A line that the fast way does not take, without its end. */
	private line(bytes: Uint8Array, start: number, end: number): void {
		this.lines++;
		if (this.isInLongLine) {
			this.isInLongLine = false;
			this.take(false, this.offset + start);
		} else if (!isBlank(bytes, start, end)) {
			const fields = fieldsOfObject(decodeUtf8(bytes, start, end));
			this.take(fields !== null && deliver(fields, this.sink), this.offset + start);
		}
	}

	private take(isEvent: boolean, offset: number): void {
		if (isEvent) {
			this.events++;
		} else {
			this.skipped.add(this.lines, offset);
		}
	}

	private keep(bytes: Uint8Array, start: number): void {
		this.offset += start;
		this.rest = bytes.subarray(start);
		if (this.isInLongLine || this.rest.length > this.maxLineBytes) {
			this.isInLongLine = true;
			this.offset += this.rest.length;
			this.rest = newBytes(0);
		}
	}

	/** The bytes of a line whose end has not come yet. */
	get pendingBytes(): number {
		return this.rest.length;
	}

	/** For a caller who gives these bytes once more. */
	forgetPending(): void {
		this.rest = newBytes(0);
	}

	finish(): ReadEvents {
		if (this.rest.length > 0 || this.isInLongLine) {
			this.line(this.rest, 0, this.rest.length);
			this.rest = newBytes(0);
		}
		return { problems: this.skipped.problems(), events: this.events };
	}
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		if (bytes[i]! > 0x20) {
			return false;
		}
	}
	return true;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
	const bytes = newBytes(first.length + second.length);
	bytes.set(first);
	bytes.set(second, first.length);
	return bytes;
}
