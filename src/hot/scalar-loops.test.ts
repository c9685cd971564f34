/** Loops over arrays without vector instructions, from the text of C2's code on JDK 17 and 25 (x86-64), and of code that is no such loop. */
import { describe, expect, test } from 'vitest';
import { Flow } from '../model/instructions.js';
import type { HotReport } from './hot-results.js';
import { scalarLoops } from './scalar-loops.js';

interface Options {
	/** Of each line, innermost first. */
	readonly frames?: (line: number) => readonly object[];
	readonly samples?: number;
	readonly compiler?: string;
	/** Instructions of inner loops. */
	readonly inner?: number;
}

/** A loop of these lines at address 0, 4, …: `jl 0x0` goes round, targets beyond it lead out. */
function loopsOf(
	lines: readonly string[],
	{ samples = 50, compiler = 'c2', inner = 0, frames = (i) => [{ method: 'a.B.f', line: 10 + i, bci: i }] }: Options = {},
) {
	const targets = lines.map((text) => Number(/^(?:j|call)\w* (0x[0-9a-f]+)/.exec(text)?.[1] ?? Number.NaN));
	const instructions = {
		length: lines.length,
		address: Float64Array.from(lines, (_, i) => 4 * i),
		flow: lines.map((text) => (text.startsWith('call') ? Flow.Call : text.startsWith('jmp') ? Flow.Jump : text.startsWith('j') ? Flow.Branch : Flow.Next)),
		target: targets,
		textAt: (i: number) => lines[i]!,
		frames,
	};
	const heat = { code: { compileId: '7', compiler, name: 'a.B.g' }, instructions, seen: lines.map((_, i) => i) };
	const region = { heat, loop: { instructions: lines.length + inner }, lines: lines.map((_, i) => i), samples };
	return scalarLoops({ attribution: { counted: 100 }, regions: [region] } as unknown as HotReport);
}

const reasonOf = (...lines: readonly string[]) => loopsOf(lines)[0]?.reason ?? null;
const END = ['cmp %ebp,%r10d', 'jl 0x0'];
const ADD = ['vmovsd 0x10(%r13,%r10,8),%xmm0', 'vaddsd 0x10(%r14,%r10,8),%xmm0,%xmm0', 'vmovsd %xmm0,0x10(%r8,%r10,8)'];

