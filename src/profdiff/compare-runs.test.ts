/** Runs compared by hand: which decision a change is about, how sure it is, what is behind it, and in which order changes stand. */
import { describe, expect, test } from 'vitest';
import type { CompilationTrees, LoggedCompilation } from '../model/compilation.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode, OptimizationPhase } from '../model/optimization-tree.js';
import { InputError } from '../model/problem.js';
import type { Change } from './changes.js';
import { type CompareRunsOptions, compareRuns } from './compare-runs.js';
import { allUnits, createExperiment, type Experiment } from './experiment.js';
import { createFragments } from './fragments.js';
import { DEFAULT_OPTIONS } from './options.js';
import { CONTEXT_POLICY, inliningPolicy, isRemark, OPTIMIZATION_POLICY } from './policies.js';

const OPTIONS: CompareRunsOptions = { ...DEFAULT_OPTIONS, all: true, maxMethods: null, phases: { detailed: ['TidyPhase'], unordered: [] } };

function call(bci: number, methodName: string | null, more: Partial<InliningNode> = {}): InliningNode {
	return { methodName, bci, inlined: false, indirect: false, alive: true, reasons: [], receiverTypes: null, children: [], ...more };
}

const inlined = (bci: number, methodName: string, ...children: InliningNode[]) => call(bci, methodName, { inlined: true, children, reasons: ['yes'] });

function optimization(name: string, ...position: readonly (readonly [string, number])[]): Optimization {
	return {
		kind: 'optimization',
		name,
		event: 'E',
		position: { methodNames: position.map(([method]) => method), bcis: position.map(([, bci]) => bci) },
		properties: [],
	};
}

const phase = (name: string, ...children: OptimizationNode[]): OptimizationPhase => ({ kind: 'phase', name, children });

interface Method {
	readonly name?: string;
	readonly calls?: readonly InliningNode[];
	readonly optimizations?: readonly OptimizationNode[];
	readonly period?: number;
	/** Invocations and loop iterations when it was compiled. */
	readonly counted?: number;
	readonly fails?: Error;
}

/** A run with a compilation a method; with a profile where a period is given. */
function run(...methods: readonly Method[]): Experiment {
	const compilations = methods.map(({ name = 'M.m()', calls = [], optimizations = [], counted, fails }, i): LoggedCompilation => {
		const trees: CompilationTrees = { inlining: inlined(-1, name, ...calls), optimization: phase('RootPhase', ...optimizations) };
		return {
			compileId: `${i + 1}`,
			methodName: name,
			multiMethodKey: null,
			fullName: name,
			sizeBytes: 1,
			...(counted === undefined ? {} : { counted }),
			readTrees: () => {
				if (fails !== undefined) {
					throw fails;
				}
				return trees;
			},
		};
	});
	const entries = methods.flatMap(({ name = 'M.m()', period }, i) => (period === undefined ? [] : [{ compileId: `${i + 1}`, name, level: 4, period }]));
	return createExperiment(1, compilations, entries.length === 0 ? null : { kind: 'JIT', executionId: null, totalPeriod: 100, entries }, null);
}

const compare = (a: readonly Experiment[], b: readonly Experiment[], more: Partial<CompareRunsOptions> = {}) => compareRuns({ a, b }, { ...OPTIONS, ...more });

const brief = (change: Change) =>
	change.kind === 'callsite'
		? `${change.where.map(({ methodName, bci }) => `${bci} ${methodName}`).join(' > ')}: ${change.before} → ${change.after}`
		: change.kind === 'optimization'
			? `${change.name} ${change.isInA ? 'lost' : 'new'}`
			: `${change.methodName} only in ${change.isInA ? 'A' : 'B'}`;

const changesOf = async (a: readonly Experiment[], b: readonly Experiment[], more: Partial<CompareRunsOptions> = {}) => (await compare(a, b, more)).changes;

