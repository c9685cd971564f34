import { expect, test } from 'vitest';
import { findPolls } from './polls.js';

const found = (...lines: string[]): string[] => findPolls(lines.map((text) => ({ text }))).map(({ instruction, kind }) => `${instruction} ${kind}`);

test('x86-64: a loop reads the page whose address the thread has', () => {
	expect(found('mov 0x348(%r15),%r10', 'test %eax,(%r10)', 'jmp 0x10')).toEqual(['1 poll']);
	expect(found('mov 0x30(%r15),%r11', 'add $0x1,%ebx', 'test %eax,(%r11)', 'cmp %ebx,%ecx', 'jl 0x10')).toEqual(['2 poll']);
	// Registers that cannot stand alone get an offset of zero.
	expect(found('mov 0x348(%r15),%rbp', 'test %eax,0x0(%rbp)', 'ret')).toEqual(['1 poll']);
	expect(found('test %eax,(%r10)')).toEqual(['0 poll']);
});

test('x86-64: what looks like it', () => {
	// A check for null of what was loaded from elsewhere.
	expect(found('mov 0x348(%r15),%r10', 'mov 0x10(%rsi),%r10', 'test %eax,(%r10)', 'jmp 0x10')).toEqual([]);
	expect(found('mov 0x348(%r15),%r10', 'mov %esi,%r10d', 'test %eax,(%r10)', 'jmp 0x10')).toEqual([]);
	expect(found('mov 0x348(%r15),%rdi', 'xor %edi,%edi', 'test %eax,(%rdi)', 'jmp 0x10')).toEqual([]);
	// Somebody looks at the flags.
	expect(found('mov 0x348(%r15),%r10', 'test %eax,(%r10)', 'je 0x10')).toEqual([]);
	// What compares writes nothing.
	expect(found('mov 0x348(%r15),%r10', 'cmp %rsi,%r10', 'test %eax,(%r10)', 'ret')).toEqual(['2 poll']);
	expect(found('test %eax,0x8(%r10)')).toEqual([]);
});

test('x86-64: returns, and native wrappers', () => {
	expect(found('cmp 0x340(%r15),%rsp', 'ja 0x10', 'ret')).toEqual(['0 poll_return']);
	expect(found('cmp 0x340(%r15),%rsp', 'je 0x10')).toEqual([]);
	expect(found('testb $0x1,0x28(%r15)', 'je 0x10')).toEqual(['0 poll_return']);
});

test('AArch64', () => {
	expect(found('ldr x8, [x28, #0x30]', 'ldr wzr, [x8]')).toEqual(['1 poll']);
	expect(found('ldr x8, [x28, #0x28]', 'cmp sp, x8', 'b.hi #0x10')).toEqual(['0 poll_return']);
	expect(found('ldr x8, [x28, #0x28]', 'cmp sp, x9')).toEqual([]);
});
