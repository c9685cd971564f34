/** Instructions that are slow by themselves, and the samples that waited for them. */
import { describe, expect, test } from 'vitest';
import type { Instructions } from '../model/instructions.js';
import { SparseColumn } from '../model/sparse-column.js';
import type { HotReport } from './hot-results.js';
import { slowAmong, slowInstructions } from './slow-instructions.js';

interface Code {
	readonly texts: readonly string[];
	readonly seen: readonly number[];
	readonly analysed?: readonly number[];
	readonly compileId?: string | null;
	/** Innermost method and line of each instruction; none: nothing is described. */
	readonly frames?: readonly { readonly method: string; readonly line: number; readonly bci: number }[];
}

const column = (values: readonly number[]): SparseColumn => SparseColumn.of(Float64Array.from(values));

function report(...codes: Code[]): HotReport {
	const code = codes.map(({ texts, seen, analysed, compileId = '7', frames }) => {
		const instructions = {
			length: texts.length,
			formAt: (i: number) => (texts[i] ?? '').trim(),
			textAt: (i: number) => texts[i] ?? '',
			frames: (i: number) => (frames?.[i] === undefined ? [] : [frames[i]]),
		} as unknown as Instructions;
		const seenAt = column(seen);
		const analysedAt = analysed === undefined ? null : column(analysed);
		return { code: { compileId, name: 'a.B.f' }, instructions, seenAt, analysedAt, slowAt: slowAmong(instructions, seenAt, analysedAt) };
	});
	return { attribution: { counted: 200 }, code } as unknown as HotReport;
}

const rows = (...codes: Code[]) => slowInstructions(report(...codes)).map(({ kind, text, percent }) => [kind, text, percent]);

describe('samples', () => {
	const texts = ['mov %rax,%rbx', 'idiv %ecx', 'add %rax,%rbx', 'nop'];

	test('of the instruction, and of the one behind it, which is where a timer sees the wait', () => {
		expect(rows({ texts, seen: [8, 10, 40, 6] })).toEqual([['division', 'idiv %ecx', 25]]);
		expect(rows({ texts, seen: [0, 0, 40, 0] })).toEqual([['division', 'idiv %ecx', 20]]);
		expect(rows({ texts, seen: [9, 0, 0, 9] })).toEqual([]);
	});

	test('where skid was removed, of the instruction alone', () => {
		expect(rows({ texts, seen: [0, 10, 40, 0], analysed: [0, 30, 4, 0] })).toEqual([['division', 'idiv %ecx', 15]]);
		expect(rows({ texts, seen: [0, 0, 0, 0], analysed: [0, 30, 4, 0] })).toEqual([['division', 'idiv %ecx', 15]]);
	});

	test('of two slow ones in a row each has its own', () => {
		expect(rows({ texts: ['idiv %ecx', 'lock xadd %eax,(%rbx)', 'nop'], seen: [10, 20, 30] })).toEqual([
			['atomic', 'lock xadd %eax,(%rbx)', 25],
			['division', 'idiv %ecx', 5],
		]);
	});

	test('of all code, hottest first; code without a compilation or without instructions has none', () => {
		const hot: Code = { texts: ['idiv %ecx'], seen: [50] };
		const cold: Code = { texts: ['idiv %edx'], seen: [2] };
		expect(rows(cold, hot)).toEqual([
			['division', 'idiv %ecx', 25],
			['division', 'idiv %edx', 1],
		]);
		expect(rows({ ...hot, compileId: null })).toEqual([]);
		const without = report(hot);
		expect(slowInstructions({ ...without, code: without.code.map((one) => ({ ...one, instructions: null })) })).toEqual([]);
	});
});

test.each([
	['idiv %ecx', 'division'],
	['vdivsd %xmm1,%xmm2,%xmm3', 'division'],
	['lock addl $0x0,-0x40(%rsp)', 'barrier'],
	['mfence', 'barrier'],
	['lock cmpxchg %rcx,(%rdx)', 'atomic'],
	['xchg %eax,(%rbx)', 'atomic'],
])('%s is a %s', (text, kind) => {
	expect(rows({ texts: [text], seen: [20] })).toEqual([[kind, text, 10]]);
});

test('the place is the innermost method that is described there, else the compiled one', () => {
	const frames = [{ method: 'a.C.g', line: 12, bci: 3 }];
	expect(slowInstructions(report({ texts: ['  idiv %ecx'], seen: [20], frames }))).toEqual([
		{ kind: 'division', text: 'idiv %ecx', compileId: '7', method: 'a.C.g', line: 12, bci: 3, percent: 10 },
	]);
	expect(slowInstructions(report({ texts: ['idiv %ecx'], seen: [20] }))).toMatchObject([{ method: 'a.B.f', line: null, bci: null }]);
});