describe('why', () => {
	test('bounds are checked: an index of type long, or a step that is not constant', () => {
		const long = ['movslq %ecx,%r9', 'cmp 0xc(%rsp),%r10d', 'jae 0x1000', ADD[0]!, 'cmp 0x10(%rsp),%r10d', 'jae 0x1000', ...ADD.slice(1)];
		const next = ['mov 0x58(%rsp),%r8', 'add %r9,%r8', 'mov %r8d,%r10d', 'inc %ecx', 'cmp %edi,%ecx', 'jl 0x0'];
		expect(loopsOf([...long, ...next])).toEqual([
			{ compileId: '7', method: 'a.B.f', line: 23, bci: 13, percent: 50, reason: 'bounds', boundsChecks: 2, sums: 0 },
		]);
		const step = ['mov 0x8(%rsp),%r9d', 'lea -0x1(%r10,%r9,1),%r10d', 'mov 0x30(%r15),%r11', 'movabs $0x687424758,%r9', 'test %eax,(%r11)'];
		expect(reasonOf('cmp 0x10(%rsp),%r10d', 'jae 0x1000', ...ADD, ...step, ...END)).toBe('bounds');
	});

	test('other ways out, branches', () => {
		const find = ['mov 0x10(%r13,%r11,4),%eax', 'cmp %r10d,%eax', 'je 0x1000', 'inc %r11d', 'cmp %ebp,%r11d'];
		expect(reasonOf(...find, 'jl 0x0')).toBe('exit');
		expect(reasonOf(...find.with(2, 'je 0xc'), 'jl 0x0')).toBe('branch');
		// One way out is the end of the loop, where a jump goes round.
		expect(reasonOf('add 0x10(%r13,%r11,4),%r8d', 'inc %r11d', 'cmp %ebp,%r11d', 'jge 0x1000', 'jmp 0x0')).toBe('reduction');
	});

	test('a comparison of floats is no check of bounds; the way out counts for more', () => {
		const partition = ['vmovsd 0x10(%r13,%r11,8),%xmm1', 'vucomisd %xmm0,%xmm1', 'jbe 0x1000', 'inc %r11d', 'cmp %ebp,%r11d', 'jl 0x0'];
		expect(loopsOf(partition)).toMatchObject([{ reason: 'exit', boundsChecks: 0 }]);
		expect(loopsOf(['cmp %edi,%r11d', 'jae 0x1000', ...partition])).toMatchObject([{ reason: 'exit', boundsChecks: 1 }]);
	});

	test('several sums: the distance of two vectors as Lucene 10.1 computes it, with registers that only hold what is on its way', () => {
		const differences = [
			'vmovss 0x1c(%rbx,%r11,4),%xmm3',
			'vmovss 0x1c(%r10,%r11,4),%xmm2',
			'vmovss 0x10(%r10,%r11,4),%xmm5',
			'vmovss 0x10(%rbx,%r11,4),%xmm9',
		];
		const own = ['vsubss %xmm3,%xmm2,%xmm3', 'vmulss %xmm3,%xmm3,%xmm3', 'vaddss %xmm3,%xmm6,%xmm6', 'vsubss %xmm9,%xmm5,%xmm0', 'vmulss %xmm0,%xmm0,%xmm0'];
		const loop = [...differences, ...own, 'vaddss %xmm0,%xmm4,%xmm4', 'add $0x2,%r11d', 'cmp %edi,%r11d', 'jl 0x0'];
		expect(loopsOf(loop)).toMatchObject([{ reason: 'reduction', sums: 2 }]);
		const fused = ['vmovss 0x10(%rbx,%r11,4),%xmm0', 'vfmadd231ss 0x10(%r10,%r11,4),%xmm0,%xmm1', 'inc %r11d', 'cmp %edi,%r11d', 'jl 0x0'];
		expect(loopsOf(fused)).toMatchObject([{ reason: 'reduction', sums: 1 }]);
		expect(loopsOf(['add 0x10(%rbx,%r10,4),%r8d', 'xor 0x10(%rbx,%r10,4),%r9d', 'inc %r10d', ...END])).toMatchObject([{ reason: 'reduction', sums: 2 }]);
	});

	test('sums, of ints too, and elements that need the one before', () => {
		const sum = (...texts: readonly string[]) => reasonOf(...texts, 'add $0x2,%r10d', ...END);
		expect(sum('vaddsd 0x10(%rbx,%r10,8),%xmm0,%xmm0', 'vaddsd 0x18(%rbx,%r10,8),%xmm0,%xmm0')).toBe('reduction');
		expect(sum('add 0x10(%rbx,%r10,4),%r8d', 'add 0x14(%rbx,%r10,4),%r8d')).toBe('reduction');
		const store = (at: string): string => `vmovsd %xmm5,${at}(%r13,%r10,8)`;
		expect(
			sum('vmovsd 0x8(%r13,%r10,8),%xmm5', 'vaddsd 0x10(%r14,%r10,8),%xmm5,%xmm5', store('0x10'), 'vaddsd 0x18(%r14,%r10,8),%xmm5,%xmm5', store('0x18')),
		).toBe('recurrence');
	});

	/** Of C2 on JDK 17 and 25, and the names that the texts have there; loops are shorter. */
	const round = (step: number, ...texts: readonly string[]) => reasonOf('mov %r10d,%r11d', 'movslq %r11d,%rcx', ...texts, `lea 0x${step}(%r11),%r10d`, ...END);

	test('elements that need those before, by way of the array: one before in a register, three before', () => {
		expect(
			round(
				2,
				'mov 0xc(%r14,%rcx,4),%eax',
				'add 0x10(%r13,%rcx,4),%eax',
				'mov %eax,0x10(%r14,%rcx,4)',
				'add 0x14(%r13,%rcx,4),%eax',
				'mov %eax,0x14(%r14,%rcx,4)',
			),
		).toBe('recurrence');
		expect(round(1, 'mov 0x50(%rsp),%rbx', 'mov %r11d,%eax', 'xor 0x4(%rbx,%rcx,4),%eax', 'mov %eax,0x10(%rbx,%rcx,4)')).toBe('recurrence');
		// What is read is written later.
		expect(round(1, 'mov %r11d,%eax', 'xor 0x14(%rbx,%rcx,4),%eax', 'mov %eax,0x10(%rbx,%rcx,4)')).toBeNull();
	});

	test('arrays that may be one: AXPY of ojAlgo 54.0.0 on JDK 25, whose places are made of two registers each, and has no element that needs one before', () => {
		const indices = [
			'lea (%r10,%rcx,1),%r11d',
			'movslq %r11d,%rax',
			'lea (%rcx,%rbp,1),%r11d',
			'movslq %r11d,%r11',
			'movslq %ecx,%r9',
			'lea (%r9,%r13,1),%rbx',
		];
		const first = [
			'lea (%rdx,%r9,1),%r14',
			'vmovsd 0x10(%r8,%r14,8),%xmm3',
			'vmulsd %xmm5,%xmm3,%xmm3',
			'vaddsd 0x10(%rsi,%rbx,8),%xmm3,%xmm3',
			'vmovsd %xmm3,0x10(%rsi,%rbx,8)',
		];
		const next = ['vmovsd 0x18(%r8,%rax,8),%xmm3', 'vmulsd %xmm5,%xmm3,%xmm3', 'vaddsd 0x18(%rsi,%r11,8),%xmm3,%xmm3', 'vmovsd %xmm3,0x18(%rsi,%r11,8)'];
		expect(reasonOf(...indices, ...first, ...next, 'add $0x2,%ecx', 'cmp %edi,%ecx', 'jl 0x0')).toBe('alias');
	});

	test('arrays that may be one: places that differ by what C2 does not know, of one array or two; a place that was written before', () => {
		const axpy = (x: string, y: string) =>
			round(
				1,
				'lea (%r8,%rcx,1),%rbx',
				'lea (%r9,%rcx,1),%rdi',
				`vmovsd -0x1f6(%rip),%xmm6 # 0x7f93c3ec8f80`,
				`vmulsd ${x},%xmm6,%xmm6`,
				`vaddsd ${y},%xmm6,%xmm6`,
				`vmovsd %xmm6,${y}`,
			);
		expect(axpy('0x10(%r14,%rdi,8)', '0x10(%r13,%rbx,8)')).toBe('alias');
		expect(axpy('0x10(%r13,%rdi,8)', '0x10(%r13,%rbx,8)')).toBe('alias');
		expect(axpy('0x10(%r14,%rdi,8)', '0x10(%r13,%rcx,8)')).toBe('alias');
		expect(axpy('0x10(%r14,%rcx,8)', '0x10(%r13,%rcx,8)')).toBeNull();
		expect(axpy('0x8(%r14,%rcx,8)', '0x10(%r13,%rcx,8)')).toBe('alias');
		expect(axpy('0x18(%r14,%rcx,8)', '0x10(%r13,%rcx,8)')).toBe('shifted');
		// The index of bytes has no factor that tells it from the array.
		const bytes = (x: string, y: string) => round(1, `movsbl ${x},%eax`, 'imul %eax,%eax', `mov %al,${y}`);
		expect(bytes('0x10(%r14,%rcx,1)', '0x10(%r13,%rcx,1)')).toBeNull();
		expect(bytes('0xf(%r14,%rcx,1)', '0x10(%r13,%rcx,1)')).toBe('alias');
		expect(round(1, 'lea (%r8,%rcx,1),%rbx', 'movsbl 0x10(%r14,%rbx,1),%eax', 'mov %al,0x10(%r13,%rcx,1)')).toBe('alias');
		// Ints are in no array of doubles.
		expect(round(1, 'lea (%r9,%rcx,1),%rdi', 'vcvtsi2sd 0x10(%r14,%rdi,4),%xmm0,%xmm0', 'vmovsd %xmm0,0x10(%r13,%rcx,8)')).toBeNull();
		// One array in a register and on the stack: what belongs together is not known.
		const held = [
			'mov 0x40(%rsp),%rbx',
			'mov 0x10(%rbx,%rcx,4),%eax',
			'mov 0x50(%rsp),%rbx',
			'mov %eax,0x10(%rbx,%rcx,4)',
			'mov 0x14(%r14,%rcx,4),%eax',
			'mov %eax,0x14(%r13,%rcx,4)',
		];
		expect(round(2, ...held)).toBeNull();
	});

	test('elements that are left out, more of one array than of another, arrays in two directions', () => {
		expect(round(1, 'mov %ecx,%edi', 'shl %edi', 'mov 0x10(%r14,%rdi,4),%eax', 'mov %eax,0x10(%r13,%rcx,4)')).toBe('gaps');
		expect(round(2, 'mov 0x10(%r14,%rcx,4),%eax', 'mov %eax,0x10(%r14,%rcx,4)')).toBe('gaps');
		expect(round(1, 'mov %rcx,%rdi', 'neg %rdi', 'mov 0x1f4c(%r14,%rdi,4),%eax', 'mov %eax,0x10(%r13,%rcx,4)')).toBe('directions');
		expect(round(1, 'mov $0x7cc,%edi', 'sub %rcx,%rdi', 'mov 0x10(%r14,%rdi,4),%eax', 'mov %eax,0x10(%r13,%rcx,4)')).toBe('directions');
	});

	test('integers that are divided; more than one limit: C2 did not take it for a loop that it can count', () => {
		const modulo = ['mov 0x10(%r14,%rcx,4),%eax', 'cmp $0x80000000,%eax', 'jne 0x1c', 'xor %edx,%edx', 'cltd', 'idiv %r8d', 'mov %edx,0x10(%r13,%rcx,4)'];
		expect(round(1, ...modulo)).toBe('division');
		const counter = ['mov %r9d,%r8d', 'xor 0x10(%r13,%r9,4),%r8d', 'mov %r8d,0x10(%r13,%r9,4)', 'add $0x1,%r9d'];
		expect(reasonOf(...counter, 'cmp $0x7d0,%r9d', 'jge 0x1000', 'xor 0x10(%r13,%r9,4),%r8d', 'cmp %ebp,%r9d', 'jl 0x0')).toBe('uncounted');
	});
});

