import { describe, expect, test } from 'vitest';
import { type PrintedLine, printedMethod } from '../../test/code.js';
import { controlFlow } from '../model/loops.js';
import { isOfLoop, splitLoops } from './split-loops.js';

/** Of the outermost loop. */
function split(...lines: readonly PrintedLine[]) {
	const { instructions } = printedMethod('a.B.f', lines);
	const flow = controlFlow(instructions);
	const outermost = flow.loops.findIndex(({ parent }) => parent < 0);
	return splitLoops(instructions, flow).get(outermost) ?? null;
}

const POLL: PrintedLine = ['test %eax,(%r10)', '{poll}'];

test('strip-mined: the outer loop polls and goes on with the index, whatever limits it', () => {
	const strip = (step: string, limit: string) =>
		split(['cmp $' + limit + ',%ebp'], [`add $${step},%ecx`], ['cmp %ebp,%ecx'], ['jl 0x104'], POLL, ['cmp %ebx,%ecx'], ['jl 0x100'], ['ret']);
	expect(strip('0x1', '0x3e8')).toEqual({ kind: 'strip', iterations: 1000 });
	expect(strip('0x10', '0x3e80')).toEqual({ kind: 'strip', iterations: 1000 });
	expect(strip('0x30', '0xbb80')).toEqual({ kind: 'strip', iterations: 1000 });
	expect(strip('0x3', '0x12c')).toEqual({ kind: 'strip', iterations: 100 });
	expect(strip('0x3', '0x12d')).toEqual({ kind: 'strip', iterations: null });
});

test('the index may be moved between registers and through the stack', () => {
	const moved = split(['mov %r9d,%ecx'], ['inc %ecx'], ['cmp %ebp,%ecx'], ['jl 0x104'], POLL, ['mov %ecx,%r9d'], ['cmp %ebx,%r9d'], ['jl 0x100'], ['ret']);
	expect(moved).toMatchObject({ kind: 'strip' });
	const spilled = split(
		['mov 0x8(%rsp),%ecx'],
		['inc %ecx'],
		['cmp %ebp,%ecx'],
		['jl 0x104'],
		POLL,
		['mov %ecx,0x8(%rsp)'],
		['cmp %ebx,%ecx'],
		['jl 0x100'],
		['ret'],
	);
	expect(spilled).toMatchObject({ kind: 'strip' });
	const arm = split(
		['mov w9, w1'],
		['add w9, w9, #0x1'],
		['cmp w9, w2'],
		['b.lt 0x104'],
		['ldr wzr, [x8]', '{poll}'],
		['mov w1, w9'],
		['cmp w1, w3'],
		['b.lt 0x100'],
		['ret'],
	);
	expect(arm).toMatchObject({ kind: 'strip' });
});

test('a loop of the source around it starts the index again, or compares something else', () => {
	const around = (start: string, compare: string) =>
		split([start], ['inc %ecx'], ['cmp %ebp,%ecx'], ['jl 0x104'], POLL, ['inc %ebx'], [compare], ['jl 0x100'], ['ret']);
	expect(around('xor %ecx,%ecx', 'cmp %edx,%ebx')).toBeNull();
	expect(around('mov $0x5,%ecx', 'cmp %edx,%ecx')).toBeNull();
	expect(around('mov %ebx,%ecx', 'cmp %edx,%ecx')).toBeNull();
	expect(around('nop', 'cmp %edx,%ebx')).toBeNull();
});

test('none without a poll around it, with one or a call inside, or with two loops inside', () => {
	const nest = (inside: PrintedLine, poll: PrintedLine) =>
		split(inside, ['inc %ecx'], ['cmp %ebp,%ecx'], ['jl 0x100'], poll, ['cmp %ebx,%ecx'], ['jl 0x100'], ['ret']);
	const outer = (inside: PrintedLine, poll: PrintedLine) =>
		split(['nop'], inside, ['inc %ecx'], ['cmp %ebp,%ecx'], ['jl 0x104'], poll, ['cmp %ebx,%ecx'], ['jl 0x100'], ['ret']);
	expect(nest(['nop'], ['nop'])).toBeNull();
	expect(outer(['nop'], POLL)).toMatchObject({ kind: 'strip' });
	expect(outer(POLL, POLL)).toBeNull();
	expect(outer(['call 0x900', '{static_call}'], POLL)).toBeNull();
});

test('a long index: int loops that start again inside one that compares what is made from their index with 64 bits', () => {
	const nest = (made: string, compare: string) =>
		split(['mov $0x2,%ebx'], ['inc %ebx'], ['cmp %r9d,%ebx'], ['jl 0x104'], [made], ['add %r11,%rcx'], POLL, [compare], ['jl 0x100'], ['ret']);
	expect(nest('movslq %ebx,%rcx', 'cmp %rsi,%rcx')).toEqual({ kind: 'long', iterations: null });
	expect(nest('movslq %ebx,%rcx', 'cmp $0x320,%rcx')).toEqual({ kind: 'long', iterations: null });
	expect(nest('movslq %ebx,%rcx', 'cmp %esi,%ecx')).toBeNull();
	// A loop of the source with a long index of its own.
	expect(nest('mov %r8,%rcx', 'cmp %rsi,%rcx')).toBeNull();
});

