/** The package as users get it: packed, installed from its file into an empty folder, run and imported there. `npm run release:check` runs this, too. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportsProgram, HOTTEST_METHOD, runUserProgram, STORE_OF_RUNS } from '../test/user-program.js';

const root = path.resolve(import.meta.dirname, '..');
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
let folder = '';
let packed = '';
let installed = '';

/** All that may be in the package: a file that is none of these was not meant to be shipped. */
const SHIPPED = [
	/^(?:README\.md|LICENSE|NOTICE|package\.json)$/,
	/^action\.yml$/,
	/^action\/run\.sh$/,
	/^bin\/assay\.js$/,
	/^bin\/assay-(?:cc|c\+\+)$/,
	/^bin\/assay-llvm-(?:ar|ranlib)\.js$/,
	/^bin\/driver\.sh$/,
	/^dist\/(?:cli\.js|index\.js|index\.d\.ts|LICENSES\.txt)$/,
	/^dist\/chunks\/[\w-]+\.js$/,
	/^dist\/web\/page\.(?:js|css)$/,
	/^docs\/(?:formats\/)?[\w-]+\.(?:md|jpg)$/,
	/^docs\/schema\/[\w-]+\.json$/,
	/^examples\/(?:a|b|hot|memory|order)\/[\w./-]+$/,
	/^lab\/(?:Bias|Problems)Lab\.java$/,
	/^runtime\/assay_(?:order|agent)\.c$/,
	/^runtime\/assay\.jfc$/,
	/^src\/store\/questions\/[a-z-]+\.sql$/,
	/^src\/store\/questions\/parts\/[a-z-]+\.sql$/,
	/^runtime\/prebuilt\/SHA256SUMS$/,
	/^runtime\/prebuilt\/[\w-]+\/libassay_agent\.(?:so|dylib)$/,
];
/** The SDK of the Model Context Protocol is 0.07 MB of it: docs/dependencies.md. */
const MAX_PACKED_BYTES = 2_250_000;

function run(command: string, args: readonly string[], cwd: string): string {
	return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-package-'));
	run('npm', ['pack', '--pack-destination', folder], root);
	packed = path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
	fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
	run('npm', ['install', '--no-audit', '--no-fund', packed], folder);
	installed = path.join(folder, 'node_modules', 'assay');
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function files(): string[] {
	return fs
		.readdirSync(installed, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
		.filter((file) => !file.startsWith('node_modules/'));
}

test('is small and holds what it is meant to hold', () => {
	const shipped = files();
	console.log(`${path.basename(packed)}: ${shipped.length} files, ${(fs.statSync(packed).size / 1e6).toFixed(2)} MB`);
	expect(fs.statSync(packed).size).toBeLessThan(MAX_PACKED_BYTES);
	expect(shipped.filter((file) => !SHIPPED.some((pattern) => pattern.test(file)))).toEqual([]);
	expect(SHIPPED.filter((pattern) => !shipped.some((file) => pattern.test(file)))).toEqual([]);
});

test('names the licences of all that is in it', () => {
	expect(fs.readFileSync(path.join(installed, 'LICENSE'), 'utf8')).toContain('Apache License');
	expect(fs.readFileSync(path.join(installed, 'NOTICE'), 'utf8')).toContain('LICENSES.txt');
	const licences = fs.readFileSync(path.join(installed, 'dist', 'LICENSES.txt'), 'utf8');
	for (const name of [
		'@modelcontextprotocol/sdk',
		'@noble/hashes',
		'ajv',
		'fflate',
		'hyparquet',
		'hyparquet-writer',
		'pprof-format',
		'preact',
		'saxes',
		'string-width',
		'zod',
		'zstddec',
	]) {
		expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, \\(?(?:MIT|ISC|Apache-2\\.0|BSD-3-Clause)\\b`, 'm'));
	}
});

test('runs', () => {
	const assay = path.join(folder, 'node_modules', '.bin', 'assay');
	expect(run(assay, ['--version'], folder)).toBe(`${version}\n`);
	const examples = path.join('node_modules', 'assay', 'examples');
	const args = ['a', 'b'].flatMap((name) => [path.join(examples, name, 'log'), path.join(examples, name, 'prof.json')]);
	expect(run(assay, ['profdiff', 'jit-vs-jit', ...args], folder)).toContain('\nMethod Escape.mandel(double, double, int)\n');
	expect(run(assay, ['report', path.join(examples, 'a')], folder)).toContain('Escape.mandel');
	expect(run('npx', ['assay', 'profdiff', 'help'], folder)).toMatch(/^usage: assay profdiff /);
	for (const compiler of ['assay-cc', 'assay-c++']) {
		expect(run(path.join(folder, 'node_modules', '.bin', compiler), ['--version'], folder)).toContain('clang version');
	}
	expect(run(path.join(folder, 'node_modules', '.bin', 'assay-llvm-ar'), ['--version'], folder)).toContain('LLVM');
});

test('can be imported, with types', async () => {
	expect(files().filter((file) => /\.d\.[cm]?ts$/.test(file))).toEqual(['dist/index.d.ts']);
	expect(runUserProgram(folder, 'hottest', HOTTEST_METHOD)).toMatch(/^Escape\.mandel\(double, double, int\) \d+ \d+\n$/);
	expect(runUserProgram(folder, 'store', STORE_OF_RUNS)).toBe('1 2 1 206 2 408 0\n');
	const names: string[] = JSON.parse(run(process.execPath, ['-e', "import('assay').then((all) => console.log(JSON.stringify(Object.keys(all))))"], folder));
	expect(names).toContain('main');
	expect(runUserProgram(folder, 'exports', exportsProgram(names))).toBe('0 function\n');
});

test('is as publint wants it', () => {
	expect(run(path.join(root, 'node_modules', '.bin', 'publint'), ['--strict'], root)).toContain('All good!');
});