describe('one run a side', () => {
	test('calls: what they were and became, and what is counted for them', async () => {
		const a = run({ calls: [inlined(1, 'X.x()'), call(2, 'Y.y()', { indirect: true }), call(3, 'Z.z()'), call(4, 'Same.s()')] });
		const b = run({ calls: [call(1, 'X.x()', { reasons: ['too big'] }), inlined(2, 'Y.y()'), call(4, 'Same.s()'), call(5, 'W.w()', { indirect: true })] });
		const changes = await changesOf([a], [b]);
		expect(changes.map((change) => [brief(change), change.categories, change.noise, change.pValue])).toEqual([
			['1 X.x(): inlined → direct', ['lost-inlining'], null, null],
			['2 Y.y(): indirect → inlined', ['new-inlining', 'lost-indirect'], null, null],
			['5 W.w(): null → indirect', ['new-indirect'], null, null],
			['3 Z.z(): direct → null', ['other-call'], null, null],
		]);
		expect(changes[0]).toMatchObject({ ofA: 1, ofB: 1, runsA: 1, runsB: 0, reasonsBefore: ['yes'], reasonsAfter: ['too big'] });
		expect((await compare([a], [b])).noiseTest).toBeNull();
	});

	test('what was inside a call that is no longer inlined is its consequence, the outermost is the cause', async () => {
		const a = run({
			calls: [inlined(1, 'X.x()', inlined(7, 'Y.y()', call(9, 'Z.z()')))],
			optimizations: [phase('P', optimization('Deep', ['Y.y()', 3], ['X.x()', 7], ['M.m()', 1]), optimization('Own', ['M.m()', 50]))],
		});
		const changes = await changesOf([a], [run({ calls: [call(1, 'X.x()')] })]);
		expect(changes.map((change) => [brief(change), change.cause === null ? null : brief(change.cause)])).toEqual([
			['1 X.x(): inlined → direct', null],
			['Own lost', null],
			['1 X.x() > 7 Y.y(): inlined → null', '1 X.x(): inlined → direct'],
			['Deep lost', '1 X.x(): inlined → direct'],
			['1 X.x() > 7 Y.y() > 9 Z.z(): direct → null', '1 X.x(): inlined → direct'],
		]);
		// From B to A the same changes in the same order.
		const back = await changesOf([run({ calls: [call(1, 'X.x()')] })], [a]);
		expect(back.map(({ where }) => where)).toEqual(changes.map(({ where }) => where));
		expect(back[0]!.categories).toEqual(['new-inlining']);
	});

	test('optimizations: lost, new, details last', async () => {
		const a = run({ optimizations: [phase('LoopPhase', optimization('Unroll', ['M.m()', 3])), phase('xTidyPhase', optimization('Fold', ['M.m()', 4]))] });
		const changes = await changesOf([a], [run({ optimizations: [phase('LoopPhase', optimization('Peel', ['X.x()', 1], ['M.m()', 3]))] })]);
		expect(changes.map((change) => [brief(change), change.kind === 'optimization' && change.isDetail, change.categories[0], change.where])).toEqual([
			['Unroll lost', false, 'lost-optimization', [{ methodName: 'M.m()', bci: 3 }]],
			[
				'Peel new',
				false,
				'new-optimization',
				[
					{ methodName: 'M.m()', bci: 3 },
					{ methodName: 'X.x()', bci: 1 },
				],
			],
			['Fold lost', true, 'lost-optimization', [{ methodName: 'M.m()', bci: 4 }]],
		]);
	});

	test('a method that one side compiled, beside its callers where the other side inlined it', async () => {
		const a = run(
			{
				name: 'A.a()',
				calls: [
					inlined(1, 'M.m()', inlined(2, 'X.x()', call(9, 'Y.y()')), call(3, 'Same.s()')),
					inlined(5, 'A.b()', inlined(6, 'M.m()', call(2, 'X.x()'), call(3, 'Same.s()'))),
				],
				optimizations: [
					phase(
						'P',
						optimization('Inside', ['X.x()', 4], ['M.m()', 2], ['A.a()', 1]),
						optimization('Both', ['M.m()', 8], ['A.b()', 6], ['A.a()', 5]),
						optimization('Beside', ['A.b()', 7], ['A.a()', 5]),
					),
				],
			},
			{ name: 'B.b()' },
		);
		const own = [optimization('Both', ['M.m()', 8]), optimization('Alone', ['M.m()', 9]), optimization('Nowhere')];
		const b = run({ name: 'A.a()' }, { name: 'B.b()' }, { calls: [call(2, 'X.x()'), call(3, 'Same.s()')], optimizations: [phase('P', ...own)] });
		const inside = (changes: readonly Change[]) =>
			changes.flatMap((change) => (change.methodName === 'M.m()' ? [[brief(change), change.cause === null ? null : brief(change.cause)]] : []));
		expect(inside(await changesOf([a], [b]))).toEqual([
			['M.m() only in B', null],
			['2 X.x(): inlined → direct', 'M.m() only in B'],
			['Alone new', 'M.m() only in B'],
			['Inside lost', '2 X.x(): inlined → direct'],
			['2 X.x() > 9 Y.y(): direct → null', '2 X.x(): inlined → direct'],
		]);
		// What a side does not compare, it does not cut.
		expect(inside(await changesOf([run({ name: 'B.b()' })], [b]))).toEqual([['M.m() only in B', null]]);
		// Of repeats what differs beyond chance, and no more.
		const varies = run({ name: 'A.a()', calls: [inlined(1, 'M.m()', inlined(2, 'X.x()'))] });
		const repeated = await changesOf([a, a, varies], [b, b, b]);
		const judged = repeated.filter(({ methodName, cause }) => methodName === 'M.m()' && cause !== null);
		expect(judged.map((change) => [brief(change), change.noise, change.runsA])).toEqual([
			['2 X.x(): inlined → direct', false, 3],
			['Alone new', false, 0],
			['Both new', true, 2],
			['Inside lost', true, 2],
			['3 Same.s(): null → direct', true, 2],
			['2 X.x() > 9 Y.y(): direct → null', true, 2],
		]);
	});

	test('an optimization in a call that is no longer inlined is its consequence, behind a dispatched call too', async () => {
		const causes = async (a: Experiment, b: Experiment) =>
			(await changesOf([a], [b])).map((change) => [brief(change), change.cause === null ? null : brief(change.cause)]);
		const peel = optimization('Peel', ['X.x()', 7], ['M.m()', 1]);
		expect(await causes(run({ calls: [inlined(1, 'X.x()')], optimizations: [phase('P', peel)] }), run({ calls: [call(1, 'X.x()')] }))).toEqual([
			['1 X.x(): inlined → direct', null],
			['Peel lost', '1 X.x(): inlined → direct'],
		]);
		// Positions do not tell the call that was dispatched.
		const dispatched = call(1, 'I.i()', { indirect: true, alive: false, children: [inlined(1, 'X.x()')] });
		expect(await causes(run({ calls: [dispatched], optimizations: [phase('P', peel)] }), run({ calls: [call(1, 'I.i()', { indirect: true })] }))).toEqual([
			['1 I.i(): devirtualized → indirect', null],
			['1 I.i() > 1 X.x(): inlined → null', '1 I.i(): devirtualized → indirect'],
			['Peel lost', '1 I.i(): devirtualized → indirect'],
		]);
		const other = optimization('Peel', ['X.x()', 7], ['M.m()', 2]);
		expect(await causes(run({ calls: [inlined(1, 'X.x()')], optimizations: [phase('P', other)] }), run({ calls: [call(1, 'X.x()')] }))).toEqual([
			['1 X.x(): inlined → direct', null],
			['Peel lost', null],
		]);
		// Something that came on the other side is none of its consequences.
		expect(await causes(run({ calls: [inlined(1, 'X.x()')] }), run({ calls: [call(1, 'X.x()')], optimizations: [phase('P', peel)] }))).toEqual([
			['1 X.x(): inlined → direct', null],
			['Peel new', null],
		]);
		// A call that was refused takes nothing along.
		expect(await causes(run({ calls: [call(1, 'X.x()')], optimizations: [phase('P', peel)] }), run({}))).toEqual([
			['Peel lost', null],
			['1 X.x(): direct → null', null],
		]);
	});

	test('in a method: what was inlined or dispatched first, then what one side has not, optimizations, other calls, details; the outer before the inner', async () => {
		const a = run({
			calls: [
				call(1, 'Other.o()', { alive: false }),
				inlined(2, 'Gone.g()'),
				inlined(3, 'Lost.l()'),
				inlined(9, 'In.i()', inlined(1, 'Deep.d()')),
				inlined(4, 'Lost.l()'),
			],
			optimizations: [
				phase('TidyPhase', optimization('Fold', ['M.m()', 1])),
				phase('P', optimization('Unroll', ['M.m()', 1]), optimization('Peel', ['M.m()', 1])),
			],
		});
		const b = run({ calls: [call(1, 'Other.o()'), call(3, 'Lost.l()'), inlined(9, 'In.i()', call(1, 'Deep.d()')), call(4, 'Lost.l()')] });
		expect((await changesOf([a], [b])).map(brief)).toEqual([
			'3 Lost.l(): inlined → direct',
			'4 Lost.l(): inlined → direct',
			'9 In.i() > 1 Deep.d(): inlined → direct',
			'2 Gone.g(): inlined → null',
			'Peel lost',
			'Unroll lost',
			'1 Other.o(): deleted → direct',
			'Fold lost',
		]);
	});

	test('what other decisions bring with them is a detail', async () => {
		const phases = { detailed: [], unordered: [], consequences: ['Trap'] };
		const [change] = await changesOf([run({ optimizations: [phase('P', optimization('Trap', ['M.m()', 1]))] })], [run({})], { phases });
		expect(change).toMatchObject({ name: 'Trap', isDetail: true, phases: ['P'] });
		expect(await changesOf([run({ optimizations: [phase('P', optimization('Trap', ['M.m()', 1]))] })], [run({})])).toMatchObject([{ isDetail: false }]);
	});

	test('methods that one side only compiled; most expensive first', async () => {
		const a = run({ name: 'A.a()', period: 10 }, { name: 'B.b()', period: 30, calls: [inlined(1, 'X.x()')] });
		const b = run({ name: 'C.c()', period: 40 }, { name: 'B.b()', period: 20 });
		const { changes, methods, hasProfiles } = await compare([a], [b]);
		expect(changes.map((change) => [brief(change), change.periodShareA, change.periodShareB, change.categories[0]])).toEqual([
			['C.c() only in B', 0, 0.4, 'compiled-only-in-b'],
			['1 X.x(): inlined → null', 0.3, 0.2, 'lost-inlining'],
			['A.a() only in A', 0.1, 0, 'compiled-only-in-a'],
		]);
		expect(hasProfiles).toBe(true);
		expect(
			methods.map(({ name, shareA, shareB, compileIdsA, compileIdsB, hotInA, hotInB }) => [name, shareA, shareB, compileIdsA, compileIdsB, hotInA, hotInB]),
		).toEqual([
			['C.c()', 0, 0.4, [], ['1'], false, true],
			['B.b()', 0.3, 0.2, ['2'], ['2'], true, false],
			['A.a()', 0.1, 0, ['1'], [], false, false],
		]);
	});
});