test('the method that has the loop is named, not what is inlined into each of its ways round: the rotation of two rows in EJML 0.43.1', () => {
	const frames = (i: number) => [
		...(i < 3 ? [{ method: 'DMatrixD1.set', line: 116, bci: 4 }] : []),
		{ method: 'Svd.updateRotator', line: 401 + i, bci: 40 + i },
		{ method: 'Svd.removeBulge', line: 547, bci: 90 },
	];
	const rotation = ['vmovsd 0x10(%rdi,%r9,8),%xmm0', 'vmulsd %xmm1,%xmm0,%xmm0', 'vmovsd %xmm0,0x10(%rdi,%r11,8)'];
	const loop = [...rotation, 'inc %r9d', 'inc %r11d', 'cmp %ebp,%r9d', 'jl 0x0'];
	expect(loopsOf(loop, { frames })).toMatchObject([{ method: 'Svd.updateRotator', line: 407, bci: 46, reason: 'alias' }]);
	// Where all of it is of one inlined method, that has the loop; one instruction of another method changes nothing.
	const inlined = [
		{ method: 'AXPY.invoke', line: 49, bci: 7 },
		{ method: 'Multiply.add', line: 204, bci: 90 },
	];
	const long = [...rotation, 'nop', 'nop', 'nop', 'nop', ...loop.slice(3)];
	expect(loopsOf(long, { frames: (i) => (i === 4 ? inlined.slice(1) : inlined) })).toMatchObject([{ method: 'AXPY.invoke', line: 49 }]);
});

