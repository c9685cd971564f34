import path from 'node:path';
import { expect, test } from 'vitest';
import type { LabBias } from '../answers/lab-bias-result.js';
import { labScenario } from '../bias/lab-accuracy.js';
import { writeLabText } from './lab-text.js';
import { createTerminal } from './terminal.js';
import { TextWriter } from './text-writer.js';

const goldens = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'golden');

function shares(of: Record<string, number>): Map<string, number> {
	return new Map(Object.entries(of));
}

const PROFILERS = [
	{ name: 'perf', isPredicted: false, isUnbiased: true, shares: shares({ 'A.f': 660, 'A.g': 340, '(kernel)': 30 }) },
	{ name: 'dumps', isPredicted: false, isUnbiased: false, shares: shares({ 'A.run': 98, 'A.f': 2 }) },
	{ name: 'JFR', isPredicted: false, isUnbiased: true, shares: shares({ 'A.run': 50, 'A.f': 50 }) },
	{ name: 'cpu', isPredicted: false, isUnbiased: true, shares: shares({ '(native)': 3 }) },
	{ name: 'pred', isPredicted: true, isUnbiased: false, shares: shares({ 'A.run': 990, 'A.f': 10 }), predicts: 'dumps' },
];

const VIEW: LabBias = {
	javaPath: '/opt/jdk/bin/java',
	version: '25.0.3',
	javaOptions: ['-XX:+UseSerialGC'],
	seconds: 2,
	profilers: PROFILERS.map(({ name }) => ({ name, what: `what ${name} is` })),
	missing: [{ sampler: 'async-profiler', why: 'it was not found', remedy: 'unpack async-profiler 4 and set ASPROF_HOME' }],
	scenarios: [
		{ title: 'two loops', ...labScenario('S1Inline', { from: 'steps', shares: shares({ 'A.f': 2, 'A.g': 1 }) }, PROFILERS) },
		{ title: 'ordinary code', ...labScenario('S7Objects', null, PROFILERS) },
	],
};

test.each([80, 200])('in %i columns', async (width) => {
	let text = '';
	const writer = new TextWriter((block) => {
		text += block;
	});
	writeLabText(writer, VIEW, createTerminal(width, false));
	writer.flush();
	expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
	await expect(text).toMatchFileSnapshot(path.join(goldens, `lab-bias-${width}.txt`));
});

test('distances: exact truth has no luck of its own; rows in brackets are left out', () => {
	const [scenario] = VIEW.scenarios;
	const of = (name: string) => scenario?.profilers.find(({ profiler }) => profiler === name);
	expect(of('perf')?.totalVariation).toBeCloseTo(2 / 3 - 0.66, 6);
	// One share p of n: half of twice sqrt(2 p (1 - p) / (π n)).
	expect(of('perf')?.expectedFromSampling).toBeCloseTo(Math.sqrt((2 * (2 / 9)) / (Math.PI * 1000)), 3);
	expect(of('dumps')?.totalVariation).toBeCloseTo(0.98, 6);
	expect(of('cpu')).toMatchObject({ samples: 0, totalVariation: null });
	expect(of('pred')?.samples).toBe(null);
	expect(scenario?.predictions).toMatchObject([{ prediction: 'pred', observed: 'dumps', totalVariation: expect.closeTo(0.01, 6) }]);
	expect(VIEW.scenarios[1]?.profilers[0]?.totalVariation).toBe(null);
});

test('samples by wall clock against those by processor time, with and without those that the JVM calls biased', () => {
	const jfr = { name: 'JFR', isPredicted: false, isUnbiased: true, shares: shares({ 'A.f': 60, 'A.g': 40 }) };
	const cpu = {
		name: 'cpu',
		isPredicted: false,
		isUnbiased: true,
		shares: shares({ 'A.f': 60, 'A.g': 20, 'A.run': 20, '(native)': 9 }),
		biased: shares({ 'A.run': 20 }),
	};
	const scenario = labScenario('S9Calls', { from: 'perf', shares: shares({ 'A.f': 75, 'A.g': 25 }) }, [jfr, cpu]);
	expect(scenario.samplers).toMatchObject([
		{ execution: 'JFR', cpu: 'cpu', totalVariation: expect.closeTo(0.2, 6), biasedPercent: expect.closeTo(20, 6), biasedMethod: 'A.run' },
	]);
	expect(scenario.samplers[0]?.fromTruth).toBeCloseTo(0.2, 6);
	expect(scenario.samplers[0]?.unbiasedFromTruth).toBeCloseTo(0, 6);
	for (const width of [80, 200]) {
		let text = '';
		const writer = new TextWriter((block) => {
			text += block;
		});
		const view = { ...VIEW, scenarios: [{ title: 'calls', ...scenario }] };
		writeLabText(writer, view, createTerminal(width, false));
		writer.flush();
		expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
		expect(text).toMatch(/^S9Calls +JFR - cpu 0\.20 \(0\.\d\d\) +20\.0 % +0\.20 +0\.00 {2}A\.run$/m);
	}
	expect(labScenario('S9Calls', null, [jfr]).samplers).toEqual([]);
});
