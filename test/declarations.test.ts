/** The declarations of the library as users compile against them: one file, which needs no other and tells what is exported. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportsProgram, HOTTEST_METHOD, runUserProgram } from './user-program.js';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-declarations-'));
	fs.mkdirSync(path.join(folder, 'node_modules'));
	fs.symlinkSync(root, path.join(folder, 'node_modules', 'assay'));
	fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

test('are one file, which imports nothing but Node', () => {
	const files = fs.readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
	expect(files).toEqual(['index.d.ts']);
	const text = fs.readFileSync(path.join(dist, 'index.d.ts'), 'utf8');
	expect(
		[...text.matchAll(/\bfrom ["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/g)]
			.map(([, from, type]) => from ?? type)
			.filter((name) => !name?.startsWith('node:')),
	).toEqual([]);
});

test('a program of a user compiles and runs', () => {
	expect(runUserProgram(folder, 'hottest', HOTTEST_METHOD)).toMatch(/^Escape\.mandel\(double, double, int\) \d+ \d+\n$/);
});

test('values that are declared are exported, and the other way round', async () => {
	const names = Object.keys(await import(pathToFileURL(path.join(dist, 'index.js')).href));
	expect(names.length).toBeGreaterThan(100);
	expect(runUserProgram(folder, 'exports', exportsProgram(names))).toBe('0 function\n');
	expect(() => runUserProgram(folder, 'one-less', exportsProgram(names.slice(1)))).toThrow(/TS2322/);
	expect(() => runUserProgram(folder, 'one-more', exportsProgram([...names, 'absent']))).toThrow(/TS2322/);
});

test('comments for users are there, internal declarations are not', () => {
	const text = fs.readFileSync(path.join(dist, 'index.d.ts'), 'utf8');
	expect(text).toContain('/**');
	expect(text).not.toContain('@internal');
});
