/** What tells two sides of runs apart, of decisions made by hand: kinds that are decided more often, and decisions of methods by their time. */
import { describe, expect, test } from 'vitest';
import { inliningNode, optimization, treesOf } from '../../test/experiments.js';
import { addCompilation, createMethodDecisions, type MethodDecisions } from './decisions.js';
import { testNoise, withoutNumbers } from './noise.js';

test.each([
	['inlining too deep', 'inlining too deep'],
	['size 123 > 35.5', 'size # > #'],
	['relevance 1E10, 2.5E-7', 'relevance #, #'],
	['E5 and 5E', 'E# and #E'],
	['trivial (relevance=1.0, probability=0.5)', 'trivial'],
	['call(a=1) of f(int)', 'call of f(int)'],
	['f(int, long) (size=7) twice (b = 2)', 'f(int, long) twice'],
	['', ''],
])('without numbers %j is %j', (text, wanted) => {
	expect(withoutNumbers(text)).toBe(wanted);
});

describe('kinds of decisions that are made more often on one side', () => {
	/** Each row: how many calls of that kind and reason each run of A has, and each run of B. */
	type Row = readonly [reason: string | null, isInlined: boolean, a: readonly number[], b: readonly number[]];

	function noiseOf(rows: readonly Row[], optimizations: readonly (readonly [number[], number[]])[] = []) {
		const [, , firstA, firstB] = rows[0]!;
		const method = createMethodDecisions('M.m()');
		for (const [side, runs, column] of [
			['a', firstA.length, 2],
			['b', firstB.length, 3],
		] as const) {
			for (let run = 0; run < runs; run++) {
				const calls = rows.flatMap((row, kind) =>
					Array.from({ length: row[column][run] ?? 0 }, (_, i) =>
						inliningNode({ bci: 1000 * kind + i, methodName: `K${kind}`, inlined: row[1], reasons: row[0] === null ? [] : ['before', `${row[0]} ${i}`] }),
					),
				);
				const made = optimizations.flatMap((counts, kind) =>
					Array.from({ length: counts[column - 2]?.[run] ?? 0 }, (_, i) =>
						optimization({ name: `O${kind}`, event: 'E', position: { methodNames: ['M.m()'], bcis: [i] } }),
					),
				);
				addCompilation(method, treesOf(calls, ...made), side, run);
			}
		}
		return testNoise([method], { a: firstA.length, b: firstB.length }, () => 1);
	}
	const shiftsOf = (...args: Parameters<typeof noiseOf>) =>
		noiseOf(...args).shifts.map(({ kind, text, countsA, countsB, isMoreInA, gap }) => [kind, text, countsA, countsB, isMoreInA, Number(gap.toFixed(2))]);

	test('counted by what became of the calls and why, and by optimization; the widest gap first', () => {
		const even: Row = ['usual', true, [40, 40, 40], [40, 40, 40]];
		expect(
			shiftsOf(
				[even, ['deep', false, [0, 0, 0], [9, 9, 9]], [null, false, [25, 25, 25], [0, 0, 0]], ['same', true, [5, 5, 5], [5, 5, 5]]],
				[
					[
						[16, 16, 16],
						[0, 0, 0],
					],
				],
			),
		).toEqual([
			['direct', null, [25, 25, 25], [0, 0, 0], true, 4.51],
			['optimization', 'O0 E', [16, 16, 16], [0, 0, 0], true, 3.61],
			['direct', 'deep #', [0, 0, 0], [9, 9, 9], false, 3.42],
			['inlined', 'usual #', [40, 40, 40], [40, 40, 40], false, 1.49],
		]);
	});

	test('of as many decisions as the mean run has: a run that compiled twice as much shifts nothing', () => {
		expect(
			shiftsOf([
				['one', true, [20, 20, 20], [40, 40, 40]],
				['two', false, [30, 30, 30], [60, 60, 60]],
			]),
		).toEqual([]);
	});

	test('not by less than two standard deviations of a count, nor where the sides overlap', () => {
		const even: Row = ['usual', true, [1000, 1000, 1000], [1000, 1000, 1000]];
		const gaps = (a: number[], b: number[]) => shiftsOf([even, ['deep', false, a, b]]).map(([, text]) => text);
		expect([gaps([0, 0, 0], [1, 1, 1]), gaps([0, 0, 0], [2, 2, 2]), gaps([0, 0, 2], [2, 2, 2]), gaps([2, 9, 3], [40, 50, 60])]).toEqual([
			[],
			['deep #'],
			[],
			['deep #'],
		]);
	});

	test('one run of ten may be out of line', () => {
		const ten = (value: number, odd: number): number[] => [...Array.from({ length: 9 }, () => value), odd];
		const even = ['usual', true, ten(200, 200), ten(200, 200)] as const;
		const texts = (a: number[], b: number[]) => shiftsOf([even, ['deep', false, a, b]]).map(([, text]) => text);
		expect(texts(ten(0, 30), ten(30, 0))).toEqual(['deep #']);
		expect(texts([...ten(0, 30).slice(1), 30], ten(30, 30))).toEqual([]);
	});

	test('a run that decided nothing tells of none', () => {
		const { shifts, test: verdict } = noiseOf([
			['one', true, [20, 20, 20, 0], [10, 10, 10, 10]],
			['two', false, [0, 0, 0, 0], [10, 10, 10, 10]],
		]);
		expect(verdict.verdict).toBe('changed');
		expect(shifts.map(({ text, isMoreInA }) => [text, isMoreInA])).toEqual([
			['two #', false],
			['one #', true],
		]);
	});
});

