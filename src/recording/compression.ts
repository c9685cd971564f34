/** Compressed files, told by their first bytes: gzip (RFC 1952, several members too) and Zstandard (RFC 8878, several frames too). */
import { newBytes, type Source } from '../bytes/source.js';
import { type ZstdDecoder, zstdLibrary } from './zstd-library.js';

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

/** What a source unpacks to, piece by piece; the source stays open. Throws when it is damaged or ends too early, after the pieces before that. */
export async function* unpacked(source: Source, compression: Compression): AsyncGenerator<Uint8Array, void, undefined> {
	if (compression === 'zstd') {
		yield* unpackZstd(await zstdLibrary(), slicesOf(source, SLICE_BYTES));
		return;
	}
	const [{ createGunzip }, { Readable }] = await Promise.all([import('node:zlib'), import('node:stream')]);
	const packed = Readable.from(slicesOf(source, GZIP_SLICE_BYTES));
	const bytes = packed.pipe(createGunzip());
	packed.on('error', (error) => bytes.destroy(error));
	try {
		yield* bytes as AsyncIterable<Uint8Array>;
	} finally {
		// Who wants no more closes the source, which is not to be read ahead then.
		packed.destroy();
	}
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
	const open = await zstdLibrary();
	const pieces: Uint8Array[] = [];
	let length = 0;
	const slices = function* (): Generator<Uint8Array> {
		for (let at = 0; at < head.length && length < lengthBytes; at += SLICE_BYTES) {
			yield head.subarray(at, at + SLICE_BYTES);
		}
	};
	try {
		for (const piece of unpackZstd(open, slices())) {
			length += piece.length;
			if (length < lengthBytes + piece.length) {
				pieces.push(piece);
			}
		}
	} catch {
		// The head ends within a frame; and what came before damage is enough to tell the format.
	}
	return Buffer.concat(pieces).subarray(0, lengthBytes);
}

const SLICE_BYTES = 16 << 10;
const GZIP_SLICE_BYTES = 64 << 10;

/** Each a copy of its own. */
function* slicesOf(source: Source, sliceBytes: number): Generator<Uint8Array> {
	for (let at = 0; ; ) {
		const slice = newBytes(sliceBytes);
		const length = source.read(slice, 0, sliceBytes, at);
		if (length === 0) {
			return;
		}
		at += length;
		yield slice.subarray(0, length);
	}
}

/** Throws at damage, and where the end is missing; the decoder is freed however this ends. */
function* unpackZstd(open: () => ZstdDecoder, slices: Iterable<Uint8Array>): Generator<Uint8Array> {
	const decoder = open();
	try {
		for (const slice of slices) {
			yield* decoder.push(slice);
			if (decoder.isDamaged) {
				throw new Error('invalid Zstandard data');
			}
		}
		if (!decoder.isAtFrameEnd) {
			throw new Error('unexpected end of file');
		}
	} finally {
		decoder.close();
	}
}
