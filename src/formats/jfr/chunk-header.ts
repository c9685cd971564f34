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
export const MAGIC = [0x46, 0x4c, 0x52, 0x00, 0x00];

export interface ChunkHeader {
	/** In the file. */
	readonly offsetBytes: number;
	readonly major: number;
	readonly minor: number;
	/** As the header says it; chunk-end.ts tells whether it is so. */
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

/**
 * Offset of the next header at or after a place; the size of the file where there is none. Copies of the header of the chunk that is looked at are no chunks.
 */
export function nextChunk(source: Source, from: number, inside: ChunkHeader | null = null): number {
	const buffer = newBytes(SCAN_BYTES);
	for (let position = from; position < source.sizeBytes; ) {
		const count = source.read(buffer, 0, SCAN_BYTES, position);
		if (count === 0) {
			break;
		}
		const bytes = buffer.subarray(0, count);
		for (let at = bytes.indexOf(MAGIC[0]!); at >= 0; at = bytes.indexOf(MAGIC[0]!, at + 1)) {
			const isCandidate = at + 1 >= count || (bytes[at + 1] === MAGIC[1] && (at + 2 >= count || bytes[at + 2] === MAGIC[2]));
			const header = isCandidate ? readChunkHeader(source, position + at) : null;
			if (header !== null && !isCopy(header, inside)) {
				return position + at;
			}
		}
		position += count;
	}
	return source.sizeBytes;
}

/** HotSpot repeats the header of a chunk inside of it, in a checkpoint event at each flush; what it says of the size is up to the end of this copy. */
function isCopy({ offsetBytes, sizeBytes, startEpochNs, startTicks }: ChunkHeader, of: ChunkHeader | null): boolean {
	return of !== null && startEpochNs === of.startEpochNs && startTicks === of.startTicks && sizeBytes === offsetBytes - of.offsetBytes + HEADER_BYTES;
}
