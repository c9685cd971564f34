/** The checkpoints of a chunk, each of which names the one before it: places that are known to be events also where what lies between them is damaged. */
import { readRange, type Source } from '../../bytes/source.js';
import { type ChunkHeader, HEADER_BYTES } from './chunk-header.js';
import { JfrCursor } from './cursor.js';
import { CHECKPOINT_TYPE, checkpointDelta, eventHead, MAX_HEAD_BYTES } from './event-head.js';

export interface Checkpoint {
	readonly offset: number;
	readonly sizeBytes: number;
}

/** In order of their offsets, from the one that the header names back as far as they can be read. */
export function checkpointChain(source: Source, header: ChunkHeader, end: number): Checkpoint[] {
	const chain: Checkpoint[] = [];
	let at = header.offsetBytes + header.constantsOffset;
	while (at >= header.offsetBytes + HEADER_BYTES && at < end) {
		const cursor = new JfrCursor(readRange(source, at, Math.min(at + 4 * MAX_HEAD_BYTES, end)), header.isCompressed);
		const head = eventHead(cursor, end - at);
		if (head === null || head.typeId !== CHECKPOINT_TYPE) {
			break;
		}
		chain.push({ offset: at, sizeBytes: head.sizeBytes });
		const delta = checkpointDelta(cursor);
		if (delta === null || delta >= 0) {
			break;
		}
		at += delta;
	}
	return chain.reverse();
}
