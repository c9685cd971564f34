/** `assay hot` on jitdumps of Node under perf: every piece of code has as many samples as perf itself gives it. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');

/** A program of a package that is there: hashes for two seconds. */
const PROGRAM = `
import { sha512 } from '@noble/hashes/sha2.js';
import { blake2b } from '@noble/hashes/blake2.js';
const bytes = new Uint8Array(1 << 16);
for (const end = Date.now() + 2000; Date.now() < end; ) {
	bytes.set(sha512(bytes));
	bytes.set(blake2b(bytes));
}
`;

interface HotResult {
	readonly recording: { readonly processId: number };
	readonly samples: { readonly counted: number; readonly byReason: Readonly<Record<string, number>> };
	readonly clock: { readonly source: string };
	readonly compilations: readonly { readonly compileId: string; readonly method: string; readonly samples: number; readonly percent: number }[];
}

let folder = '';
let script = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jitdump-'));
	fs.mkdirSync(path.join(folder, 'run'));
	fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	fs.writeFileSync(path.join(folder, 'hashes.mjs'), PROGRAM);
	perf('record', '-k', 'mono', '-F', '999', '-e', 'cpu-clock', '-o', 'perf.data', process.execPath, '--perf-prof', '--perf-basic-prof', '../hashes.mjs');
	script = perf('script', '-i', 'perf.data', '--fields', 'comm,pid,tid,time,event,ip,sym,dso');
	fs.writeFileSync(path.join(folder, 'run', 'perf.script.txt'), script);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
	for (const processId of new Set([...script.matchAll(/\/tmp\/perf-(\d+)\.map/g)].map(([, id]) => id))) {
		fs.rmSync(`/tmp/perf-${processId}.map`, { force: true });
	}
});

