/** The package as users get it: packed, installed from its file into an empty folder, run and imported there. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
let folder = '';
let packed = '';

function run(command: string, args: readonly string[], cwd: string): string {
	return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-package-'));
	run('npm', ['pack', '--pack-destination', folder], root);
	packed = path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
	fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
	run('npm', ['install', '--no-audit', '--no-fund', packed], folder);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test('is small', () => {
	expect(fs.statSync(packed).size).toBeLessThan(2_000_000);
	expect(fs.existsSync(path.join(folder, 'node_modules', 'assay', 'fixtures'))).toBe(false);
});

test('runs', () => {
	const assay = path.join(folder, 'node_modules', '.bin', 'assay');
	expect(run(assay, ['--version'], folder)).toBe(`${JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).version}\n`);
	const examples = path.join('node_modules', 'assay', 'examples');
	const args = ['a', 'b'].flatMap((name) => [path.join(examples, name, 'log'), path.join(examples, name, 'prof.json')]);
	expect(run(assay, ['profdiff', 'jit-vs-jit', ...args], folder)).toContain('\nMethod Escape.mandel(double, double, int)\n');
	expect(run('npx', ['assay', 'profdiff', 'help'], folder)).toMatch(/^usage: assay profdiff /);
});

test('can be imported, with types', () => {
	fs.writeFileSync(
		path.join(folder, 'use.ts'),
		`import { createExperiment, openOptimizationLog, openProftoolProfile, DEFAULT_OPTIONS, selectHotUnits, type Experiment } from 'assay';
const log = await openOptimizationLog('node_modules/assay/examples/a/log');
const profile = await openProftoolProfile('node_modules/assay/examples/a/prof.json');
const experiment: Experiment = createExperiment(1, log.compilations, profile, 'JIT');
const [unit] = selectHotUnits(experiment, DEFAULT_OPTIONS);
console.log(unit?.methodName, unit?.readTrees().inlining.children.length);
`,
	);
	const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
	const flags = [
		'--strict',
		'--module',
		'nodenext',
		'--target',
		'es2022',
		'--lib',
		'es2023',
		'--types',
		'node',
		'--typeRoots',
		path.join(root, 'node_modules', '@types'),
	];
	run(tsc, [...flags, '--rootDir', '.', 'use.ts'], folder);
	expect(run(process.execPath, ['use.js'], folder)).toMatch(/^Escape\.mandel\(double, double, int\) \d+\n$/);
});

test('is as publint wants it', () => {
	expect(run(path.join(root, 'node_modules', '.bin', 'publint'), ['--strict'], root)).toContain('All good!');
});
