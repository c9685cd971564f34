/** A log that Graal printed to standard output, among what the program printed, is a log. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { runAssay } from '../../test/run-assay.js';

let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-printed-'));
	const edge = path.join(GRAAL_FIXTURES, 'inputs', 'edge');
	const units = ['0_10', '0_2'].flatMap((file) =>
		fs
			.readFileSync(path.join(edge, 'ties', file), 'utf8')
			.trimEnd()
			.split('\n'),
	);
	fs.mkdirSync(path.join(folder, 'log'));
	fs.writeFileSync(path.join(folder, 'log', '0_1'), `${units.join('\n')}\n`);
	fs.copyFileSync(path.join(edge, 'ties.prof.json'), path.join(folder, 'prof.json'));
	const printed = units.map((unit, i) => (i % 2 === 0 ? `${unit}\nround ${i}` : `${i} % `.concat(unit)));
	fs.writeFileSync(path.join(folder, 'out.txt'), `Hello\n\n${printed.join('\n')}\n`);
	fs.writeFileSync(path.join(folder, 'none.txt'), 'Hello\n');
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test.each([['report'], ['--json', 'report']])('%j: the same as of a folder', async (...argv) => {
	const ofFolder = await runAssay(['profdiff', ...argv, 'log', 'prof.json'], folder);
	const ofFile = await runAssay(['profdiff', ...argv, 'out.txt', 'prof.json'], folder);
	expect(ofFolder.exit).toBe(0);
	expect(ofFile.exit).toBe(0);
	if (argv.length === 1) {
		const warning = 'Warning: out.txt:1: 10 lines from this one on are no compilation units (output of the program?); they are skipped\n';
		expect(ofFile.stdout).toContain(warning);
		expect(ofFile.stdout.replace(warning, '')).toBe(ofFolder.stdout);
	} else {
		expect(JSON.parse(ofFile.stdout).result).toEqual(JSON.parse(ofFolder.stdout).result);
	}
});

test('a file without compilations is refused', async () => {
	const { stdout, stderr, exit } = await runAssay(['profdiff', 'report', 'none.txt'], folder);
	expect(exit).toBe(1);
	expect(stdout + stderr).toContain(
		'none.txt: cannot be read (Not a directory, and no line in it is a compilation); give the directory that -Djdk.graal.OptimizationLogPath names, or what',
	);
});

test('beside other files too', async () => {
	const { stdout, stderr, exit } = await runAssay(['report', 'out.txt'], folder);
	expect(exit).toBe(0);
	expect(stdout).toContain('Graal log, 15 compilations');
	expect(stderr).toContain('10 lines from this one on are no compilation units (output of the program?)');
});
