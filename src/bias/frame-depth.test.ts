import { expect, test } from 'vitest';
import { printedMethod } from '../../test/code.js';
import { frameDepths } from './frame-depth.js';

const depths = (...texts: readonly string[]): number[] | null => {
	const found = frameDepths(
		printedMethod(
			'a.B.f',
			texts.map((text) => [text]),
		),
	);
	return found === null ? null : [...found];
};

test('a frame of C1 or C2: pushed, made, taken down before each return', () => {
	expect(
		depths(
			'mov %eax,-0x14000(%rsp)',
			'push %rbp',
			'sub $0x30,%rsp',
			'jmp 0x128',
			'add $0x30,%rsp',
			'pop %rbp',
			'cmp 0x28(%r15),%rsp',
			'ja 0x140',
			'ret',
			'inc %eax',
			'add $0x30,%rsp',
			'pop %rbp',
			'ret',
			'inc %eax',
		),
	).toEqual([0, 0, 1, 7, 7, 1, 0, 0, 0, 7, 7, 1, 0, 7]);
});

test('one that C2 makes at once, with a place for the frame pointer', () => {
	expect(depths('sub $0x18,%rsp', 'mov %rbp,0x10(%rsp)', 'inc %eax', 'add $0x10,%rsp', 'pop %rbp', 'ret')).toEqual([0, 3, 3, 3, 1, 0]);
});

test('one without places of its own', () => {
	expect(depths('push %rbp', 'inc %eax', 'pop %rbp', 'ret')).toEqual([0, 1, 1, 0]);
});

test('another size that is added is another thing; where no frame is made nothing is known', () => {
	expect(depths('push %rbp', 'sub $0x30,%rsp', 'add $0x8,%rsp', 'pop %rbp', 'ret')).toEqual([0, 1, 7, 7, 0]);
	expect(depths('inc %eax', 'ret')).toBeNull();
	expect(depths()).toBeNull();
});
