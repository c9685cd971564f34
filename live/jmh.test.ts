/** JMH 1.37 from Maven Central under `assay record`: what its forks measured is what is shown, and is what `perf script` counts in that time. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HotspotsResult } from '../src/answers/results.js';
import type { RecordingManifest } from '../src/model/recording-manifest.js';
import { findJdk } from './jdks.js';
import { compileBenchmarks } from './jmh-benchmarks.js';
import { perfText } from './perf-text.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
let folder = '';
let classPath = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jmh-'));
	classPath = compileBenchmarks(folder, 'JmhSums');
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function run(...argv: readonly string[]): string {
	const { status, stdout, stderr } = spawnSync(process.execPath, [assay, ...argv], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30 });
	expect(status, `${argv.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
	return stdout;
}

function hot(...argv: readonly string[]): HotspotsResult {
	return (JSON.parse(run('hot', ...argv, '--json')) as { result: HotspotsResult }).result;
}

describe.each([
	[17, '-XX:+UseSerialGC'],
	[25, '-XX:+UseG1GC'],
])('on JDK %i, %s', (major, collector) => {
	const output = `r${major}`;
	let manifest: RecordingManifest;

	beforeAll(() => {
		const printed = run('record', '-o', output, '--jdk', findJdk(major).home, '--', 'java', '-cp', classPath, 'org.openjdk.jmh.Main', '-jvmArgs', collector);
		// All that JMH prints goes through; JVMs print warnings between.
		const steps = [...printed.matchAll(/^(?:# Fork|(?:# Warmup )?Iteration +\d+: \d|Result)/gm)].map(([words]) => words.replace(/ +\d+: \d/, ''));
		const fork = ['# Fork', '# Warmup Iteration', '# Warmup Iteration', 'Iteration', 'Iteration'];
		expect(steps).toEqual([...fork, ...fork, 'Result']);
		expect(printed).toMatch(/^JmhSums\.sum +1000 +thrpt +4 +/m);
		manifest = JSON.parse(fs.readFileSync(path.join(folder, output, 'assay-recording.json'), 'utf8')) as RecordingManifest;
	});

	test('two forks of two iterations of a second', () => {
		expect(manifest.problems).toEqual([]);
		const { measured = [] } = manifest;
		expect(measured).toMatchObject(['1 of 2', '2 of 2'].map((fork) => ({ benchmark: 'demo.JmhSums.sum', parameters: 'size = 1000', fork, iterations: 2 })));
		for (const { fromSeconds, toSeconds } of measured) {
			expect(toSeconds - fromSeconds).toBeGreaterThan(1.9);
			expect(toSeconds - fromSeconds).toBeLessThan(3);
		}
		// Between them lie the start of the second JVM, its set-up and its warm-up.
		expect(measured[1]!.fromSeconds - measured[0]!.toSeconds).toBeGreaterThan(2);
	});

	test('of each fork the samples of its measured iterations count', () => {
		const samples = [...perfText(path.join(folder, output, 'perf.data'), 'pid,time').matchAll(/^\s*(\d+)\s+([\d.]+):/gm)];
		const logged = new Set(manifest.files.flatMap(({ kind, processId }) => (kind === 'jvm-log' ? [processId] : [])));
		// By time: where the system begins again with small numbers, the second fork has the smaller one.
		const forks = [...new Set(samples.map(([, pid]) => Number(pid)))].filter((processId) => logged.has(processId));
		expect(forks).toHaveLength(2);
		for (const [i, processId] of forks.entries()) {
			const { fromSeconds, toSeconds } = (manifest.measured ?? [])[i]!;
			const result = hot(output, '--pid', String(processId));
			const inside = samples.filter(([, pid, time]) => Number(pid) === processId && Number(time) >= fromSeconds && Number(time) <= toSeconds);
			expect(result.samples.counted).toBe(inside.length);
			expect(result.samples.window?.measured).toBe(`the 2 measured iterations of demo.JmhSums.sum (size = 1000), fork ${i + 1} of 2`);
			const share = (of: HotspotsResult): number =>
				of.compilations.reduce((sum, { method, percent }) => sum + (/JmhSums\.sum$|JmhSums_sum_/.test(method) ? percent : 0), 0);
			expect(share(result)).toBeGreaterThan(85);
			expect(share(hot(output, '--pid', String(processId), '--window', 'all'))).toBeLessThan(share(result) - 10);
		}
	});

	test('started by a script, as Maven and Gradle start it: the same window in the fork', () => {
		const { home } = findJdk(major);
		const script = path.join(folder, 'benchmarks.sh');
		fs.writeFileSync(script, `#!/bin/sh\nexec "${home}/bin/java" -cp "${classPath}" org.openjdk.jmh.Main -f 1 -jvmArgs ${collector}\n`, { mode: 0o755 });
		run('record', '-o', `s${major}`, '--jdk', home, '--', script);
		const { measured = [], problems } = JSON.parse(fs.readFileSync(path.join(folder, `s${major}`, 'assay-recording.json'), 'utf8')) as RecordingManifest;
		expect(problems).toEqual([]);
		expect(measured).toMatchObject([{ benchmark: 'demo.JmhSums.sum', fork: '1 of 1', iterations: 2 }]);
		const { stderr } = spawnSync(process.execPath, [assay, 'hot', `s${major}`], { cwd: folder, encoding: 'utf8' });
		const [, fork = ''] = /processes (\d+) \(org\.openjdk\.jmh\.runner\.ForkedMain, /.exec(stderr) ?? [];
		expect(stderr).toContain('(org.openjdk.jmh.Main, ');
		expect(hot(`s${major}`, '--pid', fork).samples.window?.measured).toBe('the 2 measured iterations of demo.JmhSums.sum (size = 1000), fork 1 of 1');
	});
});
