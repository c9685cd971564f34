import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { PROFILERS } from '../bias/profilers.js';
import { BIAS_WORDS, versionsOf } from '../render/profilers-text.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'bias-profilers.json'), 'utf8')));

interface Row {
	readonly profiler: string;
	readonly mode: string;
	readonly bias: string;
}

async function rowsOf(...argv: string[]): Promise<Row[]> {
	const { stdout, exit } = await runAssay(['bias', '--profilers', '--json', ...argv], root);
	expect(exit).toBe(0);
	const output = JSON.parse(stdout);
	expect(isValid(output), JSON.stringify(isValid.errors)).toBe(true);
	return output.result.profilers;
}

test('by version of the JDK, given or of a recording', async () => {
	const jfr = (rows: readonly Row[]): string[] => rows.filter(({ profiler }) => profiler === 'JFR').map(({ mode, bias }) => `${mode.split(',')[0]} ${bias}`);
	expect(jfr(await rowsOf('--for-jdk', '17'))).toEqual(['jdk.ExecutionSample debug info', 'jdk.ExecutionSample no']);
	expect(jfr(await rowsOf('--for-jdk', '25'))).toHaveLength(4);
	const { stdout } = await runAssay(['bias', '--profilers', 'examples/hot'], root);
	expect(stdout).toMatch(/^OpenJDK .*\nProfilers of HotSpot on JDK \d+:\n/);
	expect(await rowsOf()).toHaveLength(PROFILERS.length);
});

test('all versions in 80 columns', async () => {
	const { stdout } = await runAssay(['bias', '--profilers'], root);
	expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
	await expect(stdout).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', 'bias-profilers-80.txt'));
});

test('docs/bias-reference.md has the same table', () => {
	const docs = fs.readFileSync(path.join(root, 'docs', 'bias-reference.md'), 'utf8');
	for (const { profiler, mode, fromJdk, toJdk, bias, reason, walksStacks, sources } of PROFILERS) {
		expect(docs).toContain(
			`| ${profiler}: ${mode} | ${versionsOf(fromJdk, toJdk)} | ${BIAS_WORDS[bias]} | ${walksStacks ? 'yes' : 'no'} | ${reason} (${sources.join(', ')}) |`,
		);
	}
});

test('wrong use and unusable input', async () => {
	expect(await runAssay(['bias', '--profilers', '--for-jdk', 'x'], root)).toMatchObject({ exit: 2 });
	expect(await runAssay(['bias', '--profilers', '--for-jdk', '17', 'examples/hot'], root)).toMatchObject({ exit: 2 });
	expect(await runAssay(['bias', '--profilers', 'nowhere', '--json'], root)).toMatchObject({ exit: 3 });
});
