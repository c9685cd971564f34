/** `assay memory` with a real JDK 25: print mode, jcmd, a limit that stops and one that crashes, a recording, watching. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');

interface Compilation {
	readonly handle: string;
	readonly compiler: string;
	readonly method: string;
	readonly totalBytes: number;
	readonly byArena: Record<string, number>;
	readonly nodes: number | null;
	readonly result: string | null;
	readonly limitBytes?: number;
	readonly hitLimit: boolean;
	readonly phases: readonly { readonly totalBytes: number }[];
	readonly timeline: readonly { readonly bytes: number; readonly deltaBytes: number }[];
}
interface MemoryJson {
	readonly result: { readonly compilations: readonly Compilation[]; readonly advice: readonly { readonly kind: string; readonly flag: string | null }[] };
	readonly problems: readonly { readonly message: string }[];
}

let folder = '';
let jdk: LiveJdk;
const children: ChildProcess[] = [];

beforeAll(() => {
	jdk = findJdk(25);
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-memory-live-'));
	compileProgram(jdk, 'InlineTower', folder);
});

afterAll(() => {
	for (const child of children) {
		child.kill('SIGKILL');
	}
	fs.rmSync(folder, { recursive: true, force: true });
});

/** Runs the program and keeps its output in a file of this name. */
function run(name: string, flags: readonly string[]): { status: number | null; output: string } {
	const { status, stdout } = spawnSync(jdk.java, ['-Xbatch', ...flags, '-cp', '.', 'InlineTower', '300'], {
		cwd: folder,
		encoding: 'utf8',
		maxBuffer: 1 << 28,
	});
	fs.writeFileSync(path.join(folder, name), stdout);
	return { status, output: stdout };
}

function memory(...argv: string[]): MemoryJson {
	return JSON.parse(execFileSync(process.execPath, [assay, 'memory', ...argv, '--json'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 }));
}

function addsUp({ compilations }: MemoryJson['result']): void {
	expect(compilations.length).toBeGreaterThan(3);
	for (const { byArena, totalBytes, phases, timeline, compiler } of compilations) {
		expect(Object.values(byArena).reduce((a, b) => a + b, 0)).toBe(totalBytes);
		expect(phases.reduce((sum, phase) => sum + phase.totalBytes, 0)).toBe(phases.length === 0 ? 0 : totalBytes);
		expect(compiler === 'c1' || phases.length > 0).toBe(true);
		let bytes = 0;
		for (const entry of timeline) {
			expect(entry.bytes).toBe(bytes + entry.deltaBytes);
			bytes = entry.bytes;
		}
	}
}

const tower = ({ result }: MemoryJson): Compilation => result.compilations.find(({ method, compiler }) => method === 'InlineTower.first' && compiler === 'c2')!;

test('what print mode writes is read whole, and its advice stops the compilation', () => {
	run('print.txt', ['-XX:+PrintCompilation', '-XX:CompileCommand=memstat,*.*,print']);
	const read = memory('print.txt');
	expect(read.problems).toEqual([]);
	addsUp(read.result);
	expect(tower(read)).toMatchObject({ result: 'ok', hitLimit: false });
	expect(tower(read).totalBytes).toBeGreaterThan(2 << 20);
	const flag = read.result.advice.find(({ kind }) => kind === 'limit')?.flag?.replaceAll("'", '') as string;
	run('advised.txt', [flag, '-XX:CompileCommand=memstat,InlineTower.*,print']);
	expect(tower(memory('advised.txt'))).toMatchObject({ result: 'oom', hitLimit: true });
});

test('jcmd of a running JVM gives tables, and watching sees what comes', async () => {
	const child = spawn(jdk.java, ['-Xbatch', '-XX:CompileCommand=memstat,*.*', '-cp', '.', 'InlineTower', '300', '8000'], {
		cwd: folder,
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	children.push(child);
	await new Promise<void>((resolve) => {
		child.stdout?.on('data', (text: Buffer) => text.toString().includes('climbed') && resolve());
	});
	const asked = memory(String(child.pid), '--jdk', jdk.home);
	expect(asked.problems).toEqual([]);
	addsUp(asked.result);
	expect(tower(asked).nodes).toBeGreaterThan(100);
	const watched = memory('--watch', String(child.pid), '--interval', '0.5', '--duration', '1');
	expect(tower(watched).totalBytes).toBe(tower(asked).totalBytes);
	child.kill('SIGKILL');
});

test('a limit that stops', () => {
	run('stop.txt', ['-XX:+PrintCompilation', '-XX:CompileCommand=memlimit,InlineTower.first,2M~stop', '-XX:CompileCommand=memstat,InlineTower.*,print']);
	const read = memory('stop.txt');
	expect(read.problems).toEqual([]);
	addsUp(read.result);
	expect(tower(read)).toMatchObject({ result: 'oom', limitBytes: 2 << 20, hitLimit: true });
	expect(tower(read).totalBytes).toBeGreaterThan(2 << 20);
});

test('a limit that crashes: the error report has what the JVM said', () => {
	const flags = [
		'-XX:CompileCommand=memlimit,InlineTower.first,2M~crash',
		'-XX:ErrorFile=hs_err.log',
		'-XX:-CreateCoredumpOnCrash',
		'-XX:CompileCommand=quiet',
	];
	const { output } = run('crash.txt', flags);
	const [, said] = /Hit MemLimit - limit: 2097152 now: (\d+)/.exec(output) ?? [];
	const report = memory('hs_err.log');
	expect(report.problems).toEqual([]);
	expect(tower(report)).toMatchObject({ totalBytes: Number(said), limitBytes: 2 << 20, hitLimit: true });
	expect(tower(report).phases.length).toBeGreaterThan(0);
	expect(tower(memory('crash.txt')).totalBytes).toBe(Number(said));
});

test('assay record --memory leaves it in the log of the JVM', () => {
	const recorded = spawnSync(process.execPath, [assay, 'record', '--memory', '-o', 'run', '--jdk', jdk.home, '--', 'java', '-cp', '.', 'InlineTower', '2000'], {
		cwd: folder,
		encoding: 'utf8',
	});
	expect({ status: recorded.status, stdout: recorded.stdout }).toEqual({ status: 0, stdout: 'climbed\n' });
	expect(recorded.stderr).toContain('next: assay memory run');
	const read = memory('run');
	expect(read.problems).toEqual([]);
	addsUp(read.result);
	expect(tower(read).totalBytes).toBeGreaterThan(2 << 20);
	const old = spawnSync(
		process.execPath,
		[assay, 'record', '--memory', '-o', 'old', '--jdk', findJdk(17).home, '--', 'java', '-cp', '.', 'InlineTower', '10'],
		{
			cwd: folder,
			encoding: 'utf8',
		},
	);
	expect(old.stderr).toMatch(/JDK 17 has no statistic of the memory of compilers|UnsupportedClassVersionError/);
});
