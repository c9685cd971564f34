/** How pages of a store's files are compressed: Zstandard where Node has it (22.15 and newer), else gzip. Both engines read both, and `assay compact` writes Zstandard always. */
import zlib from 'node:zlib';
import type { ParquetForm } from '../formats/parquet/write.js';

/** Newer than the oldest Node that assay runs on. */
interface WithZstd {
	readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array;
}

export function pageCompression(): NonNullable<ParquetForm['compression']> {
	const { zstdCompressSync } = zlib as WithZstd;
	return zstdCompressSync === undefined
		? { codec: 'GZIP', compress: (bytes) => zlib.gzipSync(bytes, { level: 6 }) }
		: { codec: 'ZSTD', compress: (bytes) => zstdCompressSync(bytes) };
}
