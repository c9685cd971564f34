/**
 * What `npm run fuzz` does for minutes, for a moment: no reader is left out, and each takes the inputs that failed once and a few that are made. Those that hang
 * or take too much memory are ended by the program that is run here.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, readSource, sourceFiles } from './source-files.js';

const root = path.resolve(import.meta.dirname, '..');

test('every reader of a source is fuzzed', () => {
	const reached = new Set<string>();
	const work = ['fuzz/readers.ts'];
	for (let file = work.pop(); file !== undefined; file = work.pop()) {
		if (!reached.has(file)) {
			reached.add(file);
			work.push(...importsOf(file).flatMap(({ target, isTypeOnly }) => (!isTypeOnly && /^(?:src|fuzz)\/.*\.ts$/.test(target) ? [target] : [])));
		}
	}
	const readers = sourceFiles('src/formats').filter(
		(file) => !file.endsWith('.test.ts') && /^export function (?:read|scan)\w*\(source: Source/m.test(readSource(file)),
	);
	expect(readers.length).toBeGreaterThan(50);
	expect(readers.filter((file) => !reached.has(file))).toEqual([]);
});

test('readers take what failed once, and a few damaged inputs', () => {
	const { stdout, stderr, status } = spawnSync(process.execPath, ['fuzz/run.js', '--count', '3', '--seed', 'npm test', '--jobs', '2'], {
		cwd: root,
		encoding: 'utf8',
	});
	expect({ stderr, stdout, status }).toEqual({ stderr: '', stdout: expect.stringContaining('none failed'), status: 0 });
});
