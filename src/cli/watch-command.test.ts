/** `assay watch` on recordings that appear in a folder; live/diff-runs.test.ts watches a program. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { changed, programFiles, stateOf } from './watched-files.js';

const root = path.resolve(import.meta.dirname, '..', '..');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-watch-'));
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test('a recording that is new is compared with the one before, on one screen', async () => {
	const runs = path.join(folder, 'runs');
	fs.cpSync(path.join(root, 'fixtures/jvm/ledger/jdk17'), path.join(runs, 'first'), { recursive: true });
	const shown = runAssay(['watch', '--rounds', '1', '--lines', '12', 'runs'], folder);
	setTimeout(() => fs.cpSync(path.join(root, 'fixtures/jvm/ledger/jdk25'), path.join(runs, 'second'), { recursive: true }), 700);
	const { stdout, stderr, exit } = await shown;
	expect(exit).toBe(0);
	expect(stderr).toContain('1 recording in runs; waiting');
	expect(stdout).toMatch(/^runs\/first → runs\/second {3}HotSpot logs/);
	expect(stdout).toMatch(/… \d+ more lines: assay diff runs\/first runs\/second/);
	expect(stdout.split('\n').length).toBeLessThanOrEqual(15);
});

test('a change is over when nothing changes any more', async () => {
	const classes = path.join(folder, 'classes');
	fs.mkdirSync(path.join(classes, 'inner'), { recursive: true });
	const before = stateOf([classes]);
	setTimeout(() => fs.writeFileSync(path.join(classes, 'A.class'), 'a'), 100);
	setTimeout(() => fs.writeFileSync(path.join(classes, 'inner', 'B.class'), 'b'), 500);
	const after = await changed([classes], before);
	expect(after.split('\n')).toHaveLength(2);
});

test('what a program runs is its class path, else itself', () => {
	fs.writeFileSync(path.join(folder, 'app.jar'), '');
	fs.mkdirSync(path.join(folder, 'lib'), { recursive: true });
	expect(programFiles(['java', '-cp', 'lib/*:app.jar:nothing', 'Main'], folder)).toEqual([path.join(folder, 'lib'), path.join(folder, 'app.jar')]);
	expect(programFiles(['java', '--class-path=app.jar', 'Main'], folder)).toEqual([path.join(folder, 'app.jar')]);
	expect(programFiles(['java', '-jar', 'app.jar'], folder)).toEqual([path.join(folder, 'app.jar')]);
	expect(programFiles(['./app.jar'], folder)).toEqual([path.join(folder, 'app.jar')]);
	expect(programFiles(['java', 'Main'], folder)).toEqual([]);
});

test('wrong use is told', async () => {
	expect(await runAssay(['watch'], folder)).toMatchObject({ exit: 2 });
	expect(await runAssay(['watch', 'a', '--', 'java', 'Main'], folder)).toMatchObject({ exit: 2 });
	expect(await runAssay(['watch', '--', 'java', 'Main'], folder)).toMatchObject({ exit: 2, stderr: expect.stringContaining('--on PATH') });
	expect(await runAssay(['watch', 'nothing'], folder)).toMatchObject({ exit: 3 });
});
