/** Lines of which it is not known yet whether anybody wants to read them: where they are. */
import { RangeReader, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';

/** Sixteen bytes each. */
const MAX_LINES = 2_000_000;

export class LaterLines {
	private readonly source: Source;
	private readonly starts: number[] = [];
	private readonly lengths: number[] = [];

	constructor(source: Source) {
		this.source = source;
	}

	get isFull(): boolean {
		return this.starts.length >= MAX_LINES;
	}

	add(start: number, length: number): void {
		this.starts.push(start);
		this.lengths.push(length);
	}

	/** In the order that they were added in. */
	forEach(take: (text: string) => void): void {
		const ranges = new RangeReader();
		for (const [i, start] of this.starts.entries()) {
			const bytes = ranges.read(this.source, start, start + this.lengths[i]!);
			take(decodeUtf8(bytes, 0, bytes.length));
		}
	}
}
