/** What is hot, what belongs to a run, what is worth a look, and in which order: at the limits. */
import { describe, expect, test } from 'vitest';
import type { CompilationTrees, LoggedCompilation } from '../model/compilation.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode, OptimizationPhase } from '../model/optimization-tree.js';
import { InputError } from '../model/problem.js';
import type { Profile, ProfileEntry } from '../model/profile.js';
import type { Change } from './changes.js';
import type { ComparedMethod } from './compare-runs.js';
import { changeMatches, methodMatches } from './diff-filter.js';
import { allUnits, byPeriod, createExperiment, type Experiment, withMethods } from './experiment.js';
import { findFindings, parseFailCondition } from './findings.js';
import { methodsIn, selectHotUnits, selectUnitsOf } from './hot.js';
import { elementsMatch, isPrefix, pathOfPosition } from './inlining-path.js';
import { DEFAULT_OPTIONS } from './options.js';
import { overview } from './overview.js';
import { preprocess } from './preprocess.js';
import { matchProfile } from './profile-match.js';
import { hotOnlyIn, type MethodSection, type PairComparison, type ProfdiffSink, type UnitTrees } from './results.js';
import { matchMethods, runComparison, runReport } from './run.js';
import { summarize } from './summary.js';
import { TreeCache } from './tree-cache.js';
import { compareCallsites, compareOptimizationNodes } from './tree-order.js';

function node(more: Partial<InliningNode> = {}): InliningNode {
	return { methodName: 'a.X.x()', bci: 0, inlined: false, indirect: false, alive: true, reasons: [], receiverTypes: null, children: [], ...more };
}

function optimization(more: Partial<Optimization> = {}): Optimization {
	return { kind: 'optimization', name: 'Peeling', event: 'Peel', position: { methodNames: [], bcis: [] }, properties: [], ...more };
}

const phase = (name: string, ...children: OptimizationNode[]): OptimizationPhase => ({ kind: 'phase', name, children });

const trees = (calls: readonly InliningNode[] = [], ...phases: OptimizationNode[]): CompilationTrees => ({
	inlining: node({ methodName: 'root', inlined: true, children: calls }),
	optimization: phase('RootPhase', ...phases),
});

function compilation(compileId: string, methodName: string, more: Partial<LoggedCompilation> = {}): LoggedCompilation {
	return { compileId, methodName, multiMethodKey: null, fullName: methodName, sizeBytes: 1, readTrees: () => trees(), ...more };
}

const entry = (compileId: string | null, period: number, more: Partial<ProfileEntry> = {}): ProfileEntry => ({
	compileId,
	name: 'A.a()',
	level: 4,
	period,
	...more,
});

const profileOf = (entries: readonly ProfileEntry[], totalPeriod = 100, kind: Profile['kind'] = 'JIT'): Profile => ({
	kind,
	executionId: null,
	totalPeriod,
	entries,
});

/** Compilations `1`, `2`, … of methods `A.a()`, `B.b()`, … with these periods. */
function experiment(number: 1 | 2, periods: readonly (readonly [method: string, period: number])[], compilations: Partial<LoggedCompilation> = {}): Experiment {
	return createExperiment(
		number,
		periods.map(([method], i) => compilation(`${i + 1}`, method, compilations)),
		profileOf(periods.map(([name, period], i) => entry(`${i + 1}`, period, { name }))),
		null,
	);
}

