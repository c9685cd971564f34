/** Whether an outer loop goes on with the index of the inner one, from the text of its instructions. */
import { expect, test } from 'vitest';
import { printedMethod } from '../../test/code.js';
import { carriedIndex } from './carried-index.js';

/** Of an inner loop of these lines and an outer one of those. */
function carried(body: readonly string[], own: readonly string[], register = '%ebx'): [boolean, ...number[]] {
	const { instructions } = printedMethod(
		'a.B.f',
		[...body, ...own, 'ret'].map((line) => [line] as const),
	);
	const indexes = own.map((_, i) => body.length + i);
	const { goesOn, comparisons } = carriedIndex(
		instructions,
		indexes,
		body.map((_, i) => i),
		register,
	);
	return [goesOn, ...comparisons.map((i) => i - body.length)];
}

test.each<[string[], boolean]>([
	[[], true],
	[['mov $0x0,%ebx'], false],
	[['xor %ebx,%ebx'], false],
	[['xor %ecx,%ebx'], true],
	[['xor %ebx,%ecx'], true],
	[['mov %ebx,%ecx', 'xor %ebx,%ebx', 'mov %ecx,%ebx'], true],
	[['mov %ebx,%ecx', 'xor %ecx,%ecx', 'mov %ecx,%ebx'], false],
	[['mov %edx,%ebx'], false],
	[['add %edx,%ebx'], true],
	[['add %ebx,%edx', 'mov %edx,%ebx'], true],
	[['lea 0x8(%rbx),%ecx', 'mov %ecx,%ebx'], true],
	[['lea 0x8(%rcx,%rbx,4),%rdx', 'mov %edx,%ebx'], true],
	[['lea 0x8(%rcx,%rdx,4),%ebx'], false],
	[['vmovd %ebx,%xmm3', 'vmovd %xmm3,%ebx'], true],
	// Through the stack, but not through other memory.
	[['mov %ebx,0x10(%rsp)', 'mov $0x0,%ebx', 'mov 0x10(%rsp),%ebx'], true],
	[['mov %ebx,(%rsp)', 'mov $0x0,%ebx', 'mov (%rsp),%ebx'], true],
	[['mov %ebx,0x10(%rsp)', 'mov $0x0,%ebx', 'mov 0x18(%rsp),%ebx'], false],
	[['mov %ebx,0x10(%rdi)', 'mov $0x0,%ebx', 'mov 0x10(%rdi),%ebx'], false],
	// These write nothing.
	[['cmp %ebx,%ecx', 'test %ebx,%ebx', 'call 0x900', 'push %rbx', 'nop', 'prefetchw (%rbx)', 'jl 0x100'], true],
	// Three operands: the last is written only.
	[['vpaddd %xmm1,%xmm2,%ebx'], false],
	[['vpaddd %ebx,%xmm2,%xmm3', 'vmovd %xmm3,%ebx'], true],
])('x86-64 %j: the index goes on, %s', (own, goesOn) => {
	expect(carried(['add $0x1,%ebx'], own)[0]).toBe(goesOn);
});

test.each<[string[], boolean]>([
	[['mov w3, #0x0'], false],
	[['mov w3, w4'], false],
	[['mov w5, w3', 'mov w3, #0x0', 'mov w3, w5'], true],
	[['add x3, x3, #0x8'], true],
	[['add x3, x4, x5'], false],
	[['add x4, x5, x3', 'mov x3, x4'], true],
	[['str w3, [sp, #16]', 'mov w3, #0x0', 'ldr w3, [sp, #16]'], true],
	[['stp x4, x3, [sp, #16]!', 'mov x3, #0x0', 'ldr x3, [sp, #16]'], true],
	[['str w3, [sp, #16]', 'mov w3, #0x0', 'ldr w3, [sp, #24]'], false],
	[['str w3, [x9, #16]', 'mov w3, #0x0', 'ldr w3, [x9, #16]'], false],
	[['cbz x3, 0x100', 'b 0x100', 'b.lt 0x100', 'bl 0x900', 'tbz w3, #1, 0x100', 'tst w3, w3'], true],
])('AArch64 %j: the index goes on, %s', (own, goesOn) => {
	expect(carried(['add w3, w3, #0x1'], own, 'w3')[0]).toBe(goesOn);
});

test('comparisons of what was made from the index', () => {
	expect(
		carried(['add $0x1,%ebx'], ['mov %ebx,%ecx', 'cmp %edx,%ecx', 'cmp %edx,%esi', 'test %rcx,%rcx', 'mov $0x1,%ecx', 'cmp %edx,%ecx', 'cmp 0x8(%rbx),%esi']),
	).toEqual([...[true, 1, 3, 6]]);
	expect(carried(['mov %ebx,%ecx', 'add $0x1,%ebx'], ['cmp %edx,%ecx', 'mov $0x0,%ebx', 'cmp %edx,%ebx'])).toEqual([false, 0]);
	expect(carried([], ['cmp', 'ret', 'mov'])).toEqual([true]);
});
