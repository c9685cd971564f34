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
