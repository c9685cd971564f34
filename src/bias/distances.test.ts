/** Distances of profiles, what sampling alone explains, and sums of blame: by hand and as laws. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { totalVariation as distanceOf, expectedFromSampling as expectedOf } from '../statistics/distances.js';
import { addBlame, addRow, emptyBlame } from './blame.js';
import { hasBroken, type LabProfiler, type LabTruth, labScenario } from './lab-accuracy.js';
import { isMethod, methodsOf, methodsTotal, type Shares } from './method-shares.js';
import { minimize } from './minimize.js';
import { profilersOf } from './profilers.js';

const totalVariation = (a: Shares, b: Shares): number => distanceOf(methodsOf(a), methodsOf(b));
const expectedFromSampling = (a: Shares, b: Shares): number => expectedOf(methodsOf(a), methodsOf(b));
const shares = (given: Record<string, number>) => new Map(Object.entries(given));

describe('total variation', () => {
	test('half the sum of the differences, rows in brackets left out on both sides', () => {
		expect(totalVariation(shares({ a: 3, b: 1 }), shares({ a: 1, b: 3 }))).toBe(0.5);
		expect(totalVariation(shares({ a: 1 }), shares({ b: 5 }))).toBe(1);
		expect(totalVariation(shares({ a: 1, '(kernel)': 100 }), shares({ a: 7, '(native)': 3 }))).toBe(0);
		expect(totalVariation(shares({ a: 1, b: 1 }), shares({ a: 1, b: 1, c: 2 }))).toBe(0.5);
	});

	test('of nothing it is none', () => {
		expect(totalVariation(shares({}), shares({ a: 1 }))).toBe(0);
		expect(totalVariation(shares({ a: 1 }), shares({ '(kernel)': 1 }))).toBe(0);
	});

	const profile = fc.dictionary(fc.constantFrom('a', 'b', 'c', '(k)'), fc.integer({ min: 1, max: 9 })).map(shares);

	test('is a distance of shares: between 0 and 1, the same both ways, whatever the number of samples', () => {
		fc.assert(
			fc.property(profile, profile, profile, (a, b, c) => {
				const distance = totalVariation(a, b);
				expect(distance).toBeGreaterThanOrEqual(0);
				expect(distance).toBeLessThanOrEqual(1 + 1e-12);
				expect(totalVariation(b, a)).toBeCloseTo(distance, 12);
				const tenfold = new Map([...a].map(([name, amount]) => [name, 10 * amount]));
				expect(totalVariation(tenfold, b)).toBeCloseTo(distance, 12);
				if ([a, b, c].every((one) => methodsTotal(one) > 0)) {
					expect(distance).toBeLessThanOrEqual(totalVariation(a, c) + totalVariation(c, b) + 1e-12);
				}
			}),
		);
	});

	test('what sampling explains', () => {
		// Shares of a half each, of 100 and 25 samples: sqrt(2/π · 1/4 · (1/100 + 1/25)) for each of two, halved.
		expect(expectedFromSampling(shares({ a: 50, b: 50 }), shares({ a: 12.5, b: 12.5 }))).toBeCloseTo(Math.sqrt(0.0125 * (2 / Math.PI)), 12);
		// 30 of 40 together, and 10 of 40.
		expect(expectedFromSampling(shares({ a: 20, '(k)': 9 }), shares({ a: 10, b: 10 }))).toBeCloseTo(Math.sqrt((2 / Math.PI) * (3 / 16) * (1 / 10)), 12);
		expect(expectedFromSampling(shares({}), shares({ a: 1 }))).toBe(0);
		expect(expectedFromSampling(shares({ a: 1 }), shares({}))).toBe(0);
	});

	test('what a method is', () => {
		expect(['a.B.f', '(kernel)', 'f(x)'].map(isMethod)).toEqual([true, false, true]);
		expect(methodsTotal(shares({ a: 2, '(k)': 5, b: 3 }))).toBe(5);
	});
});

test('blame is added up by method and by line', () => {
	const blame = emptyBlame();
	addBlame(
		blame,
		[
			{ method: 'a.f', bci: 1, line: 7 },
			{ method: 'a.g', bci: 1, line: 8 },
		],
		2,
	);
	addBlame(blame, [{ method: 'a.f', bci: 9, line: 7 }], 3);
	addBlame(blame, [{ method: 'a.f', bci: 9, line: null }], 4);
	addBlame(blame, [], 5);
	addRow(blame, '(kernel)', 6);
	addRow(blame, '(kernel)', 1);
	expect([...blame.byMethod]).toEqual([
		['a.f', 9],
		['(unknown)', 5],
		['(kernel)', 7],
	]);
	expect([...blame.byLine]).toEqual([
		['a.f:7', 5],
		['a.f:-1', 4],
		['(unknown)', 5],
		['(kernel)', 7],
	]);
});

describe('the lab', () => {
	const truth = (from: LabTruth['from'], given: Record<string, number>): LabTruth => ({ from, shares: shares(given) });
	const profiler = (name: string, given: Record<string, number>, more: Partial<LabProfiler> = {}): LabProfiler => ({
		name,
		isPredicted: false,
		isUnbiased: true,
		shares: shares(given),
		...more,
	});

	test('a truth by construction has no error of sampling', () => {
		const { truth: told, profilers } = labScenario('s', truth('steps', { b: 1, a: 1, c: 0 }), [profiler('p', { a: 60, b: 40, '(k)': 100 })]);
		expect(told).toEqual({
			from: 'steps',
			methods: [
				{ method: 'a', percent: 50 },
				{ method: 'b', percent: 50 },
			],
		});
		expect(profilers[0]).toMatchObject({
			profiler: 'p',
			samples: 100,
			totalVariation: expect.closeTo(0.1, 12),
			isOff: true,
			methods: [
				{ method: 'a', percent: 60 },
				{ method: 'b', percent: 40 },
			],
		});
		expect(profilers[0]!.expectedFromSampling).toBeCloseTo(Math.sqrt((2 / Math.PI) * 0.25 * 0.01), 6);
		// Of samples both sides count.
		const sampled = labScenario('s', truth('perf', { a: 50, b: 50 }), [profiler('p', { a: 50, b: 50 })]).profilers[0]!;
		expect(sampled.expectedFromSampling).toBeCloseTo(Math.sqrt((2 / Math.PI) * 0.25 * 0.02), 12);
	});

	test('off: farther than luck and five percent; broken: than luck and fifteen', () => {
		const at = (a: number, more: Partial<LabProfiler> = {}, from: LabTruth['from'] = 'timed') =>
			labScenario('s', truth(from, { a: 50e9, b: 50e9 }), [profiler('p', { a: a * 1e12, b: (100 - a) * 1e12 }, more)]);
		const isOff = (a: number) => at(a).profilers[0]!.isOff;
		expect([isOff(50), isOff(54.9), isOff(55.1)]).toEqual([false, false, true]);
		expect([hasBroken(at(64.9)), hasBroken(at(65.1)), hasBroken(at(65.1, { isUnbiased: false })), hasBroken(at(65.1, {}, 'perf'))]).toEqual([
			false,
			true,
			false,
			false,
		]);
	});

	test('without a truth, or without samples of methods, nothing is compared', () => {
		const none = labScenario('s', null, [profiler('p', { a: 1 })]);
		expect(none).toMatchObject({ truth: null, profilers: [{ totalVariation: null, expectedFromSampling: 0, isOff: false }] });
		expect(hasBroken(none)).toBe(false);
		expect(labScenario('s', truth('steps', { '(k)': 1 }), [profiler('p', { a: 1 })]).profilers[0]!.totalVariation).toBeNull();
		expect(labScenario('s', truth('steps', { a: 1 }), [profiler('p', { '(k)': 1 })]).profilers[0]).toMatchObject({ samples: 0, totalVariation: null });
	});

	test('predictions are compared with the profile that they predict', () => {
		const { predictions, profilers } = labScenario('s', null, [
			profiler('dumps', { a: 3, b: 1 }),
			profiler('predicted', { a: 1, b: 3 }, { isPredicted: true, predicts: 'dumps' }),
			profiler('other', { a: 1 }, { isPredicted: true, predicts: 'nobody' }),
			profiler('empty', { '(k)': 1 }, { predicts: 'dumps' }),
			profiler('of empty', { a: 1 }, { predicts: 'empty' }),
		]);
		expect(predictions).toEqual([
			{ prediction: 'predicted', observed: 'dumps', totalVariation: 0.5, expectedFromSampling: expect.closeTo(Math.sqrt((2 / Math.PI) * 0.25 * 0.5), 12) },
		]);
		expect(profilers.map(({ samples }) => samples)).toEqual([4, null, null, 0, 1]);
	});
});

describe('minimizing', () => {
	test('a bowl of several widths is found, wherever one starts', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.constantFrom(0.5, 1, 3)), { minLength: 1, maxLength: 4 }), (bowl) => {
				const evaluate = (x: Float64Array) => ({
					value: bowl.reduce((sum, [middle, width], i) => sum + (width * (x[i]! - middle) ** 2) / 2, 0),
					gradient: Float64Array.from(bowl, ([middle, width], i) => width * (x[i]! - middle)),
				});
				const found = minimize(new Float64Array(bowl.length), evaluate, 200);
				bowl.forEach(([middle], i) => {
					expect(found[i]).toBeCloseTo(middle, 2);
				});
			}),
		);
	});

	test('a curved valley (Rosenbrock 1960)', () => {
		const [x, y] = minimize(
			Float64Array.of(-1.2, 1),
			([a = 0, b = 0]) => ({
				value: (1 - a) ** 2 + 100 * (b - a * a) ** 2,
				gradient: Float64Array.of(-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)),
			}),
			500,
		);
		expect(x).toBeCloseTo(1, 2);
		expect(y).toBeCloseTo(1, 2);
	});

	test('no more evaluations than are allowed, and never up', () => {
		let used = 0;
		let start = Number.NaN;
		const evaluate = (x: Float64Array) => {
			used++;
			const value = Math.log(1 + x[0]! ** 2);
			start = used === 1 ? value : start;
			return { value, gradient: Float64Array.of((2 * x[0]!) / (1 + x[0]! ** 2)) };
		};
		const found = minimize(Float64Array.of(50), evaluate, 7);
		expect(used).toBeLessThanOrEqual(7);
		expect(Math.log(1 + found[0]! ** 2)).toBeLessThan(start);
		used = 0;
		expect(minimize(Float64Array.of(0), evaluate, 100)).toEqual(Float64Array.of(0));
		expect(used).toBe(1);
	});
});

describe('profilers by version', () => {
	test('both ends are inclusive, no version means all', () => {
		const jvmti = (jdk: number | null) =>
			profilersOf(jdk)
				.filter(({ mode }) => mode.startsWith('GetStackTrace'))
				.map(({ fromJdk }) => fromJdk);
		expect([jvmti(15), jvmti(16), jvmti(null)]).toEqual([[null], [16], [null, 16]]);
		const jfr = (jdk: number) => profilersOf(jdk).filter(({ profiler: name }) => name === 'JFR').length;
		expect([jfr(24), jfr(25)]).toEqual([2, 4]);
	});
});
