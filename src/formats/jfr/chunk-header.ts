/**
 * Chunks of a JFR file and where they end. A file is a sequence of chunks; each starts with 68 bytes, all integers big-endian:
 *   0 "FLR\0"   4 major   6 minor   8 size   16 offset of the last constant pool event   24 offset of the metadata event
 *   32 start, ns since 1970   40 duration, ns   48 start, ticks   56 ticks per second   64 state (0: finished)   67 features (bit 0: LEB128)
 * Offsets count from the chunk's start. While a chunk is being written its size is that of what was flushed, or 0 (HotSpot), or 2^30 (async-profiler).
 */
import { newBytes, readRange, type Source } from '../../bytes/source.js';

export const HEADER_BYTES = 68;
const SCAN_BYTES = 1 << 20;
/** `FLR\0`, then the major version, of which the first byte is 0. */
const MAGIC = [0x46, 0x4c, 0x52, 0x00, 0x00];

export interface ChunkHeader {
	/** In the file. */
	readonly offsetBytes: number;
	readonly major: number;
	readonly minor: number;
	/** As the header says it; see {@link endOfChunk}. */
	readonly sizeBytes: number;
	readonly constantsOffset: number;
	readonly metadataOffset: number;
	readonly startEpochNs: bigint;
	readonly durationNs: number;
	readonly startTicks: number;
	readonly ticksPerSecond: number;
	readonly isFinished: boolean;
	/** Integers are LEB128. */
	readonly isCompressed: boolean;
}

/** null: no header of a version that is known (1 and 2, JDK 9 and later) lies there. */
export function readChunkHeader(source: Source, offsetBytes: number): ChunkHeader | null {
	const bytes = readRange(source, offsetBytes, offsetBytes + HEADER_BYTES);
	if (bytes.length < HEADER_BYTES || MAGIC.some((byte, i) => bytes[i] !== byte)) {
		return null;
	}
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const major = view.getUint16(4);
	const long = (at: number): number => Number(view.getBigInt64(at));
	return major < 1 || major > 2
		? null
		: {
				offsetBytes,
				major,
				minor: view.getUint16(6),
				sizeBytes: long(8),
				constantsOffset: long(16),
				metadataOffset: long(24),
				startEpochNs: view.getBigInt64(32),
				durationNs: long(40),
				startTicks: long(48),
				ticksPerSecond: long(56),
				isFinished: bytes[64] === 0,
				isCompressed: (bytes[67]! & 1) !== 0,
			};
}

export interface ChunkEnd {
	/** Exclusive, in the file. */
	readonly end: number;
	/** What is wrong with the size that the header gives; null: it holds. */
	readonly doubt: string | null;
}

/** Where a chunk ends: where its header says, if the file ends there or another chunk follows; else before the next chunk. */
export function endOfChunk(source: Source, { offsetBytes, sizeBytes, isFinished }: ChunkHeader): ChunkEnd {
	const end = offsetBytes + sizeBytes;
	const isInside = sizeBytes > HEADER_BYTES && end <= source.sizeBytes;
	if (isInside && (end === source.sizeBytes || readChunkHeader(source, end) !== null)) {
		return { end, doubt: null };
	}
	const next = nextChunk(source, offsetBytes + HEADER_BYTES);
	if (isInside && end < next) {
		return { end, doubt: isFinished ? `${next - end} bytes behind it belong to no chunk` : `the ${next - end} bytes after the last flush are not read` };
	}
	const said = sizeBytes <= HEADER_BYTES || !isFinished || sizeBytes === 1 << 30 ? 'the chunk is unfinished' : `its size of ${sizeBytes} bytes is wrong`;
	return { end: next, doubt: `${said}; ${next - offsetBytes} bytes of it are there` };
}

/** Offset of the next header at or after a place; the size of the file where there is none. */
export function nextChunk(source: Source, from: number): number {
	const buffer = newBytes(SCAN_BYTES);
	for (let position = from; position < source.sizeBytes; ) {
		const count = source.read(buffer, 0, SCAN_BYTES, position);
		if (count === 0) {
			break;
		}
		const bytes = buffer.subarray(0, count);
		for (let at = bytes.indexOf(MAGIC[0]!); at >= 0; at = bytes.indexOf(MAGIC[0]!, at + 1)) {
			const isCandidate = at + 1 >= count || (bytes[at + 1] === MAGIC[1] && (at + 2 >= count || bytes[at + 2] === MAGIC[2]));
			if (isCandidate && readChunkHeader(source, position + at) !== null) {
				return position + at;
			}
		}
		position += count;
	}
	return source.sizeBytes;
}
