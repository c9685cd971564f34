/** What several findings ask of a run: shares over the versions of a method, lines of its code, time of threads. */
import { describe, expect, test } from 'vitest';
import { joinedCompilation } from '../../test/joined-runs.js';
import { SparseColumn } from '../model/sparse-column.js';
import {
	activityShare,
	compilerName,
	hottestLine,
	interpreterPercent,
	isSameMethod,
	lineOf,
	lineOfCall,
	methodKey,
	ofAll,
	ofThe,
	percentInLowerTiers,
	percentOfKey,
	percentOfMethod,
	percentText,
} from './run-facts.js';

type Run = Parameters<typeof lineOf>[0];

const runOf = (more: object): Run => more as unknown as Run;

test('of which samples a share is', () => {
	expect([ofAll({ chosen: {} }), ofThe({ chosen: {} })]).toEqual(['of all samples', 'of the samples']);
	expect([ofAll({ chosen: { wholeRun: true } }), ofThe({ chosen: { wholeRun: true } })]).toEqual(['of all samples', 'of the samples']);
	expect([ofAll({ chosen: { thread: 'main' } }), ofThe({ chosen: { threadClass: 'java' } })]).toEqual(['of these samples', 'of these samples']);
});

test('percent have one place behind the point', () => {
	expect([0, 0.04, 0.06, 12.34, 100].map(percentText)).toEqual(['0.0 %', '0.0 %', '0.1 %', '12.3 %', '100.0 %']);
});

test('compilers by the names that users know', () => {
	expect(['c1', 'c2', 'jvmci', 'graal', 'x', '', null].map(compilerName)).toEqual(['C1', 'C2', 'Graal', 'Graal', null, null, null]);
});

describe('shares of methods', () => {
	const compilations = [
		joinedCompilation({ compileId: '1', level: 3, percent: 4 }),
		joinedCompilation({ compileId: '2', level: 4, percent: 20 }),
		joinedCompilation({ compileId: '3%', kind: 'osr', level: 2, percent: 2 }),
		joinedCompilation({ compileId: '4', level: 0, percent: 8, method: 'a.B.wrapper' }),
		joinedCompilation({ compileId: '5', level: null, percent: 16, method: 'a.B.g' }),
		joinedCompilation({ compileId: '6', level: 1, percent: 1, method: 'a.B.g' }),
	];

	test('over all versions', () => {
		expect(['a.B.f', 'a.B.g', 'a.B.x'].map((method) => percentOfMethod(runOf({ compilations }), { method, signature: null }))).toEqual([26, 17, 0]);
	});

	test('of methods of one name each for itself', () => {
		const of = (compileId: string, signature: string | null, more: object = {}) =>
			joinedCompilation({ compileId, signature, level: 3, percent: Number(compileId), ...more });
		const overloaded = [of('1', '(C)V'), of('2', '(I)V'), of('4', '(C)V', { level: 4 }), of('8', null)];
		const method = (signature: string | null) => ({ method: 'a.B.f', signature });
		expect([method('(C)V'), method('(I)V'), method('(J)V'), method(null)].map((one) => percentOfMethod(runOf({ compilations: overloaded }), one))).toEqual([
			13, 10, 8, 15,
		]);
		const lower = percentInLowerTiers(runOf({ compilations: overloaded }));
		expect(['(C)V', '(I)V', '(J)V', null].map((signature) => percentOfKey(lower, methodKey(method(signature))))).toEqual([9, 10, 8, 8]);
		expect(isSameMethod(method('(C)V'), { method: 'a.B.g', signature: '(C)V' })).toBe(false);
	});

	test('in code of C1: not in wrappers, not in code of the top tier or of none', () => {
		expect([...percentInLowerTiers(runOf({ compilations }))]).toEqual([
			['a.B.f', 6],
			['a.B.g', 1],
		]);
	});
});

