/** The lines of a source, chunk by chunk: memory for a chunk and the longest line. */
import { newBytes, type Source } from './source.js';
import { decodeUtf8 } from './string-table.js';

const CHUNK_BYTES = 1 << 20;
/** Of a longer line the rest is left out: no line of a text format is that long. */
const MAX_LINE_BYTES = 16 << 20;
const LF = 10;
const CR = 13;

/**
 * Calls `take` with every line, without its end (\n or \r\n), the offset of its first byte and its number from 1. Bytes that are no
 * UTF-8 become U+FFFD.
 */
export function forEachLine(source: Source, take: (line: string, offset: number, number: number) => void, chunkBytes = CHUNK_BYTES): void {
	forEachLineOfBytes(source, (bytes, start, end, offset, number) => take(decodeUtf8(bytes, start, end), offset, number), chunkBytes);
}

/** Whether the last line has no end: of a file that a program wrote line by line it is cut. */
export function hasOpenEnd(source: Source): boolean {
	const last = newBytes(1);
	return source.sizeBytes > 0 && source.read(last, 0, 1, source.sizeBytes - 1) === 1 && last[0] !== LF;
}

/** Lines that nobody looks at: of their bytes [start, end) whether one stands before them, and whether one goes on with them. */
export interface Passage {
	isBefore(bytes: Uint8Array, start: number, end: number): boolean;
	goesOn(bytes: Uint8Array, start: number, end: number): boolean;
	/** Passages of this one, not all of which are passed over. */
	readonly of?: Passage;
}

/** A long passage of a source: the bytes [start, end), and how many lines they are. */
interface LongPassage {
	readonly start: number;
	readonly end: number;
	readonly lines: number;
}

/** Those that were passed over when a source was last read to its end, ascending: most of a log of a gigabyte need not be read again. */
const LONG_PASSAGES = new WeakMap<Source, Map<Passage, readonly LongPassage[]>>();
/** A shorter one is read quicker than it is passed over. */
const LONG_BYTES = 1 << 16;
const NO_PASSAGES: readonly LongPassage[] = [];

/** The same for those who look at few lines: the bytes [start, end) of each, valid until `take` returns. Lines of a passage are counted, and not given. */
export function forEachLineOfBytes(
	source: Source,
	take: (bytes: Uint8Array, start: number, end: number, offset: number, number: number) => void,
	chunkBytes = CHUNK_BYTES,
	passage: Passage | null = null,
): void {
	let isPassing = false;
	const origin = source.lends ?? source;
	const kind = passage?.of ?? passage;
	const known = kind === null ? NO_PASSAGES : (LONG_PASSAGES.get(origin)?.get(kind) ?? NO_PASSAGES);
	/** How many of them lie behind. */
	let passed = 0;
	const found: LongPassage[] = [];
	/** Where the passage began that is being passed over, and the number of the line before it. */
	let passageStart = 0;
	let passageLine = 0;
	let buffer = chunkBytes === CHUNK_BYTES ? takeChunk() : newBytes(chunkBytes);
	let kept = 0;
	let position = 0;
	let number = 0;
	/** Where the line began whose rest is read over; -1 when there is none. */
	let cutLineOffset = -1;
	const withoutCr = (start: number, end: number): number => (end > start && buffer[end - 1] === CR ? end - 1 : end);
	const emit = (start: number, end: number, offset: number): void => {
		number++;
		take(buffer, start, withoutCr(start, end), offset, number);
	};
	const endPassage = (end: number): void => {
		if (isPassing && end - passageStart >= LONG_BYTES) {
			found.push({ start: passageStart, end, lines: number - passageLine });
		}
		isPassing = false;
	};
	for (;;) {
		if (kept === buffer.length) {
			if (buffer.length < MAX_LINE_BYTES) {
				const larger = newBytes(buffer.length * 2);
				larger.set(buffer);
				buffer = larger;
			} else {
				cutLineOffset = cutLineOffset < 0 ? position - kept : cutLineOffset;
				kept = buffer.length >> 1;
			}
		}
		const next = known[passed];
		const count = source.read(buffer, kept, Math.min(buffer.length - kept, next === undefined ? Number.POSITIVE_INFINITY : next.start - position), position);
		if (count === 0) {
			break;
		}
		position += count;
		const end = kept + count;
		const base = position - end;
		let start = 0;
		for (let at = buffer.indexOf(LF, kept); at >= 0 && at < end; at = buffer.indexOf(LF, at + 1)) {
			if (cutLineOffset >= 0) {
				emit(0, kept, cutLineOffset);
				cutLineOffset = -1;
				isPassing = false;
			} else if (isPassing && passage?.goesOn(buffer, start, withoutCr(start, at))) {
				number++;
			} else {
				endPassage(base + start);
				isPassing = passage?.isBefore(buffer, start, withoutCr(start, at)) ?? false;
				emit(start, at, base + start);
				if (isPassing) {
					passageStart = base + at + 1;
					passageLine = number;
				}
			}
			start = at + 1;
		}
		if (cutLineOffset < 0) {
			buffer.copyWithin(0, start, end);
			kept = end - start;
		}
		if (next !== undefined && position === next.start) {
			passed++;
			if (isPassing) {
				position = next.end;
				number += next.lines;
			}
		}
	}
	endPassage(position - kept);
	if (kept > 0) {
		emit(0, kept, cutLineOffset < 0 ? position - kept : cutLineOffset);
	}
	if (kind !== null) {
		LONG_PASSAGES.set(origin, (LONG_PASSAGES.get(origin) ?? new Map<Passage, readonly LongPassage[]>()).set(kind, found));
	}
	spareChunk = buffer.length === CHUNK_BYTES ? buffer : spareChunk;
}

/** Of the last reading: fresh memory for each costs more than to read a small file. */
let spareChunk: Uint8Array | null = null;

/** For one reading; others may begin before it ends. */
function takeChunk(): Uint8Array {
	const chunk = spareChunk ?? newBytes(CHUNK_BYTES);
	spareChunk = null;
	return chunk;
}
