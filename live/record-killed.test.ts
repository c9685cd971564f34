/** SIGKILL of assay, of the JVM, of perf, and of several at once: what the kernel had handed over and what the agent wrote is read. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memorySource } from '../src/bytes/source.js';
import { readAgentLog } from '../src/formats/agent-log/read.js';
import { compileProgram, findJdk } from './jdks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const RUN_MS = 3000;
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-killed-'));
	compileProgram(findJdk(25), 'HotLoop', folder);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test.each(['assay', 'jvm', 'perf', 'assay-jvm', 'assay-perf', 'jvm-perf', 'assay-jvm-perf', 'perf-assay-jvm'])('SIGKILL of %s', async (killed) => {
	const victims = killed.split('-');
	const output = path.join(folder, killed);
	const args = [assay, 'record', '-o', output, '--jdk', findJdk(25).home, '--', 'java', '-cp', folder, 'HotLoop', String(RUN_MS)];
	const recorder = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
	const ended = new Promise((resolve) => recorder.once('exit', resolve));
	await new Promise((resolve) => recorder.stdout.once('data', resolve));
	await new Promise((resolve) => setTimeout(resolve, 2000 + Math.random() * 500));
	const jvm: number = JSON.parse(fs.readFileSync(path.join(output, 'assay-recording.json'), 'utf8')).processId;
	const perf = processesOf(`record .*-o ${output}/`);
	for (const victim of victims) {
		for (const processId of victim === 'assay' ? [recorder.pid ?? 0] : victim === 'jvm' ? [jvm] : perf) {
			process.kill(processId, 'SIGKILL');
		}
	}
	await ended;
	while (processesOf(`record .*-o ${output}/`).length > 0) {
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	const agentLog = fs.readFileSync(path.join(output, `agent-${jvm}.bin`));
	const { loads, problems } = readAgentLog(memorySource('agent', agentLog));
	expect(loads.length).toBeGreaterThan(20);
	expect(problems).toEqual([]);
	const { result } = JSON.parse(execFileSync(process.execPath, [assay, 'hot', output, '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
	expect(result.regions[0].method).toBe('HotLoop.divide');
	// Perf fetches what the kernel holds twice a second.
	expect(result.samples.total).toBeGreaterThan(100);
});

/** Whose command line is so; not those that end. */
function processesOf(pattern: string): number[] {
	try {
		return execFileSync('pgrep', ['-f', pattern], { encoding: 'utf8' }).trim().split('\n').map(Number);
	} catch {
		return [];
	}
}
