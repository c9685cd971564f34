/** Headers of chunks, and where chunks end when their headers are wrong. */
import { describe, expect, test } from 'vitest';
import { jfrChunk, SIZE_AT } from '../../../test/jfr-file.js';
import { memorySource } from '../../bytes/source.js';
import { endOfChunk, nextChunk, readChunkHeader } from './chunk-header.js';

const CHUNK = jfrChunk({ parts: [] });

const source = (...parts: Uint8Array[]) => memorySource('a.jfr', Buffer.concat(parts));

function changed(at: number, ...values: number[]): Buffer {
	const bytes = Buffer.from(CHUNK);
	bytes.set(values, at);
	return bytes;
}

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

test('a header says version, places, clocks and how integers are written', () => {
	expect(readChunkHeader(source(Buffer.alloc(5), CHUNK), 5)).toEqual({
		offsetBytes: 5,
		major: 2,
		minor: 1,
		sizeBytes: CHUNK.length,
		constantsOffset: 0,
		metadataOffset: 68,
		startEpochNs: 1_000_000_000n,
		durationNs: 2e9,
		startTicks: 500,
		ticksPerSecond: 1000,
		isFinished: true,
		isCompressed: true,
	});
	expect(readChunkHeader(source(changed(64, 1, 0, 0, 0xfe)), 0)).toMatchObject({ isFinished: false, isCompressed: false });
	expect(readChunkHeader(source(changed(64, 0, 0, 0, 0x03)), 0)).toMatchObject({ isFinished: true, isCompressed: true });
});

test('versions 1 and 2 are known, others and shorter files are none', () => {
	expect([0, 1, 2, 3].map((major) => readChunkHeader(source(changed(4, 0, major)), 0)?.major ?? null)).toEqual([null, 1, 2, null]);
	expect(readChunkHeader(source(changed(2, 0x53)), 0)).toBeNull();
	expect(readChunkHeader(source(CHUNK.subarray(0, 67)), 0)).toBeNull();
	expect(readChunkHeader(source(CHUNK.subarray(0, 68)), 0)).not.toBeNull();
});

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

describe('the next chunk', () => {
	test('is found behind anything, first where it is looked for', () => {
		const file = source(Buffer.from('FLFLR\0'), CHUNK, CHUNK);
		expect(nextChunk(file, 0)).toBe(6);
		expect(nextChunk(file, 6)).toBe(6);
		expect(nextChunk(file, 7)).toBe(6 + CHUNK.length);
		expect(nextChunk(file, 7 + CHUNK.length)).toBe(file.sizeBytes);
	});

	test.each([0, 1, 2, 3])('is found where the parts in which the file is read meet in it, %i bytes before its end', (before) => {
		const file = source(Buffer.alloc((1 << 20) - before), CHUNK);
		expect(nextChunk(file, 0)).toBe((1 << 20) - before);
	});
});
