/** `assay record` with real perf, on JDK 17 and 25, without hsdis. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CompilationsResult } from '../src/answers/results.js';
import { memorySource } from '../src/bytes/source.js';
import { type AgentLog, readAgentLog } from '../src/formats/agent-log/read.js';
import type { RecordingManifest } from '../src/model/recording-manifest.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';
import { perfText } from './perf-text.js';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');
const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'recording.json'), 'utf8')));

interface Run {
	readonly status: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs assay in a process group of its own; `onStarted` is told when the program has said something. */
function run(args: readonly string[], cwd: string, onStarted?: (child: ChildProcess) => void): Promise<Run> {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [assay, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
		let stdout = '';
		let stderr = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			if (stdout === '') {
				onStarted?.(child);
			}
			stdout += text;
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
		});
		child.once('error', reject);
		child.once('close', (status) => resolve({ status, stdout, stderr }));
	});
}

function readManifest(folder: string): RecordingManifest {
	const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'assay-recording.json'), 'utf8'));
	validate(manifest);
	expect(validate.errors ?? []).toEqual([]);
	return manifest;
}

describe.each([17, 25])('on JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-record-${major}-`));
		compileProgram(jdk, 'HotLoop', folder);
		compileProgram(jdk, 'ManyLoaders', folder);
		compileProgram(jdk, 'Forker', folder);
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const record = (output: string, args: readonly string[], options: readonly string[] = [], onStarted?: (child: ChildProcess) => void): Promise<Run> =>
		run(['record', '-o', output, '--jdk', jdk.home, ...options, '--', 'java', '-cp', '.', ...args], folder, onStarted);

	test('a program leaves its log, its code and its samples, and prints what it prints', async () => {
		const { status, stdout, stderr } = await record('plain', ['HotLoop', '3000', '3']);
		expect(status).toBe(3);
		expect(stdout).toBe('begin\ndone\n');
		expect(stderr).toContain('next: assay hot plain');
		const manifest = readManifest(path.join(folder, 'plain'));
		expect(manifest).toMatchObject({ state: 'complete', exit: { status: 3, signal: null }, endedBy: 'program', flagsPassedBy: 'command-line', problems: [] });
		const names = [`agent-${manifest.processId}.bin`, 'hotspot.log', 'native-symbols.txt', 'perf.data', 'safepoint.log'];
		expect(manifest.files.map(({ name }) => name)).toEqual(names);
		expect(manifest.jdk?.version).toBe(jdk.version);
		expect(manifest.clocks.perf).toBe('CLOCK_MONOTONIC');
		expect(manifest.clocks.uncertaintySeconds).toBeLessThan(0.002);
		const log = fs.readFileSync(path.join(folder, 'plain', 'hotspot.log'), 'utf8');
		for (const part of ['<nmethod ', '<task_queued ', '<hotspot_log_done']) {
			expect(log, part).toContain(part);
		}
		const written = agentLog(path.join(folder, 'plain'));
		expect(written).toMatchObject({ ended: 'exit', problems: [], processId: manifest.processId });
		const code = nmethods(log);
		// Each was told by the agent too, at its address; the JVM's service thread, which tells of loads, does not outlive the program by the last milliseconds.
		const told = new Set(written.loads.map(({ start }) => start));
		const ended = Number(/<hotspot_log_done stamp='([\d.]+)'/.exec(log)?.[1]);
		expect(code.filter(({ start, stamp }) => !told.has(start) && stamp < ended - 0.1)).toEqual([]);
		expect(written.stubs.map(({ name }) => name)).toEqual(expect.arrayContaining(['call_stub', 'Interpreter', 'invokevirtual']));
		const samples = samplesOf(path.join(folder, 'plain'));
		expect(samples.length).toBe(manifest.samples?.count);
		const inLoop = samples.filter(({ address }) =>
			code.some(({ method, start, end }) => method.startsWith('HotLoop divide ') && address >= start && address < end),
		);
		expect(inLoop.length).toBeGreaterThan(samples.length / 2);
	});

	test('a JVM that the program starts is told of, with its samples; begun by env, it is recorded too', async () => {
		const { status, stderr } = await record('forking', ['Forker', '1500']);
		expect(status).toBe(0);
		const { processId, samples, problems } = readManifest(path.join(folder, 'forking'));
		const counts = new Map<number, number>();
		for (const line of perfText(path.join(folder, 'forking', 'perf.data'), 'pid')
			.trim()
			.split('\n')) {
			const id = Number(line);
			counts.set(id, (counts.get(id) ?? 0) + 1);
		}
		const [[child = 0, ofChild = 0] = []] = [...counts].filter(([id]) => id !== processId).sort((a, b) => b[1] - a[1]);
		const share = ((100 * ofChild) / (samples?.count ?? 0)).toFixed(1);
		expect(problems.map(({ message }) => message)).toEqual([
			`${share} % of the samples are of a JVM that the program started, process ${child}: its code and its decisions were not recorded`,
		]);
		expect(stderr).toContain('to record all of its JVMs: assay record -- env java -cp . Forker 1500');
		const hot = (...words: string[]) => run(['hot', '--json', 'forking', ...words], folder);
		expect((await hot()).stdout).toContain(`${ofChild} of java (${child}), a JVM of which no log is here`);
		expect(JSON.parse((await hot('--pid', String(child))).stdout).result.samples.byReason['other process']).toBe((samples?.count ?? 0) - ofChild);
		await run(['record', '-o', 'both', '--', 'env', jdk.java, '-cp', '.', 'Forker', '500'], folder);
		const both = readManifest(path.join(folder, 'both'));
		expect([both.problems, both.files.filter(({ kind }) => kind === 'jvm-log').length]).toEqual([[], 2]);
	});

	test("the JVM's stamps can be mapped onto the times of samples", () => {
		const manifest = readManifest(path.join(folder, 'plain'));
		const log = fs.readFileSync(path.join(folder, 'plain', 'hotspot.log'), 'utf8');
		const startMs = Number(/<hotspot_log [^>]*time_ms='(\d+)'/.exec(log)?.[1]);
		const first = samplesOf(path.join(folder, 'plain')).find(({ line }) => line.includes('libjvm.so'));
		expect(Math.abs((first?.time ?? 0) - (startMs / 1000 + manifest.clocks.monotonicMinusRealtimeSeconds))).toBeLessThan(0.2);
	});

	test('the doctor finds nothing missing', async () => {
		const { status, stdout } = await run(['doctor', '--json', 'plain'], folder);
		expect(status).toBe(0);
		const { result } = JSON.parse(stdout);
		expect(result.missing).toEqual([]);
		expect(result.recording.joins.slice(0, 3).map((join: { works: boolean }) => join.works)).toEqual([true, true, true]);
		const machine = await run(['doctor', '--jdk', jdk.home, '--', 'java', 'HotLoop'], folder);
		expect(machine.stdout).toContain('-agentpath:');
		expect(machine.stdout).toContain(jdk.home);
	});

	test('killing the program keeps the recording', async () => {
		const output = path.join(folder, 'killed');
		const { status } = await record('killed', ['HotLoop', '60000'], [], () =>
			setTimeout(() => process.kill(JSON.parse(fs.readFileSync(path.join(output, 'assay-recording.json'), 'utf8')).processId, 'SIGKILL'), 1000),
		);
		expect(status).toBe(128 + 9);
		const manifest = readManifest(output);
		expect(manifest).toMatchObject({ state: 'complete', exit: { status: null, signal: 'SIGKILL' } });
		expect(manifest.samples?.count).toBeGreaterThan(100);
		const written = agentLog(output);
		expect(written).toMatchObject({ ended: 'killed', problems: [] });
		expect(written.loads.length).toBeGreaterThan(10);
		const notes = manifest.files.filter(({ kind }) => kind === 'compiler-log').map(({ name }) => fs.readFileSync(path.join(output, name), 'utf8'));
		expect(notes.join('')).toContain('<task compile_id=');
	});

	test('Ctrl-C ends the program and completes the recording', async () => {
		const { status } = await record('interrupted', ['HotLoop', '60000'], [], (child) => setTimeout(() => child.kill('SIGINT'), 1000));
		expect(status).toBe(130);
		const manifest = readManifest(path.join(folder, 'interrupted'));
		expect(manifest).toMatchObject({ state: 'complete', endedBy: 'interrupt' });
		expect(manifest.samples?.count).toBeGreaterThan(100);
		expect(fs.readFileSync(path.join(folder, 'interrupted', 'hotspot.log'), 'utf8')).toContain('<hotspot_log_done');
	});

	test('a time limit ends the program and completes the recording', async () => {
		const { status } = await record('limited', ['HotLoop', '60000'], ['--duration', '1']);
		expect(status).toBe(143);
		expect(readManifest(path.join(folder, 'limited'))).toMatchObject({ state: 'complete', endedBy: 'duration' });
	});

	test('a launcher hands the flags on', async () => {
		fs.writeFileSync(path.join(folder, 'launch'), `#!/bin/sh\n"${jdk.java}" -cp . HotLoop 200\n"${jdk.java}" -cp . HotLoop 200 5\n`, { mode: 0o755 });
		const { status, stdout, stderr } = await run(['record', '-o', 'launched', '--', './launch'], folder);
		expect(status).toBe(5);
		expect(stdout).toBe('begin\ndone\nbegin\ndone\n');
		expect(stderr).toContain('JAVA_TOOL_OPTIONS');
		expect(stderr).toContain('several JVMs ran');
		expect(stderr).toMatch(/next: assay hot launched --pid \d+\n/);
		const logs = readManifest(path.join(folder, 'launched')).files.filter(({ kind }) => kind === 'jvm-log');
		expect(logs.map(({ name, processId }) => name === `hotspot-pid${processId}.log`)).toEqual([true, true]);
	});

	test('the JVM prints the code where that is asked for', async () => {
		const { status, stdout } = await record('printed', ['HotLoop', '1000', '0'], ['--code', 'print']);
		expect([status, stdout]).toEqual([0, 'begin\ndone\n']);
		const manifest = readManifest(path.join(folder, 'printed'));
		const names = ['hotspot.log', 'native-symbols.txt', `perf-${manifest.processId}.map`, 'perf.data', 'safepoint.log'];
		expect(manifest.files.map(({ name }) => name)).toEqual(names);
		const log = fs.readFileSync(path.join(folder, 'printed', 'hotspot.log'), 'utf8');
		for (const part of ['[MachCode]', 'StubRoutines::call_stub', '# of codelets', '<hotspot_log_done']) {
			expect(log, part).toContain(part);
		}
	});

	test('a running JVM gives samples, its code, and decisions', async () => {
		const java = spawn(jdk.java, ['-cp', '.', 'HotLoop', '60000'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
		try {
			await new Promise((resolve) => java.stdout.once('data', () => setTimeout(resolve, 1000)));
			const { status } = await run(['record', '-o', 'attached', '--pid', String(java.pid), '--duration', '2'], folder);
			expect(status).toBe(0);
			const manifest = readManifest(path.join(folder, 'attached'));
			const names = [
				`agent-${java.pid}.bin`,
				`compilations-${java.pid}.jfr`,
				'native-symbols.txt',
				'perf.data',
				`safepoint-${java.pid}.log`,
				'vm-command-line.txt',
				'vm-flags.txt',
			];
			expect(manifest.files.map(({ name }) => name)).toEqual(names);
			expect(agentLog(path.join(folder, 'attached'))).toMatchObject({ ended: 'stopped', isAttached: true, problems: [] });
			const { stdout } = await run(['hot', 'attached', 'r1'], folder);
			expect(stdout).toContain('HotLoop.divide');
			expect(stdout).toMatch(/ i?div/);
			expect(java.exitCode).toBeNull();
			expect(await jcmd(jdk, java.pid, 'JFR.check')).toContain('No available recordings');
		} finally {
			java.kill('SIGKILL');
		}
	});

	test('class loaders that come and go make HotSpot use addresses again', async () => {
		const { status, stdout } = await record('loaders', ['-XX:+UseSerialGC', '-XX:ReservedCodeCacheSize=4m', 'ManyLoaders']);
		expect(status).toBe(0);
		expect(stdout).toBe('60 loaders\n');
		// Each loader has a class of its own: none of its methods is a later version of another's.
		const printed = execFileSync(process.execPath, [assay, 'compilations', 'loaders', '--method', 'ManyLoaders$Work.mix', '--json'], {
			cwd: folder,
			encoding: 'utf8',
		});
		const { methods }: CompilationsResult = JSON.parse(printed).result;
		expect(methods.map(({ namesake }) => Number(namesake?.replace('class ', ''))).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
		const code = nmethods(fs.readFileSync(path.join(folder, 'loaders', 'hotspot.log'), 'utf8'));
		const reused = code.filter((later, i) =>
			code.slice(0, i).some((earlier) => earlier.start < later.end && later.start < earlier.end && earlier.method !== later.method),
		);
		expect(reused.length).toBeGreaterThan(20);
		const inReused = samplesOf(path.join(folder, 'loaders')).filter(({ address }) => reused.some(({ start, end }) => address >= start && address < end));
		expect(inReused.length).toBeGreaterThan(20);
	});
});

function agentLog(folder: string): AgentLog {
	const name = fs.readdirSync(folder).find((file) => file.startsWith('agent-'));
	return readAgentLog(memorySource(name ?? '', fs.readFileSync(path.join(folder, name ?? ''))));
}

function jcmd({ home }: LiveJdk, processId: number | undefined, question: string): Promise<string> {
	return new Promise((resolve) => execFile(path.join(home, 'bin', 'jcmd'), [String(processId), question], (_, stdout) => resolve(stdout)));
}

interface Nmethod {
	readonly method: string;
	readonly start: number;
	readonly end: number;
	/** Seconds since the JVM's start. */
	readonly stamp: number;
}

function nmethods(log: string): Nmethod[] {
	return [...log.matchAll(/^<nmethod .*? entry='(0x[0-9a-f]+)' size='(\d+)' address='(0x[0-9a-f]+)'.*? method='([^']*)'.*? stamp='([\d.]+)'/gm)].map(
		([, entry, size, address, method = '', stamp]) => ({
			method,
			start: Number(entry),
			end: Number(address) + Number(size),
			stamp: Number(stamp),
		}),
	);
}

function samplesOf(folder: string): { time: number; address: number; line: string }[] {
	const lines = perfText(path.join(folder, 'perf.data')).split('\n');
	return lines
		.filter((line) => line !== '')
		.map((line) => {
			const [, time, address] = / (\d+\.\d+): \S+ +([0-9a-f]+) /.exec(line) ?? [];
			return { time: Number(time), address: Number(`0x${address}`), line };
		});
}
