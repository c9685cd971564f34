/** Reads packed recordings for tests. */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { zstdLibrary } from '../src/recording/zstd-library.js';

const openZstd = await zstdLibrary();

/** The bytes of a file, unpacked if its name ends in .gz or .zst. */
export function readPacked(file: string): Buffer {
	const bytes = fs.readFileSync(file);
	if (file.endsWith('.zst')) {
		return unpackZstd(bytes);
	}
	return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export function unpackZstd(bytes: Uint8Array): Buffer {
	const decoder = openZstd();
	try {
		return Buffer.concat([...decoder.push(bytes)]);
	} finally {
		decoder.close();
	}
}
