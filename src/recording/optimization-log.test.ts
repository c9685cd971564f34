import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { InputError } from '../model/problem.js';
import { openFirstLog, openOptimizationLog } from './optimization-log.js';

let folder = '';

beforeEach(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-test-'));
});

afterEach(() => {
	fs.rmSync(folder, { recursive: true });
});

const recorded = path.join(GRAAL_FIXTURES, 'inputs', 'json-a', 'log', '0_16');

describe('a log directory', () => {
	test('gives the same whether its files are compressed or not', async () => {
		const bytes = fs.readFileSync(recorded);
		// The parts of a compressed file may be compressed one by one.
		const middle = bytes.indexOf(10, bytes.length >> 1) + 1;
		fs.writeFileSync(path.join(folder, '0_16'), Buffer.concat([gzipSync(bytes.subarray(0, middle)), gzipSync(bytes.subarray(middle))]));
		const plain = await openOptimizationLog(path.dirname(recorded));
		const packed = await openOptimizationLog(folder);
		expect(packed.problems).toEqual([]);
		expect(packed.compilations.map((unit) => unit.fullName)).toEqual(plain.compilations.map((unit) => unit.fullName));
		for (const index of [0, 60, 124]) {
			expect(packed.compilations[index]?.readTrees()).toEqual(plain.compilations[index]?.readTrees());
		}
	});

	test('unpacks more than fits the memory it allows itself', async () => {
		const bytes = fs.readFileSync(recorded);
		fs.writeFileSync(path.join(folder, '0_16'), gzipSync(Buffer.concat([bytes, bytes, bytes, bytes, bytes])));
		const log = await openOptimizationLog(folder);
		expect(log.compilations.length).toBe(625);
		expect(log.compilations[624]?.readTrees()).toEqual(log.compilations[124]?.readTrees());
	});

	test('reads what there is of a damaged compressed file, and says so', async () => {
		const packed = gzipSync(fs.readFileSync(recorded));
		fs.writeFileSync(path.join(folder, '0_16'), packed.subarray(0, packed.length >> 1));
		const log = await openOptimizationLog(folder, { name: 'log' });
		expect(log.compilations.length).toBeGreaterThan(10);
		const told = { severity: 'error', file: path.join('log', '0_16'), message: expect.stringContaining('ends too early') };
		expect(log.problems[0]).toMatchObject(told);
		// The same where the first file was opened before, to tell whether it is such a log.
		const first = await openFirstLog(folder, 'log');
		const again = await openOptimizationLog(folder, { name: 'log', first: first ?? undefined });
		expect([first?.source.name, again.compilations.length, again.problems]).toEqual([path.join('log', '0_16'), log.compilations.length, log.problems]);
	});

	test.each([
		['a link to itself', () => fs.symlinkSync('loop', path.join(folder, 'loop')), /loop: cannot be read \(Too many levels of symbolic links\)/],
		['a link to nothing', () => fs.symlinkSync('nowhere', path.join(folder, 'link')), /link: cannot be read \(No such file or directory\)/],
		['a folder inside', () => fs.mkdirSync(path.join(folder, 'inner')), /inner: cannot be read \(Is a directory\)/],
	])('with %s is refused by name', async (_what, make, message) => {
		make();
		await expect(openOptimizationLog(folder)).rejects.toThrow(InputError);
		await expect(openOptimizationLog(folder)).rejects.toThrow(message);
	});

	test('that is none is refused, or every line of it is a problem', async () => {
		fs.writeFileSync(path.join(folder, 'README'), 'no log\nat all\n');
		fs.writeFileSync(path.join(folder, 'picture'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254, 10, 13, 200]));
		const log = await openOptimizationLog(folder);
		expect(log.compilations).toEqual([]);
		// Two lines, and three that the bytes of the picture make.
		expect(log.problems.length).toBe(5);
		await expect(openOptimizationLog(path.join(folder, 'README'))).rejects.toThrow(/Not a directory.*OptimizationLogPath/);
		await expect(openOptimizationLog(path.join(folder, 'absent'))).rejects.toThrow(/No such file or directory/);
	});

	test('with a line that is longer than any string opens in little memory', async () => {
		const file = path.join(folder, '0_1');
		fs.writeFileSync(file, '{"methodName":"a()","compilationId":"1","inliningTree":{}}\n');
		fs.truncateSync(file, 2 ** 30);
		const before = process.memoryUsage().rss;
		const log = await openOptimizationLog(folder);
		expect(log.compilations.map((unit) => unit.fullName)).toEqual(['a()']);
		expect(log.problems).toMatchObject([{ line: 2, offsetBytes: 59 }]);
		expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
	});

	test('with \\r\\n at the ends of lines: units are where they are, or where the reference looks', async () => {
		const crlf = path.join(GRAAL_FIXTURES, 'inputs', 'edge', 'crlf');
		const exact = await openOptimizationLog(crlf);
		expect(exact.compilations.map((unit) => unit.readTrees().inlining.methodName)).toEqual(['Demo.a()', 'Demo.b()']);
		const reference = await openOptimizationLog(crlf, { unitOffsets: 'reference' });
		expect(reference.compilations[0]?.readTrees().inlining.methodName).toBe('Demo.a()');
		expect(() => reference.compilations[1]?.readTrees()).toThrow(/0_1:2 .*the trees of compilation "2" cannot be read/);
	});

	test('keeps bytes that are no UTF-8 visible', async () => {
		fs.writeFileSync(path.join(folder, '0_1'), Buffer.from('{"methodName":"a\xff\xfe()","compilationId":"1"}\n', 'latin1'));
		expect((await openOptimizationLog(folder)).compilations[0]?.methodName).toBe('a\ufffd\ufffd()');
	});
});
