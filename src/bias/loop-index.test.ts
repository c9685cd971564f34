/** Indexes of loops in machine code, from the text of one instruction that counts. */
import { describe, expect, test } from 'vitest';
import { printedMethod } from '../../test/code.js';
import { loopIndex } from './loop-index.js';

/** The index of a loop of these lines that ends with a jump back; all of it is executed on every way round. */
function indexOf(lines: readonly string[], isEvery: (i: number) => boolean = () => true, decides: (branch: number) => boolean = () => true) {
	const { instructions } = printedMethod('a.B.f', [...lines.map((line) => [line] as const), ['ret']]);
	const index = loopIndex(
		instructions,
		lines.map((_, i) => i),
		isEvery,
		decides,
	);
	return index === null ? null : [index.register, index.step, index.bits];
}

describe('x86-64', () => {
	test.each<[string, string, (string | number)[] | null]>([
		['inc %ebx', '%ebx', ['%ebx', 1, 32]],
		['dec %ebx', '%ebx', ['%ebx', -1, 32]],
		['incl %ebx', '%ebx', ['%ebx', 1, 32]],
		['add $0x10,%ebx', '%ebx', ['%ebx', 16, 32]],
		['add $16,%rbx', '%rbx', ['%rbx', 16, 64]],
		['add  $0x10,%r9', '%r9', ['%r9', 16, 64]],
		['add $0x10,%r9d', '%r9d', ['%r9d', 16, 32]],
		['sub $0x4,%esi', '%esi', ['%esi', -4, 32]],
		['add $0xfffffff0,%ebx', '%ebx', ['%ebx', -16, 32]],
		['add $0x7fffffff,%ebx', '%ebx', ['%ebx', 0x7fffffff, 32]],
		['add $0xfffffff0,%rbx', '%rbx', ['%rbx', 0xfffffff0, 64]],
		['lea 0x10(%rbx),%ebx', '%ebx', ['%ebx', 16, 32]],
		['leal -0x10(%rbx),%ebx', '%ebx', ['%ebx', -16, 32]],
		['lea 0x10(%rcx),%ebx', '%ebx', null],
		['add $0x0,%ebx', '%ebx', null],
		['add %ecx,%ebx', '%ebx', null],
		['inc $0x1,%ebx', '%ebx', null],
		['add $0x10,%rsp', '%rsp', null],
		['neg %ebx', '%ebx', null],
	])('%s', (step, register, expected) => {
		expect(indexOf([step, `cmp %edx,${register}`, 'jl 0x100'])).toEqual(expected);
	});

	test('the step itself sets the flags', () => {
		expect(indexOf(['dec %ecx', 'jne 0x100'])).toEqual(['%ecx', -1, 32]);
	});

	test('the next value may be made in another register, and copied', () => {
		expect(indexOf(['lea 0x8(%rcx),%r10d', 'mov %r10d,%ecx', 'cmp %edx,%r10d', 'jl 0x100'])).toEqual(['%r10d', 8, 32]);
		expect(indexOf(['lea 0x8(%rcx),%r10d', 'mov %ecx,%r10d', 'cmp %edx,%r10d', 'jl 0x100'])).toBeNull();
	});

	test('what is tested has to be the index, near the branch, by no other test', () => {
		expect(indexOf(['inc %ecx', 'cmp %edx,%esi', 'jl 0x100'])).toBeNull();
		expect(indexOf(['inc %ecx', 'cmp %edx,(%rcx)', 'jl 0x100'])).toBeNull();
		expect(indexOf(['inc %ecx', 'cmp %edx,%ecx', 'nop', 'nop', 'jl 0x100'])).toEqual(['%ecx', 1, 32]);
		expect(indexOf(['inc %ecx', 'cmp %edx,%ecx', 'nop', 'nop', 'nop', 'jl 0x100'])).toBeNull();
		expect(indexOf(['inc %ecx', 'cmp %edx,%ecx', 'test %eax,%eax', 'jl 0x100'])).toBeNull();
		expect(indexOf(['inc %ecx', 'cmp %edx,%ecx', 'call 0x900', 'jl 0x100'])).toBeNull();
	});

	test('a register that is stepped twice, or on some ways round only, is no index; nor is one that does not decide', () => {
		const lines = ['inc %ecx', 'cmp %edx,%ecx', 'jl 0x100'];
		expect(indexOf(['inc %ecx', ...lines])).toBeNull();
		expect(indexOf(lines, (i) => i !== 0)).toBeNull();
		expect(indexOf(lines, undefined, (branch) => branch !== 2)).toBeNull();
	});
});

describe('AArch64', () => {
	test.each<[string, string, (string | number)[] | null]>([
		['add w11, w11, #0x10', 'w11', ['w11', 16, 32]],
		['add  x11, x11, #16', 'x11', ['x11', 16, 64]],
		['sub w11,w11,#0x1', 'w11', ['w11', -1, 32]],
		['add w11, w12, #0x1', 'w11', null],
	])('%s', (step, register, expected) => {
		expect(indexOf([step, `cmp ${register}, w2`, 'b.lt 0x100'])).toEqual(expected);
	});

	test('subs sets the flags itself', () => {
		expect(indexOf(['subs w3, w3, #0x1', 'b.ne 0x100'])).toEqual(['w3', -1, 32]);
	});
});
