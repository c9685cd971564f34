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
