/** `assay diff --runs` and `assay watch` on real JVMs: a planted change is the first line, equal sides show none, the runs alternate. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DiffResult, ReportResult } from '../src/answers/results.js';
import { ask, connectClient } from '../test/mcp-client.js';
import { findJdk } from './jdks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const jdk = findJdk(25);
const PROGRAM = [jdk.java, '-cp', 'classes', 'Steady'];
/** Little of it is compiled, most of the time is in two loops. */
const SOURCE = `public class Steady {
	static int mix(int x) { return x * 31 ^ x >>> 3; }
	static int sum(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += mix(i) % 7; } return sum; }
	static int low(int[] all, int x) { return all[x & 63] + x; }
	static int walk(int[] all, int n) { int sum = 0; for (int i = 0; i < n; i++) { sum ^= low(all, i * 7); } return sum; }
	public static void main(String[] args) {
		int[] all = new int[64];
		int check = 0;
		for (int round = 0; round < 20000; round++) { check += sum(2000) + walk(all, 3000); all[round & 63] = check; }
		System.out.println(check);
	}
}`;
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-runs-'));
	fs.mkdirSync(path.join(folder, 'classes'));
	fs.writeFileSync(path.join(folder, 'Steady.java'), SOURCE);
	execFileSync(jdk.javac, ['-d', path.join(folder, 'classes'), path.join(folder, 'Steady.java')]);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function diff(...words: readonly string[]): DiffResult {
	const output = execFileSync(process.execPath, [assay, 'diff', '--json', ...words], {
		cwd: folder,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
		maxBuffer: 1 << 28,
	});
	return JSON.parse(output).result;
}

test('a planted change is the first of three runs a side, which alternate', () => {
	const { changes, summary } = diff(
		'--runs',
		'3',
		'--no-confirm',
		'--keep',
		'planted',
		'--b-flags=-XX:CompileCommand=dontinline,Steady::mix',
		'--',
		...PROGRAM,
	);
	expect(summary.noiseTest).toMatchObject({ verdict: 'changed', rank: 1, tried: 10 });
	const [first] = changes.filter(({ noise }) => noise === false);
	expect(first).toMatchObject({ kind: 'callsite', method: 'Steady.sum', before: 'inlined', after: 'direct' });
	expect(changes[0]).toEqual(first);
	const started = ['a1', 'b1', 'b2', 'a2', 'a3', 'b3'].map(
		(run) => JSON.parse(fs.readFileSync(path.join(folder, 'planted', run, 'assay-recording.json'), 'utf8')).startTime,
	);
	expect(started).toEqual(started.toSorted());
});

test('equal sides show no change', () => {
	const { changes, summary } = diff('--keep', 'equal', '--', ...PROGRAM, '--', ...PROGRAM);
	expect(summary.noiseTest?.verdict).toBe('within chance');
	expect(changes.filter(({ noise }) => noise === false)).toEqual([]);
});

test('an assistant records a program where it may, and asks the recording', async () => {
	const client = await connectClient([folder], true);
	try {
		const { tools } = await client.listTools();
		expect(tools.find(({ name }) => name === 'record')?.annotations?.readOnlyHint).toBe(false);
		const made = await ask(client, 'record', { output: 'asked', command: PROGRAM });
		expect(made).toMatchObject({ isError: false, answer: { result: { recording: 'asked', exitStatus: 0 } } });
		expect(made.bytes).toBeLessThanOrEqual(20_000);
		const report = await ask(client, 'report', { recording: ['asked'] });
		expect([report.isError, report.bytes <= 20_000]).toEqual([false, true]);
		const [, ...words] = String(report.answer.command).split(' ');
		const whole = JSON.parse(execFileSync(process.execPath, [assay, ...words], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })).result;
		const [first] = (report.answer.result as Pick<ReportResult, 'compilations'>).compilations;
		expect(whole.compilations[0]).toMatchObject(JSON.parse(JSON.stringify(first)));
		const again = await ask(client, 'record', { output: 'asked', command: PROGRAM });
		expect([again.isError, fs.existsSync(path.join(folder, 'asked', 'hotspot.log'))]).toEqual([true, true]);
		const outside = await ask(client, 'record', { output: '../outside', command: PROGRAM });
		expect([outside.isError, fs.existsSync(path.join(folder, '..', 'outside'))]).toEqual([true, false]);
		const missing = await ask(client, 'record', { output: 'none', command: ['no-such-program'] });
		expect(missing.isError).toBe(true);
	} finally {
		await client.close();
	}
});

test('a program is recorded again when a class of it changes', async () => {
	const watching = spawn(process.execPath, [assay, 'watch', '--rounds', '2', '--keep', 'watched', '--', ...PROGRAM], {
		cwd: folder,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let [shown, said] = ['', ''];
	watching.stdout.on('data', (bytes: Buffer) => {
		shown += bytes.toString();
	});
	watching.stderr.on('data', (bytes: Buffer) => {
		const isWaiting = said.includes('waiting for a change');
		said += bytes.toString();
		if (!isWaiting && said.includes('waiting for a change')) {
			const changed = new Date();
			fs.utimesSync(path.join(folder, 'classes', 'Steady.class'), changed, changed);
		}
	});
	expect(await new Promise((resolve) => watching.once('close', resolve))).toBe(0);
	expect(shown).toMatch(/^watched\/run-1 → watched\/run-2 {3}HotSpot logs/);
});
