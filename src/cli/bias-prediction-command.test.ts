import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const runs = path.join(root, 'fixtures', 'jvm', 'safepoint');
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'bias.json'), 'utf8')));

const RUN = 'strip-jdk25-g1';
const WINDOW = ['--from', '1982.113221942', '--to', '1986.113386842'];

test('a table, distances, transfers and loops in 80 columns', async () => {
	const { stdout, stderr, exit } = await runAssay(['bias', RUN, '--thread', 'S8Strip', ...WINDOW, '--against', `dump=${RUN}/dump.collapsed`], runs);
	expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
	expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
	expect(stdout).toMatch(/^S8Strip\.a +67\.4 ± +\d\.\d +68\.\d ± +\d\.\d +67\.0$/m);
	expect(stdout).toMatch(/^predicted - dump +0\.02\d +\(0\.0\d\d\)$/m);
	expect(stdout).toContain('strip-mined');
});

test('JSON as documented', async () => {
	const { stdout, exit } = await runAssay(
		[
			'bias',
			'--json',
			RUN,
			'--thread',
			'S8*',
			...WINDOW,
			'--rounds',
			'0',
			'--against',
			`dump=${RUN}/dump.collapsed`,
			'--against',
			`lines=${RUN}/dump.lines.collapsed`,
		],
		runs,
	);
	const output = JSON.parse(stdout) as {
		result: {
			methods: { method: string; unbiasedSamples: number; predictedPercent: number; observed: Record<string, number> }[];
			distances: { a: string; b: string; totalVariation: number }[];
			loops: { poll: string }[];
		};
	};
	expect(isValid(output), JSON.stringify(isValid.errors)).toBe(true);
	expect(exit).toBe(0);
	const { methods, distances, loops } = output.result;
	expect(methods[0]).toMatchObject({
		method: 'S8Strip.a',
		unbiasedSamples: 2208,
		observed: { dump: expect.closeTo(66.99, 1), lines: expect.closeTo(66.99, 1) },
	});
	expect(methods.reduce((sum, { predictedPercent }) => sum + predictedPercent, 0)).toBeCloseTo(100, 1);
	expect(distances).toHaveLength(6);
	expect(distances.find(({ a, b }) => a === 'dump' && b === 'lines')?.totalVariation).toBe(0);
	expect(loops.some(({ poll }) => poll === 'strip')).toBe(true);
});

test('a thread that is not there, and a profile that is none', async () => {
	const nobody = await runAssay(['bias', RUN, '--thread', 'nobody', '--json'], runs);
	expect(isValid(JSON.parse(nobody.stdout))).toBe(true);
	expect(nobody.stdout).toContain('no samples of a thread nobody');
	const none = await runAssay(['bias', RUN, '--rounds', '0', '--against', `x=${RUN}/windows.json`], runs);
	expect(none.stderr).toContain('holds no collapsed stacks');
});

test('wrong use and unusable input', async () => {
	expect(await runAssay(['bias'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssay(['bias', RUN, '--from', 'x'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssay(['bias', RUN, '--against', 'dump'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssay(['bias', 'nowhere', '--json'], runs)).toMatchObject({ exit: 3 });
});
