/** Copies of source trees: what is in them, modes, times and links. What git lists is in live/order-run.test.ts and run-command.test.ts. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copySource, listSource } from './copy-source.js';

let folder = '';
let source = '';
let target = '';

beforeEach(() => {
	folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-copy-')));
	source = path.join(folder, 'source');
	target = path.join(folder, 'target');
	for (const name of ['a.c', 'build.sh', 'deep/er/b.c', '.git/config', 'made/trace/a.c', 'made-by-hand/c.c']) {
		fs.mkdirSync(path.dirname(path.join(source, name)), { recursive: true });
		fs.writeFileSync(path.join(source, name), `of ${name}`);
	}
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

test("all files, but for git's own and what is made", () => {
	expect(listSource(source, true, path.join(source, 'made'))).toEqual({ files: ['a.c', 'build.sh', 'deep/er/b.c', 'made-by-hand/c.c'], from: 'folder' });
	expect(listSource(source, true, path.join(folder, 'elsewhere')).files).toContain('made/trace/a.c');
});

test('modes and times are kept', () => {
	fs.chmodSync(path.join(source, 'build.sh'), 0o750);
	fs.utimesSync(path.join(source, 'a.c'), 1_000_000, 1_000_000.5);
	copySource(source, ['a.c', 'build.sh', 'deep/er/b.c'], target);
	expect(fs.statSync(path.join(target, 'build.sh')).mode & 0o777).toBe(0o750);
	expect(fs.statSync(path.join(target, 'a.c')).mtimeMs).toBe(1_000_000_500);
	expect(fs.readFileSync(path.join(target, 'deep/er/b.c'), 'utf8')).toBe('of deep/er/b.c');
	expect(fs.existsSync(path.join(target, 'made'))).toBe(false);
});

test('links stay links; those into the source lead into the copy', () => {
	const links = { beside: 'a.c', into: path.join(source, 'deep', 'er'), out: '/usr/include', nowhere: 'gone' };
	for (const [name, to] of Object.entries(links)) {
		fs.symlinkSync(to, path.join(source, name));
	}
	const { files } = listSource(source, true, path.join(source, 'made'));
	expect(files).toEqual(expect.arrayContaining(Object.keys(links)));
	copySource(source, files, target);
	expect(Object.fromEntries(Object.keys(links).map((name) => [name, fs.readlinkSync(path.join(target, name))]))).toEqual({
		...links,
		into: path.join(target, 'deep', 'er'),
	});
});
