/** Calls and phases that went elsewhere within a method: which lost one belongs to which new one. */
import { describe, expect, test } from 'vitest';
import { phase, treesOf } from '../../test/experiments.js';
import type { OptimizationPhase } from '../model/optimization-tree.js';
import type { CallsiteChange, Change } from './changes.js';
import { addCompilation, createMethodDecisions, type MethodDecisions } from './decisions.js';
import { findMoves } from './moves.js';

/** `1 A.a() > 2 X.x()`: bytecode index and callee of each call from the root inwards. */
const placesOf = (where: string): CallsiteChange['where'] =>
	where.split(' > ').map((text) => {
		const [bci = '', methodName = null] = text.split(' ');
		return { bci: Number(bci), methodName };
	});

const callsite = (where: string, more: object): Change =>
	({ kind: 'callsite', methodName: 'M.m()', where: placesOf(where), before: null, after: null, cause: null, noise: null, ...more }) as unknown as Change;
const lost = (where: string, more: object = {}): Change => callsite(where, { before: 'inlined', ...more });
const gained = (where: string, more: object = {}): Change => callsite(where, { after: 'inlined', ...more });

const spelled = (where: CallsiteChange['where']): string => where.map(({ bci, methodName }) => `${bci} ${methodName}`).join(' > ');
const moves = (...changes: readonly Change[]): string[] =>
	findMoves(changes, []).map((move) => (move.what === 'phase' ? move.phase : `${spelled(move.from)} to ${spelled(move.to)}`));

describe('calls', () => {
	test('of one callee in one method that are handled alike', () => {
		const [from, to] = [lost('1 X.x()'), gained('2 X.x()')];
		expect(findMoves([from, to], [])).toEqual([
			{
				what: 'callsite',
				methodName: 'M.m()',
				callee: 'X.x()',
				kind: 'inlined',
				from: [{ bci: 1, methodName: 'X.x()' }],
				to: [{ bci: 2, methodName: 'X.x()' }],
				lost: from,
				gained: to,
			},
		]);
		expect(moves(lost('1 X.x()'), gained('2 Y.y()'))).toEqual([]);
		expect(moves(lost('1 X.x()'), gained('2 X.x()', { methodName: 'N.n()' }))).toEqual([]);
		expect(moves(lost('1 X.x()'), gained('2 X.x()', { after: 'direct' }))).toEqual([]);
		expect(moves(lost('1 X.x()', { noise: true }), gained('2 X.x()', { noise: false }))).toEqual([]);
		expect(moves(lost('1'), gained('2'))).toEqual(['1 null to 2 null']);
	});

	test('not those that are there on both sides, nor what came along with another call, nor optimizations', () => {
		expect(moves(lost('1 X.x()', { after: 'direct' }), gained('2 X.x()'))).toEqual([]);
		expect(moves(lost('1 X.x()'), gained('2 X.x()', { before: 'direct' }))).toEqual([]);
		expect(moves(lost('1 X.x()', { cause: lost('9 Y.y()') }), gained('2 X.x()'))).toEqual([]);
		expect(moves(lost('1 X.x()', { kind: 'optimization', name: 'N', event: 'E' }), gained('2 X.x()'))).toEqual([]);
		expect(moves(lost('1 X.x()'), lost('2 X.x()'))).toEqual([]);
	});

	test('the nearest places first, each once', () => {
		expect(moves(lost('1 A.a() > 2 X.x()'), gained('5 X.x()'), gained('1 A.a() > 3 X.x()'))).toEqual(['1 A.a() > 2 X.x() to 1 A.a() > 3 X.x()']);
		expect(moves(lost('1 A.a() > 2 X.x()'), lost('7 B.b() > 2 X.x()'), gained('7 B.b() > 4 X.x()'), gained('1 A.a() > 3 X.x()'))).toEqual([
			'1 A.a() > 2 X.x() to 1 A.a() > 3 X.x()',
			'7 B.b() > 2 X.x() to 7 B.b() > 4 X.x()',
		]);
		expect(moves(lost('1 A.a() > 2 X.x()'), gained('0 X.x()'), gained('1 A.a() > 3 X.x()'))).toEqual(['1 A.a() > 2 X.x() to 1 A.a() > 3 X.x()']);
		// Through the same index to another callee is not the same way.
		expect(moves(lost('1 A.a() > 2 X.x()'), gained('1 B.b() > 2 X.x()'), gained('1 A.a() > 9 C.c() > 2 X.x()'))).toEqual([
			'1 A.a() > 2 X.x() to 1 A.a() > 9 C.c() > 2 X.x()',
		]);
	});

	test('of equally near ones the same whichever side is A', () => {
		const [one, two, three] = ['1 X.x()', '2 X.x()', '3 X.x()'];
		expect(moves(lost(two), gained(three), gained(one))).toEqual(['2 X.x() to 1 X.x()']);
		expect(moves(lost(three), lost(one), gained(two))).toEqual(['1 X.x() to 2 X.x()']);
		expect(moves(lost(three), gained(two), gained(one))).toEqual(['3 X.x() to 1 X.x()']);
		expect(moves(lost(two), lost(one), gained(three))).toEqual(['1 X.x() to 3 X.x()']);
	});
});

describe('phases', () => {
	function method(a: readonly (readonly OptimizationPhase[])[], b: readonly (readonly OptimizationPhase[])[]): MethodDecisions {
		const decisions = createMethodDecisions('M.m()');
		a.forEach((phases, run) => {
			addCompilation(decisions, treesOf([], ...phases), 'a', run);
		});
		b.forEach((phases, run) => {
			addCompilation(decisions, treesOf([], ...phases), 'b', run);
		});
		return decisions;
	}
	const moved = (a: readonly (readonly OptimizationPhase[])[], b: readonly (readonly OptimizationPhase[])[]) =>
		findMoves([], [method(a, b)]).map((move) => (move.what === 'phase' ? `${move.phase}: ${move.from.join('/')} to ${move.to.join('/')}` : ''));
	const [high, low] = [[phase('High', phase('Inner'))], [phase('Low', phase('Inner'))]];

	test('that all runs of a side have where no run of the other has them', () => {
		expect(findMoves([], [method([high], [low])])).toEqual([{ what: 'phase', methodName: 'M.m()', phase: 'Inner', from: ['High'], to: ['Low'] }]);
		expect(moved([high, high], [low, low])).toEqual(['Inner: High to Low']);
		expect(moved([high, []], [low])).toEqual([]);
		expect(moved([high], [low, high])).toEqual([]);
		expect(moved([high], [low, []])).toEqual([]);
		expect(moved([high], [[...high, ...low]])).toEqual([]);
	});

	test('by name, those around them by the alphabet; as many as there are on both sides', () => {
		expect(
			moved(
				[[phase('Z', phase('Inner'), phase('Also')), phase('B', phase('Inner'))]],
				[[phase('Y', phase('Inner'), phase('Also')), phase('A', phase('Inner')), phase('C', phase('Inner'))]],
			),
		).toEqual(['Also: Z to Y', 'Inner: B to A', 'Inner: Z to C']);
	});

	test('not those of graphs that were inlined', () => {
		const within = (name: string) => [phase('Same', phase('RootPhase', phase(name, phase('Inner'))))];
		expect(moved([within('High')], [within('Low')])).toEqual([]);
	});
});