describe('experiments', () => {
	test('by compile id: the top tier only, the last of several, what the log has not is told', () => {
		const one = createExperiment(
			1,
			[compilation('1', 'A.a()'), compilation('2', 'B.b()'), compilation('2', 'A.a()')],
			profileOf([entry('1', 5), entry('1', 7), entry('2', 4), entry('3', 9), entry('4', 9, { level: 3 }), entry(null, 9)]),
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
		const units = [compilation('1', 'A.a()', { fullName: 'A.a%%x()' }), compilation('2', 'A.a()', { fullName: 'A.a%%x()' }), compilation('3', 'A.a()')];
		const one = createExperiment(1, units, profileOf([entry(null, 5, { name: 'A.a%%x()', level: null })], 100, 'AOT'), null);
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
			node({
				methodName: 'B.b()',
				inlined: true,
				children: [node({ methodName: 'C.c()', inlined: true }), node({ methodName: 'D.d()' }), node({ methodName: null, inlined: true })],
			}),
			node({ methodName: 'E.e()', inlined: true }),
		];
		const one = experiment(
			1,
			[
				['A.a()', 10],
				['Z.z()', 0],
			],
			{ readTrees: () => trees(calls) },
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
	const log = ['1', '2', '3', '4'].map((id) => compilation(id, 'A.a(Object)'));
	const match = (...entries: ProfileEntry[]) => matchProfile(log, profileOf(entries));

	test('half of the ids, and half of their names, are enough', () => {
		expect(
			match(entry('1', 1, { name: 'A.a(java.lang.Object)' }), entry('2', 1), entry('8', 1), entry('9', 1), entry('7', 1, { level: 3 }), entry(null, 1)),
		).toEqual({
			entries: 4,
			found: 2,
			sameName: 1,
			duplicateEntries: 0,
			belongs: true,
		});
		expect(match(entry('1', 1, { name: 'A.a(Object)' }), entry('8', 1), entry('9', 1))).toMatchObject({ found: 1, belongs: false });
		expect(match(entry('1', 1, { name: 'A.a(Object)' }), entry('2', 1), entry('3', 1))).toMatchObject({ found: 3, sameName: 1, belongs: false });
		expect(match()).toMatchObject({ entries: 0, belongs: true });
		expect(match(entry('1', 1), entry('1', 1), entry('2', 1)).duplicateEntries).toBe(1);
	});

	test('of an image one name will do', () => {
		const image = (...names: string[]) =>
			matchProfile(
				log,
				profileOf(
					names.map((name) => entry(null, 1, { name })),
					1,
					'AOT',
				),
			);
		expect(image('x', 'y', 'A.a(Object)', 'x')).toEqual({ entries: 4, found: 1, sameName: 1, duplicateEntries: 1, belongs: true });
		expect(image('x')).toMatchObject({ found: 0, belongs: false });
		expect(image().belongs).toBe(true);
	});
});

describe('a run at a glance', () => {
	test('calls and optimizations are counted, shares are of the whole profile', async () => {
		const calls = [
			node({ inlined: true, children: [node({ indirect: true }), node({ alive: false }), node()] }),
			node({ indirect: true, alive: false, children: [node({ inlined: true })] }),
		];
		const one = experiment(
			1,
			[
				['A.a()', 20],
				['B.b()', 30],
				['C.c()', 0],
			],
			{
				readTrees: () => trees(calls, phase('P', optimization(), phase('Q', optimization(), optimization())), optimization()),
			},
		);
		const result = await overview(one, { limit: 1 });
		expect(result.compilations).toMatchObject([
			{ unit: { compileId: '2' }, share: 0.3, calls: { inlined: 2, indirect: 1, deleted: 1, direct: 1, devirtualized: 1 }, optimizations: 4 },
		]);
		expect(result).toMatchObject({ otherCompilations: 2, otherShare: 0.2, otherTime: [{ label: 'outside compiled code', share: 0.5 }] });
		expect((await overview(one, { limit: 5 })).compilations).toHaveLength(2);
		expect((await overview(one, { limit: null })).compilations).toHaveLength(3);
		expect((await overview(one, { limit: 1, compileId: '3' })).compilations).toMatchObject([{ unit: { compileId: '3' }, share: 0 }]);
	});

	test('without a profile the largest records, and no shares', async () => {
		const one = createExperiment(
			1,
			[compilation('1', 'A', { sizeBytes: 5 }), compilation('2', 'B', { sizeBytes: 9 }), compilation('3', 'C', { sizeBytes: 7 })],
			null,
			null,
		);
		const result = await overview(one, { limit: 2 });
		expect(result.compilations.map(({ unit, share }) => [unit.compileId, share])).toEqual([
			['2', null],
			['3', null],
		]);
		expect(result).toMatchObject({ otherCompilations: 1, otherShare: null, otherTime: [] });
		expect(await overview(createExperiment(1, [], profileOf([], 0), null), { limit: 1 })).toMatchObject({ otherShare: null, otherTime: [] });
	});

	test('whose the rest of the time is', async () => {
		const one = createExperiment(
			1,
			[compilation('1', 'A.a()')],
			profileOf([
				entry('1', 10),
				entry('2', 15),
				entry(null, 5, { level: 1 }),
				entry('7', 5, { level: 3 }),
				entry(null, 7, { level: null, name: 'Interpreter' }),
				entry(null, 3, { level: null, name: 'stub' }),
				entry(null, 2, { level: 0, name: 'wrapper' }),
			]),
			null,
		);
		expect((await overview(one, { limit: null })).otherTime).toEqual([
			{ label: 'lower tiers', share: 0.1 },
			{ label: 'interpreter', share: 0.07 },
			{ label: 'stubs and native wrappers', share: 0.05 },
			{ label: 'top tier, not in the log', share: 0.15 },
			{ label: 'outside compiled code', share: 0.53 },
		]);
		const image = createExperiment(
			1,
			[compilation('1', 'A.a()')],
			profileOf([entry(null, 30, { level: null }), entry(null, 70, { level: null, name: 'libc' })], 100, 'AOT'),
			null,
		);
		expect((await overview(image, { limit: null })).otherTime).toEqual([{ label: 'top tier, not in the log', share: 0.7 }]);
	});

	test('one finding a compilation: dispatched to few receivers, else refused after thought; five at most', async () => {
		const types = (...probabilities: number[]) => ({
			mature: true,
			types: probabilities.map((probability) => ({ typeName: 'T', probability, methodName: null })),
		});
		const found = async (...calls: InliningNode[]) =>
			(await overview(experiment(1, [['A.a()', 20]], { readTrees: () => trees(calls) }), { limit: null })).findings;
		const two = node({ indirect: true, bci: 5, receiverTypes: types(0.125, 0.5, 0.25) });
		const refused = node({ bci: 3, reasons: ['first', 'last'] });
		expect(await found(refused, node({ indirect: true, bci: 4, receiverTypes: types(0.7) }), node({ inlined: true, children: [two] }))).toMatchObject([
			{ kind: 'dispatched-call', share: 0.2, node: two, receivers: 3, topTwo: 0.75 },
		]);
		// As probable: the first in the bytecode, then by name.
		expect(await found(two, { ...two, bci: 4 })).toMatchObject([{ node: { bci: 4 } }]);
		expect(await found({ ...two, methodName: 'b' }, { ...two, methodName: 'a' })).toMatchObject([{ node: { methodName: 'a' } }]);
		expect(await found(node({ indirect: true, receiverTypes: types() }), node({ reasons: ['only'] }), { ...refused, bci: 9 }, refused)).toMatchObject([
			{ kind: 'not-inlined', node: { bci: 3 }, reason: 'last' },
		]);
		expect(await found(node({ inlined: true, reasons: ['a', 'b'] }))).toEqual([]);
		const many = experiment(
			1,
			Array.from({ length: 7 }, (_, i): [string, number] => [`M${i}`, 1]),
			{ readTrees: () => trees([refused]) },
		);
		expect((await overview(many, { limit: null })).findings).toHaveLength(5);
	});

	test('what cannot be read is left out and told; faults of the program are not hidden', async () => {
		const broken = (error: Error) =>
			experiment(1, [['A.a()', 20]], {
				readTrees: () => {
					throw error;
				},
			});
		const seen: number[][] = [];
		const onProgress = async (done: number, total: number) => {
			seen.push([done, total]);
		};
		const result = await overview(broken(new InputError({ severity: 'error', file: 'f', message: 'cut', action: 'x' })), { limit: null, onProgress });
		expect(result).toMatchObject({ compilations: [], problems: [{ severity: 'warning', message: 'cut', action: 'the compilation is left out' }] });
		expect(seen).toEqual([[0, 1]]);
		await expect(overview(broken(new TypeError('bug')), { limit: null })).rejects.toThrow('bug');
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
		const method = (hotInA: boolean | null, hotInB: boolean | null) => ({ hotInA, hotInB, shareA: 0.3, shareB: 0.1 }) as ComparedMethod;
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
			].map(([hotInA = null, hotInB = null]) => hotOnlyIn({ hotInA, hotInB })),
		).toEqual(['A', 'B', null, null, null]);
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
			node({ bci: -1 }),
			node({ methodName: null }),
			node({ methodName: 'a', inlined: true, alive: false }),
			node({ methodName: 'a', reasons: ['x', 'y'] }),
			node({ methodName: 'a', reasons: ['x'] }),
			node({ methodName: 'a', alive: false, reasons: ['x', 'y'] }),
			node({ methodName: 'b' }),
			node({ bci: 1, methodName: null }),
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
		const calls = [node({ bci: 2, children: [node({ bci: 9 }), node({ bci: 8 })] }), node({ bci: 1 })];
		const given = trees(
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
		compilation(id, id, {
			sizeBytes,
			readTrees: () => {
				reads.push(id);
				return trees();
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
		const plain = createExperiment(1, [compilation('1', 'A.a()')], null, null);
		expect(recorded((sink) => runReport(plain, new Set(), { ...DEFAULT_OPTIONS, optimizationContextTree: true }, phases, sink))).toEqual([
			'A.a() 1| -',
			'unit 1',
			'context',
		]);
	});

	test('of two runs: pairs of hot compilations, the hottest methods first; hot on one side only', () => {
		const call = [node({ methodName: 'X.x()', bci: 1 })];
		const left = experiment(1, [
			['A.a()', 10],
			['A.a()', 20],
			['B.b()', 40],
		]);
		const right = createExperiment(
			2,
			[compilation('7', 'A.a()', { readTrees: () => trees(call) }), compilation('8', 'B.b()')],
			profileOf([entry('7', 70)]),
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

	test('a method that is inlined where another is hot gives a fragment, which makes it hot', () => {
		const inlinesB = () => trees([node({ methodName: 'B.b()', bci: 1, inlined: true, children: [node({ methodName: 'C.c()', inlined: true })] })]);
		const left = createExperiment(1, [compilation('1', 'root', { readTrees: inlinesB })], profileOf([entry('1', 10)]), null);
		const right = createExperiment(
			2,
			[compilation('1', 'root', { readTrees: inlinesB }), compilation('2', 'B.b()')],
			profileOf([entry('1', 10), entry('2', 5)]),
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
