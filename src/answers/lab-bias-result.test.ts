import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { labScenario } from '../bias/lab-accuracy.js';
import { labBiasResult } from './lab-bias-result.js';
import { collected } from './streamed.js';

const schema = path.resolve(import.meta.dirname, '..', '..', 'docs', 'schema', 'lab-bias.json');
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(fs.readFileSync(schema, 'utf8')));

test('the result is as the schema says, its numbers have four digits', () => {
	const shares = (of: Record<string, number>): Map<string, number> => new Map(Object.entries(of));
	const profilers = [
		{ name: 'perf', isPredicted: false, isUnbiased: true, shares: shares({ 'A.f': 2, 'A.g': 1 }) },
		{ name: 'dumps', isPredicted: false, isUnbiased: false, shares: shares({ 'A.f': 1 }) },
		{ name: 'pred', isPredicted: true, isUnbiased: false, shares: shares({ 'A.f': 5, 'A.g': 1 }), predicts: 'dumps' },
	];
	const truth = { from: 'steps' as const, shares: shares({ 'A.f': 2, 'A.g': 1 }) };
	const result = collected(
		labBiasResult({
			javaPath: '/jdk/bin/java',
			version: null,
			javaOptions: ['-Xint'],
			seconds: 0.5,
			profilers: profilers.map(({ name }) => ({ name, what: name })),
			missing: [{ sampler: 'async-profiler', why: 'it was not found', remedy: 'unpack it' }],
			scenarios: [
				{ title: 'two loops', ...labScenario('S1Inline', truth, profilers) },
				{ title: 'ordinary code', ...labScenario('S7Objects', null, profilers) },
			],
		}),
	);
	expect(isValid({ assay: { version: '0', schema: 1 }, command: 'lab bias', result, problems: [] }), JSON.stringify(isValid.errors)).toBe(true);
	expect(Object.keys(result)).toEqual(['java', 'seconds', 'profilers', 'missing', 'scenarios']);
	const [first, second] = result.scenarios;
	expect(first?.truth).toEqual({
		from: 'steps',
		methods: [
			{ method: 'A.f', percent: 66.6667 },
			{ method: 'A.g', percent: 33.3333 },
		],
	});
	expect(first?.profilers.map(({ profiler, totalVariation }) => [profiler, totalVariation])).toEqual([
		['perf', 0],
		['dumps', 0.3333],
		['pred', 0.1667],
	]);
	expect(first?.predictions).toMatchObject([{ prediction: 'pred', observed: 'dumps', totalVariation: 0.1667 }]);
	expect(second?.truth).toBeNull();
});
