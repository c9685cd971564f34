/** `assay record --pid` of a JVM that was started without any flag, on JDK 17 and 25, with real perf. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
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
		jvm = null;
	});

	async function start(): Promise<number> {
		const child = spawn(jdk.java, ['-cp', classes, 'HotLoop', String(RUN_MS)], { stdio: ['ignore', 'pipe', 'ignore'] });
		jvm = child;
		await new Promise((resolve) => child.stdout.once('data', resolve));
		return child.pid ?? -1;
	}

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
});
