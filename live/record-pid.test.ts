/** `assay record --pid` of a JVM that was started without any flag, on JDK 17 and 25, with real perf. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');
/** In milliseconds: longer than a recording on a busy machine. */
const RUN_MS = 240_000;

function assayOf(...args: string[]): string {
	return execFileSync(process.execPath, [assay, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Whether this user may make namespaces, which containers are made of. */
const canIsolate = spawnSync('unshare', ['-m', '-p', '-f', '--mount-proc', 'true']).status === 0;

describe.each([17, 25])('on JDK %i', (major) => {
	let jdk: LiveJdk;
	let classes = '';
	let jvm: ChildProcess | null = null;

	beforeAll(() => {
		jdk = findJdk(major);
		classes = compileProgram(jdk, 'HotLoop', fs.mkdtempSync(path.join(os.tmpdir(), `live-pid-${major}-`)));
		return () => fs.rmSync(classes, { recursive: true, force: true });
	});

	afterEach(() => {
		jvm?.kill('SIGKILL');
		fs.rmSync(socketOf(jvm?.pid), { force: true });
		jvm = null;
	});

	async function start(...before: string[]): Promise<number> {
		const [command = '', ...args] = [...before, jdk.java, '-cp', classes, 'HotLoop', String(RUN_MS)];
		const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
		jvm = child;
		await new Promise((resolve) => child.stdout.once('data', resolve));
		// Of a JVM that was killed and had the same number; one of another user cannot remove it.
		fs.rmSync(socketOf(child.pid), { force: true });
		return child.pid ?? -1;
	}

	const socketOf = (processId: number | undefined): string => `/tmp/.java_pid${processId}`;

	function expectUntouched(processId: number): void {
		expect(jvm?.exitCode).toBe(null);
		expect(execFileSync(path.join(jdk.home, 'bin', 'jcmd'), [String(processId), 'JFR.check'], { encoding: 'utf8' })).toContain('No available recordings');
		expect(fs.readdirSync('/tmp').filter((name) => name.startsWith('assay-') && name.includes(`-${processId}`))).toEqual([]);
	}

	test('samples, code of the loop and decisions; the JVM goes on as before', async () => {
		const processId = await start();
		const folder = path.join(classes, 'recorded');
		assayOf('record', '--pid', String(processId), '--duration', '3', '-o', folder);
		expectUntouched(processId);
		expect(fs.readdirSync(folder)).toEqual(expect.arrayContaining([`agent-${processId}.bin`, `compilations-${processId}.jfr`, 'perf.data']));
		const hot = assayOf('hot', folder);
		expect(hot).toContain('HotLoop.divide');
		expect(hot).toMatch(/\bi?div/);
		const compilations = assayOf('compilations', folder);
		expect(compilations).toMatch(/^[1-9][\d,]* compilations /m);
	});

	test('ended by Ctrl-C', async () => {
		const processId = await start();
		const folder = path.join(classes, 'interrupted');
		const child = spawn(process.execPath, [assay, 'record', '--pid', String(processId), '-o', folder], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
		let said = '';
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			if (!said.includes('is sampled') && (said + text).includes('is sampled')) {
				setTimeout(() => child.kill('SIGINT'), 2000);
			}
			said += text;
		});
		const status = await new Promise((resolve) => child.once('close', resolve));
		expect({ status, said }).toMatchObject({ status: 0 });
		expectUntouched(processId);
		expect(assayOf('compilations', folder)).toMatch(/^[1-9][\d,]* compilations /m);
	});

	test('a file that another JVM left in the way is named', async () => {
		const processId = await start();
		const listen = `process.umask(0o177); require('net').createServer().listen(${JSON.stringify(socketOf(processId))}, () => process.kill(process.pid, 'SIGKILL'))`;
		spawnSync(process.execPath, ['-e', listen]);
		expect(fs.existsSync(socketOf(processId))).toBe(true);
		const folder = path.join(classes, 'refused');
		const { stderr } = spawnSync(process.execPath, [assay, 'record', '--pid', String(processId), '--duration', '1', '-o', folder], { encoding: 'utf8' });
		expect(stderr).toContain(`${socketOf(processId)} was left by a JVM that had the same number and is gone`);
		expect(stderr).not.toContain('jcmd was not found');
		expect(fs.readdirSync(folder)).toContain('perf.data');
	});

	test('a program that is no JVM, which jcmd of JDK 17 ends: it goes on, and has callers', async () => {
		const child = spawn('sh', ['-c', 'f() { n=$((n + 1)); }; while :; do f; done'], { stdio: 'ignore' });
		jvm = child;
		await new Promise((resolve) => setTimeout(resolve, 200));
		const folder = path.join(classes, 'native');
		const { stderr } = spawnSync(process.execPath, [assay, 'record', '--pid', String(child.pid), '--jdk', jdk.home, '--duration', '2', '-o', folder], {
			encoding: 'utf8',
		});
		expect(stderr).not.toMatch(/error|warning|JVM/);
		expect([child.exitCode, child.signalCode]).toEqual([null, null]);
		expect(assayOf('export', folder, '--to', 'collapsed')).toMatch(/^_start;__libc_start_main.*;.* \d+$/m);
	});

	test('a JVM that the process started is named, other processes of it are sampled', async () => {
		const script = '(while :; do :; done) & (while :; do :; done) & "$@" > /dev/null & wait';
		const child = spawn('sh', ['-c', script, 'sh', jdk.java, '-cp', classes, 'HotLoop', String(RUN_MS)], { stdio: 'ignore', detached: true });
		try {
			await new Promise((resolve) => setTimeout(resolve, 1500));
			const folder = path.join(classes, 'server');
			const { stderr } = spawnSync(process.execPath, [assay, 'record', '--pid', String(child.pid), '--duration', '2', '-o', folder], { encoding: 'utf8' });
			expect(stderr).toContain(`process ${child.pid} and the 2 that it started are sampled for 2 s`);
			const [, java = ''] =
				new RegExp(`process (\\d+), which ${child.pid} started, is a JVM: it is not sampled; assay record --pid \\1 samples it`).exec(stderr) ?? [];
			expect(fs.readlinkSync(`/proc/${java}/exe`)).toBe(fs.realpathSync(jdk.java));
			const hot = assayOf('hot', folder);
			expect(hot).toMatch(/, process \d+ and 1 more of the program$/m);
			expect(hot).not.toContain('not counted of');
		} finally {
			process.kill(-(child.pid ?? 0), 'SIGKILL');
		}
	});

	test('a JVM that listens to no command is not asked, for that would end it', async () => {
		const processId = await start('env', 'JDK_JAVA_OPTIONS=-Xrs');
		const folder = path.join(classes, 'deaf');
		const { stderr } = spawnSync(process.execPath, [assay, 'record', '--pid', String(processId), '--duration', '1', '-o', folder], { encoding: 'utf8' });
		expect(stderr).toContain(`process ${processId} listens to no command: jcmd would end it; its code and names are missing; start it without -Xrs`);
		expect([jvm?.exitCode, jvm?.signalCode]).toEqual([null, null]);
		expect(fs.readdirSync(folder)).toContain('perf.data');
	});

	test.runIf(process.getuid?.() === 0)('of another user', async () => {
		fs.chmodSync(classes, 0o755);
		// setpriv executes the JVM in its own process.
		const processId = await start('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups');
		const folder = path.join(classes, 'other-user');
		assayOf('record', '--pid', String(processId), '--duration', '3', '-o', folder);
		expectUntouched(processId);
		expect(assayOf('hot', folder)).toContain('HotLoop.divide');
		expect(assayOf('compilations', folder)).toMatch(/^[1-9][\d,]* compilations /m);
	});

	test.runIf(canIsolate)('in a container: numbers of processes and /tmp of its own', async () => {
		const script = 'mount -t tmpfs none /tmp && exec "$@"';
		const seen = fs.mkdtempSync('/var/tmp/assay-live-');
		fs.cpSync(classes, seen, { recursive: true });
		const child = spawn('unshare', ['-m', '-p', '-f', '--mount-proc', 'bash', '-c', script, 'bash', jdk.java, '-cp', seen, 'HotLoop', String(RUN_MS)], {
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		jvm = child;
		await new Promise((resolve) => child.stdout.once('data', resolve));
		const processId = Number(fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
		const folder = path.join(classes, 'container');
		assayOf('record', '--pid', String(processId), '--duration', '3', '-o', folder);
		expect(jvm.exitCode).toBe(null);
		expect(fs.readdirSync(`/proc/${processId}/root/tmp`).filter((name) => name.startsWith('assay-'))).toEqual([]);
		process.kill(processId, 'SIGKILL');
		fs.rmSync(seen, { recursive: true });
		expect(assayOf('hot', folder)).toContain('HotLoop.divide');
		expect(assayOf('compilations', folder)).toMatch(/^[1-9][\d,]* compilations /m);
	});
});
