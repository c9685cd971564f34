import { expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { instructionsOfRows, type Row } from '../formats/hotspot-code/instructions.js';
import { behindLastDescription, nearestDebugInfo } from './nearest-debug-info.js';

const MAP = 'ImmutableOopMap {}';

function sampled(counts: readonly number[], rows: readonly (readonly [string, ...string[]])[]) {
	const code = piece(0x100, 0x100 + 4 * rows.length, { name: 'a.B.f' });
	const printed = rows.map(([text, ...comments], i): Row => ({ address: 0x100 + 4 * i, end: Number.NaN, text, comments, label: null }));
	return { method: { code, ...instructionsOfRows(printed, code.end) }, counts: Float64Array.from(counts), from: 0, to: 1 };
}

test('a sample belongs to the first safepoint that ends behind its address; behind the last one to the compiled method', () => {
	const row = sampled(
		[10, 5, 3, 2, 7],
		[
			['xor %eax,%ebx', '- a.B::g@3 (line 20)', '- a.B::f@1 (line 10)'],
			['call 0x900', MAP, '- a.B::h@0 (line 30)', '- a.B::f@4 (line 11)', '{static_call}'],
			['mov (%r15),%r10', MAP, '- (reexecute) a.B::f@9 (line 12)'],
			['test %eax,(%r10)', '- a.B::f@9 (line 12)', '{poll}'],
			['ret'],
		],
	);
	const { blame, described, behindLast } = nearestDebugInfo([row]);
	expect(behindLast).toBe(9);
	expect(behindLastDescription([row]).map(({ counts }) => [...counts])).toEqual([[0, 0, 0, 2, 7]]);
	expect(described).toBe('every instruction');
	expect(Object.fromEntries(blame.byLine)).toEqual({ 'a.B.h:30': 15, 'a.B.f:12': 3, 'a.B.f:-1': 9 });
	expect(Object.fromEntries(blame.byMethod)).toEqual({ 'a.B.h': 15, 'a.B.f': 12 });
});

test('code that was compiled without such descriptions, and text without oop maps', () => {
	expect(nearestDebugInfo([sampled([1, 1], [['nop'], ['call 0x900', MAP, '- a.B::f@4 (line 11)']])]).described).toBe('safepoints only');
	expect(
		nearestDebugInfo([
			sampled(
				[1, 1],
				[
					['nop', '- a.B::f@1 (line 10)'],
					['call 0x900', '- a.B::f@4 (line 11)'],
				],
			),
		]).described,
	).toBe('no oop maps');
});

test.each([
	[50, 1, 'every instruction'],
	[51, 1, 'safepoints only'],
	[100, 2, 'every instruction'],
	[101, 2, 'safepoints only'],
	[1, 0, 'safepoints only'],
	[0, 1, 'no oop maps'],
])('%i safepoints and %i other instructions that are described: %s', (safepoints, others, expected) => {
	const rows = [
		...Array.from({ length: safepoints }, () => ['call 0x900', MAP, '- a.B::f@4 (line 11)'] as const),
		...Array.from({ length: others }, () => ['nop', '- a.B::f@5 (line 12)'] as const),
	];
	expect(nearestDebugInfo([sampled([], rows)]).described).toBe(expected);
});
