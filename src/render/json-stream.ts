/** Writes one JSON value piece by piece: results too large to be put together in memory. Can be closed at any moment. */
import type { TextWriter } from './text-writer.js';

/** Where a report in JSON goes: text, or objects for those who take it apart. */
export interface JsonSink {
	/** How many containers are open. */
	readonly depth: number;
	/** A field of the open object. */
	field(key: string, value: unknown): void;
	/** An item of the open list. */
	item(value: unknown): void;
	/** Opens an object: the outermost one, an item of a list, or the field `key`. */
	beginObject(key?: string): void;
	beginList(key: string): void;
	/** Closes containers until `depth` are open. */
	closeTo(depth: number): void;
}

interface OpenContainer {
	readonly closing: ']' | '}';
	isEmpty: boolean;
}

export class JsonStream implements JsonSink {
	private readonly writer: TextWriter;
	private readonly open: OpenContainer[] = [];

	constructor(writer: TextWriter) {
		this.writer = writer;
	}

	/** How many containers are open. */
	get depth(): number {
		return this.open.length;
	}

	/** A field of the open object. */
	field(key: string, value: unknown): void {
		this.separate();
		this.writer.raw(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
	}

	/** An item of the open list. */
	item(value: unknown): void {
		this.separate();
		this.writer.raw(JSON.stringify(value));
	}

	/** Opens an object: the outermost one, an item of a list, or the field `key`. */
	beginObject(key?: string): void {
		this.begin('{', '}', key);
	}

	beginList(key: string): void {
		this.begin('[', ']', key);
	}

	/** Closes containers until `depth` are open. */
	closeTo(depth: number): void {
		while (this.open.length > depth) {
			this.writer.raw(this.open.pop()!.closing);
		}
	}

	private begin(opening: string, closing: ']' | '}', key: string | undefined): void {
		this.separate();
		this.writer.raw(key === undefined ? opening : `${JSON.stringify(key)}:${opening}`);
		this.open.push({ closing, isEmpty: true });
	}

	private separate(): void {
		const container = this.open[this.open.length - 1];
		if (container !== undefined) {
			if (!container.isEmpty) {
				this.writer.raw(',');
			}
			container.isEmpty = false;
		}
	}
}