describe('repeated runs', () => {
	const has = run({ calls: [inlined(1, 'X.x()')] });
	const not = run({ calls: [call(1, 'X.x()')] });

	test('in all runs of one side and in none of the other, if chance gives that rarely', async () => {
		const evidence = async (a: Experiment[], b: Experiment[]) =>
			(await changesOf(a, b)).map(({ noise, pValue, runsA, runsB, ofA, ofB }) => [noise, pValue, `${runsA}/${ofA} ${runsB}/${ofB}`]);
		expect(await evidence([has, has, has], [not, not, not])).toEqual([[false, 1 / 20, '3/3 0/3']]);
		expect(await evidence([has, has], [not, not])).toEqual([[true, 1 / 6, '2/2 0/2']]);
		expect(await evidence([has, has, has], [not, not, has])).toEqual([[true, 3 / 15, '3/3 1/3']]);
		expect(await evidence([has, not, has], [not, has, has])).toEqual([]);
		// A method that a run did not compile decides nothing there.
		expect(await evidence([has, has, has, run()], [not, not, not])).toEqual([[false, 1 / 20, '3/3 0/3']]);
	});

	test('the true split is ranked among all splits', async () => {
		const same = await compare([has, has, has], [not, not, not]);
		expect(same.noiseTest).toEqual({ verdict: 'changed', rank: 1, tried: 10, splits: 10 });
		expect(same.shifts.map(({ kind, text, countsA, countsB, isMoreInA }) => [kind, text, countsA, countsB, isMoreInA])).toEqual([
			['direct', null, [0, 0, 0], [1, 1, 1], false],
			['inlined', 'yes', [1, 1, 1], [0, 0, 0], true],
		]);
		// Divided across the sides: the split that tells them apart is another one.
		const across = await compare([has, not, has], [has, not, not]);
		expect(across.noiseTest).toMatchObject({ verdict: 'within chance', tried: 10 });
		expect(across.changes.every(({ noise }) => noise === true)).toBe(true);
		expect((await compare([has, has, has], [has, has, has])).noiseTest).toMatchObject({ verdict: 'within chance', rank: 10 });
		expect((await compare([has, has], [not, not])).noiseTest).toEqual({ verdict: 'too few runs', rank: 1, tried: 3, splits: 3 });
	});

	test('noise comes last, whatever is behind it', async () => {
		const one = (isNoisy: boolean, isLost: boolean) =>
			run({ name: 'A.a()', period: 90, calls: isNoisy ? [inlined(1, 'N.n()')] : [] }, { name: 'B.b()', period: 5, calls: isLost ? [] : [inlined(1, 'S.s()')] });
		const { changes } = await compare([one(true, false), one(true, false), one(false, false)], [one(false, true), one(true, true), one(false, true)], {
			evenIfChance: true,
		});
		expect(changes.map((change) => [brief(change), change.noise])).toEqual([
			['1 S.s(): inlined → null', false],
			['1 N.n(): inlined → null', true],
		]);
	});

	test('shares are means of the runs with a profile', async () => {
		const { methods } = await compare([run({ period: 10 }), run({ period: 30 }), run({})], [run({})]);
		expect(methods[0]).toMatchObject({ shareA: 0.2, shareB: null, sharesA: [0.1, 0.3, null], sharesB: [null], hotInA: true, hotInB: null });
	});

	test('what else a call was: what it was in most runs of the other side', async () => {
		const was = (kind: Partial<InliningNode>) => run({ calls: [call(1, 'X.x()', kind)] });
		const [deleted, indirect] = [was({ alive: false }), was({ indirect: true })];
		expect((await changesOf([has, has, has], [indirect, deleted, indirect])).map(brief)).toEqual(['1 X.x(): inlined → indirect']);
		expect((await changesOf([has, has, has], [deleted, indirect, deleted])).map(brief)).toEqual(['1 X.x(): inlined → deleted']);
		expect((await changesOf([has, has, has], [run({}), run({}), indirect])).map(brief)).toEqual(['1 X.x(): inlined → indirect']);
		expect((await changesOf([deleted, indirect, deleted], [has, has, has])).map(brief)).toEqual(['1 X.x(): deleted → inlined']);
	});

	test('what is one of a shift comes first, by the time of all its methods; each method once', async () => {
		const name = (i: number) => `M${i}.m()`;
		/** Of methods 1 to 4 the calls of one are refused as too deep, in each run those of another one; method 0 loses an optimization. */
		const side = (tooDeep: readonly number[], hasUnroll: boolean) =>
			run(
				...[0, 1, 2, 3, 4].map(
					(i): Method => ({
						name: name(i),
						period: i === 0 ? 40 : 5,
						calls: Array.from({ length: 8 }, (_, bci) => (tooDeep.includes(i) ? call(bci, 'X.x()', { reasons: ['too deep'] }) : inlined(bci, 'X.x()'))),
						optimizations: i === 0 && hasUnroll ? [phase('P', optimization('Unroll', ['M.m()', 1]))] : [],
					}),
				),
			);
		const { changes, shifts } = await compare(
			[side([], true), side([], true), side([], true)],
			[side([1, 2], false), side([2, 3], false), side([3, 4], false)],
		);
		expect(shifts.map(({ kind, text, countsB }) => [kind, text, countsB])).toEqual([
			['direct', 'too deep', [16, 16, 16]],
			['inlined', 'yes', [24, 24, 24]],
		]);
		const rows = changes.map((change) => [change.methodName, brief(change), change.shift?.text ?? null, change.noise]);
		expect(rows.slice(0, 2)).toEqual([
			['M1.m()', '0 X.x(): inlined → direct', 'too deep', false],
			['M1.m()', '1 X.x(): inlined → direct', 'too deep', false],
		]);
		expect(changes.filter(({ shift }) => shift !== null).map(({ methodName }) => methodName)).toEqual(
			[1, 2, 3, 4].flatMap((i) => Array.from({ length: 8 }, () => name(i))),
		);
		expect(rows.at(-1)).toEqual(['M0.m()', 'Unroll lost', null, false]);
	});

	test('of two shifts the one whose methods have more time together', async () => {
		const side = (refuses: boolean) =>
			run(
				...[1, 2, 3, 4].map(
					(i): Method => ({
						name: `M${i}.m()`,
						period: i === 4 ? 12 : 5,
						calls: Array.from({ length: 12 }, (_, bci) =>
							refuses
								? call(bci, 'X.x()', { reasons: [i === 4 ? 'too big' : 'too deep'] })
								: call(bci, 'X.x()', { inlined: true, reasons: ['abcdefghijkl'.charAt(bci)] }),
						),
					}),
				),
			);
		const { changes, shifts } = await compare([side(false), side(false), side(false)], [side(true), side(true), side(true)]);
		expect(shifts.slice(0, 2).map(({ text, countsA, countsB }) => [text, countsA[0], countsB[0]])).toEqual([
			['too deep', 0, 36],
			['too big', 0, 12],
		]);
		const order = changes.map(({ methodName, shift }) => `${methodName} ${shift?.text}`);
		expect([...new Set(order)]).toEqual(['M1.m() too deep', 'M2.m() too deep', 'M3.m() too deep', 'M4.m() too big']);
	});

	test('a call with several kinds: the one whose runs tell the sides apart best', async () => {
		const both = run({ calls: [inlined(1, 'X.x()'), call(1, 'X.x()')] });
		const changes = await changesOf([both, both, has], [not, not, not]);
		expect(changes.map((change) => [brief(change), change.runsA, change.runsB])).toEqual([['1 X.x(): inlined → direct', 3, 0]]);
		expect(changes[0]!.categories).toEqual(['lost-inlining']);
	});
});