describe('time of threads', () => {
	const threadTime = {
		counted: 200,
		classes: [
			{
				class: 'java',
				samples: 100,
				activities: [
					{ name: 'compiled code', samples: 60 },
					{ name: 'monitors', samples: 30 },
					{ name: 'allocation', samples: 10 },
				],
			},
			{
				class: 'gc',
				samples: 60,
				activities: [
					{ name: 'garbage collection', samples: 50 },
					{ name: 'monitors', samples: 10 },
				],
			},
			{ class: 'c2', samples: 40, activities: [{ name: 'compiling', samples: 40 }] },
		],
	};
	const percent = (...args: [classes: Parameters<typeof activityShare>[1], activities: readonly string[] | null]) =>
		activityShare(runOf({ threadTime }), ...args).percent;

	test('of classes, whatever they did', () => {
		expect(percent(['java'], null)).toBe(50);
		expect(percent(['gc', 'c2'], null)).toBe(50);
		expect(percent(['c1', 'jvmci'], null)).toBe(0);
	});

	test('of some of what they did', () => {
		expect(percent(['java'], ['monitors'])).toBe(15);
		expect(percent(['java', 'gc'], ['monitors', 'allocation'])).toBe(25);
		expect(percent(['java'], [])).toBe(0);
	});

	test('with the lower limit of what chance allows', () => {
		// Wilson's interval of 100 of 200: 43.1 to 56.9 %.
		expect(activityShare(runOf({ threadTime }), ['java'], null).low).toBeCloseTo(43.14, 2);
		expect(activityShare(runOf({ threadTime: null }), ['java'], null)).toEqual({ percent: 0, low: 0 });
		expect(activityShare(runOf({ threadTime: { counted: 0, classes: [] } }), ['java'], null)).toEqual({ percent: 0, low: 0 });
	});
});

test('time in the interpreter', () => {
	const percent = (counted: number, interpreted: number | null) =>
		interpreterPercent(
			runOf({
				hot: {
					attribution: { counted },
					reasons: new Map([
						['unknown', 3],
						['interpreter', interpreted ?? 0],
					]),
				},
			}),
		);
	expect([percent(50, 10), percent(50, null), percent(0, 10)]).toEqual([20, 0, 0]);
	expect(interpreterPercent(runOf({ hot: { attribution: { counted: 5 }, reasons: new Map() } }))).toBe(0);
	expect(interpreterPercent(runOf({ hot: null }))).toBe(0);
});

const frame = (method: string, bci: number, line: number | null) => ({ method, bci, line });

describe('the line of a bytecode', () => {
	const positions = [
		[frame('a.X.inlined', 2, 70), frame('a.B.f', 4, 40)],
		[frame('a.B.f', 10, 43)],
		[frame('a.B.f', 12, 44)],
		[frame('a.B.f', 12, 99)],
		[frame('a.B.f', 7, null)],
		[frame('a.B.f', 6, 41)],
		[frame('a.B.g', 9, 80)],
	];
	const line = (method: string, bci: number) => lineOf(runOf({ hot: { code: [{ instructions: null }, { instructions: { positions } }] } }), method, bci);

	test('its own, else that of the nearest one before it that has one', () => {
		expect([3, 4, 5, 6, 7, 9, 10, 11].map((bci) => line('a.B.f', bci))).toEqual([null, 40, 40, 41, 41, 41, 43, 43]);
		// Two methods are called so.
		expect([12, 13].map((bci) => line('a.B.f', bci))).toEqual([null, null]);
		expect([line('a.B.g', 9), line('a.X.inlined', 5), line('a.X.x', 9)]).toEqual([80, 70, null]);
	});

	test('none where methods of the name have several signatures', () => {
		const compilations = ['(D)D', '(D[D)D'].map((signature) => ({ method: 'a.B.f', signature }));
		const of = (more: readonly object[]) =>
			lineOf(runOf({ hot: { code: [{ instructions: { positions } }] }, log: { history: { compilations: more } } }), 'a.B.f', 5);
		expect([of(compilations), of(compilations.slice(1)), of([{ method: 'a.B.f', signature: null }, compilations[0]!])]).toEqual([null, 40, 40]);
	});

	test('of a call by the calls around it, which tell methods of one name apart', () => {
		// f(double) calls f(double, double[]) at its bytecode 2; the innermost frame comes first.
		const code = (compileId: string, ...positions: readonly object[]) => ({ code: { compileId }, instructions: { positions } });
		const [one, other] = [frame('a.B.f', 2, 1156), frame('a.B.f', 0, 1166)];
		const own = code('7', [other, one, frame('a.R.root', 4, 10)], [one, frame('a.R.root', 4, 10)], [frame('a.B.f', 2, 50), frame('a.R.root', 9, 11)]);
		const run = runOf({ hot: { code: [code('6', [frame('a.B.f', 2, 1166)]), own, code('8')] } });
		const line = (compileId: string, bci: number, ...bcis: readonly number[]) => lineOfCall(run, compileId, 'a.B.f', { bci, bcis });
		expect([line('7', 2, 4, 2), line('7%', 3, 4, 3), line('7', 2, 9, 2), line('7', 1, 4, 2, 1)]).toEqual([1156, 1156, 50, 1166]);
		// Nothing tells it there, and methods of the name differ.
		expect([line('7', 2, 5, 2), line('8', 2, 4, 2), lineOfCall(run, '7', 'a.B.f', { bci: 2 })]).toEqual([null, null, null]);
		expect(lineOfCall(run, '7', 'a.R.root', { bci: 4, bcis: [4] })).toBe(10);
	});

	test('the first bytecode has a line, too', () => {
		expect(lineOf(runOf({ hot: { code: [{ instructions: { positions: [[frame('a.B.f', 0, 12)]] } }] } }), 'a.B.f', 0)).toBe(12);
	});

	test('as stacks tell it, where they tell lines', () => {
		const lines = { lineOf: (method: string, bci: number) => (method === 'a.B.f' ? 1000 + bci : null), hottestLine: () => 5 };
		const hot = { lines, code: [{ instructions: { positions } }] };
		expect([lineOf(runOf({ hot }), 'a.B.f', 10), lineOf(runOf({ hot }), 'a.B.g', 9)]).toEqual([1010, null]);
		expect(lineOf(runOf({ hot: null }), 'a.B.f', 10)).toBeNull();
	});
});

