/** The lines of an IR file as bytes, none cut however long: what is copied has to be whole. */
import { newBytes, type Source } from '../../bytes/source.js';

const CHUNK_BYTES = 1 << 20;
const LF = 10;

/**
 * Takes the lines one by one, their ends included: bytes [start, end) of `bytes`, valid until `take` returns; up to `limit` there are whole lines, more than
 * this one. `take` may give the start of a later line below `limit`: the lines before it are passed over. `takeBlock` gets all bytes, many lines at a
 * time, after their lines.
 */
export function forEachIrLine(
	source: Source,
	take: (bytes: Uint8Array, start: number, end: number, limit: number) => number | undefined,
	takeBlock: (bytes: Uint8Array) => void = () => {},
): void {
	let buffer = newBytes(Math.min(CHUNK_BYTES, source.sizeBytes + 1));
	let kept = 0;
	let position = 0;
	for (;;) {
		if (kept === buffer.length) {
			const larger = newBytes(buffer.length * 2);
			larger.set(buffer);
			buffer = larger;
		}
		const count = source.read(buffer, kept, buffer.length - kept, position);
		if (count === 0) {
			break;
		}
		position += count;
		const filled = kept + count;
		const limit = buffer.lastIndexOf(LF, filled - 1) + 1;
		for (let start = 0; start < limit; ) {
			const end = buffer.indexOf(LF, start) + 1;
			start = take(buffer, start, end, limit) ?? end;
		}
		takeBlock(buffer.subarray(0, limit));
		buffer.copyWithin(0, limit, filled);
		kept = filled - limit;
	}
	if (kept > 0) {
		take(buffer, 0, kept, kept);
		takeBlock(buffer.subarray(0, kept));
	}
}

const END_OF_BODY = ascii('\n}');

/** The start of the line that ends a body, `}`, which may begin at `start` or later; -1 when it is not below `limit`. */
export function endOfBody(bytes: Uint8Array, start: number, limit: number): number {
	// The line before ends at start - 1.
	const found = find(bytes, END_OF_BODY, start - 1, limit);
	return found < 0 ? -1 : found + 1;
}

/** Where `wanted` begins among the bytes [start, end), or -1; native search. */
export function find(bytes: Uint8Array, wanted: Uint8Array, start: number, end: number): number {
	const found = (bytes.subarray(start, end) as Buffer).indexOf(wanted);
	return found < 0 ? -1 : found + start;
}

/** Whether the line that starts at `start` begins with `prefix`. */
export function startsWith(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
	if (end - start < prefix.length) {
		return false;
	}
	for (let i = 0; i < prefix.length; i++) {
		if (bytes[start + i] !== prefix[i]) {
			return false;
		}
	}
	return true;
}

export function ascii(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}
