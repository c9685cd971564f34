/** Objects at one depth of a JSON text, one after the other: for files of gigabytes that hold many small things. */
import { newBytes, type Source } from './source.js';
import { decodeUtf8 } from './string-table.js';

const CHUNK_BYTES = 1 << 20;
/** Of a longer object the rest is left out, so that it is no JSON. */
const MAX_OBJECT_BYTES = 256 << 20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Calls `take` with the text of each object that lies in `depth` others (objects or arrays), and its offset. The text is not checked. The result
 * is the offset of an object that is cut at the end; null: none is.
 */
export function forEachJsonObject(source: Source, depth: number, take: (text: string, offset: number) => void, chunkBytes = CHUNK_BYTES): number | null {
	const chunk = newBytes(chunkBytes);
	/** Bytes of the current object from earlier chunks. */
	let pieces: Uint8Array[] = [];
	let piecesBytes = 0;
	let current = 0;
	let isInString = false;
	let isEscaped = false;
	let objectOffset = -1;
	for (let position = 0; ; ) {
		const count = source.read(chunk, 0, chunkBytes, position);
		if (count === 0) {
			return objectOffset < 0 ? null : objectOffset;
		}
		let start = objectOffset < 0 ? -1 : 0;
		for (let i = 0; i < count; i++) {
			const byte = chunk[i]!;
			if (isInString) {
				if (isEscaped) {
					isEscaped = false;
				} else if (byte === BACKSLASH) {
					isEscaped = true;
				} else if (byte === QUOTE) {
					isInString = false;
				}
			} else if (byte === QUOTE) {
				isInString = true;
			} else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
				if (current === depth && byte === OPEN_BRACE) {
					start = i;
					objectOffset = position + i;
				}
				current++;
			} else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
				current = Math.max(0, current - 1);
				if (current === depth && start >= 0) {
					const whole = piecesBytes === 0 ? chunk.subarray(start, i + 1) : Buffer.concat([...pieces, chunk.subarray(start, i + 1)]);
					take(decodeUtf8(whole, 0, whole.length), objectOffset);
					pieces = [];
					piecesBytes = 0;
					start = -1;
					objectOffset = -1;
				}
			}
		}
		if (start >= 0 && piecesBytes < MAX_OBJECT_BYTES) {
			pieces.push(Uint8Array.from(chunk.subarray(start, count)));
			piecesBytes += count - start;
		}
		position += count;
	}
}
