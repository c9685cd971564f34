import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isCollapsedStacks as isSurelyCollapsed } from './detect.js';
import { isCollapsedStacks, readCollapsedStacks } from './read.js';

function read(text: string): ReturnType<typeof readCollapsedStacks> {
	return readCollapsedStacks(memorySource('a.collapsed', Buffer.from(text)));
}

function leaves(text: string): string[] {
	return read(text).leaves.map(({ thread, method, line, samples }) => `${thread} ${method} ${line} ${samples}`);
}

test('methods in the spellings of different tools', () => {
	expect(
		leaves(
			'[S7];java.lang.Thread.run:1474;java.util.HashMap.getNode:588 117\n' +
				'[main tid=7];java/util/HashMap.getNode_[j] 2\n' +
				'a.B.main;java.util.HashMap.getNode(Object, int) 3\n' +
				'a.B.main;java.lang.String.<init>:4863 1\n' +
				'Hot.main;Hot.f;0x7f2bb3ecda28 4\n' +
				'Hot.main;do_syscall_64_[k] 5\n' +
				'Hot.main;libjvm.so`Parse::Parse 6\r\n' +
				'Hot.main;[unknown_Java] 7\n',
		),
	).toEqual([
		'S7 java.util.HashMap.getNode 588 117',
		'main java.util.HashMap.getNode null 2',
		'null java.util.HashMap.getNode null 3',
		'null java.lang.String.<init> 4863 1',
		'null Hot.f null 4',
		'null (kernel) null 5',
		'null (native) null 6',
		'null (unknown) null 7',
	]);
});

test('stacks with one leaf are one row', () => {
	expect(leaves('A.a;B.b 2\nC.c;B.b 3\nB.b 1\n')).toEqual(['null B.b null 6']);
});

test('other lines are counted, and the rest is read', () => {
	const { leaves: rows, samples, problems } = read('nonsense\nA.a;B.b x\nA.a;B.b 2\n\n 5\n');
	expect(rows).toHaveLength(1);
	expect(samples).toBe(2);
	expect(problems).toHaveLength(3);
});

test.each([
	['a.b 1\n', true],
	['a.b 1\n\n  \nother\n', true],
	['a.b 1\nother\nother\n', false],
	['a.b 1  \r\n', true],
	['a.b 1 x\nother 1 y\n', false],
	[' a.b 1\n', false],
	['', false],
])('%j has stacks: %s', (head, is) => {
	expect(isCollapsedStacks(head)).toBe(is);
});

test('nearly all lines are stacks, where only that tells what a file is', () => {
	const lines = (good: number, bad: number): boolean => isSurelyCollapsed(`${'a;b 1\n'.repeat(good)}\n${'other text\n'.repeat(bad)}`);
	expect([lines(1, 1), lines(1, 2), lines(80, 10), lines(80, 11), lines(0, 1)]).toEqual([true, false, true, false, false]);
	expect([isSurelyCollapsed('a 1\nb 2\n'), isSurelyCollapsed('a;b 1\r\nc 2\r\n'), isSurelyCollapsed(';b 1\n'), isSurelyCollapsed('a;b 1 x\n')]).toEqual([
		false,
		true,
		false,
		false,
	]);
});

test('threads, addresses and frames at the edges of a line', () => {
	expect(leaves('[main tid=12] 3\n[main tid=12];a.B.c 1\nx[y];a.B.c 1\n[a;b];a.B.c 1\n')).toEqual([
		'main (unknown) null 3',
		'main a.B.c null 1',
		'null a.B.c null 1',
		'[a a.B.c null 1',
	]);
	expect(leaves('0x7f00 1\na.B.c;0x7f00 2\na.B.main;a.B.d;0x7f00  4 \n;0x7f00 8\n')).toEqual([
		'null (native) null 9',
		'null a.B.c null 2',
		'null (native) null 4',
	]);
});

test.each(['a.B.c 1x', 'a.B.c x1', 'a.B.c -1', 'a.B.c 1.5', 'a.B.c', 'a.B.c 100000000000000000'])('%j is no stack', (line) => {
	expect(read(`${line}\n`)).toMatchObject({ samples: 0, leaves: [], problems: [{ line: 1 }] });
});
