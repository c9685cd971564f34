/** Compressed files, told by their first bytes: gzip (RFC 1952, several members too) and Zstandard (RFC 8878, several frames too). */
import type { Readable } from 'node:stream';

export type Compression = 'gzip' | 'zstd';

/** So much of a Zstandard file holds its first block, however little it could be compressed. */
const ZSTD_BLOCK_BYTES = 160 << 10;

/** How much of a file to read, to learn the first `lengthBytes` of what it unpacks to. */
export function bytesToUnpack(compression: Compression, lengthBytes: number): number {
	return compression === 'zstd' ? Math.max(lengthBytes, ZSTD_BLOCK_BYTES) : lengthBytes;
}

/** What the first bytes of a file say it is compressed with; 4 bytes are enough. */
export function compressionOf(head: Uint8Array): Compression | undefined {
	if (head[0] === 0x1f && head[1] === 0x8b) {
		return 'gzip';
	}
	return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd ? 'zstd' : undefined;
}

/** The unpacked bytes, piece by piece. Throws when the file is damaged or ends too early, after the pieces before that. */
export async function* unpacked(compressed: Readable, compression: Compression): AsyncGenerator<Uint8Array, void, undefined> {
	if (compression === 'gzip') {
		const { createGunzip } = await import('node:zlib');
		yield* compressed.pipe(createGunzip()) as AsyncIterable<Uint8Array>;
		return;
	}
	const { Decompress } = await import('fzstd');
	const pieces: Uint8Array[] = [];
	const stream = new Decompress((piece) => pieces.push(piece));
	let failure: unknown;
	for await (const chunk of compressed as AsyncIterable<Uint8Array>) {
		try {
			stream.push(chunk);
		} catch (error) {
			failure = error;
		}
		yield* pieces.splice(0);
		if (failure !== undefined) {
			throw failure;
		}
	}
	stream.push(new Uint8Array(0), true);
	yield* pieces;
}

/** What the first bytes of a compressed file unpack to, at most `lengthBytes` of it. */
export async function unpackStart(head: Uint8Array, compression: Compression, lengthBytes: number): Promise<Buffer> {
	if (compression === 'gzip') {
		const { constants, gunzipSync } = await import('node:zlib');
		try {
			return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 << 20 }).subarray(0, lengthBytes);
		} catch {
			return Buffer.alloc(0);
		}
	}
	const { Decompress } = await import('fzstd');
	const pieces: Uint8Array[] = [];
	try {
		new Decompress((piece) => pieces.push(piece)).push(head);
	} catch {
		// What came before the damage is enough to tell the format.
	}
	return Buffer.concat(pieces).subarray(0, lengthBytes);
}
