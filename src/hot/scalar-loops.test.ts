/** Loops over arrays without vector instructions, from the text of C2's code on JDK 17 and 25 (x86-64), and of code that is no such loop. */
import { describe, expect, test } from 'vitest';
import { Flow } from '../model/instructions.js';
import type { HotReport } from './hot-results.js';
import { scalarLoops } from './scalar-loops.js';

interface Options {
	readonly samples?: number;
	readonly compiler?: string;
	/** Instructions of inner loops. */
	readonly inner?: number;
}

/** A loop of these lines at address 0, 4, …: `jl 0x0` goes round, targets beyond it lead out. */
function loopsOf(lines: readonly string[], { samples = 50, compiler = 'c2', inner = 0 }: Options = {}) {
	const targets = lines.map((text) => Number(/^(?:j|call)\w* (0x[0-9a-f]+)/.exec(text)?.[1] ?? Number.NaN));
	const instructions = {
		length: lines.length,
		address: Float64Array.from(lines, (_, i) => 4 * i),
		flow: lines.map((text) => (text.startsWith('call') ? Flow.Call : text.startsWith('jmp') ? Flow.Jump : text.startsWith('j') ? Flow.Branch : Flow.Next)),
		target: targets,
		textAt: (i: number) => lines[i]!,
		frames: (i: number) => [{ method: 'a.B.f', line: 10 + i, bci: i }],
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
		const next = ['mov 0x58(%rsp),%r8', 'add %r9,%r8', 'mov %r8d,%r10d', 'add $0x2,%ecx', 'cmp %edi,%ecx', 'jl 0x0'];
		expect(loopsOf([...long, ...next])).toEqual([
			{ compileId: '7', method: 'a.B.f', line: 23, bci: 13, percent: 50, reason: 'bounds', boundsChecks: 2, sums: 0 },
		]);
		const step = ['mov 0x8(%rsp),%r8d', 'lea -0x1(%r10,%r8,1),%r10d', 'mov 0x30(%r15),%r11', 'movabs $0x687424758,%r8', 'test %eax,(%r11)'];
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
	});
});
