import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isJmhStack, readJmhStack } from './read.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'safepoint');

function read(name: string): ReturnType<typeof readJmhStack> {
	const bytes = zlib.gunzipSync(fs.readFileSync(path.join(folder, `${name}.gz`)));
	expect(isJmhStack(bytes.toString('latin1'))).toBe(true);
	return readJmhStack(memorySource(name, bytes));
}

test('a report for each benchmark, methods', () => {
	const { reports, problems } = read('jdk25-stack-g1.txt');
	expect(problems).toEqual([]);
	expect(reports.map(({ benchmark }) => benchmark)).toEqual([
		'ref.bench.BiasBench.gapThenCheapCall',
		'ref.bench.BiasBench.inlined',
		'ref.bench.BiasBench.notInlined',
	]);
	for (const { leaves, waitingPercent, emptyPercent } of reports) {
		expect(waitingPercent).toBeCloseTo(33.3, 0);
		expect(emptyPercent).toBeCloseTo(33.3, 0);
		expect(Math.abs(leaves.reduce((sum, { samples }) => sum + samples, 0) - 33.3)).toBeLessThan(0.5);
	}
});

test('lines', () => {
	const [first] = read('jdk25-stack-lines-serial.txt').reports;
	expect(first?.leaves.slice(0, 2)).toEqual([
		{ thread: null, method: 'ref.bench.BiasBench.gapThenCheapCall', line: 51, samples: 33.1 },
		{ thread: null, method: 'jdk.internal.misc.Unsafe.unpark', line: -2, samples: 0.1 },
	]);
});

test('a report alone, with rows that are none', () => {
	const { reports, problems } = readJmhStack(
		memorySource('a', Buffer.from('....[Thread state: RUNNABLE]....\n 50,0% 100,0% a.B.c\n 5x% a.B.d\n  0.5%   0.8% <other>\n')),
	);
	expect(reports).toEqual([
		{
			benchmark: null,
			leaves: [
				{ thread: null, method: 'a.B.c', line: null, samples: 50 },
				{ thread: null, method: '(other)', line: null, samples: 0.5 },
			],
			waitingPercent: 0,
			emptyPercent: 0,
		},
	]);
	expect(problems).toHaveLength(1);
});

test('reports begin with the distribution of states; a comment ends them', () => {
	const state = (name: string): string => `....[Thread state: ${name}]....\n`;
	const text = [
		'Secondary result "a.B.one:·stack":\n',
		'....[Thread state distributions]....\n 50.0%         RUNNABLE\n',
		`${state('RUNNABLE')} 30.0%  60.0% a.B.c\n 20.0%  40.0% <stack is empty, everything is filtered?>\n`,
		`${state('WAITING')} 10.0% 50.0% a.B.wait\n  5.0% 50.0% <stack is empty, everything is filtered?>\n`,
		'....[Thread state distributions]....\n',
		`${state('RUNNABLE')} 1.0%  60.0% a.B.d\n`,
		'# Run complete\n 2.0% 3.0% a.B.none\n',
		`Result "a.B.two:stack":\n 2.0% 3.0% a.B.none\n${state('RUNNABLE')} 4.0% 4.0% a.B.e #\n 4.0% a.B.e\n`,
	].join('');
	const { reports, problems } = readJmhStack(memorySource('a', Buffer.from(text)));
	expect(
		reports.map(({ benchmark, leaves, waitingPercent, emptyPercent }) => [
			benchmark,
			leaves.map(({ method, samples }) => [method, samples]),
			waitingPercent,
			emptyPercent,
		]),
	).toEqual([
		['a.B.one', [['a.B.c', 30]], 15, 20],
		['a.B.one', [['a.B.d', 1]], 0, 0],
		['a.B.two', [['(native)', 4]], 0, 0],
	]);
	expect(problems).toHaveLength(1);
});

test('told by the head of a state, which is a line', () => {
	expect(isJmhStack('x\n....[Thread state: TIMED_WAITING]....  \n')).toBe(true);
	expect(isJmhStack('x ....[Thread state: RUNNABLE]....\n')).toBe(false);
	expect(isJmhStack('....[Thread state: RUNNABLE].... x\n')).toBe(false);
});
