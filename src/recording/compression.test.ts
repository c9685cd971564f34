import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPacked } from '../../test/packed.js';
import { RECORDINGS } from '../../test/recordings.js';
import { readRange } from '../bytes/source.js';
import { openFile } from './file-source.js';
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
