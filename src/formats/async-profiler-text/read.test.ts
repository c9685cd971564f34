import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { type AsyncProfilerText, isAsyncProfilerText, readAsyncProfilerText } from './read.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm');

function read(bytes: Buffer): AsyncProfilerText {
	expect(isAsyncProfilerText(bytes.toString('latin1'))).toBe(true);
	return readAsyncProfilerText(memorySource('a.txt', bytes));
}

test('flat: the head, and a row for the rest', () => {
	const { leaves, samples, source, wholeStacks, problems } = read(fs.readFileSync(path.join(folder, 'safepoint', 'jdk25-serial', 'async.flat.txt')));
	expect({ source, problems }).toEqual({ source: 'flat', problems: [] });
	expect(samples).toBe(5366);
	expect(wholeStacks).toBeNull();
	expect(leaves[0]).toEqual({ thread: null, method: 'S3Gap.kernel', line: null, samples: 829 });
	expect(leaves.reduce((sum, leaf) => sum + leaf.samples, 0)).toBe(samples);
});

test('traces: threads, signatures and marks', () => {
	const { leaves, samples, source, wholeStacks, problems } = read(zlib.gunzipSync(fs.readFileSync(path.join(folder, 'jfr', 'async-profiler.traces.txt.gz'))));
	expect({ source, problems }).toEqual({ source: 'traces', problems: [] });
	expect(samples).toBe(129);
	expect(leaves.slice(0, 2)).toEqual([
		{ thread: 'mapper ö', method: 'Mixer.map', line: null, samples: 31 },
		{ thread: 'mixer', method: 'Mixer.divide', line: null, samples: 30 },
	]);
	expect(leaves.some(({ method }) => method === '(native)')).toBe(true);
	expect(wholeStacks?.samples).toBe(129);
	expect(wholeStacks?.stacks[0]?.frames.map((frame) => wholeStacks.names[frame])).toEqual([
		...['java.lang.Thread.run', 'java.lang.Thread.runWith', 'Mixer$$Lambda/0x0000000071040438.run', 'Mixer.lambda$main$1', 'Mixer.map'],
	]);
});

test('cut text', () => {
	const { leaves, problems } = read(Buffer.from('--- Execution profile ---\nTotal samples       : 9\n\n--- 50 ns (62.14%), 5 samples\n  [ 0] a.B.c\n  [ 1\n'));
	expect(leaves).toEqual([
		{ thread: null, method: 'a.B.c', line: null, samples: 5 },
		{ thread: null, method: '(other)', line: null, samples: 4 },
	]);
	expect(problems).toHaveLength(1);
});
