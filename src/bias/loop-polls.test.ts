import { expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { instructionsOfRows, type Row } from '../formats/hotspot-code/instructions.js';
import { chainGraph } from './chain-blocks.js';
import { loopPolls } from './loop-polls.js';
import { predict } from './predict.js';
import type { PrintedMethod } from './printed-method.js';

/** Instructions of four bytes each from 0x100 on, with their comments. */
function method(name: string, rows: readonly (readonly [string, ...string[]])[], start = 0x100): PrintedMethod {
	const code = piece(start, start + 4 * rows.length, { name });
	const printed = rows.map(
		([text, ...comments], i): Row => ({ address: start + 4 * i, end: Number.NaN, text, comments, label: i === 0 ? 'Verified Entry Point' : null }),
	);
	return { code, ...instructionsOfRows(printed, code.end) };
}

const LOOP = '- a.B::f@5 (line 7)';

test('a poll on every way round, on some, on none', () => {
	const polled = method('a.B.f', [
		['mov (%r15),%r10', '*goto', '- (reexecute) a.B::f@5 (line 7)'],
		['test %eax,(%r10)', '{poll}'],
		['jl 0x100', LOOP],
		['ret'],
	]);
	expect(loopPolls(polled).map(({ poll, line }) => [poll, line])).toEqual([['iteration', 7]]);
	const some = method('a.B.f', [['inc %eax', LOOP], ['je 0x10c', LOOP], ['test %eax,(%r10)', '{poll}'], ['jl 0x100', LOOP], ['ret']]);
	expect(loopPolls(some)).toMatchObject([{ poll: 'none', reason: 'polls or calls on some ways round only' }]);
	const none = method('a.B.f', [['inc %eax', LOOP], ['jl 0x100', LOOP], ['ret']]);
	expect(loopPolls(none)).toMatchObject([{ poll: 'none', header: 0x100 }]);
});

test('strip-mined: an outer loop of the same bytecode has the poll', () => {
	const nest = method('a.B.f', [
		['mov $0x3e8,%ecx', LOOP],
		['inc %eax', LOOP],
		['jl 0x104', LOOP],
		['mov (%r15),%r10', '- (reexecute) a.B::f@5 (line 7)'],
		['test %eax,(%r10)', '{poll}'],
		['jl 0x100', LOOP],
		['ret'],
	]);
	expect(loopPolls(nest).map(({ poll }) => poll)).toEqual(['strip', 'strip']);
});

test('a poll is blamed on the frames before it, a return on the call of the caller, a call on what the callee does', () => {
	const counted = method(
		'a.B.g',
		[['inc %eax', '- a.B::g@1 (line 20)'], ['jl 0x200', '- a.B::g@1 (line 20)'], ['cmp (%r15),%rsp', '{poll_return}'], ['ret']],
		0x200,
	);
	const caller = method('a.B.f', [
		['call 0x200', 'ImmutableOopMap {}', '*invokestatic g {reexecute=0}', '- a.B::f@2 (line 10)', '{static_call}'],
		['mov (%r15),%r10', '- (reexecute) a.B::f@9 (line 11)'],
		['test %eax,(%r10)', '{poll}'],
		['jmp 0x100'],
	]);
	const time = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
	const sampled = (of: PrintedMethod, ...counts: number[]): { method: PrintedMethod; counts: Float64Array; from: number; to: number } => ({
		method: of,
		counts: Float64Array.from(counts),
		...time,
	});
	const { blame, transfers } = predict({
		sampled: [sampled(counted, 30, 10, 0, 0), sampled(caller, 3, 0, 2, 0)],
		methods: [counted, caller],
		native: [],
	});
	expect(blame.byLine.get('a.B.f:10')).toBeCloseTo(43, 3);
	expect(blame.byLine.get('a.B.f:11')).toBeCloseTo(2, 3);
	expect(transfers.get('a.B.g')?.get('a.B.f')).toBeCloseTo(40, 3);
});

test('what leads only to a trap is taken for not executed', () => {
	const graph = chainGraph(
		method('a.B.f', [
			['je 0x10c'],
			['cmp (%r15),%rsp', '{poll_return}'],
			['ret'],
			['call 0x900', 'ImmutableOopMap {}', '{runtime_call UncommonTrapBlob}'],
			['hlt'],
		]),
	);
	expect(graph.width[graph.entry]).toBe(0);
	expect(graph.guess[graph.entry]).toBeLessThan(-20);
});
