/** The index beside a recording: the same report, and never that of other files. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const fixtures = path.resolve(import.meta.dirname, '..', '..', 'fixtures');
let root = '';
let folder = '';
const index = (): string => path.join(folder, '.assay-index');

/** Large enough for an index, `run1` in a folder of its own. */
function recordingOf(fixture: string): void {
	fs.rmSync(folder, { recursive: true, force: true });
	fs.cpSync(path.join(fixtures, fixture), folder, { recursive: true });
	fs.writeFileSync(path.join(folder, 'stdout.txt'), 'nothing that is known\n'.repeat(60_000));
}

beforeAll(() => {
	root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-index-'));
	folder = path.join(root, 'run1');
	recordingOf('jvm/ledger/jdk25');
});

afterAll(() => fs.rmSync(root, { recursive: true }));

/** Key and digest as they are. */
function withoutResult(text: string): string {
	return [...text.split('\n').slice(0, -1), '{"result":{},"refused":{},"problems":[]}'].join('\n');
}

async function report(...options: string[]): Promise<string> {
	const { stdout, exit } = await runAssay(['report', 'run1', '--json', ...options], root);
	expect(exit).toBe(0);
	return stdout;
}

test.each(['joined/graal', 'jvm/ledger/jdk25'])('is written, gives the same report, and is no evidence: %s', async (fixture) => {
	recordingOf(fixture);
	const without = await report('--no-index');
	expect(fs.existsSync(index())).toBe(false);
	const [text, first] = [(await runAssay(['report', 'run1'], root)).stdout, fs.readFileSync(index())];
	expect(await report()).toBe(without);
	expect((await runAssay(['report', 'run1'], root)).stdout).toBe(text);
	expect(fs.readFileSync(index()).equals(first)).toBe(true);
	const { recording } = JSON.parse((await runAssay(['doctor', 'run1', '--json'], root)).stdout).result;
	expect(recording.files.map(({ name }: { name: string }) => path.basename(name))).not.toContain('.assay-index');
	expect((await runAssay(['hot', 'run1'], root)).exit).toBe(0);
});

test.each<[string, () => void]>([
	['the time of a file changes', () => fs.utimesSync(path.join(folder, 'stdout.txt'), new Date(0), new Date(1000))],
	[
		'a file changes, its size and time do not',
		() => {
			const file = path.join(folder, 'stdout.txt');
			const { atime, mtime } = fs.statSync(file);
			const text = fs.readFileSync(file);
			text.write('N', 700_000);
			fs.writeFileSync(file, text);
			fs.utimesSync(file, atime, mtime);
		},
	],
	['a file is added', () => fs.writeFileSync(path.join(folder, 'more.txt'), 'more')],
	['the index is damaged', () => fs.truncateSync(index(), 1000)],
	['the index is something else', () => fs.writeFileSync(index(), '{}')],
	[
		'the index has the right key, and another result',
		() => fs.writeFileSync(index(), gzipSync(withoutResult(gunzipSync(fs.readFileSync(index())).toString()))),
	],
])('is made again when %s', async (_what, change) => {
	await report();
	const before = fs.readFileSync(index());
	change();
	await report();
	expect(fs.readFileSync(index()).equals(before)).toBe(_what.startsWith('the index'));
});

test('writers at a time leave one whole index, and nothing else', async () => {
	fs.rmSync(index());
	const outputs = await Promise.all([report(), report(), report(), report()]);
	expect(new Set(outputs).size).toBe(1);
	expect(await report()).toBe(outputs[0]);
	expect(fs.readdirSync(folder).filter((name) => name.startsWith('.assay-index'))).toEqual(['.assay-index']);
});

test('where it cannot be written there is none, and the report is there', async () => {
	fs.rmSync(index());
	fs.mkdirSync(index());
	fs.writeFileSync(path.join(index(), 'x'), '');
	const without = await report('--no-index');
	expect(await report()).toBe(without);
	expect(fs.readdirSync(folder).filter((name) => name.startsWith('.assay-index'))).toEqual(['.assay-index']);
	fs.rmSync(index(), { recursive: true });
});

test('a pipe in the folder, or in the place of the index, is not waited for', async () => {
	recordingOf('jvm/ledger/jdk25');
	const without = await report('--no-index');
	execFileSync('mkfifo', [path.join(folder, 'pipe'), index()]);
	expect(await report()).toBe(without);
	expect(fs.statSync(index()).isFile()).toBe(true);
	expect(await report()).toBe(without);
});
