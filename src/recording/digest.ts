/** SHA-256 of all bytes of a source, in hexadecimal digits. */
import { createHash } from 'node:crypto';
import { RangeReader, type Source } from '../bytes/source.js';

const PIECE_BYTES = 1 << 20;

export function digestOf(source: Source): string {
	const hash = createHash('sha256');
	const ranges = new RangeReader();
	for (let at = 0; at < source.sizeBytes; at += PIECE_BYTES) {
		hash.update(ranges.read(source, at, at + PIECE_BYTES));
	}
	return hash.digest('hex');
}