describe('the line with most samples', () => {
	/** Code with an instruction for each row: the samples on it, and its frames, innermost first. */
	const code = (name: string, rows: readonly (readonly [seen: number, ...frames: ReturnType<typeof frame>[]])[]) => ({
		code: { name },
		instructions: { length: rows.length, frames: (i: number) => rows[i]?.slice(1) ?? [] },
		seenAt: SparseColumn.of(Float64Array.from(rows, ([seen]) => seen)),
	});
	const hottest = (method: string, ...codes: readonly object[]) => hottestLine(runOf({ hot: { code: codes }, compilations: [] }), { method, signature: null });

	test('of the method itself, not of what is inlined in it; over all its instructions and versions', () => {
		const inner = frame('a.X.inlined', 2, 70);
		const first = code('a.B.f', [
			[0, frame('a.B.f', 0, 40)],
			[5, inner, frame('a.B.f', 4, 41)],
			[9, frame('a.B.f', 6, 42)],
			[0, frame('a.B.f', 6, 43)],
			[50],
			[60, frame('a.B.f', 6, null)],
		]);
		const second = code('a.B.f', [[5, frame('a.B.f', 4, 41)]]);
		const other = code('a.B.g', [[100, frame('a.B.g', 0, 90)]]);
		const none = { code: { name: 'a.B.f' }, instructions: null, seenAt: SparseColumn.of(new Float64Array(0)) };
		expect(hottest('a.B.f', none, first, other)).toBe(42);
		expect(hottest('a.B.f', first, other, second)).toBe(41);
		expect([hottest('a.B.g', first, other), hottest('a.X.inlined', first), hottest('a.B.f', none)]).toEqual([90, null, null]);
	});

	test('not of another method of the name', () => {
		const other = { ...code('a.B.f', [[9, frame('a.B.f', 0, 90)]]), code: { name: 'a.B.f', compileId: '2' } };
		const own = { ...code('a.B.f', [[5, frame('a.B.f', 0, 40)]]), code: { name: 'a.B.f', compileId: '1' } };
		const compilations = [joinedCompilation({ compileId: '1', signature: '(C)V' }), joinedCompilation({ compileId: '2', signature: '(I)V' })];
		const line = (signature: string | null) => hottestLine(runOf({ hot: { code: [other, own] }, compilations }), { method: 'a.B.f', signature });
		expect([line('(C)V'), line('(I)V'), line(null)]).toEqual([40, 90, 90]);
	});

	test('none where no instruction with a line has a sample', () => {
		expect(hottest('a.B.f', code('a.B.f', [[0, frame('a.B.f', 0, 40)], [7]]))).toBeNull();
		expect(hottestLine(runOf({ hot: null, compilations: [] }), { method: 'a.B.f', signature: null })).toBeNull();
	});

	test('as stacks tell it, where they tell lines', () => {
		const lines = { lineOf: () => 5, hottestLine: (method: string) => (method === 'a.B.f' ? 44 : null) };
		const line = (method: string) => hottestLine(runOf({ hot: { lines, code: [] } }), { method, signature: null });
		expect([line('a.B.f'), line('a.B.g')]).toEqual([44, null]);
	});
});
