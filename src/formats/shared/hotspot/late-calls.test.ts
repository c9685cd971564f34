import { describe, expect, test } from 'vitest';
import { DebugInfo } from '../../../model/instructions.js';
import { instructionsOfRows, type Row } from '../../hotspot-code/instructions.js';
import { isLateCall, withoutLateCalls } from './late-calls.js';

const row = (address: number, text: string, comments: string[] = [], label: string | null = null): Row => ({ address, end: Number.NaN, text, comments, label });
const BOXES = ['*invokestatic valueOf {reexecute=0 rethrow=0 return_oop=0}', '- a.Index::get@10 (line 266)', '- a.Table::row@6 (line 331)'];
const LOOKS = ['*aaload', '- a.Keys::search@9 (line 71)', '- a.Index::get@13 (line 266)', '- a.Table::row@6 (line 331)'];
const CODE = [
	row(1, 'mov %r10d,%r8d', ['*aload_2', ...LOOKS.slice(1)]),
	row(2, 'cmp %eax,%r10d'),
	row(3, 'jae 0x60', BOXES),
	row(4, 'mov 0x10(%rbx,%r10,4),%edi', LOOKS),
	row(5, 'cmp %rdi,%r14', BOXES),
	row(6, 'ret', BOXES),
	row(7, 'hlt', ['*areturn', '- a.Table::row@20 (line 332)'], '[Stub Code]'),
];
const linesOf = (rows: readonly Row[]): (number | null | undefined)[] => {
	const { instructions, labels } = instructionsOfRows(rows, 8);
	const corrected = withoutLateCalls(instructions, labels);
	return Array.from({ length: corrected.length }, (_, i) => corrected.frames(i)[0]?.line);
};

test('which bytecodes are such calls', () => {
	const late = ['invokestatic valueOf', 'invokestatic valueOf {reexecute=0}', 'invokespecial <init>', 'invokespecial <init> {reexecute=0}'];
	expect(late.filter(isLateCall)).toEqual(late);
	expect(['invokestatic valueOfAll', 'invokevirtual valueOf', 'valueOf', 'invokespecial <init>x', 'invokespecial run'].filter(isLateCall)).toEqual([]);
});

