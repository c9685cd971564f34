/** What is hot, what belongs to a run, what is worth a look, and in which order: at the limits. */
import { describe, expect, test } from 'vitest';
import { experiment, inliningNode, loggedCompilation, optimization, phase, profileEntry, profileOf, treesOf } from '../../test/experiments.js';
import type { OptimizationNode } from '../model/optimization-tree.js';
import type { ProfileEntry } from '../model/profile.js';
import type { Change } from './changes.js';
import type { ComparedMethod } from './compare-runs.js';
import { changeMatches, methodMatches } from './diff-filter.js';
import { allUnits, byPeriod, createExperiment, withMethods, withMethodsOnly } from './experiment.js';
import { findFindings, parseFailCondition } from './findings.js';
import { methodsIn, selectHotUnits, selectUnitsOf } from './hot.js';
import { elementsMatch, isPrefix, pathOfPosition } from './inlining-path.js';
import { DEFAULT_OPTIONS } from './options.js';
import { preprocess } from './preprocess.js';
import { matchProfile } from './profile-match.js';
import { hotOnlyIn } from './results.js';
import { summarize } from './summary.js';
import { TreeCache } from './tree-cache.js';
import { compareCallsites, compareOptimizationNodes } from './tree-order.js';

describe('experiments', () => {
	test('by compile id: the top tier only, the last of several, what the log has not is told', () => {
		const one = createExperiment(
			1,
			[loggedCompilation('1', 'A.a()'), loggedCompilation('2', 'B.b()'), loggedCompilation('2', 'A.a()')],
			profileOf([
				profileEntry('1', 5),
				profileEntry('1', 7),
				profileEntry('2', 4),
				profileEntry('3', 9),
				profileEntry('4', 9, { level: 3 }),
				profileEntry(null, 9),
			]),
			'AOT',
		);
		expect(allUnits(one).map(({ compileId, methodName, period }) => [compileId, methodName, period])).toEqual([
			['1', 'A.a()', 7],
			['2', 'A.a()', 4],
			['2', 'B.b()', 0],
		]);
		expect(one).toMatchObject({ kind: 'JIT', unitCount: 3, compiledPeriod: 11, unknownCompileIds: ['3'] });
		expect([...one.methods.values()].map(({ name, period }) => [name, period])).toEqual([
			['A.a()', 11],
			['B.b()', 0],
		]);
	});

	test('by the whole name: all compilations of it get the period', () => {
		const units = [
			loggedCompilation('1', 'A.a()', { fullName: 'A.a%%x()' }),
			loggedCompilation('2', 'A.a()', { fullName: 'A.a%%x()' }),
			loggedCompilation('3', 'A.a()'),
		];
		const one = createExperiment(1, units, profileOf([profileEntry(null, 5, { name: 'A.a%%x()', level: null })], 100, 'AOT'), null);
		expect(allUnits(one).map(({ period }) => period)).toEqual([5, 5, 0]);
		expect(one).toMatchObject({ kind: 'AOT', compiledPeriod: 10, unknownCompileIds: [] });
	});

	test('methods that it did not compile stand at the end', () => {
		const one = withMethods(experiment(1, [['B.b()', 1]]), ['A.a()', 'B.b()']);
		expect([...one.methods.values()].map(({ name, units }) => [name, units.length])).toEqual([
			['B.b()', 1],
			['A.a()', 0],
		]);
		expect(createExperiment(2, [], null, 'AOT')).toMatchObject({ number: 2, kind: 'AOT', profile: null });
	});

	test('of some methods only: with the numbers of these', () => {
		const one = experiment(1, [
			['A.a()', 5],
			['B.b()', 7],
			['A.a()', 2],
		]);
		const some = withMethodsOnly(one, (name) => name === 'A.a()');
		expect([[...some.methods.keys()], some.unitCount, some.compiledPeriod, some.profile === one.profile]).toEqual([['A.a()'], 2, 7, true]);
		expect(withMethodsOnly(one, () => false)).toMatchObject({ unitCount: 0, compiledPeriod: 0 });
	});

	test('what was counted when compilations were made is summed by method', () => {
		const one = createExperiment(
			1,
			[loggedCompilation('1', 'A.a()', { counted: 5 }), loggedCompilation('2', 'B.b()'), loggedCompilation('3', 'A.a()', { counted: 7 })],
			null,
			null,
		);
		expect([...one.methods.values()].map(({ name, counted }) => [name, counted])).toEqual([
			['A.a()', 12],
			['B.b()', 0],
		]);
	});

	test('by period: equal ones keep their order', () => {
		expect(
			byPeriod([
				{ period: 1, i: 0 },
				{ period: 3, i: 1 },
				{ period: 1, i: 2 },
			]).map(({ i }) => i),
		).toEqual([1, 0, 2]);
	});
});

