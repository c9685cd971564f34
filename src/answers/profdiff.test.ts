import path from 'node:path';
import { expect, test } from 'vitest';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { runAssay } from '../../test/run-assay.js';
import { DEFAULT_OPTIONS } from '../profdiff/options.js';
import { answerProfdiff, type ProfdiffQuestion } from './profdiff.js';
import { collected } from './streamed.js';

const side = (name: string) => ({ log: `inputs/${name}/log`, profile: `inputs/${name}.prof.json` });
const ask = (question: ProfdiffQuestion, options = {}) =>
	answerProfdiff({ question, options: { ...DEFAULT_OPTIONS, ...options }, workingDirectory: GRAAL_FIXTURES });

async function printed(argv: readonly string[]): Promise<{ result: unknown; problems: unknown[] }> {
	return JSON.parse((await runAssay(['profdiff', '--json', ...argv], GRAAL_FIXTURES)).stdout);
}

test('the result is what the command prints as JSON', async () => {
	const a = side('poly-a');
	const b = side('poly-b');
	const answer = await ask({ command: 'jit-vs-jit', a, b }, { inlinerReasoning: true });
	const { result, problems } = await printed(['--inliner-reasoning=true', 'jit-vs-jit', a.log, a.profile, b.log, b.profile]);
	expect(collected(answer.result())).toEqual(result);
	expect(answer.problems).toEqual(problems);
	expect(answer.failure()).toBeNull();
	answer.close();
});

test('what is found before an unreadable compilation is in the result; the failure is known when the sections were taken', async () => {
	const answer = await ask({ command: 'report', log: 'inputs/edge/mixed' });
	expect(answer.failure()).toBeNull();
	const { result, problems } = await printed(['report', 'inputs/edge/mixed']);
	expect(collected(answer.result())).toEqual(result);
	expect(answer.failure()?.message).toContain('the trees of compilation "9" cannot be read');
	expect(JSON.parse(JSON.stringify(answer.problems.at(-1)))).toMatchObject(problems.at(-1) as object);
	answer.close();
});

test('an input that cannot be used is the failure, and there are no methods', async () => {
	const answer = await ask({ command: 'report', log: path.join('inputs', 'absent') });
	expect(answer.experiments).toBeNull();
	expect(answer.failure()?.file).toBe('inputs/absent');
	expect(collected(answer.result())).toEqual({ options: DEFAULT_OPTIONS, experiments: [] });
	expect(answer.problems).toHaveLength(1);
	answer.close();
});

test('trees of a method are read when they are taken', async () => {
	const answer = await ask({ command: 'report', ...side('mix-a') });
	const [first] = answer.result().methods ?? [];
	expect(first?.method).toEqual(expect.any(String));
	let sections = 0;
	answer.tell({ methodSection: () => void sections++, unit: () => {}, unitTrees: () => {}, pair: () => {}, pairComparison: () => {} });
	expect(sections).toBeGreaterThan(1);
	answer.close();
});