test('a long index: checks that lead to traps end no loop, and a way around the inner loop starts nothing again', () => {
	const trap: PrintedLine = ['call 0x900', '{runtime_call UncommonTrapBlob}'];
	const nest = (exit: string, behind: PrintedLine) =>
		split(
			['jmp 0x114'],
			['inc %r9'], // 0x104, behind the inner loop
			[`cmp ${exit}`],
			['jge 0x158'],
			['mov %r9,%r8'],
			['cmp %ebx,%r10d'], // 0x114, the header: what an array's length was
			['jae 0x15c'],
			['mov $0xbb8,%ecx'],
			['sub %r8,%rcx'],
			['mov %ecx,%r14d'], // 0x124
			POLL,
			['cmp $0x1,%r14d'],
			['jle 0x150'],
			['mov $0x1,%esi'], // 0x134
			['movslq %esi,%r9'], // the inner loop
			['add %r8,%r9'],
			['inc %esi'],
			['cmp %r14d,%esi'], // 0x144
			['jl 0x138'],
			['jmp 0x104'],
			['lea 0x2(%r8),%r9'], // 0x150, where the inner one has nothing to do
			['jmp 0x108'],
			['ret'], // 0x158
			['mov %r8,%r13'], // 0x15c
			behind,
		);
	expect(nest('$0xbb8,%r9', trap)).toEqual({ kind: 'long', iterations: null });
	expect(nest('$0xbb8,%r9d', trap)).toBeNull();
	// What is compared last is no check of a trap, but an exit of 32 bits.
	expect(nest('$0xbb8,%r9', ['ret'])).toBeNull();
});

describe('how long a strip is', () => {
	const strip = (compare: string, step = '$0x2', ...more: readonly PrintedLine[]) =>
		split([compare], [`add ${step},%ecx`], ['cmp %ebp,%ecx'], ['jl 0x104'], POLL, ...more, ['cmp %ebx,%ecx'], ['jl 0x100'], ['ret'])?.iterations;

	test.each<[string, string, number | null]>([
		['cmp $0x7d0,%ebp', '$0x2', 1000],
		['cmp $2000,%ebp', '$0x2', 1000],
		['cmp $0x7d0,%ebp', '$0xfffffffe', 1000],
		['cmp $0x0,%ebp', '$0x2', null],
		['cmp $0x7ffffffe,%ebp', '$0x2', 0x3fffffff],
		['cmp $0x80000000,%ebp', '$0x2', null],
		['cmp $-4,%ebp', '$0x2', null],
		['mov $0x7d0,%ebp', '$0x2', null],
		['cmp %esi,%ebp', '$0x2', null],
	])('%s, by %s', (compare, step, iterations) => {
		expect(strip(compare, step)).toBe(iterations);
	});

	test('of several constants the largest', () => {
		expect(strip('cmp $0x7d0,%ebp', '$0x2', ['cmp $0x4,%esi'])).toBe(1000);
		expect(strip('cmp $0x4,%ebp', '$0x2', ['cmp $0x7d0,%esi'])).toBe(1000);
	});
});

test.each([
	[[], 5, false],
	[[5], 4, false],
	[[5], 5, true],
	[[5], 10, true],
	[[5], 11, false],
	[[5, 20], 12, true],
	[[5, 20], 25, true],
	[[5, 20], 26, false],
])('the loop of bytecodes %j has %i: %s', (bytecodes, bci, expected) => {
	expect(isOfLoop(bytecodes, bci)).toBe(expected);
});

describe('without an index that shows, the bytecode of the poll tells', () => {
	const at = (bci: number, name = 'f'): string => `- a.B::${name}@${bci} (line 1)`;
	const nest = (inner: readonly string[], polled: readonly string[], compare = 'cmp %ebx,%edx') =>
		split(['nop'], ['add %esi,%ecx', ...inner], ['cmp %ebp,%ecx'], ['jl 0x104'], ['nop', ...polled], POLL, [compare], ['jl 0x100'], ['ret']);

	test.each<[string, readonly string[], readonly string[], string, object | null]>([
		['the same', [at(5)], [at(5)], 'cmp %ebx,%edx', { kind: 'strip', iterations: null }],
		['a little behind', [at(5)], [at(10)], 'cmp %ebx,%edx', { kind: 'strip', iterations: null }],
		['further behind', [at(5)], [at(11)], 'cmp %ebx,%edx', null],
		['of another method', [at(5)], [at(5, 'g')], 'cmp %ebx,%edx', null],
		['of nothing', [], [at(5)], 'cmp %ebx,%edx', null],
		['the same, but 64 bits decide', [at(5)], [at(5)], 'cmp %rbx,%rdx', { kind: 'long', iterations: null }],
		['of another method, and 64 bits decide', [at(5)], [at(5, 'g')], 'cmp %rbx,%rdx', null],
		['the same, and nothing is compared', [at(5)], [at(5)], 'nop', { kind: 'strip', iterations: null }],
	])('%s', (_, inner, polled, compare, expected) => {
		expect(nest(inner, polled, compare)).toEqual(expected);
	});
});

