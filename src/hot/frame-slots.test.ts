import { expect, test } from 'vitest';
import { spillAccesses } from './frame-slots.js';

const kinds = (...texts: readonly string[]): string[] =>
	spillAccesses(texts).map((one) => (one === null ? '-' : `${one.isStore ? 's' : ''}${one.isLoad ? 'l' : ''} ${one.slot}`));

test('a register that is stored and loaded again', () => {
	expect(kinds('sub $0x28,%rsp', 'mov %rax,0x8(%rsp)', 'add %rcx,%rax', 'add 0x8(%rsp),%rax', 'cmp %rax,0x8(%rsp)', 'incl 0x8(%rsp)')).toEqual([
		'-',
		's 8%rsp',
		'-',
		'l 8%rsp',
		'l 8%rsp',
		'l 8%rsp',
	]);
	expect(kinds('movsd %xmm1,(%rsp)', 'mulsd (%rsp),%xmm0')).toEqual(['s 0%rsp', 'l 0%rsp']);
	expect(kinds('mov %rax,0x8(%rsp)', 'add %rdx,0x8(%rsp)')).toEqual(['s 8%rsp', 'sl 8%rsp']);
});

test('none: what is only stored (arguments of calls) or only loaded (own arguments), numbers, arrays', () => {
	expect(kinds('mov %rax,(%rsp)', 'call 0x10', 'mov 0x40(%rsp),%rax')).toEqual(['-', '-', '-']);
	expect(kinds('movl $0x1,0x8(%rsp)', 'mov 0x8(%rsp),%eax')).toEqual(['-', '-']);
	expect(kinds('mov %rax,0x8(%rsp,%rcx,8)', 'mov 0x8(%rsp,%rcx,8),%rax')).toEqual(['-', '-']);
});

test('none: at or above an address that is taken, an object may lie', () => {
	expect(kinds('mov %rax,0x8(%rsp)', 'mov 0x8(%rsp),%rax', 'mov %rax,0x20(%rsp)', 'mov 0x20(%rsp),%rax', 'lea 0x18(%rsp),%rdi')).toEqual([
		's 8%rsp',
		'l 8%rsp',
		'-',
		'-',
		'-',
	]);
});

test('by the frame pointer, where the function has one', () => {
	expect(kinds('mov %rax,-0x18(%rbp)', 'mov -0x18(%rbp),%rax')).toEqual(['-', '-']);
	expect(kinds('push %rbp', 'mov %rsp,%rbp', 'mov %rax,-0x18(%rbp)', 'mov -0x18(%rbp),%rax')).toEqual(['-', '-', 's -24%rbp', 'l -24%rbp']);
});