test('what a pass did not do: no change where both sides say so in other words; where only one does, behind what it did', async () => {
	const told = (name: string, event: string, line: number): Optimization => ({ ...optimization(name, ['M.m()', line]), event });
	const a = run({ optimizations: [told('vector analysis', 'CannotCount', 3), told('vector', 'Vectorized', 9), told('vector missed', 'Missed', 20)] });
	const b = run({ optimizations: [told('vector analysis', 'EarlyExit', 3), told('vector missed', 'Missed', 3), told('vector analysis', 'UnsafeDep', 9)] });
	const refusals = ['vector analysis', 'vector missed'];
	const { changes, rewordedRefusals } = await compare([a], [b], { phases: { detailed: [], unordered: [], refusals, consequences: refusals } });
	expect(changes.map(brief)).toEqual(['vector lost', 'vector analysis new', 'vector missed lost']);
	expect(rewordedRefusals).toBe(1);
	const whole = await compare([a], [b]);
	expect([whole.changes.length, whole.rewordedRefusals]).toEqual([6, 0]);
});

describe('what is compared', () => {
	const a = run({ name: 'A.a()', period: 10 }, { name: 'B.b()', period: 0 }, { name: 'C.c()', period: 5 });
	const b = run({ name: 'D.d()', period: 1 }, { name: 'B.b()', period: 0 });

	test('methods with samples in some run, as many of each as wanted; or all', async () => {
		const names = async (more: Partial<CompareRunsOptions>, ...sides: [Experiment[], Experiment[]]) => {
			const { methods, unsampledMethods } = await compare(...sides, more);
			return [methods.map(({ name }) => name), unsampledMethods];
		};
		expect(await names({ all: false }, [a], [b])).toEqual([['A.a()', 'C.c()', 'D.d()'], 1]);
		expect((await names({ all: false, maxMethods: 1 }, [a], [b]))[0]).toEqual(['A.a()', 'D.d()']);
		expect(await names({ all: true }, [a], [b])).toEqual([['A.a()', 'C.c()', 'D.d()', 'B.b()'], 0]);
		expect(await names({ all: false }, [run({})], [run({ name: 'B.b()' })])).toEqual([['B.b()', 'M.m()'], 0]);
	});

	test('code of other tiers counts with its method, whatever the spelling', async () => {
		const compilation = allUnits(run({ name: 'A.a(StringBuilder)' }))[0]!;
		const profiled = (kind: 'JIT' | 'AOT', entries: readonly [string | null, string, number | null, number][], others?: readonly [string, number][]) =>
			createExperiment(
				1,
				[{ ...compilation, fullName: compilation.methodName, multiMethodKey: null }],
				{
					kind,
					executionId: null,
					totalPeriod: 100,
					entries: entries.map(([compileId, name, level, period]) => ({ compileId, name, level, period })),
					...(others === undefined ? {} : { otherEntries: others.map(([name, period]) => ({ compileId: '9', name, level: 3, period })) }),
				},
				null,
			);
		const share = async (one: Experiment) => (await compare([one], [run({ name: 'A.a(StringBuilder)' })])).methods[0]?.shareA;
		const own = ['1', 'A.a(java.lang.StringBuilder)', 4, 10] as const;
		expect(await share(profiled('JIT', [[...own]]))).toBe(0.1);
		expect(
			await share(
				profiled('JIT', [
					[...own],
					['7', 'A.a(java.lang.StringBuilder)', 3, 20],
					['8%', '8%: A.a(StringBuilder)', 2, 5],
					['9', 'A.a(int)', 3, 1],
					['10', 'A.a(StringBuilder)', null, 2],
					[null, 'A.a(StringBuilder)', 3, 3],
					['11', 'A.a(StringBuilder)', 4, 4],
				]),
			),
		).toBe(0.35);
		expect(await share(profiled('JIT', [[...own], ['7', 'A.a(StringBuilder)', 3, 20]], [['A.a(StringBuilder)', 40]]))).toBe(0.5);
		expect(
			await share(
				profiled('AOT', [
					[null, 'A.a(StringBuilder)', null, 10],
					['7', 'A.a(StringBuilder)', 3, 20],
				]),
			),
		).toBe(0.2);
	});

	test('a profile without any time tells of no share', async () => {
		const empty = createExperiment(1, [], { kind: 'JIT', executionId: null, totalPeriod: 0, entries: [] }, null);
		const { methods, hasProfiles } = await compare([empty], [run({ period: 5 })]);
		expect([hasProfiles, methods.map(({ shareA, shareB, sharesA, weight }) => [shareA, shareB, sharesA, weight])]).toEqual([
			true,
			[[null, 0.05, [null], 0.05]],
		]);
	});

	test('without profiles methods are weighed by what was counted; without that alike', async () => {
		const weights = async (...sides: [Experiment[], Experiment[]]) => {
			const { methods, hasProfiles, hasCounts } = await compare(...sides);
			return [methods.map(({ name, weight }) => [name, weight]), hasProfiles, hasCounts];
		};
		const counted = run({ name: 'B.b()', counted: 30 }, { name: 'A.a()', counted: 10 }, { name: 'B.b()', counted: 40 });
		expect(await weights([counted], [run({ name: 'A.a()', counted: 1 }, { name: 'B.b()', counted: 1 })])).toEqual([
			[
				['B.b()', 0.6875],
				['A.a()', 0.3125],
			],
			false,
			true,
		]);
		expect(await weights([run({ name: 'B.b()' }, { name: 'A.a()' })], [run({ name: 'C.c()' }, { name: 'D.d()' })])).toEqual([
			[
				['A.a()', 0.25],
				['B.b()', 0.25],
				['C.c()', 0.25],
				['D.d()', 0.25],
			],
			false,
			false,
		]);
		// A run that nothing is counted of says nothing.
		expect((await weights([counted], [run({ name: 'C.c()' })]))[0]).toEqual([
			['B.b()', 0.875],
			['A.a()', 0.125],
			['C.c()', 0],
		]);
	});

	test('into what methods that one side only compiled are inlined: the most expensive first, each once', async () => {
		const inlines = (name: string, period: number, ...calls: InliningNode[]): Method => ({ name, period, calls });
		const a = run(
			inlines('A.cheap()', 5, inlined(1, 'X.x()')),
			inlines('A.dear()', 50, inlined(1, 'X.x()'), inlined(2, 'X.x()'), inlined(3, 'Y.y()')),
			inlines('A.refuses()', 20, call(1, 'X.x()')),
		);
		const b = run(inlines('A.cheap()', 5, inlined(1, 'X.x()')), inlines('A.dear()', 5), inlines('A.refuses()', 5), { name: 'X.x()', period: 1 });
		const { inlinedInto } = await compare([a], [b]);
		expect([...inlinedInto]).toEqual([['X.x()', { a: ['A.dear()', 'A.cheap()'], b: ['A.cheap()'] }]]);
	});

	test('progress is told by method and run', async () => {
		const seen: string[] = [];
		const onProgress = async (done: number, total: number) => {
			seen.push(`${done}/${total}`);
		};
		await compare([run({ name: 'A.a()', period: 1 }, { name: 'B.b()', period: 0 }), run({ name: 'A.a()', period: 1 })], [run({ name: 'A.a()' })], {
			all: false,
			onProgress,
		});
		expect(seen).toEqual(['1/3', '2/3', '3/3']);
	});

	test('what cannot be read is left out and told; faults of the program are not hidden', async () => {
		const fails = new InputError({ severity: 'error', file: 'f', message: 'cut', action: 'x' });
		const { problems } = await compare([run({ fails })], [run({})]);
		expect(problems).toMatchObject([{ severity: 'warning', message: 'cut', action: 'the compilation is left out of the comparison' }]);
		expect((await compare([run({})], [run({})])).problems).toEqual([]);
		// In one of two runs it cannot be read, in the other it was not compiled.
		expect((await compare([run({ fails }), run()], [run({}), run({})])).changes).toEqual([]);
		// Compiled on both sides, and on one or both of them nobody knows how: no decision that changed.
		expect((await compare([run({ fails })], [run({})])).changes).toEqual([]);
		expect((await compare([run({})], [run({ fails })])).changes).toEqual([]);
		expect((await compare([run({ fails })], [run({ fails })])).changes).toEqual([]);
		expect((await compare([run({})], [run()])).changes).toMatchObject([{ kind: 'compilation', isInA: true }]);
		await expect(compare([run({ fails: new TypeError('bug') })], [run({})])).rejects.toThrow('bug');
	});

	test('hidden classes are one, whatever their addresses', async () => {
		const lambda = (address: string, calls: InliningNode[]) => run({ name: `A$$Lambda/0x${address}.f()`, calls });
		expect((await changesOf([lambda('00000000b8246c48', [inlined(1, 'X.x()')])], [lambda('00000000c0000000', [])])).map(brief)).toEqual([
			'1 X.x(): inlined → null',
		]);
	});
});

