import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { driveCompiler, findCompiler, splitCompilerCommand } from './compiler-driver.js';
import { ToolFailed, ToolMissing } from './tools.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-driver-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function program(name: string, text: string): string {
	const file = path.join(folder, name);
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, `#!/bin/sh\n${text}`, { mode: 0o755 });
	return file;
}

test.each([
	[['clang', '-c', 'a.c'], ['clang'], ['-c', 'a.c']],
	[['ccache', 'clang', '-c'], ['ccache', 'clang'], ['-c']],
	[['/usr/bin/sccache', 'clang++'], ['/usr/bin/sccache', 'clang++'], []],
	[['my-ccache', 'clang'], ['my-ccache'], ['clang']],
	[[], [], []],
])('%j', (words, compiler, rest) => {
	expect(splitCompilerCommand(words)).toEqual([compiler, rest]);
});

describe('the compiler', () => {
	program('old/clang-15', '');
	program('new/clang-21', '');
	program('new/clang++-20', '');
	program('plain/clang', '');
	const search = (...names: string[]): string => names.map((name) => path.join(folder, name)).join(path.delimiter);

	test('is what the variable says, in several words too', () => {
		expect(findCompiler('c', { ASSAY_CC: 'ccache clang-18', PATH: search('plain') })).toEqual(['ccache', 'clang-18']);
		expect(findCompiler('c++', { ASSAY_CC: 'clang-18', ASSAY_CXX: 'clang++-17' })).toEqual(['clang++-17']);
	});

	test('else clang, else the newest', () => {
		expect(findCompiler('c', { PATH: search('old', 'new', 'plain') })).toEqual(['clang']);
		expect(findCompiler('c', { PATH: search('old', 'new') })).toEqual(['clang-21']);
		expect(findCompiler('c++', { PATH: search('old', 'new') })).toEqual(['clang++-20']);
	});

	test('else there is none', () => {
		expect(findCompiler('c++', { PATH: search('old', 'plain') })).toBeNull();
		expect(findCompiler('c', { PATH: '' })).toBeNull();
		expect(findCompiler('c', {})).toBeNull();
	});
});

describe('driving it', () => {
	const choice = { only: [], skip: [], bufferEntries: 16, isRing: false, bitmap: 'byte' } as const;
	const request = { choice, mapFile: null, workingDirectory: folder, warn: () => {} };

	test('what compiles nothing goes to it as it is', async () => {
		const compiler = program('pass/clang', `echo "$@" > ${folder}/said.txt\n`);
		await driveCompiler({ ...request, compiler: [compiler], arguments: ['--version', '-v'] });
		expect(fs.readFileSync(path.join(folder, 'said.txt'), 'utf8')).toBe('--version -v\n');
	});

	test('relative paths start at the working directory', async () => {
		fs.mkdirSync(path.join(folder, 'work'));
		const compiler = program('where/clang', 'pwd > where.txt\n');
		await driveCompiler({ ...request, workingDirectory: path.join(folder, 'work'), compiler: [compiler], arguments: ['-E', 'a.c'] });
		expect(fs.readFileSync(path.join(folder, 'work', 'where.txt'), 'utf8').trim()).toBe(fs.realpathSync(path.join(folder, 'work')));
	});

	test('its status, and that it is not there, are told', async () => {
		const compiler = program('bad/clang', 'exit 7\n');
		await expect(driveCompiler({ ...request, compiler: [compiler], arguments: ['--version'] })).rejects.toThrow(ToolFailed);
		await expect(driveCompiler({ ...request, compiler: [compiler], arguments: ['--version'] })).rejects.toMatchObject({ status: 7 });
		await expect(driveCompiler({ ...request, compiler: [path.join(folder, 'none')], arguments: ['--version'] })).rejects.toThrow(ToolMissing);
	});
});