describe('instructions that are described as a call that was inlined late', () => {
	test('belong to what is described behind them, else before them, not beyond the stubs', () => {
		expect(linesOf(CODE)).toEqual([71, 71, 71, 71, 71, 71, 332]);
	});

	test('of whatever call the log names', () => {
		const EQUALS = ['*invokevirtual equals', '- a.Keys::same@7 (line 80)', '- a.Index::get@13 (line 266)', '- a.Table::row@6 (line 331)'];
		const rows = [
			row(1, 'mov %r10d,%r8d', LOOKS),
			row(2, 'cmp %eax,%r10d', EQUALS),
			row(3, 'call 0x100', [...EQUALS, 'ImmutableOopMap{}']),
			row(4, 'cmp %rdi,%r14', EQUALS),
			row(5, 'ret', ['*areturn', '- a.Table::row@20 (line 332)']),
		];
		const { instructions, labels } = instructionsOfRows(rows, 8);
		const linesWith = (...bcis: readonly number[]) => {
			const place = ['a.Keys.same', 'a.Index.get', 'a.Table.row'].map((method, i) => ({ method, bci: bcis[i]! }));
			const corrected = withoutLateCalls(instructions, labels, () => [place]);
			return rows.map((_, i) => corrected.frames(i)[0]?.line);
		};
		// The call itself is there, and what is right before it may belong to what they both are in.
		expect(linesWith(7, 13, 6)).toEqual([71, 266, 80, 332, 332]);
		expect(linesWith(7, 13, 5)).toEqual([71, 80, 80, 80, 332]);
		expect(linesWith(8, 13, 6)).toEqual([71, 80, 80, 80, 332]);
		// Only names that differ from run to run.
		const hidden = rows.map((one) => ({
			...one,
			comments: one.comments.map((text) => text.replace('a.Keys::same', () => 'a.K$$Lambda$12/0x00000008010a1000::same')),
		}));
		const lambdas = instructionsOfRows(hidden, 8);
		const logged = [
			{ method: 'a.K$$Lambda/0x00000008010a1000.same', bci: 7 },
			{ method: 'a.Index.get', bci: 13 },
			{ method: 'a.Table.row', bci: 6 },
		];
		expect(withoutLateCalls(lambdas.instructions, lambdas.labels, () => [logged]).frames(1)).toMatchObject([{ line: 266 }, { line: 331 }]);
	});

	test('before the first bytecode of an inlined callee to the method that calls it', () => {
		const callee = ['*getfield size', '- a.Keys::size@1 (line 90)', '- a.Index::get@17 (line 267)', '- a.Table::row@6 (line 331)'];
		const after = ['*iadd', '- a.Index::get@19 (line 268)', '- a.Table::row@6 (line 331)'];
		const rows = [
			row(1, 'mov %r10d,%r8d', ['*aload_0', '- a.Index::get@8 (line 265)', '- a.Table::row@6 (line 331)']),
			row(2, 'cmp %eax,%r10d', BOXES),
			row(3, 'mov 0xc(%r11),%eax', callee),
			row(4, 'cmp %rdi,%r14', BOXES),
			row(5, 'add %eax,%ebx', after),
			row(6, 'cmp %eax,%r10d', BOXES),
			row(7, 'inc %ebx', ['*iinc', '- a.Index::get@19 (line 268)', '- a.Table::row@6 (line 331)']),
			row(8, 'cmp %eax,%r10d', BOXES),
			row(9, 'ret', ['*areturn', '- b.Other::row@20 (line 40)']),
		];
		expect(linesOf(rows)).toEqual([265, 267, 90, 268, 268, 268, 268, 40, 40]);
	});

	test('behind a jump to where it comes from', () => {
		const rows = [
			row(1, 'mov %r10d,%r8d', LOOKS),
			row(2, 'jmp 0x5', BOXES),
			row(3, 'inc %eax', BOXES),
			row(4, 'ret', ['*ireturn', '- a.Table::row@21 (line 333)']),
			row(5, 'cmp %rdi,%r14', BOXES),
			row(6, 'jmp 0x3', BOXES),
			row(7, 'dec %eax', BOXES),
			row(8, 'ret', BOXES),
			row(9, 'nop', ['*return', '- a.Table::row@30 (line 340)']),
		];
		// Nothing leads to the last block: it belongs to what is described behind it, wherever that is.
		expect(linesOf(rows)).toEqual([71, 71, 333, 333, 71, 71, 340, 340, 340]);
	});

	test('the rest is as it was, and they are marked', () => {
		const { instructions, labels } = instructionsOfRows(CODE, 8);
		const corrected = withoutLateCalls(instructions, labels);
		expect([...corrected.debugInfo].map((bits) => [(bits & DebugInfo.Frames) !== 0, (bits & DebugInfo.LateCall) !== 0])).toEqual([
			[true, false],
			[false, false],
			[false, true],
			[true, false],
			[false, true],
			[false, true],
			[true, false],
		]);
		expect(corrected.comments).toEqual(instructions.comments);
		expect(corrected.text).toEqual(instructions.text);
		expect([corrected.calledName(2), corrected.textAt(3), corrected.formAt(3), corrected.length]).toEqual(['valueOf', CODE[3]!.text, CODE[3]!.text, 7]);
		expect([...corrected.position].map((position) => corrected.positions[position]?.length)).toEqual([3, 3, 3, 3, 3, 3, 1]);
		expect(corrected.lateCalls()).toEqual([]);
		expect(instructions.lateCalls()).toEqual([2, 4, 5]);
	});

	test('stay where the code calls it', () => {
		const called = CODE.map((one, i) => (i === 4 ? row(5, 'call 0x100', [...BOXES, 'ImmutableOopMap{}']) : one));
		expect(linesOf(called)).toEqual([71, 266, 266, 71, 266, 266, 332]);
		const { instructions, labels } = instructionsOfRows(called, 8);
		const corrected = withoutLateCalls(instructions, labels);
		expect([corrected.position, corrected.debugInfo]).toEqual([instructions.position, instructions.debugInfo]);
	});

	test('go where only the same method called elsewhere calls it', () => {
		const elsewhere = CODE.map((one, i) => (i === 4 ? row(5, 'call 0x100', [...BOXES.slice(0, 2), '- a.Other::row@6 (line 9)', 'ImmutableOopMap{}']) : one));
		expect(linesOf(elsewhere)).toEqual([71, 71, 71, 71, 266, 266, 332]);
	});
});