describe('hot compilations', () => {
	const hot = (periods: readonly number[], more: Partial<typeof DEFAULT_OPTIONS>) => {
		const one = experiment(
			1,
			periods.map((period): [string, number] => ['A.a()', period]),
		);
		return [...selectHotUnits(one, { ...DEFAULT_OPTIONS, ...more })].map(({ compileId }) => compileId);
	};

	test('as many as make up the percentile, exactly reached included', () => {
		expect(hot([50, 40, 10], { hotPercentile: 0.9, hotMinLimit: 0 })).toEqual(['1', '2']);
		expect(hot([50, 40, 10], { hotPercentile: 0.89, hotMinLimit: 0 })).toEqual(['1']);
		expect(hot([10, 40, 50], { hotPercentile: 1, hotMinLimit: 0 })).toEqual(['3', '2', '1']);
	});

	test('at least the minimum, at most the maximum', () => {
		expect(hot([50, 40, 10], { hotPercentile: 0, hotMinLimit: 1 })).toEqual(['1']);
		expect(hot([50, 40, 10], { hotPercentile: 0, hotMinLimit: 0 })).toEqual([]);
		expect(hot([50, 40, 10], { hotPercentile: 1, hotMaxLimit: 2 })).toEqual(['1', '2']);
	});

	test('the methods that they inline, and the compilations of these elsewhere', () => {
		const calls = [
			inliningNode({
				methodName: 'B.b()',
				inlined: true,
				children: [
					inliningNode({ methodName: 'C.c()', inlined: true }),
					inliningNode({ methodName: 'D.d()' }),
					inliningNode({ methodName: null, inlined: true }),
				],
			}),
			inliningNode({ methodName: 'E.e()', inlined: true }),
		];
		const one = experiment(
			1,
			[
				['A.a()', 10],
				['Z.z()', 0],
			],
			{ readTrees: () => treesOf(calls) },
		);
		const names = methodsIn(one, selectHotUnits(one, DEFAULT_OPTIONS));
		expect(names).toEqual(['root', 'B.b()', 'C.c()', 'E.e()']);
		expect(methodsIn(one, new Set())).toEqual([]);
		const other = experiment(2, [
			['E.e()', 0],
			['F.f()', 0],
			['E.e()', 0],
		]);
		expect([...selectUnitsOf(other, names)].map(({ compileId }) => compileId)).toEqual(['1', '3']);
	});

	test('the block at the top', () => {
		const one = experiment(
			1,
			Array.from({ length: 12 }, (_, i): [string, number] => [`M${i}.m()`, i]),
		);
		const summary = summarize(one, selectHotUnits(one, { ...DEFAULT_OPTIONS, hotPercentile: 0.3, hotMinLimit: 0 }));
		// Of 66 the 11 is within 19.8, with the 10 it is more.
		expect(summary).toMatchObject({ hotUnitCount: 1, hotPeriod: 11 });
		expect(summary.topEntries.map(({ period }) => period)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
		expect(summarize(createExperiment(1, [], null, null), new Set())).toMatchObject({ hotUnitCount: 0, hotPeriod: 0, topEntries: [] });
	});
});

describe('whether a profile is of this run', () => {
	const log = ['1', '2', '3', '4'].map((id) => loggedCompilation(id, 'A.a(Object)'));
	const match = (...entries: ProfileEntry[]) => matchProfile(log, profileOf(entries));

	test('half of the ids, and half of their names, are enough', () => {
		expect(
			match(
				profileEntry('1', 1, { name: 'A.a(java.lang.Object)' }),
				profileEntry('2', 1),
				profileEntry('8', 1),
				profileEntry('9', 1),
				profileEntry('7', 1, { level: 3 }),
				profileEntry(null, 1),
			),
		).toEqual({
			entries: 4,
			found: 2,
			sameName: 1,
			duplicateEntries: 0,
			belongs: true,
		});
		expect(match(profileEntry('1', 1, { name: 'A.a(Object)' }), profileEntry('8', 1), profileEntry('9', 1))).toMatchObject({ found: 1, belongs: false });
		expect(match(profileEntry('1', 1, { name: 'A.a(Object)' }), profileEntry('2', 1), profileEntry('3', 1))).toMatchObject({
			found: 3,
			sameName: 1,
			belongs: false,
		});
		expect(match()).toMatchObject({ entries: 0, belongs: true });
		expect(match(profileEntry('1', 1), profileEntry('1', 1), profileEntry('2', 1)).duplicateEntries).toBe(1);
	});

	test('of an image one name will do', () => {
		const image = (...names: string[]) =>
			matchProfile(
				log,
				profileOf(
					names.map((name) => profileEntry(null, 1, { name })),
					1,
					'AOT',
				),
			);
		expect(image('x', 'y', 'A.a(Object)', 'x')).toEqual({ entries: 4, found: 1, sameName: 1, duplicateEntries: 1, belongs: true });
		expect(image('x')).toMatchObject({ found: 0, belongs: false });
		expect(image().belongs).toBe(true);
	});
});

describe('conditions', () => {
	test('a name and a share of the period', () => {
		expect(parseFailCondition('lost-inlining')).toEqual({ what: 'lost-inlining', threshold: 0 });
		expect(parseFailCondition('any:0.5%')).toEqual({ what: 'any', threshold: 0.005 });
		expect(parseFailCondition('any:12')).toEqual({ what: 'any', threshold: 0.12 });
		expect(['none', 'any:', 'any:x', 'any:1:2', 'any:.5', 'any:5%%', 'any:-1'].map(parseFailCondition)).toEqual(Array(7).fill(null));
	});

	test('changes from the threshold on; noise and consequences are none', () => {
		const change = (more: object) =>
			({ noise: false, cause: null, categories: ['lost-inlining'], periodShareA: 0.1, periodShareB: null, ...more }) as unknown as Change;
		const count = (text: string, ...changes: Change[]) => findFindings([parseFailCondition(text)!], changes, []).length;
		expect(count('lost-inlining:10', change({}))).toBe(1);
		expect(count('lost-inlining:10.1', change({}))).toBe(0);
		expect(count('new-inlining', change({}))).toBe(0);
		expect(count('any', change({}), change({ noise: true }), change({ cause: {} }), change({ noise: null }))).toBe(2);
		expect(count('any:20', change({ periodShareB: 0.2 }), change({ periodShareA: null }))).toBe(1);
	});

	test('methods that are hot on one side only', () => {
		const method = (hotInA: boolean | null, hotInB: boolean | null) => ({ hotInA, hotInB, shareA: hotInA === false ? 0 : 0.3, shareB: 0.1 }) as ComparedMethod;
		const methods = [method(true, false), method(false, true), method(true, true), method(null, true)];
		const count = (text: string) =>
			findFindings([parseFailCondition(text)!], [], methods).map(({ method: found }) => (found === null ? -1 : methods.indexOf(found)));
		expect([count('hot-only-in-a:30'), count('hot-only-in-a:31'), count('hot-only-in-b:10'), count('hot-only-in-b:11'), count('any')]).toEqual([
			[0],
			[],
			[1],
			[],
			[],
		]);
		expect(
			[
				[true, false],
				[false, true],
				[true, true],
				[false, false],
				[true, null],
			].map(([hotInA = null, hotInB = null]) => hotOnlyIn({ hotInA, hotInB, shareA: hotInA === true ? 0.2 : 0.1, shareB: hotInB === true ? 0.2 : 0.1 })),
		).toEqual(['A', 'B', null, null, null]);
		// It is not hotter where others of its run are less hot.
		const onlyInB = { hotInA: false, hotInB: true };
		expect([0.01, 0.02, 0.03].map((shareB) => hotOnlyIn({ ...onlyInB, shareA: 0.02, shareB }))).toEqual([null, null, 'B']);
		expect(hotOnlyIn({ ...onlyInB, shareA: null, shareB: 0.01 })).toBe('B');
	});

	test('filters', () => {
		const method = { name: 'a.B.f', compileIdsA: ['1'], compileIdsB: ['2'] };
		expect(
			[{}, { method: 'B.f' }, { method: 'C' }, { compilation: '1' }, { compilation: '2' }, { compilation: '3' }, { method: 'C', compilation: '1' }].map((one) =>
				methodMatches(one, method),
			),
		).toEqual([true, true, false, true, true, false, false]);
		const call = { kind: 'callsite', before: 'inlined', after: 'direct' } as Change;
		const done = { kind: 'optimization', phases: ['HighTier', 'LoopPeelingPhase'] } as unknown as Change;
		expect([{}, { decision: 'inlined' }, { decision: 'direct' }, { decision: 'indirect' }, { phase: 'Loop' }].map((one) => changeMatches(one, call))).toEqual([
			true,
			true,
			true,
			false,
			false,
		]);
		expect(
			[{ phase: 'Loop' }, { phase: 'Low' }, { decision: 'optimization' }, { decision: 'direct' }, { decision: 'optimization', phase: 'Low' }].map((one) =>
				changeMatches(one, done),
			),
		).toEqual([true, false, true, false, false]);
	});
});

describe('orders', () => {
	test('callsites: by bytecode index, name, inlined, alive, decisions', () => {
		const ascending = [
			inliningNode({ bci: -1 }),
			inliningNode({ methodName: null }),
			inliningNode({ methodName: 'a', inlined: true, alive: false }),
			inliningNode({ methodName: 'a', reasons: ['x', 'y'] }),
			inliningNode({ methodName: 'a', reasons: ['x'] }),
			inliningNode({ methodName: 'a', alive: false, reasons: ['x', 'y'] }),
			inliningNode({ methodName: 'b' }),
			inliningNode({ bci: 1, methodName: null }),
		];
		for (const [i, one] of ascending.entries()) {
			for (const [j, other] of ascending.entries()) {
				expect(Math.sign(compareCallsites(one, other)) + 0, `${i} ${j}`).toBe(Math.sign(i - j));
			}
		}
	});

	test('optimizations before phases; by name, event, position from the root inwards, properties', () => {
		const at = (methodNames: string[], bcis: number[]) => ({ position: { methodNames, bcis } });
		const ascending: OptimizationNode[] = [
			optimization({ name: 'A', event: 'z' }),
			optimization({ event: 'O' }),
			optimization(),
			optimization({ properties: [{ key: 'a', value: 1n as never }] }),
			optimization({ properties: [{ key: 'a', value: 'x' }] }),
			optimization({
				properties: [
					{ key: 'a', value: 'x' },
					{ key: 'b', value: 'x' },
				],
			}),
			optimization({ properties: [{ key: 'b', value: 'a' }] }),
			optimization(at(['r'], [3])),
			optimization(at(['z', 'r'], [1, 3])),
			optimization(at(['r'], [4])),
			optimization(at(['a', 's'], [1, 0])),
			phase('P'),
			phase('Q'),
		];
		for (const [i, one] of ascending.entries()) {
			for (const [j, other] of ascending.entries()) {
				expect(Math.sign(compareOptimizationNodes(one, other)) + 0, `${i} ${j}`).toBe(Math.sign(i - j));
			}
		}
	});

	test('trees are sorted and thinned as asked', () => {
		const calls = [inliningNode({ bci: 2, children: [inliningNode({ bci: 9 }), inliningNode({ bci: 8 })] }), inliningNode({ bci: 1 })];
		const given = treesOf(
			calls,
			phase('xFreePhase', optimization({ name: 'B' }), phase('I'), optimization({ name: 'A' })),
			phase('xDetail', optimization()),
			phase('Kept', optimization({ name: 'B' }), optimization({ name: 'A' })),
		);
		const knowledge = { detailed: ['Detail'], unordered: ['FreePhase'] };
		const names = (children: readonly OptimizationNode[]): unknown[] =>
			children.map((child) => (child.kind === 'phase' ? [child.name, names(child.children)] : child.name));
		const all = preprocess(given, DEFAULT_OPTIONS, knowledge);
		expect(all.inlining.children.map(({ bci, children }) => [bci, children.map((child) => child.bci)])).toEqual([
			[1, []],
			[2, [8, 9]],
		]);
		expect(names(all.optimization.children)).toEqual([
			['xFreePhase', ['A', 'B', ['I', []]]],
			['Kept', ['B', 'A']],
		]);
		const plain = preprocess(given, { ...DEFAULT_OPTIONS, sortInliningTree: false, sortUnorderedPhases: false, removeDetailedPhases: false }, knowledge);
		expect(plain.inlining).toBe(given.inlining);
		expect(names(plain.optimization.children)).toEqual(names(given.optimization.children));
	});

	test('paths: an unknown index matches any', () => {
		const at = (methodName: string, bci: number) => ({ methodName, bci });
		expect(elementsMatch(at('a', 1), at('a', 1))).toBe(true);
		expect(elementsMatch(at('a', 1), at('a', 2))).toBe(false);
		expect(elementsMatch(at('a', -1), at('a', 2))).toBe(true);
		expect(elementsMatch(at('a', 1), at('a', -1))).toBe(true);
		expect(elementsMatch(at('a', 1), at('b', 1))).toBe(false);
		expect(isPrefix([at('a', 1)], [at('a', 1), at('b', 2)])).toBe(true);
		expect(isPrefix([at('a', 1), at('b', 2)], [at('a', 1)])).toBe(false);
		expect(isPrefix([], [])).toBe(true);
		expect(isPrefix([at('a', 1), at('b', 2)], [at('a', 1), at('b', 3)])).toBe(false);
		expect(pathOfPosition({ methodNames: ['inner', 'root'], bcis: [7, 3] })).toEqual([at('root', -1), at('inner', 3)]);
		expect(pathOfPosition({ methodNames: [], bcis: [] })).toEqual([]);
	});
});

test('trees that were read are kept, the ones not used for longest go first', () => {
	const reads: string[] = [];
	const unit = (id: string, sizeBytes: number) =>
		loggedCompilation(id, id, {
			sizeBytes,
			readTrees: () => {
				reads.push(id);
				return treesOf();
			},
		});
	const [a, b, c, huge] = [unit('a', 4), unit('b', 4), unit('c', 4), unit('huge', 99)] as const;
	const cache = new TreeCache(8);
	for (const one of [a, b, a, c, a, b, huge, huge]) {
		cache.read(one);
	}
	// c puts b out, as a was used since; b puts c out; huge all others, but not itself.
	expect(reads).toEqual(['a', 'b', 'c', 'b', 'huge']);
	cache.read(a);
	expect(reads.at(-1)).toBe('a');
	expect(cache.read(a)).toBe(cache.read(a));
});
