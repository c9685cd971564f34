import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { readCollapsedStacks } from './read.js';

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
