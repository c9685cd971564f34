/** JVMs that never reach a safepoint, and why one class stops at once and another after seconds: on JDK 17 and 25, with the real recorder. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const NO_POLL = ['-XX:+UseSerialGC', '-Xcomp', '-XX:-TieredCompilation', '-XX:CompileCommand=quiet', '-XX:CompileCommand=compileonly,Unstoppable::*'];

let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-never-'));
	compileProgram(findJdk(17), 'Unstoppable', folder);
	const jdk = findJdk(25);
	compileProgram(jdk, 'GenerateExits', folder);
	execFileSync(jdk.java, ['-cp', folder, 'GenerateExits', folder]);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]): { stdout: string; stderr: string } {
	return spawnSync(process.execPath, [assay, ...args], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
}

function resultOf(...args: string[]) {
	return JSON.parse(run(...args, '--json').stdout).result;
}

describe.each([17, 25])('on JDK %i', (major) => {
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
	});

	test.each(['', 'gc', 'stack'])('"%s": who is waited for is the first finding, and SIGKILL was needed', (asked) => {
		const name = `hang-${major}-${asked}`;
		const { stdout, stderr } = run(
			'record',
			'-o',
			name,
			'--duration',
			'3',
			'--jdk',
			jdk.home,
			'--',
			'java',
			...NO_POLL,
			'-cp',
			'.',
			'Unstoppable',
			...(asked === '' ? [] : [asked]),
		);
		expect(stderr).toContain('SIGKILL was needed');
		// The program's output stays its own.
		expect(stdout).toBe('');
		const [finding] = resultOf('report', name).findings;
		expect(finding.text).toMatch(
			/^A safepoint(?: for .*)? was begun at \d+\.\d\d s and never reached: thread counter was in a loop of Unstoppable\.count \(line 1?\d\), c\d+, which has no poll because it counts/,
		);
		if (asked === 'gc') {
			expect(finding.text).toMatch(major === 17 ? /for GenCollectFull/ : /for SerialGCCollect \(System\.gc\(\)\)/);
		}
		const last = resultOf('bias', '--ttsp', name).safepoints.at(-1);
		expect(last).toMatchObject({ unfinished: 'begun', lateThreads: [{ name: 'counter' }] });
		// On a machine that is busy with other things the kernel has some of the thread's time, too.
		const [loop, ...others] = last.culprits;
		expect(loop).toMatchObject({ thread: 'counter', method: 'Unstoppable.count', loop: { poll: 'none' } });
		expect(others.filter(({ method, percent }: { method: string; percent: number }) => method !== '(kernel)' || percent > 5)).toEqual([]);
		expect(run('bias', '--ttsp', name).stdout).toContain(finding.text);
	});

	test.each(['ExitTop', 'ExitBottom'])('%s: one story from bytecode and code', (name) => {
		const recording = `${name}-${major}`;
		run('record', '-o', recording, '--jdk', jdk.home, '--', 'java', '-XX:+UseSerialGC', '-cp', '.', name, 'gc');
		const [loop] = resultOf('bias', '--rounds', '0', '--thread', 'counter', '--classes', '.', recording).loops;
		const { safepoints } = resultOf('bias', '--ttsp', recording);
		const slowest = Math.max(...safepoints.map(({ reachingNs }: { reachingNs: number }) => reachingNs));
		if (name === 'ExitTop') {
			expect(loop).toMatchObject({ poll: 'iteration', bytecode: { test: 'top', index: { step: 1 }, entersHere: true } });
			expect(loop.reason).toMatch(/on-stack replacement enters at the test, which stays before the step/);
			expect(loop.bytecode.shape).toMatch(/enters at the test, which stays before the step/);
			expect(slowest).toBeLessThan(100e6);
		} else {
			expect(loop).toMatchObject({ poll: 'none', kind: 'counted', bytecode: { test: 'bottom', index: { step: 1 }, entersHere: true, isInner: true } });
			expect(loop.bytecode.shape).toMatch(/enters at the body, the only way in that this code has/);
			expect(slowest).toBeGreaterThan(100e6);
		}
	});
});
