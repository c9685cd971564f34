/** Reads packed recordings for tests. */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ZSTDDecoder } from 'zstddec/stream';

const zstd = new ZSTDDecoder();
await zstd.init();

/** The bytes of a file, unpacked if its name ends in .gz or .zst. */
export function readPacked(file: string): Buffer {
	const bytes = fs.readFileSync(file);
	if (file.endsWith('.zst')) {
		return unpackZstd(bytes);
	}
	return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export function unpackZstd(bytes: Uint8Array): Buffer {
	const { buffer, byteOffset, length } = zstd.decode(bytes);
	return Buffer.from(buffer, byteOffset, length);
}