describe('the comparison that ends a loop over a long index', () => {
	/** What stands between the comparison and the branch back. */
	const nest = (compare: string, ...between: readonly PrintedLine[]) =>
		split(['mov $0x2,%ebx'], ['inc %ebx'], ['cmp %r9d,%ebx'], ['jl 0x104'], ['movslq %ebx,%rcx'], POLL, [compare], ...between, ['jl 0x100'], ['ret'])?.kind;
	const nops = (count: number): PrintedLine[] => Array.from({ length: count }, () => ['nop']);

	test('stands close before the branch', () => {
		expect(nest('cmp %rsi,%rcx', ...nops(3))).toBe('long');
		expect(nest('cmp %rsi,%rcx', ...nops(4))).toBeUndefined();
		expect(nest('test %rcx,%rcx')).toBe('long');
		// Polls test too.
		expect(nest('cmp %rsi,%rcx', ['test %eax,(%r10)', '{poll}'])).toBe('long');
	});

	test.each([
		['cmp %rsi,%rcx', 'long'],
		['cmp %r8,%rcx', 'long'],
		['cmp %esi,%ecx', undefined],
		['cmp %r8d,%rcx', undefined],
		['mov %rsi,%rcx', undefined],
	])('%s', (compare, expected) => {
		expect(nest(compare)).toBe(expected);
	});

	test('AArch64', () => {
		const arm = (compare: string) =>
			split(
				['mov w9, #0x2'],
				['add w9, w9, #0x1'],
				['cmp w9, w2'],
				['b.lt 0x104'],
				['sxtw x4, w9'],
				['ldr wzr, [x8]', '{poll}'],
				[compare],
				['b.lt 0x100'],
				['ret'],
			)?.kind;
		expect([arm('cmp x4, x5'), arm('cmp w4, w5'), arm('subs x6, x4, x5')]).toEqual(['long', undefined, undefined]);
	});

	test.each([
		[0, 'long'],
		[7, 'long'],
		// Further away it is not seen that a trap comes: that branch ends the loop.
		[8, undefined],
	])('a check that leads over %i jumps to a trap is none', (jumps, expected) => {
		const behind = Array.from({ length: jumps }, (_, n): PrintedLine => [`jmp 0x${(0x134 + 4 * n).toString(16)}`]);
		expect(
			split(
				['mov $0x2,%ebx'],
				['inc %ebx'],
				['cmp %r9d,%ebx'],
				['jl 0x104'],
				['movslq %ebx,%rcx'],
				POLL,
				['cmp %rsi,%rcx'],
				['jge 0x12c'],
				['cmp %eax,%edi'],
				['jae 0x130'],
				['jmp 0x100'],
				['ret'], // 0x12c
				...behind,
				['call 0x900', '{runtime_call UncommonTrapBlob}'],
			)?.kind,
		).toBe(expected);
	});
});

describe('loops inside', () => {
	const INNER: readonly PrintedLine[] = [['cmp %ebp,%ecx'], ['jl 0x104']];

	test('two are no strip; around two a long index may be', () => {
		const two = (made: string, compare: string) =>
			split(
				['mov $0x2,%ebx'],
				['inc %ebx'],
				['cmp %r9d,%ebx'],
				['jl 0x104'],
				['add $0x4,%ebx'],
				['cmp %r8d,%ebx'],
				['jl 0x110'],
				[made],
				POLL,
				[compare],
				['jl 0x100'],
				['ret'],
			)?.kind;
		expect(two('movslq %ebx,%rcx', 'cmp %rsi,%rcx')).toBe('long');
		expect(two('nop', 'cmp %esi,%ebx')).toBeUndefined();
	});

	test('one with a loop inside is no strip', () => {
		const deep = split(['nop'], ['inc %ecx'], ['cmp %rsi,(%rdi)'], ['jne 0x108'], ...INNER, POLL, ['cmp %ebx,%ecx'], ['jl 0x100'], ['ret']);
		expect(deep).toBeNull();
	});

	test('strips may be those of a long index', () => {
		const nest = (compare: string) => {
			const { instructions } = printedMethod('a.B.f', [
				['mov $0x2,%ecx'], // 0x100, of the long index
				['cmp $0x3e8,%ebp'], // 0x104, of the strips
				['inc %ecx'], // 0x108
				['cmp %ebp,%ecx'],
				['jl 0x108'],
				POLL,
				['cmp %ebx,%ecx'],
				['jl 0x104'],
				['movslq %ecx,%rdx'],
				POLL,
				[compare],
				['jl 0x100'],
				['ret'],
			]);
			const flow = controlFlow(instructions);
			return [...splitLoops(instructions, flow)].map(([loop, { kind }]) => [flow.loops[loop]?.depth, kind]);
		};
		expect(nest('cmp %rsi,%rdx')).toEqual([
			[2, 'strip'],
			[1, 'long'],
		]);
		expect(nest('cmp %rsi,%rdi')).toEqual([[2, 'strip']]);
	});
});
