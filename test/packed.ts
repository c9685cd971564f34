/** Reads packed recordings for tests. */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';

/** The bytes of a file, unpacked if its name ends in .gz or .zst. */
export function readPacked(file: string): Buffer {
	const bytes = fs.readFileSync(file);
	if (file.endsWith('.zst')) {
		return Buffer.from(decompress(bytes));
	}
	return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}
