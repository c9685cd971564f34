/**
 * Events of a compiler's memory as lines of JSON (NDJSON): docs/schema/footprint-events.json is the form. Lines that are flat objects without escapes, as
 * every producer writes them, go through one loop over the bytes; others are given to JSON.parse, which decides what they mean.
 */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import { newBytes, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { FootprintEventSink } from '../../model/footprint-events.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { deliver } from './deliver.js';
import { fieldsOfObject } from './event-fields.js';
import { FlatLineReader } from './flat-line.js';

export interface ReadEvents {
	readonly problems: readonly Problem[];
	/** Lines that are events, those skipped not among them. */
	readonly events: number;
}

/** Gives all events of a file to `sink`, in their order. Never throws on content. */
export function readFootprintEvents(source: Source, sink: FootprintEventSink): ReadEvents {
	const reader = new FootprintEventReader(source.name, sink);
	forEachLineOfBytes(source, (bytes, start, end, offset, number) => reader.line(bytes, start, end, offset, number));
	return reader.finish();
}

/** The same for those who get the bytes piece by piece: from standard input, while they are written. */
export class FootprintEventReader {
	private readonly sink: FootprintEventSink;
	private readonly skipped: SkippedLines;
	private readonly flat = new FlatLineReader();
	private events = 0;
	private rest: Uint8Array = newBytes(0);
	private offset = 0;
	private lines = 0;

	constructor(name: string, sink: FootprintEventSink) {
		this.sink = sink;
		this.skipped = new SkippedLines(name, 'is no event: an object with "event" and what belongs to it is expected');
	}

	/** Takes whole lines out of the bytes that came; keeps the beginning of the last one. */
	push(piece: Uint8Array): void {
		const bytes = this.rest.length === 0 ? piece : joined(this.rest, piece);
		let start = 0;
		for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, start)) {
			this.line(bytes, start, at, this.offset + start, ++this.lines);
			start = at + 1;
		}
		this.offset += start;
		this.rest = bytes.slice(start);
	}

	line(bytes: Uint8Array, start: number, end: number, offset: number, number: number): void {
		const fields = this.flat.read(bytes, start, end) ?? fieldsOfObject(decodeUtf8(bytes, start, end));
		if (fields !== null && deliver(fields, this.sink)) {
			this.events++;
		} else if (!isBlank(bytes, start, end)) {
			this.skipped.add(number, offset);
		}
	}

	finish(): ReadEvents {
		if (this.rest.length > 0) {
			this.line(this.rest, 0, this.rest.length, this.offset, ++this.lines);
			this.rest = newBytes(0);
		}
		return { problems: this.skipped.problems(), events: this.events };
	}
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		if ((bytes[i] as number) > 0x20) {
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
