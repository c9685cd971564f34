/** Where chunks end when their headers are wrong. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { jfrChunk, SIZE_AT } from '../../../test/jfr-file.js';
import { memorySource } from '../../bytes/source.js';
import { endOfChunk } from './chunk-end.js';
import { readChunkHeader } from './chunk-header.js';
import { readJfr, readJfrEvents } from './read.js';

const CHUNK = jfrChunk({ parts: [] });

const source = (...parts: Uint8Array[]) => memorySource('a.jfr', Buffer.concat(parts));

function endOf(...parts: Uint8Array[]) {
	const file = source(...parts);
	return endOfChunk(file, readChunkHeader(file, 0)!);
}

/** The size in the header. */
function sized(sizeBytes: number, isFinished = true): Buffer {
	const bytes = Buffer.from(CHUNK);
	bytes.writeBigInt64BE(BigInt(sizeBytes), SIZE_AT);
	bytes[64] = isFinished ? 0 : 1;
	return bytes;
}

describe('a chunk ends', () => {
	const size = CHUNK.length;

	test('where its header says, when the file or another chunk is there', () => {
		expect(endOf(CHUNK)).toEqual({ end: size, doubt: null });
		expect(endOf(CHUNK, CHUNK)).toEqual({ end: size, doubt: null });
	});

	test('where its header says, when something else follows, and that is said', () => {
		expect(endOf(CHUNK, Buffer.alloc(7))).toEqual({ end: size, doubt: '7 bytes behind it belong to no chunk' });
		expect(endOf(CHUNK, Buffer.alloc(7), CHUNK)).toEqual({ end: size, doubt: '7 bytes behind it belong to no chunk' });
		expect(endOf(sized(size, false), Buffer.alloc(7))).toEqual({ end: size, doubt: 'the 7 bytes after the last flush are not read' });
	});

	test('before the next chunk, or with the file, when its header cannot be true', () => {
		expect(endOf(sized(size + 1))).toEqual({ end: size, doubt: `its size of ${size + 1} bytes is wrong; ${size} bytes of it are there` });
		expect(endOf(sized(size + 9), CHUNK)).toEqual({ end: size, doubt: `its size of ${size + 9} bytes is wrong; ${size} bytes of it are there` });
		const unfinished = { end: size, doubt: `the chunk is unfinished; ${size} bytes of it are there` };
		expect(endOf(sized(0))).toEqual(unfinished);
		expect(endOf(sized(68))).toEqual(unfinished);
		expect(endOf(sized(69))).toEqual({ end: 69, doubt: `${size - 69} bytes behind it belong to no chunk` });
		expect(endOf(sized(2 ** 30))).toEqual(unfinished);
		expect(endOf(sized(size + 1, false))).toEqual(unfinished);
	});
});

describe.each(['jdk17', 'jdk25'])('a recording of %s that was cut', (jdk) => {
	const file = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'jfr-events', jdk, 'run.jfr.gz');
	const whole = gunzipSync(fs.readFileSync(file));

	test.each([0.3, 0.6, 0.95])('to %f is one chunk, also with copies of its header inside: what is told of is named', (share) => {
		const cut = memorySource('cut.jfr', whole.subarray(0, Math.round(whole.length * share)));
		const { chunks } = readJfr(cut);
		expect(chunks.map(({ offsetBytes, sizeBytes }) => [offsetBytes, sizeBytes])).toEqual([[0, cut.sizeBytes]]);
		const { compilations, problems } = readJfrEvents(cut, 'compilers');
		expect(problems.filter(({ message }) => /no chunk/.test(message))).toEqual([]);
		expect(compilations.length).toBeLessThanOrEqual(readJfrEvents(memorySource('run.jfr', whole), 'compilers').compilations.length);
	});
});
