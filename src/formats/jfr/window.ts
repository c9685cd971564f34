/** A part of a file in memory, moved on as it is looked at. */
import { newBytes, type Source } from '../../bytes/source.js';
import { StringTable } from '../../bytes/string-table.js';
import type { ChunkHeader } from './chunk-header.js';
import { JfrCursor } from './cursor.js';

export const WINDOW_BYTES = 1 << 20;

export class Window {
	private readonly source: Source;
	private readonly bytes = newBytes(WINDOW_BYTES);
	/** Events repeat the names of few methods. */
	private readonly strings = new StringTable([]);

	constructor(source: Source) {
		this.source = source;
	}

	/** Gives cursors at places of a chunk which ends at `end`, with so many bytes behind them; the next call moves the one before. */
	over({ isCompressed }: ChunkHeader, end: number): (at: number, length: number) => JfrCursor {
		let start = 0;
		let cursor = new JfrCursor(this.bytes, isCompressed, 0, 0, this.strings);
		return (at, length) => {
			if (at < start || Math.min(at + length, end) > start + cursor.end) {
				let filled = 0;
				const wanted = Math.min(WINDOW_BYTES, end - at);
				while (filled < wanted) {
					const count = this.source.read(this.bytes, filled, wanted - filled, at + filled);
					if (count === 0) {
						break;
					}
					filled += count;
				}
				start = at;
				cursor = new JfrCursor(this.bytes, isCompressed, 0, filled, this.strings);
			}
			cursor.at = at - start;
			return cursor;
		};
	}
}
