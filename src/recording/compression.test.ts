import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPacked } from '../../test/packed.js';
import { RECORDINGS } from '../../test/recordings.js';
import { readRange } from '../bytes/source.js';
import { unpacked } from './compression.js';
import { fileSource, openFile } from './file-source.js';
import { readHead } from './read-head.js';

const recorded = path.join(RECORDINGS, 'jdk25-arraySum', 'hotspot.log.zst');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-compression-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

async function opened(bytes: Uint8Array): Promise<{ bytes: Uint8Array; problems: readonly { message: string }[] }> {
	const file = path.join(folder, 'file');
	fs.writeFileSync(file, bytes);
	const { source, problems } = await openFile(file, 'file');
	try {
		return { bytes: readRange(source, 0, source.sizeBytes), problems };
	} finally {
		source.close();
	}
}

describe('a Zstandard file', () => {
	const packed = fs.readFileSync(recorded);

	test('is read as what it unpacks to, several frames after each other', async () => {
		const whole = readPacked(recorded);
		expect(Buffer.compare((await opened(packed)).bytes, whole)).toBe(0);
		const twice = await opened(Buffer.concat([packed, packed]));
		expect(twice.bytes.length).toBe(2 * whole.length);
		expect(twice.problems).toEqual([]);
	});

	test('that is cut gives what lies before the cut, and says so', async () => {
		const { bytes, problems } = await opened(packed.subarray(0, packed.length >> 1));
		expect(bytes.length).toBeGreaterThan(1 << 20);
		expect(Buffer.compare(bytes, readPacked(recorded).subarray(0, bytes.length))).toBe(0);
		expect(problems).toMatchObject([{ message: expect.stringContaining('damaged or ends too early') }]);
	});

	test.each([4, 5, 8, 20, 1000, 20_000, -20_000, -5, -1])('that is damaged at byte %i gives what lies before, and says so', async (place) => {
		const damaged = Buffer.from(packed);
		const at = place < 0 ? packed.length + place : place;
		damaged[at] = damaged[at]! ^ 0x55;
		const { bytes, problems } = await opened(damaged);
		expect(problems).toMatchObject([{ message: expect.stringContaining('damaged or ends too early') }]);
		expect(bytes.length).toBeLessThanOrEqual(readPacked(recorded).length);
		expect(await readHead(path.join(folder, 'file'), 4096)).toHaveLength(Math.min(4096, bytes.length));
		expect((await opened(packed)).problems).toEqual([]);
	});

	test('that is damaged gives back the memory of its window', async () => {
		// A frame with a window of 128 MiB, a block of one byte as it is, and one of a kind that there is none of.
		const frame = Buffer.from('28b52ffd0088080000ff0700000000', 'hex');
		for (let i = 0; i < 60; i++) {
			expect((await opened(frame)).problems).toMatchObject([{ message: expect.stringContaining('damaged') }]);
		}
		expect((await opened(packed)).problems).toEqual([]);
	});

	test('is told by its content: the head of it is that of the text', async () => {
		const file = path.join(folder, 'unnamed');
		fs.copyFileSync(recorded, file);
		expect(await readHead(file, 4096)).toBe(readPacked(recorded).toString('latin1', 0, 4096));
	});
});

test('a gzip file of several members is read whole, its head too', async () => {
	const text = 'first line\nsecond line\n';
	const file = Buffer.concat([gzipSync(text), gzipSync(text)]);
	expect(Buffer.from((await opened(file)).bytes).toString()).toBe(gunzipSync(file).toString());
	expect(await readHead(path.join(folder, 'file'), 64)).toMatch(text);
});

test('a gzip file may be closed while more of it is read ahead', async () => {
	const file = path.join(folder, 'long');
	// Not to be compressed: its reading goes on behind each piece.
	fs.writeFileSync(file, gzipSync(randomBytes(1_000_000)));
	const readPieces = async (count: number): Promise<number> => {
		const source = fileSource(file, 'long', fs.statSync(file).size);
		let read = 0;
		for await (const piece of unpacked(source, 'gzip')) {
			read += piece.length;
			if (--count === 0) {
				break;
			}
		}
		source.close();
		return read;
	};
	// Reads of the one are waited for behind those of the others. What fails later fails the test run.
	for (let round = 0; round < 20; round++) {
		const lengths = await Promise.all(Array.from({ length: 16 }, (_, i) => readPieces(1 + ((i * 7 + round) % 30))));
		expect(lengths.every((length) => length > 0)).toBe(true);
	}
});

test.each(['gzip', 'zstd'])('a %s bomb is read to a limit, and that is said', async (kind) => {
	// 64 blocks of 100,000 zeros each, in Zstandard's form of one byte repeated.
	const block = Buffer.from([((100_000 << 3) | 2) & 0xff, ((100_000 << 3) >> 8) & 0xff, (100_000 << 3) >> 16, 0]);
	const bomb = kind === 'gzip' ? gzipSync(Buffer.alloc(6_400_000)) : Buffer.concat([Buffer.from('28b52ffd0048', 'hex'), ...Array(64).fill(block)]);
	const file = path.join(folder, 'bomb');
	fs.writeFileSync(file, bomb);
	const { source, problems } = await openFile(file, 'bomb', null, { leastBytes: 1_000_000, mostTimes: 2 });
	expect(source.sizeBytes).toBeLessThanOrEqual(1_000_000);
	expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('unpacks to more than 1000000 bytes') }]);
	source.close();
});

describe('only regular files are read', () => {
	test('a pipe that nobody writes to is refused', async () => {
		const pipe = path.join(folder, 'pipe');
		execFileSync('mkfifo', [pipe]);
		await expect(openFile(pipe, 'pipe')).rejects.toThrow('cannot be read (no regular file)');
	});

	test.runIf(fs.existsSync('/dev/zero'))('a device too', async () => {
		await expect(openFile('/dev/zero', '/dev/zero')).rejects.toThrow('cannot be read (no regular file)');
	});
});