test('a call that moved within a method', async () => {
	const moved = await compare([run({ calls: [inlined(1, 'X.x()')] })], [run({ calls: [inlined(2, 'X.x()')] })]);
	expect(moved.moves).toMatchObject([{ what: 'callsite', callee: 'X.x()', kind: 'inlined', from: [{ bci: 1 }], to: [{ bci: 2 }] }]);
	const phases = await compare([run({ optimizations: [phase('High', phase('Inner'))] })], [run({ optimizations: [phase('Low', phase('Inner'))] })]);
	expect(phases.moves).toContainEqual({ what: 'phase', methodName: 'M.m()', phase: 'Inner', from: ['High'], to: ['Low'] });
});

test('fragments keep the optimizations of what was inlined, at its depth or deeper', () => {
	const trees: CompilationTrees = {
		inlining: inlined(-1, 'M.m()', inlined(1, 'X.x()', call(5, 'Z.z()')), call(2, 'Y.y()')),
		optimization: phase(
			'RootPhase',
			phase('P', optimization('At', ['X.x()', 5], ['M.m()', 1]), optimization('Own', ['M.m()', 1])),
			optimization('Deeper', ['Z.z()', 0], ['X.x()', 5], ['M.m()', 1]),
			optimization('Other', ['X.x()', 5], ['M.m()', 2]),
		),
	};
	const unit = {
		experiment: 1 as const,
		compileId: '7',
		methodName: 'M.m()',
		multiMethodKey: null,
		period: 9,
		fragment: null,
		sizeBytes: 1,
		readTrees: () => trees,
	};
	const fragments = createFragments(
		unit,
		(name) => name === 'X.x()',
		() => 3,
	);
	expect(fragments.map(({ compileId, methodName, period }) => [compileId, methodName, period])).toEqual([['7#3', 'X.x()', 9]]);
	const names: string[] = [];
	const visit = (node: OptimizationNode): void => (node.kind === 'phase' ? node.children.forEach(visit) : void names.push(node.name));
	visit(fragments[0]!.readTrees().optimization);
	expect(names.sort()).toEqual(['At', 'Deeper']);
});

