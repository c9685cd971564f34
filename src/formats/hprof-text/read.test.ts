import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isHprofText, readHprofText } from './read.js';

test('methods by samples, with the lines of their traces', () => {
	const text =
		'JAVA PROFILE 1.0.1, created Fri Oct 22 12:12:14 2004\n\nTRACE 300027:\n\tjava.util.zip.ZipFile.getEntry(ZipFile.java:310)\n\tjava.util.jar.JarFile.getEntry(JarFile.java:208)\n' +
		'TRACE 300135:\n\tjava.util.zip.ZipFile.getNextEntry(ZipFile.java:Unknown line)\nCPU SAMPLES BEGIN (total = 126) Fri Oct 22 12:12:14 2004\nrank   self  accum   count trace method\n' +
		'   1 53.97% 53.97%      68 300027 java.util.zip.ZipFile.getEntry\n   2 17.46% 71.43%      22 300135 java.util.zip.ZipFile.getNextEntry\n   x\nCPU SAMPLES END\n';
	expect(isHprofText(text)).toBe(true);
	const { leaves, samples, wholeStacks, problems } = readHprofText(memorySource('a', Buffer.from(text)));
	expect(samples).toBe(90);
	expect(leaves).toEqual([
		{ thread: null, method: 'java.util.zip.ZipFile.getEntry', line: 310, samples: 68 },
		{ thread: null, method: 'java.util.zip.ZipFile.getNextEntry', line: -1, samples: 22 },
	]);
	expect(wholeStacks.stacks.map(({ frames, samples: own }) => [frames.map((frame) => wholeStacks.names[frame]).join(' > '), own])).toEqual([
		['java.util.jar.JarFile.getEntry > java.util.zip.ZipFile.getEntry', 68],
		['java.util.zip.ZipFile.getNextEntry', 22],
	]);
	expect(problems).toHaveLength(1);
});

const read = (...lines: string[]) => {
	const { leaves, wholeStacks, problems, samples } = readHprofText(memorySource('a', Buffer.from(lines.join('\n'))));
	const stacks = wholeStacks.stacks.map(({ frames }) => frames.map((frame) => wholeStacks.names[frame]).join(' > '));
	return { leaves: leaves.map(({ method, line, samples: own }) => [method, line, own]), stacks, samples, problems: problems.map(({ line }) => line) };
};
const BEGIN = 'CPU SAMPLES BEGIN (total = 9) Fri';

test.each([
	['JAVA PROFILE 1.0, created Fri', true],
	['JAVA PROFILE 10.25.13, created Fri', true],
	['JAVA PROFILE 1, created Fri', false],
	['a JAVA PROFILE 1.0.1, created Fri', false],
	[`x\n${BEGIN}`, true],
	[`x ${BEGIN}`, false],
])('%j is such a file: %s', (head, is) => {
	expect(isHprofText(head)).toBe(is);
});

test('a trace that is not printed: the method alone', () => {
	expect(read(BEGIN, '   1 53,97% 53,97%      6 42 a.B.c')).toEqual({ leaves: [['a.B.c', null, 6]], stacks: ['a.B.c'], samples: 6, problems: [] });
});

test('what is printed behind the samples is no row; another block begins again', () => {
	const row = '   1 50.00% 50.00% 2 7 a.B.c';
	expect(read(row, BEGIN, 'rank   self', row, 'CPU SAMPLES END', row, 'anything', BEGIN, row, 'CPU SAMPLES END of it', row)).toMatchObject({
		leaves: [
			['a.B.c', null, 2],
			['a.B.c', null, 2],
		],
		problems: [],
	});
});

test.each(['1 50% 50.00% 2 7 a.B.c', '1 50.00% 50.00% x 7 a.B.c', '1 50.00% 50.00% 2 7', '1 50.00% 50.00% 2 7 a.B.c d', ' '])('"%s" is no row', (row) => {
	expect(read(BEGIN, row)).toEqual({ leaves: [], stacks: [], samples: 0, problems: [2] });
});

test('a trace ends at a line that is no frame; a number that comes again replaces it', () => {
	const traces = [
		'\ta.Z.z(Z.java:1)',
		'TRACE 7:',
		'\ta.B.c(B.java:1)',
		'',
		'\ta.X.x(X.java:2)',
		'TRACE 8:',
		'\ta.B.old(B.java:3)',
		'TRACE 8:',
		'\ta.B.d(B.java:4)',
	];
	expect(read(...traces, BEGIN, '1 1.0% 1.0% 1 7 a.B.c', '2 1.0% 1.0% 1 8 a.B.d')).toEqual({
		leaves: [
			['a.B.c', 1, 1],
			['a.B.d', 4, 1],
		],
		stacks: ['a.B.c', 'a.B.d'],
		samples: 2,
		problems: [],
	});
});

test('of a deep trace the thousand innermost frames are kept', () => {
	const frames = Array.from({ length: 1001 }, (_, i) => `\ta.B.f${i}(B.java:1)`);
	const [stack = ''] = read('TRACE 7:', ...frames, BEGIN, '1 1.0% 1.0% 1 7 a.B.f0').stacks;
	expect(stack.split(' > ')).toHaveLength(1000);
	expect(stack).toMatch(/^a\.B\.f999 > .* > a\.B\.f0$/);
});
