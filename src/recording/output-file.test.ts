/** Files that are written are whole, or what was there. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { createOutputFile } from './output-file.js';

const root = path.resolve(import.meta.dirname, '..', '..');
let folder = '';
beforeEach(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-output-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const place = (name: string): string => path.join(folder, name);

test('is there when it is whole', () => {
	fs.writeFileSync(place('a'), 'before', { mode: 0o640 });
	const file = createOutputFile(place('a'));
	file.write(Buffer.from('behind'));
	expect(fs.readFileSync(place('a'), 'utf8')).toBe('before');
	file.end();
	file.discard();
	expect(fs.readFileSync(place('a'), 'utf8')).toBe('behind');
	expect(fs.statSync(place('a')).mode & 0o777).toBe(0o640);
	expect(fs.readdirSync(folder)).toEqual(['a']);
});

test('that is discarded leaves what was there', () => {
	fs.writeFileSync(place('a'), 'before');
	const file = createOutputFile(place('a'));
	file.write(Buffer.from('cut'));
	file.discard();
	expect(fs.readFileSync(place('a'), 'utf8')).toBe('before');
	expect(fs.readdirSync(folder)).toEqual(['a']);
});

test('through a link the file is replaced, and the link stays', () => {
	fs.writeFileSync(place('a'), 'before');
	fs.symlinkSync(place('a'), place('link'));
	const file = createOutputFile(place('link'));
	file.write(Buffer.from('behind'));
	file.end();
	expect([fs.readlinkSync(place('link')), fs.readFileSync(place('a'), 'utf8')]).toEqual([place('a'), 'behind']);
});

const COMMANDS: readonly (readonly string[])[] = [
	['export', 'examples/hot', '--to', 'collapsed'],
	['export', 'examples/hot', '--to', 'json'],
	['export', 'examples/hot', '--to', 'parquet', '--table', 'compilations'],
	['report', 'examples/hot'],
	['diff', 'examples/a', 'examples/b'],
	['order', 'optimize', 'examples/order/startup.gz', '--nm', 'examples/order/sqlite.nm.gz'],
];

test.runIf(fs.existsSync('/dev/full')).each(COMMANDS.map((words) => ({ line: words.join(' '), words })))(
	'a full disk is told: assay $line',
	async ({ words }) => {
		const { stderr, exit } = await runAssay([...words, '-o', '/dev/full'], root);
		expect(stderr).toContain('/dev/full: cannot be written (No space left on device)');
		expect(exit).toBe(3);
	},
);

test('-o over an own input is refused', async () => {
	fs.cpSync(path.join(root, 'examples/hot'), place('run'), { recursive: true });
	const before = new Map(fs.readdirSync(place('run')).map((name) => [name, fs.readFileSync(path.join(place('run'), name))]));
	const log = [...before.keys()].find((name) => name.includes('hotspot.log')) ?? '';
	expect(log).not.toBe('');
	for (const words of [
		['report', 'run', '-o', `run/${log}`],
		['report', `run/${log}`, '-o', `./run/../run/${log}`],
		['export', 'run', '--to', 'collapsed', '-o', `run/${log}`],
		['diff', 'run', 'run', '-o', `run/${log}`],
	]) {
		const { stderr, exit } = await runAssay(words, folder);
		expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('is a file that is read, and would be lost: name another') });
	}
	expect(new Map(fs.readdirSync(place('run')).map((name) => [name, fs.readFileSync(path.join(place('run'), name))]))).toEqual(before);
});

test('a page in the folder of the recording may be written again', async () => {
	fs.cpSync(path.join(root, 'examples/hot'), place('run'), { recursive: true });
	expect((await runAssay(['report', 'run', '-o', 'run/report.html'], folder)).exit).toBe(0);
	expect((await runAssay(['report', 'run', '-o', 'run/report.html'], folder)).exit).toBe(0);
});
