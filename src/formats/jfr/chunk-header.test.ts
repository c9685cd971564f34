/** Headers of chunks. */
import { describe, expect, test } from 'vitest';
import { jfrChunk, SIZE_AT } from '../../../test/jfr-file.js';
import { memorySource } from '../../bytes/source.js';
import { nextChunk, readChunkHeader } from './chunk-header.js';

const CHUNK = jfrChunk({ parts: [] });

const source = (...parts: Uint8Array[]) => memorySource('a.jfr', Buffer.concat(parts));

function changed(at: number, ...values: number[]): Buffer {
	const bytes = Buffer.from(CHUNK);
	bytes.set(values, at);
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

	test('is no copy of the header of the one before, which is told by its size', () => {
		const first = readChunkHeader(source(CHUNK), 0);
		const copy = Buffer.from(CHUNK.subarray(0, 68));
		copy.writeBigInt64BE(BigInt(CHUNK.length + 5 + 68), SIZE_AT);
		const file = source(CHUNK, Buffer.alloc(5), copy, CHUNK);
		expect(nextChunk(file, 68, first)).toBe(CHUNK.length + 5 + 68);
		expect(nextChunk(file, 68)).toBe(CHUNK.length + 5);
		copy[39] = copy[39]! ^ 1;
		expect(nextChunk(source(CHUNK, Buffer.alloc(5), copy), 68, first)).toBe(CHUNK.length + 5);
	});
});
