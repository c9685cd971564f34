/**
 * What `npm run fuzz` does for minutes, for a moment: no reader is left out, and each takes the inputs that failed once and a few that are made. Those that hang
 * or take too much memory are ended by the program that is run here.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { steeperThanLinear } from '../fuzz/linear.js';
import type { Source } from '../src/bytes/source.js';
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

function fuzz(...argv: readonly string[]) {
	const { stdout, stderr, status } = spawnSync(process.execPath, ['fuzz/run.js', '--seed', 'npm test', '--jobs', '2', ...argv], {
		cwd: root,
		encoding: 'utf8',
	});
	return { stdout, stderr, status };
}

const NONE_FAILED = { stderr: '', stdout: expect.stringContaining('none failed'), status: 0 };

test('work of every reader grows as its input does; of one with the square that is told', async () => {
	expect(fuzz('--doubling', '--count', '4')).toEqual({ stderr: '', stdout: expect.stringContaining('none grows faster'), status: 0 });
	const square = {
		name: 'square',
		takes: () => true,
		read: ({ sizeBytes }: Source) => {
			let sum = 0;
			for (let i = 0; i < sizeBytes / 8; i++) {
				for (let k = 0; k < i; k++) {
					sum += k;
				}
			}
			return sum;
		},
	};
	const [first] = await steeperThanLinear(square, [{ name: 'a', bytes: Buffer.from('a line\n') }], 1);
	expect(first).toMatchObject({ reader: 'square', growth: 'seed 0 again and again' });
});

test('readers take what failed once, and a few damaged inputs', () => {
	expect(fuzz('--count', '3')).toEqual(NONE_FAILED);
});

test('commands on folders of damaged evidence end as they say', () => {
	expect(fuzz('--reader', 'folders', '--count', '40')).toEqual(NONE_FAILED);
});
