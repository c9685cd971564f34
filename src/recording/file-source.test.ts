/** Files as sources: small reads come from pieces that were read before. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readRange, type Source } from '../bytes/source.js';
import { fileSource } from './file-source.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-file-source-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function written(name: string, bytes: Uint8Array): Source {
	const file = path.join(folder, name);
	fs.writeFileSync(file, bytes);
	return fileSource(file, name, bytes.length);
}

const numbers = (length: number, seed: number): Uint8Array => new Uint8Array(length).map((_, i) => (i * 31 + (i >> 8) * 7 + seed) & 0xff);

test('any read of any of many files gives the bytes of that file, also after it was closed', () => {
	const contents = [70_000, 1 << 14, 16_383, 200_001, 3, 0].map((length, i) => numbers(length, i));
	const sources = contents.map((bytes, i) => written(`${i}.bin`, bytes));
	const read = fc.record({ file: fc.nat(contents.length - 1), from: fc.nat(210_000), length: fc.oneof(fc.nat(40), fc.nat(40_000)), close: fc.nat(9) });
	fc.assert(
		fc.property(fc.array(read, { maxLength: 60 }), (reads) => {
			for (const { file, from, length, close } of reads) {
				expect(Buffer.compare(readRange(sources[file]!, from, from + length), contents[file]!.subarray(from, from + length))).toBe(0);
				if (close === 0) {
					sources[file]!.close();
				}
			}
		}),
	);
});

test('more pieces than are kept', () => {
	const bytes = numbers(40 << 20, 1);
	const source = written('large.bin', bytes);
	for (let at = 0; at < bytes.length; at += 12_345) {
		// There and back: what was let go is read again.
		for (const from of [at, Math.max(0, at - (20 << 20)), bytes.length - 1 - at]) {
			expect(readRange(source, from, from + 5)).toEqual(Buffer.from(bytes.subarray(from, from + 5)));
		}
	}
	source.close();
});

test('a file that becomes shorter gives what is left of it', () => {
	const source = written('cut.bin', numbers(50_000, 2));
	expect(readRange(source, 40_000, 40_010)).toHaveLength(10);
	fs.truncateSync(path.join(folder, 'cut.bin'), 20_000);
	expect(readRange(source, 19_990, 20_010)).toHaveLength(10);
	expect(readRange(source, 30_000, 30_010)).toHaveLength(0);
});
