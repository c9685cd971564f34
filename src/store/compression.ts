/** How pages of a store's files are compressed: Zstandard where Node has it (22.15 and newer), else gzip. Both engines read both, and `assay compact` writes Zstandard always. */
import zlib from 'node:zlib';
import type { ParquetForm } from '../formats/parquet/write.js';

/** Newer than the oldest Node that assay runs on. */
interface WithZstd {
	readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array;
}

/** Most pages are small: memory for what comes out of them, at most at a time, and beside what went in. */
const MOST_CHUNK = 1 << 16;
const SMALLEST_CHUNK = 64;

export function pageCompression(): NonNullable<ParquetForm['compression']> {
	const { zstdCompressSync } = zlib as WithZstd;
	return zstdCompressSync === undefined
		? { codec: 'GZIP', compress: (bytes) => zlib.gzipSync(bytes, { chunkSize: Math.min(MOST_CHUNK, bytes.length + SMALLEST_CHUNK) }) }
		: { codec: 'ZSTD', compress: (bytes) => zstdCompressSync(bytes) };
}