test('when nodes of trees are the same', () => {
	const root = inlined(-1, 'M.m()');
	const policy = inliningPolicy(root, root);
	const same = (x: InliningNode, y: InliningNode) => policy.identity(x) === policy.identity(y);
	const relabelled = (x: InliningNode, y: InliningNode) => policy.relabelIdentity(x) === policy.relabelIdentity(y);
	expect([
		same(call(1, 'X'), call(1, 'X')),
		same(call(1, 'X'), call(2, 'X')),
		same(call(1, 'X'), inlined(1, 'X')),
		same(call(1, null), call(1, 'unknown')),
		same(root, inlined(-1, 'M.m()')),
	]).toEqual([true, false, false, false, false]);
	expect([relabelled(call(1, 'X'), inlined(1, 'X')), relabelled(call(1, 'X'), inlined(1, 'Y')), relabelled(call(1, null), call(1, null))]).toEqual([
		true,
		false,
		true,
	]);
	const with2 = (x: string, y: string): Optimization => ({
		...optimization('O'),
		properties: [
			{ key: x, value: 1n as never },
			{ key: y, value: 1n as never },
		],
	});
	expect(OPTIMIZATION_POLICY.identity(with2('a', 'b'))).toBe(OPTIMIZATION_POLICY.identity(with2('b', 'a')));
	expect(OPTIMIZATION_POLICY.identity(with2('a', 'b'))).not.toBe(OPTIMIZATION_POLICY.identity(with2('a', 'c')));
	expect(OPTIMIZATION_POLICY.identity(phase('P', phase('Q')))).toBe(OPTIMIZATION_POLICY.identity(phase('P')));
	expect(isRemark({ kind: 'info', text: 't' } as never)).toBe(true);
	expect(isRemark({ kind: 'context-root', children: [] } as never)).toBe(false);
	expect(CONTEXT_POLICY.relabelIdentity({ kind: 'info', text: 't' } as never)).toBeNull();
});
