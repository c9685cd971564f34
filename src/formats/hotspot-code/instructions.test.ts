import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Flow } from '../../model/instructions.js';
import { instructionsOfRows, type PrintedCode, type Row } from './instructions.js';

const row = (address: number, text: string, comments: string[] = [], label: string | null = null): Row => ({ address, end: Number.NaN, text, comments, label });
const framesOf = ({ instructions }: PrintedCode): string[] =>
	[...instructions.position].map((position) => (instructions.positions[position] ?? []).map(({ method, bci, line }) => `${method}@${bci}:${line}`).join(' < '));

test('ends, flow and targets', () => {
	const { instructions } = instructionsOfRows([row(10, 'je 0x14'), row(12, 'call 0x7f00'), row(17, 'jmp *%rax'), row(20, 'ret')], 32);
	expect([...instructions.end]).toEqual([12, 17, 20, 32]);
	expect([...instructions.flow]).toEqual([Flow.Branch, Flow.Call, Flow.Jump, Flow.Return]);
	expect([...instructions.target]).toEqual([0x14, 0x7f00, Number.NaN, Number.NaN]);
	expect(instructions.text[1]).toBe('call 0x7f00');
});

test('Intel syntax', () => {
	const { instructions } = instructionsOfRows([row(10, 'je 0x0000000000000014'), row(12, 'mov eax,DWORD PTR [rsi+0x10]'), row(20, 'ret')], 21);
	expect([...instructions.flow]).toEqual([Flow.Branch, Flow.Next, Flow.Return]);
	expect(instructions.target[0]).toBe(0x14);
});

test('an instruction belongs to the first description at or after it, not beyond the handlers', () => {
	const code = instructionsOfRows(
		[
			row(1, 'push %rbp'),
			row(2, 'mov 0xc(%rsi),%edi', ['*iaload {reexecute=0}', '- a.T::f@2 (line 3)', '- (reexecute)  a.T::<init>@-1 (line 30)', '- a.T$$Lambda/0x00007f::g@7']),
			row(3, 'inc %edi', ['{no frame}']),
			row(4, 'test %eax,(%r10)', ['*goto', '- (reexecute)  a.T::f@30 (line 1)', '{poll}']),
			row(5, 'nop'),
			row(6, 'call 0x10', [], 'Exception Handler'),
			row(7, 'hlt', ['- a.T::f@2 (line 3)']),
			row(8, 'nop'),
		],
		9,
	);
	expect(framesOf(code)).toEqual([
		'a.T.f@2:3 < a.T.<init>@-1:30 < a.T$$Lambda/0x00007f.g@7:null',
		'a.T.f@2:3 < a.T.<init>@-1:30 < a.T$$Lambda/0x00007f.g@7:null',
		'a.T.f@30:1',
		'a.T.f@30:1',
		'',
		'a.T.f@2:3',
		'a.T.f@2:3',
		'',
	]);
	expect([...code.labels]).toEqual([[5, 'Exception Handler']]);
});

test('a chain that repeats is kept once', () => {
	const comments = ['- a.T::f@2 (line 3)'];
	const { instructions } = instructionsOfRows([row(1, 'nop', comments), row(2, 'nop', ['- unreadable']), row(3, 'nop', comments)], 4);
	expect(instructions.positions).toHaveLength(1);
	expect([...instructions.position]).toEqual([0, 0, 0]);
});

test('an empty text', () => {
	expect(instructionsOfRows([], 4).instructions.length).toBe(0);
});

test('any rows: addresses ascend, each once with its last text, and ends do not overlap', () => {
	fc.assert(
		fc.property(fc.array(fc.record({ address: fc.integer({ min: 0, max: 40 }), text: fc.constantFrom('nop', 'ret', 'jmp 0x10') })), (drafts) => {
			const { instructions } = instructionsOfRows(
				drafts.map(({ address, text }) => row(address, text)),
				41,
			);
			const wanted = [...new Map(drafts.map(({ address, text }) => [address, text]))].sort((a, b) => a[0] - b[0]);
			expect([...instructions.address].map((address, i) => [address, instructions.text[i]])).toEqual(wanted);
			expect([...instructions.end]).toEqual(wanted.map((_, i) => wanted[i + 1]?.[0] ?? 41));
		}),
	);
});
