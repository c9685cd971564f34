/**
 * What every event of a Flight Recorder file begins with, its size and the number of its type; and what checkpoints have behind it. The numbers of
 * metadata and checkpoints are fixed (jdk.jfr.internal.MetadataDescriptor, jdk.jfr.internal.consumer.ChunkParser), others are what the metadata says.
 */
import { readCheckpointHead } from './constants.js';
import { type JfrCursor, JfrDamage } from './cursor.js';

export const METADATA_TYPE = 0;
export const CHECKPOINT_TYPE = 1;
/** A size of at most five bytes and a type of at most nine. */
export const MAX_HEAD_BYTES = 14;

/** Size and type of the event that the cursor stands at; null: there can be none in so many bytes. */
export function eventHead(cursor: JfrCursor, availableBytes: number): { sizeBytes: number; typeId: number } | null {
	const head = { sizeBytes: 0, typeId: 0 };
	return readEventHead(cursor, availableBytes, head) ? head : null;
}

/** The same into an object of the caller's; false: there can be none. */
export function readEventHead(cursor: JfrCursor, availableBytes: number, head: { sizeBytes: number; typeId: number }): boolean {
	const start = cursor.at;
	try {
		head.sizeBytes = cursor.int();
		head.typeId = cursor.long();
		return head.sizeBytes >= cursor.at - start && head.sizeBytes <= availableBytes;
	} catch (error) {
		if (error instanceof JfrDamage) {
			return false;
		}
		throw error;
	}
}

/** From this checkpoint to the one before it, so less than 0, for a cursor behind the event's head; null: it cannot be read. */
export function checkpointDelta(cursor: JfrCursor): number | null {
	try {
		return readCheckpointHead(cursor);
	} catch (error) {
		if (error instanceof JfrDamage) {
			return null;
		}
		throw error;
	}
}