describe('causes', () => {
	/** Methods that are inlined into in these runs, of three or more a side. */
	function noiseOf(runs: number, methods: readonly { readonly name: string; readonly weight: number; readonly calls: readonly string[] }[]) {
		const weights = new Map(methods.map(({ name, weight }) => [name, weight]));
		const decisions = methods.map(({ name, calls }): MethodDecisions => {
			const method = createMethodDecisions(name);
			for (const side of ['a', 'b'] as const) {
				for (let run = 0; run < runs; run++) {
					const nodes = calls.flatMap((pattern, bci) => (pattern[side === 'a' ? run : runs + run] === 'x' ? [inliningNode({ bci, inlined: true })] : []));
					addCompilation(method, treesOf(nodes), side, run);
				}
			}
			return method;
		});
		return testNoise(decisions, { a: runs, b: runs }, (name) => weights.get(name) ?? 0);
	}
	const every = { a: 0b111, b: 0b111 };

	test('are called where the sides differ by them, weighed by the time of their methods', () => {
		const result = noiseOf(3, [
			{ name: 'A.a()', weight: 0.5, calls: ['xxx...', 'x..x..'] },
			{ name: 'B.b()', weight: 0, calls: ['xxx...'] },
		]);
		expect(result.test).toEqual({ verdict: 'changed', rank: 1, tried: 10, splits: 10 });
		expect(result.isCalled('A.a()', every, { a: 0b111, b: 0 })).toBe(true);
		// What is in exactly the other runs comes with it.
		expect(result.isCalled('A.a()', every, { a: 0, b: 0b111 })).toBe(true);
		expect(result.isCalled('A.a()', every, { a: 0b1, b: 0b1 })).toBe(false);
		expect(result.isCalled('B.b()', every, { a: 0b111, b: 0 })).toBe(false);
		expect(result.isCalled('C.c()', every, { a: 0b111, b: 0 })).toBe(false);
	});

	test('of little time are not called where other splits have as much', () => {
		const noisy = ['x.xx..', 'x..x.x', '.xx..x', '.x.xx.', 'xx.x..', '..xxx.'];
		const methods = (weight: number) => [
			{ name: 'A.a()', weight: 0.5, calls: ['xxx...'] },
			{ name: 'B.b()', weight, calls: ['xxx...'] },
			...noisy.map((calls, i) => ({ name: `N${i}.n()`, weight: 0.02, calls: [calls] })),
		];
		const called = (weight: number) => {
			const { test: verdict, isCalled } = noiseOf(3, methods(weight));
			return [verdict.verdict, isCalled('A.a()', every, { a: 0b111, b: 0 }), isCalled('B.b()', every, { a: 0b111, b: 0 })];
		};
		expect([called(0.3), called(0.001)]).toEqual([
			['changed', true, true],
			['changed', true, false],
		]);
	});

	test('are none where other splits differ as much', () => {
		const across = noiseOf(3, [
			{ name: 'A.a()', weight: 0.1, calls: ['xxx...'] },
			{ name: 'B.b()', weight: 0.9, calls: ['x.xx..', 'x..x.x'] },
		]);
		expect(across.test).toMatchObject({ verdict: 'within chance', tried: 10 });
		expect([across.shifts, across.isCalled('A.a()', every, { a: 0b111, b: 0 })]).toEqual([[], false]);
	});

	test('a method counts once, by the decision that tells most, whatever the order of its calls', () => {
		const twice = (calls: readonly string[]) => noiseOf(4, [{ name: 'A.a()', weight: 1, calls }]).test.rank;
		expect([twice(['xxxx....']), twice(['xxxx....', 'xxxx....', '....xxxx'])]).toEqual([1, 1]);
	});

	test('two runs a side are too few', () => {
		const result = noiseOf(2, [{ name: 'A.a()', weight: 1, calls: ['xx..'] }]);
		expect(result.test).toMatchObject({ verdict: 'too few runs', tried: 3, splits: 3 });
		expect(result.isCalled('A.a()', { a: 0b11, b: 0b11 }, { a: 0b11, b: 0 })).toBe(false);
	});
});
