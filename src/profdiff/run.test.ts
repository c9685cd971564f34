/** Which compilations a report tells of, and in which order, of one run and of two. */
import { describe, expect, test } from 'vitest';
import { experiment, inliningNode, loggedCompilation, profileEntry, profileOf, treesOf } from '../../test/experiments.js';
import { allUnits, createExperiment } from './experiment.js';
import { selectHotUnits } from './hot.js';
import { DEFAULT_OPTIONS } from './options.js';
import type { MethodSection, PairComparison, ProfdiffSink, UnitTrees } from './results.js';
import { matchMethods, replayedSections, runComparison, runReport, tellSections } from './run.js';

describe('reports', () => {
	function recorded(run: (sink: ProfdiffSink) => void): string[] {
		const told: string[] = [];
		run({
			methodSection: ({ methodName, sides, hotOnlyIn: only }: MethodSection) =>
				told.push(
					`${methodName} ${sides.map(({ units, hotUnits }) => `${units.map(({ compileId }) => compileId)}|${hotUnits.map(({ compileId }) => compileId)}`).join(' / ')} ${only?.number ?? '-'}`,
				),
			unit: (unit) => told.push(`unit ${unit.compileId}`),
			unitTrees: (shown: UnitTrees) => told.push(shown.kind),
			pair: (left, right) => told.push(`pair ${left.compileId} ${right.compileId}`),
			pairComparison: (comparison: PairComparison) =>
				told.push(comparison.kind === 'context' ? `context ${comparison.context.kind}` : `${comparison.inlining.kind} ${comparison.optimization.kind}`),
		});
		return told;
	}
	const phases = { detailed: [], unordered: [] };

	test('of one run: the hot compilations, without a profile all', () => {
		const one = experiment(1, [
			['A.a()', 10],
			['B.b()', 30],
			['B.b()', 50],
			['C.c()', 0],
		]);
		const hot = selectHotUnits(one, { ...DEFAULT_OPTIONS, hotMaxLimit: 2 });
		expect(recorded((sink) => runReport(one, hot, DEFAULT_OPTIONS, phases, sink))).toEqual(
			['B.b() 3,2|2 -', 'unit 2', 'separate', 'unit 3', 'separate'].map((line) => line.replace('|2 -', '|2,3 -')),
		);
		const plain = createExperiment(1, [loggedCompilation('1', 'A.a()')], null, null);
		expect(recorded((sink) => runReport(plain, new Set(), { ...DEFAULT_OPTIONS, optimizationContextTree: true }, phases, sink))).toEqual([
			'A.a() 1| -',
			'unit 1',
			'context',
		]);
	});

	test('of two runs: pairs of hot compilations, the hottest methods first; hot on one side only', () => {
		const call = [inliningNode({ methodName: 'X.x()', bci: 1 })];
		const left = experiment(1, [
			['A.a()', 10],
			['A.a()', 20],
			['B.b()', 40],
		]);
		const right = createExperiment(
			2,
			[loggedCompilation('7', 'A.a()', { readTrees: () => treesOf(call) }), loggedCompilation('8', 'B.b()')],
			profileOf([profileEntry('7', 70)]),
			null,
		);
		const options = { ...DEFAULT_OPTIONS, createFragments: false };
		const hot = new Set([...allUnits(left), allUnits(right)[0]!]);
		expect(recorded((sink) => runComparison(left, right, hot, options, phases, sink))).toEqual([
			'A.a() 2,1|1,2 / 7|7 -',
			'pair 2 7',
			'difference no-difference',
			'pair 1 7',
			'difference no-difference',
			'B.b() 3|3 / 8| 1',
		]);
		expect(recorded((sink) => runComparison(left, right, hot, { ...options, diffCompilations: false }, phases, sink))).toEqual([
			'A.a() 2,1|1,2 / 7|7 -',
			'unit 1',
			'separate',
			'unit 2',
			'separate',
			'unit 7',
			'separate',
			'B.b() 3|3 / 8| 1',
			'unit 3',
			'separate',
		]);
		expect(
			recorded((sink) => runComparison(left, right, hot, { ...options, optimizationContextTree: true, pruneIdentities: false }, phases, sink)).filter((line) =>
				line.startsWith('context'),
			),
		).toEqual(['context difference', 'context difference']);
		expect(recorded((sink) => runComparison(left, right, hot, { ...options, pruneIdentities: false }, phases, sink))).toContain('difference difference');
		expect(matchMethods(left, right, new Set(), options)).toEqual([]);
	});

	test('of two replays: all methods, the compilations of one id in pairs, of several with it the last', () => {
		const call = [inliningNode({ methodName: 'X.x()', bci: 1 })];
		const left = createExperiment(
			1,
			[loggedCompilation('1', 'A.a()'), loggedCompilation('2', 'A.a()'), loggedCompilation('3', 'A.a()'), loggedCompilation('4', 'B.b()')],
			null,
			null,
		);
		const right = createExperiment(
			2,
			[
				loggedCompilation('9', 'C.c()'),
				loggedCompilation('3', 'A.a()'),
				loggedCompilation('1', 'A.a()'),
				loggedCompilation('1', 'A.a()', { readTrees: () => treesOf(call) }),
				loggedCompilation('2', 'B.b()'),
			],
			null,
			null,
		);
		expect(recorded((sink) => tellSections(replayedSections(left, right, DEFAULT_OPTIONS, phases), sink))).toEqual([
			'A.a() 1,2,3| / 3,1,1| -',
			'pair 1 1',
			'difference no-difference',
			'pair 3 3',
			'no-difference no-difference',
			'B.b() 4| / 2| -',
			'C.c() | / 9| -',
		]);
	});

	test('trees that are too large are not compared', () => {
		const wide = (calls: number) =>
			loggedCompilation('1', 'A.a()', { readTrees: () => treesOf(Array.from({ length: calls }, (_, bci) => inliningNode({ methodName: 'X.x()', bci }))) });
		const compared = (calls: number) => {
			const [left, right] = [createExperiment(1, [wide(9_999)], null, null), createExperiment(2, [wide(calls)], null, null)];
			return recorded((sink) => tellSections(replayedSections(left, right, DEFAULT_OPTIONS, phases), sink)).at(-1);
		};
		expect([compared(9_999), compared(10_000)]).toEqual(['no-difference no-difference', 'too-big no-difference']);
	});

	test('a method that is inlined where another is hot gives a fragment, which makes it hot', () => {
		const inlinesB = () =>
			treesOf([inliningNode({ methodName: 'B.b()', bci: 1, inlined: true, children: [inliningNode({ methodName: 'C.c()', inlined: true })] })]);
		const left = createExperiment(1, [loggedCompilation('1', 'root', { readTrees: inlinesB })], profileOf([profileEntry('1', 10)]), null);
		const right = createExperiment(
			2,
			[loggedCompilation('1', 'root', { readTrees: inlinesB }), loggedCompilation('2', 'B.b()')],
			profileOf([profileEntry('1', 10), profileEntry('2', 5)]),
			null,
		);
		const hot = new Set([...allUnits(left), ...allUnits(right)]);
		const sections = matchMethods(left, right, hot, { createFragments: true });
		expect(
			sections.map(({ methodName, sides, hotOnlyIn: only }) => [
				methodName,
				sides.map(({ hotUnits }) => hotUnits.map(({ compileId }) => compileId)),
				only?.number ?? null,
			]),
		).toEqual([
			['root', [['1'], ['1']], null],
			['B.b()', [['1#1'], ['2', '1#2']], null],
		]);
		expect(recorded((sink) => runComparison(left, right, hot, DEFAULT_OPTIONS, phases, sink)).filter((line) => line.startsWith('pair'))).toEqual([
			'pair 1 1',
			'pair 1#1 2',
		]);
	});
});
