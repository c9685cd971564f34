import { expect, test } from 'vitest';
import { type PrintedLine, printedMethod } from '../../test/code.js';
import { controlFlow } from '../model/loops.js';
import { splitLoops } from './split-loops.js';

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
