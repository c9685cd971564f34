/** Where a chunk of a JFR file ends. */
import type { Source } from '../../bytes/source.js';
import { type ChunkHeader, HEADER_BYTES, MAGIC, nextChunk, readChunkHeader } from './chunk-header.js';
import { eventHead, MAX_HEAD_BYTES } from './event-head.js';
import { Window } from './window.js';

export interface ChunkEnd {
	/** Exclusive, in the file. */
	readonly end: number;
	/** What is wrong with the size that the header gives; null: it holds. */
	readonly doubt: string | null;
}

/** Where its header says, if the file ends there or another chunk follows; else before the next chunk. */
export function endOfChunk(source: Source, header: ChunkHeader): ChunkEnd {
	const { offsetBytes, sizeBytes, isFinished } = header;
	const end = offsetBytes + sizeBytes;
	const isInside = sizeBytes > HEADER_BYTES && end <= source.sizeBytes;
	if (isInside && (end === source.sizeBytes || readChunkHeader(source, end) !== null)) {
		return { end, doubt: null };
	}
	const next = chunkBehind(source, header);
	if (isInside && end < next) {
		return { end, doubt: isFinished ? `${next - end} bytes behind it belong to no chunk` : `the ${next - end} bytes after the last flush are not read` };
	}
	const said = sizeBytes <= HEADER_BYTES || !isFinished || sizeBytes === 1 << 30 ? 'the chunk is unfinished' : `its size of ${sizeBytes} bytes is wrong`;
	return { end: next, doubt: `${said}; ${next - offsetBytes} bytes of it are there` };
}

/** The header that stands where an event would begin; where the events break off before, the next that is found. */
function chunkBehind(source: Source, header: ChunkHeader): number {
	const cursorAt = new Window(source).over(header, source.sizeBytes);
	let at = header.offsetBytes + HEADER_BYTES;
	while (at < source.sizeBytes) {
		const cursor = cursorAt(at, MAX_HEAD_BYTES);
		const start = cursor.at;
		if (MAGIC.every((byte, i) => cursor.bytes[start + i] === byte) && readChunkHeader(source, at) !== null) {
			return at;
		}
		const head = eventHead(cursor, source.sizeBytes - at);
		if (head === null) {
			return nextChunk(source, at, header);
		}
		at += head.sizeBytes;
	}
	return source.sizeBytes;
}
