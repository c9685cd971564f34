/** Profilers against a known truth, with numbers made by hand. */
import { expect, test } from 'vitest';
import { hasBroken, type LabProfiler, labScenario } from './lab-accuracy.js';

const shares = (of: Record<string, number>): Map<string, number> => new Map(Object.entries(of));
const profiler = (name: string, of: Record<string, number>, more: Partial<LabProfiler> = {}): LabProfiler => ({
	name,
	isPredicted: false,
	isUnbiased: false,
	shares: shares(of),
	...more,
});

test('distances from the truth are of methods only', () => {
	const truth = { from: 'steps' as const, shares: shares({ 'a.B.c': 1, 'a.B.d': 3, '(native)': 9 }) };
	const { truth: told, profilers } = labScenario('s', truth, [
		profiler('JFR', { 'a.B.c': 75, 'a.B.d': 25, '(kernel)': 900 }),
		profiler('exact', { 'a.B.d': 75, 'a.B.c': 25 }, { isUnbiased: true }),
		profiler('none', { '(kernel)': 9 }),
		profiler('predicted', { 'a.B.c': 1 }, { isPredicted: true }),
	]);
	expect(told).toEqual({
		from: 'steps',
		methods: [
			{ method: 'a.B.d', percent: 75 },
			{ method: 'a.B.c', percent: 25 },
		],
	});
	expect(profilers.map(({ profiler: name, samples, totalVariation, isOff }) => [name, samples, totalVariation, isOff])).toEqual([
		['JFR', 100, expect.closeTo(0.5, 9), true],
		['exact', 100, expect.closeTo(0, 9), false],
		['none', 0, null, false],
		['predicted', null, expect.closeTo(0.75, 9), expect.any(Boolean)],
	]);
	expect(profilers[0]?.methods).toEqual([
		{ method: 'a.B.c', percent: 75 },
		{ method: 'a.B.d', percent: 25 },
	]);
});

test('without truth there are no distances', () => {
	for (const truth of [null, { from: 'perf' as const, shares: shares({ '(kernel)': 3 }) }]) {
		expect(labScenario('s', truth, [profiler('JFR', { 'a.B.c': 1 })]).profilers).toMatchObject([
			{ totalVariation: null, expectedFromSampling: 0, isOff: false },
		]);
	}
});

test('predictions are compared with the profiler that they predict', () => {
	const predicted = (predicts: string, of: Record<string, number> = { 'a.B.c': 1 }): LabProfiler => profiler('predicted', of, { isPredicted: true, predicts });
	const observed = profiler('JFR', { 'a.B.c': 60, 'a.B.d': 40 });
	const of = (...all: LabProfiler[]) =>
		labScenario('s', null, all).predictions.map(({ prediction, observed: name, totalVariation }) => [prediction, name, totalVariation]);
	expect(of(predicted('JFR'), observed)).toEqual([['predicted', 'JFR', expect.closeTo(0.4, 9)]]);
	expect([of(predicted('other'), observed), of(predicted('JFR', {}), observed), of(predicted('JFR'), profiler('JFR', { '(native)': 5 }))]).toEqual([
		[],
		[],
		[],
	]);
});

test("Flight Recorder's two samplers, and what the biased samples are", () => {
	const truth = { from: 'steps' as const, shares: shares({ 'a.B.c': 1, 'a.B.d': 1 }) };
	const cpu = profiler('cpu', { 'a.B.c': 60, 'a.B.d': 40, '(native)': 50 }, { biased: shares({ 'a.B.c': 20, '(native)': 3 }) });
	const execution = profiler('JFR', { 'a.B.c': 90, 'a.B.d': 10 });
	expect(labScenario('s', truth, [cpu, execution]).samplers).toEqual([
		{
			execution: 'JFR',
			cpu: 'cpu',
			totalVariation: expect.closeTo(0.3, 9),
			expectedFromSampling: expect.any(Number),
			biasedPercent: 20,
			biasedMethod: 'a.B.c',
			fromTruth: expect.closeTo(0.1, 9),
			// 40 of each are left.
			unbiasedFromTruth: expect.closeTo(0, 9),
		},
	]);
	expect(labScenario('s', null, [cpu, execution]).samplers).toMatchObject([{ fromTruth: null, unbiasedFromTruth: null }]);
	const { biased, ...without } = cpu;
	for (const all of [
		[without, execution],
		[cpu],
		[cpu, profiler('JFR', {})],
		[{ ...cpu, name: 'cpu-' }, execution],
		[{ ...cpu, shares: shares({}) }, execution],
	]) {
		expect(labScenario('s', truth, all).samplers).toEqual([]);
	}
	const all = labScenario('s', truth, [{ ...cpu, shares: biased ?? shares({}) }, execution]).samplers;
	expect(all).toMatchObject([{ biasedPercent: 100, unbiasedFromTruth: null }]);
	expect(labScenario('s', truth, [{ ...cpu, biased: shares({}) }, execution]).samplers).toMatchObject([{ biasedPercent: 0, biasedMethod: null }]);
});

test('a profiler that is unbiased by construction and far from the truth is broken', () => {
	const broken = (from: 'steps' | 'perf', isUnbiased: boolean, c: number): boolean =>
		hasBroken(
			labScenario('s', { from, shares: shares({ 'a.B.c': 5000, 'a.B.d': 5000 }) }, [profiler('x', { 'a.B.c': c, 'a.B.d': 10_000 - c }, { isUnbiased })]),
		);
	expect([broken('steps', true, 9000), broken('steps', true, 6000), broken('steps', false, 9000), broken('perf', true, 9000)]).toEqual([
		true,
		false,
		false,
		false,
	]);
	expect(hasBroken(labScenario('s', null, [profiler('x', { 'a.B.c': 1 }, { isUnbiased: true })]))).toBe(false);
});