function perf(...argv: string[]): string {
	return execFileSync('perf', argv, { cwd: path.join(folder, 'run'), encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
}

function hot(...recording: string[]): HotResult {
	return JSON.parse(
		execFileSync(process.execPath, [assay, 'hot', ...(recording.length === 0 ? ['run'] : recording), '--json'], {
			cwd: folder,
			encoding: 'utf8',
			maxBuffer: 1 << 28,
		}),
	).result;
}

/** Samples by piece of code as perf counts them of `run/NAME`, stubs and handlers of bytecode together. */
function injected(name: string, out: string): Map<string, number> {
	perf('inject', '--jit', '-i', name, '-o', out);
	const counts = new Map<string, number>();
	for (const [, , category = '', index = ''] of perf('script', '-i', out, '--fields', 'comm,pid,tid,time,event,ip,sym,dso').matchAll(
		/: +cpu-clock: +([0-9a-f]+) (\w+):.* \(\S+\/jitted-\d+-(\d+)\.so\)$/gm,
	)) {
		const key = category === 'JS' || category === 'RegExp' || category === 'Script' || category === 'Eval' ? index : category;
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return counts;
}

function counted({ compilations, samples }: HotResult): Map<string, number> {
	const own = new Map(compilations.map(({ compileId, samples: count }) => [compileId, count]));
	for (const [reason, category] of [
		['stub', 'Builtin'],
		['interpreter', 'BytecodeHandler'],
	] as const) {
		const count = samples.byReason[reason];
		if (count !== undefined) {
			own.set(category, count);
		}
	}
	return own;
}

test('each piece of code has the samples that perf inject --jit gives it', () => {
	const result = hot();
	const counts = injected('perf.data', 'injected.data');
	expect(result.clock.source).toBe('recorded');
	expect(Object.fromEntries(counted(result))).toEqual(Object.fromEntries(counts));
	expect([...counts.values()].reduce((a, b) => a + b)).toBeGreaterThan(500);
});

describe('assay record', () => {
	const record = (...argv: string[]): string => {
		const { status, stderr } = spawnSync(process.execPath, [assay, 'record', ...argv], { cwd: path.join(folder, 'run'), encoding: 'utf8' });
		expect(status, stderr).toBe(0);
		return stderr;
	};
	const dumpsIn = (name: string): string[] => fs.readdirSync(path.join(folder, name)).filter((file) => /^jit-|^isolate-/.test(file));

	test('of Node, which is told to write its code: it is in the recording, and nothing is left beside', () => {
		const before = dumpsIn('run');
		expect(record('-o', '../node', '--', 'node', '../hashes.mjs')).toMatch(
			/samples of cpu-clock, generated code, [0-9.]+ MB\nassay record: next: assay report \.\.\/node\n$/,
		);
		expect(dumpsIn('run')).toEqual(before);
		const [dump = ''] = dumpsIn('node');
		const result = hot('node');
		// perf looks for it where it was.
		fs.copyFileSync(path.join(folder, 'node', dump), path.join(folder, 'run', dump));
		expect(Object.fromEntries(counted(result))).toEqual(Object.fromEntries(injected('../node/perf.data', 'of-record.data')));
		expect(result.compilations.reduce((sum, { percent }) => sum + percent, 0)).toBeGreaterThan(50);
	});

	test('of a script that starts it twice: one of both is chosen', () => {
		const said = record('-o', '../twice', '--', 'sh', '-c', 'node ../hashes.mjs; node ../hashes.mjs');
		const dumps = dumpsIn('twice');
		expect(dumps).toHaveLength(2);
		expect(said).toContain(`several processes wrote code: ${dumps[0]} (`);
		const [, processId = ''] = /next: assay report \.\.\/twice --pid (\d+)\n$/.exec(said) ?? [];
		expect(dumps).toContain(`jit-${processId}.dump`);
		expect(hot('twice', '--pid', processId).compilations.length).toBeGreaterThan(5);
	});

	test('of a script that only starts a native program: that program, with its code and callers', () => {
		fs.copyFileSync(path.join(root, 'fixtures', 'native', 'calls.c'), path.join(folder, 'calls.c'));
		execFileSync('clang-22', ['-O2', '-g', '-o', 'calls', 'calls.c'], { cwd: folder });
		fs.writeFileSync(path.join(folder, 'start.mjs'), "import { spawnSync } from 'node:child_process';\nspawnSync('../calls', { stdio: 'inherit' });\n");
		record('--stack', '8192', '-o', '../started', '--', 'node', '../start.mjs');
		const { compilations, samples } = hot('started');
		expect(compilations.reduce((sum, { samples: own }) => sum + own, 0)).toBeGreaterThan(0.8 * samples.counted);
		// Between fork and exec the process still has the name of the one that started it.
		const printed = [...perf('script', '-i', '../started/perf.data', '-F', 'comm,pid').matchAll(/^ *(\S+) +(\d+)/gm)];
		const started = new Set(printed.flatMap(([, name, processId]) => (name === 'calls' ? [processId] : [])));
		const counts = printed.filter(([, , processId]) => started.has(processId)).length;
		expect(samples.counted).toBeGreaterThan(0.95 * counts);
		expect(samples.counted).toBeLessThanOrEqual(counts);
		const text = execFileSync(process.execPath, [assay, 'hot', 'started'], { cwd: folder, encoding: 'utf8' });
		expect(text).toMatch(/called from \d+ % (?:thrice|once)/);
	});
});

test('the hottest function is the one that addresses and the perf map tell, with the same share', () => {
	const { compilations, recording, samples } = hot();
	const map = fs.readFileSync(`/tmp/perf-${recording.processId}.map`, 'utf8');
	// The last one at a place counts.
	const pieces = [...map.matchAll(/^([0-9a-f]+) ([0-9a-f]+) (?:JS|Script|Eval):[~^+*]?(.*)$/gm)].map(([, from = '', size = '', name = '']) => {
		const start = Number.parseInt(from, 16);
		return { start, end: start + Number.parseInt(size, 16), name: name.startsWith(' ') ? `<anonymous>${name}` : name };
	});
	const counts = new Map<string, number>();
	for (const [, text = ''] of script.matchAll(/cpu-clock: +([0-9a-f]+) /g)) {
		const address = Number.parseInt(text, 16);
		const piece = pieces.findLast(({ start, end }) => start <= address && address < end);
		if (piece !== undefined) {
			counts.set(piece.name, (counts.get(piece.name) ?? 0) + 1);
		}
	}
	const [name, count] = [...counts].sort((a, b) => b[1] - a[1])[0]!;
	const own = new Map<string, number>();
	for (const { method, samples: of } of compilations) {
		own.set(method, (own.get(method) ?? 0) + of);
	}
	const [first, ofFirst] = [...own].sort((a, b) => b[1] - a[1])[0]!;
	expect(first).toBe(name);
	expect(ofFirst / samples.counted).toBeCloseTo(count / script.trim().split('\n').length, 2);
});
