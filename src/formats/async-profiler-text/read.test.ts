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

const HEAD = '--- Execution profile ---\nTotal samples       : ';
const readText = (text: string) => {
	const { leaves, samples, source, wholeStacks, problems } = read(Buffer.from(HEAD + text));
	return {
		leaves: leaves.map((leaf) => [leaf.thread, leaf.method, leaf.samples]),
		samples,
		source,
		stacks: wholeStacks?.stacks.map((stack) => [stack.frames.map((frame) => wholeStacks.names[frame]).join(' > '), stack.samples]) ?? null,
		problems: problems.map(({ line }) => line),
	};
};
const TRACE = '--- 50 ns (62.14%), 5 samples\n  [ 0] a.B.c\n  [ 1] a.B.main\n';
const FLAT = '          ns  percent  samples  top\n  ----------  -------  -------  ---\n';

test('told by its title and its total', () => {
	expect(isAsyncProfilerText(`x\n--- Lock profile ---\nTotal samples: 7\n`)).toBe(true);
	for (const other of [
		'--- Execution profile ---\n',
		'Total samples : 7\n',
		'--- Execution profile ---\nTotal samples : x\n',
		'--- Execution profile ---\n a Total samples : 7\n',
	]) {
		expect(isAsyncProfilerText(other)).toBe(false);
	}
});

test('traces that are cut: the rest is a stack of its own', () => {
	expect(readText(`7\n\n${TRACE}`)).toEqual({
		leaves: [
			[null, 'a.B.c', 5],
			[null, '(other)', 2],
		],
		samples: 7,
		source: 'traces',
		stacks: [
			['a.B.main > a.B.c', 5],
			['(other)', 2],
		],
		problems: [],
	});
});

test('nothing is missing where the total is that of the traces, or less', () => {
	for (const total of [5, 4]) {
		expect(readText(`${total}\n\n${TRACE}`)).toMatchObject({ leaves: [[null, 'a.B.c', 5]], samples: 5, stacks: [['a.B.main > a.B.c', 5]] });
	}
});

test('no sample at all', () => {
	expect(readText('0\n')).toEqual({ leaves: [], samples: 0, source: 'traces', stacks: null, problems: [] });
	expect(readText('3\n')).toEqual({ leaves: [[null, '(other)', 3]], samples: 3, source: 'traces', stacks: null, problems: [] });
});

test('a flat profile that tells more than the traces, and one that does not', () => {
	const flat = (count: number) => `${FLAT}          50   62.14%  ${count}  a.B.flat\n`;
	expect(readText(`9\n\n${TRACE}\n${flat(6)}`)).toEqual({
		leaves: [
			[null, 'a.B.flat', 6],
			[null, '(other)', 3],
		],
		samples: 9,
		source: 'flat',
		stacks: null,
		problems: [],
	});
	expect(readText(`5\n\n${flat(5)}\n${TRACE}`)).toMatchObject({ leaves: [[null, 'a.B.c', 5]], source: 'traces', problems: [] });
});

test('frames outside of a trace are none; damaged rows are told', () => {
	expect(readText(`5\n\n${TRACE} \n  [ 2] a.B.behind\n  [ x\n`)).toMatchObject({
		leaves: [[null, 'a.B.c', 5]],
		stacks: [['a.B.main > a.B.c', 5]],
		problems: [],
	});
	expect(readText(`5\n\n${TRACE}  [ x\nother text\n`)).toMatchObject({ leaves: [[null, 'a.B.c', 5]], problems: [7] });
	expect(readText(`5\n\n${FLAT}          50   62.14%  5  a.B.flat\n  50 62 a.B\n  x ---- \n---- \n----x\n`)).toMatchObject({
		leaves: [[null, 'a.B.flat', 5]],
		problems: [7, 8, 10],
	});
	// A trace ends the flat profile.
	expect(readText(`5\n\n${FLAT}${TRACE}other text\n`).problems).toEqual([]);
});

test.each([
	['[main tid=12]', 'main', ''],
	['[tid=12]', '', ''],
	['[a [b] tid=12]', 'a [b]', ''],
	['[tid=x]', null, '[tid=x] > '],
	['[main tid=12] x', null, '[main tid=12] x > '],
	['x[tid=12]', null, 'x[tid=12] > '],
	['[tid=12]x', null, '[tid=12]x > '],
])('the last frame %s: the thread is %j', (frame, thread, outer) => {
	const { leaves, stacks } = readText(`5\n\n--- 50 ns (62.14%), 5 samples\n  [ 0] 0x7f12\n  [ 1] a.B.c\n  [ 2] ${frame}\n`);
	expect({ leaves, stacks }).toEqual({ leaves: [[thread, 'a.B.c', 5]], stacks: [[`${outer}a.B.c`, 5]] });
});