describe('none', () => {
	const next = ['add $0x1,%r10d', ...END];

	test('where the code does not show why', () => {
		expect(reasonOf(...ADD, ...next)).toBeNull();
	});

	test('vectorized: wide registers, packed values; a cleared register is none', () => {
		expect(reasonOf('vaddpd 0x10(%r14,%r10,8),%ymm0,%ymm0', 'je 0x1000', ...ADD, ...next)).toBeNull();
		expect(reasonOf('paddd 0x10(%r14,%r10,4),%xmm0', 'je 0x1000', ...ADD, ...next)).toBeNull();
		expect(reasonOf('vpxor %xmm1,%xmm1,%xmm1', 'je 0x1000', ...ADD, ...next)).toBe('exit');
	});

	test('no array is walked: what is looked up, objects by compressed addresses, stores alone, no memory', () => {
		const exit = ['cmp %edx,%eax', 'je 0x1000'];
		expect(reasonOf('mov 0x10(%r13,%r11,4),%eax', ...exit, 'mov 0x10(%rsi,%rax,4),%r11d', ...next)).toBeNull();
		expect(reasonOf('mov 0xc(%r12,%r10,8),%eax', ...exit, ...next)).toBeNull();
		expect(reasonOf('mov %eax,0x10(%r13,%r10,4)', ...exit, ...next)).toBeNull();
		expect(reasonOf('lea 0x10(%r13,%r10,4),%rax', ...exit, ...next)).toBeNull();
		expect(reasonOf('mov 0x10(%r13,%r10,1),%eax', ...exit, ...next)).toBeNull();
		expect(reasonOf('movzbl 0x10(%r13,%r10,1),%eax', ...exit, ...next)).toBe('exit');
	});

	test('what the loop loads is an address, or part of one: rows of a matrix, tables; a register may be loaded anew', () => {
		const row = ['mov 0x10(%r13,%r10,4),%r8d', 'cmp %ebx,0xc(%r12,%r8,8)', 'jbe 0x1000', 'lea (%r12,%r8,8),%r9', 'vmovsd 0x10(%r9,%rbx,8),%xmm1'];
		expect(reasonOf(...row, ...next)).toBeNull();
		expect(reasonOf(...row.slice(3), ...row.slice(0, 1), 'je 0x1000', ...next)).toBeNull();
		expect(reasonOf('mov 0x8(%rsp),%r11', 'mov 0x10(%r11,%r10,4),%r11d', 'cmp %r9d,%r11d', 'je 0x1000', ...next)).toBe('exit');
	});

	test("loops around others, with calls, of other compilers' code, with few samples", () => {
		const lines = ['je 0x1000', ...ADD, ...next];
		expect(loopsOf(lines)).toHaveLength(1);
		expect(loopsOf(lines, { inner: 3 })).toEqual([]);
		expect(loopsOf(['call 0x2000', ...lines])).toEqual([]);
		expect(loopsOf(lines, { compiler: 'c1' })).toEqual([]);
		expect(loopsOf(lines, { samples: 4 })).toEqual([]);
		const long = Array.from({ length: 2000 }, (_, i) => `vaddsd 0x${i}(%rsp),%xmm0,%xmm0`);
		expect(loopsOf([...long.slice(lines.length), ...lines])).toHaveLength(1);
		expect(loopsOf([...long, ...lines])).toEqual([]);
	});
});
