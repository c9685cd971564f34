/** What is predicted of thread dumps against JMH's own sampler of them (-prof stack with detailLine=true), of four benchmarks. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BiasResult } from '../src/answers/results.js';
import type { RecordingManifest } from '../src/model/recording-manifest.js';
import { findJdk } from './jdks.js';
import { compileBenchmarks } from './jmh-benchmarks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
/** In the order in which JMH runs them. */
const BENCHMARKS = ['called', 'cheapCall', 'inlined', 'walk'];
let folder = '';
let classPath = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jmh-stack-'));
	classPath = compileBenchmarks(folder, 'JmhBias');
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function run(...argv: readonly string[]): string {
	const { status, stdout, stderr } = spawnSync(process.execPath, [assay, ...argv], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30 });
	expect(status, `${argv.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
	return stdout;
}

test('by method and by line', () => {
	const jvm = ['java', '-cp', classPath, 'org.openjdk.jmh.Main', 'JmhBias', '-jvmArgs', '-XX:+UseSerialGC', '-prof', 'stack:detailLine=true'];
	fs.writeFileSync(path.join(folder, 'stack.txt'), run('record', '-o', 'recorded', '--jdk', findJdk(25).home, '--', ...jvm));
	const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'recorded', 'assay-recording.json'), 'utf8')) as RecordingManifest;
	const forks = manifest.files.flatMap(({ kind, processId }) => (kind === 'jvm-log' && processId !== undefined ? [processId] : [])).sort((a, b) => a - b);
	expect((manifest.measured ?? []).map(({ benchmark }) => benchmark)).toEqual(BENCHMARKS.map((name) => `demo.JmhBias.${name}`));
	for (const [i, processId] of forks.entries()) {
		for (const by of ['method', 'line']) {
			const against = ['--against', `stack=stack.txt:${BENCHMARKS[i]}`];
			// JMH leaves out the thread that samples, "Sampling Thread".
			const argv = ['bias', 'recorded', '--pid', String(processId), '--thread', 'demo.JmhBias*', '--rounds', '0', '--by', by, ...against, '--json'];
			const { result } = JSON.parse(run(...argv)) as { result: BiasResult };
			expect(result.profiles).toMatchObject([{ name: 'stack', samples: null, hasLines: true }]);
			const from = (name: string): number => result.distances.find(({ a, b }) => a === name && b === 'stack')?.totalVariation ?? Number.NaN;
			expect(from('predicted'), `${BENCHMARKS[i]} by ${by}`).toBeLessThanOrEqual(0.05);
			// Where the loops have no poll, dumps show another method than the one that works.
			expect(from('unbiased'), `${BENCHMARKS[i]} by ${by}`).toBeGreaterThan(BENCHMARKS[i] === 'walk' ? -1 : 0.8);
		}
	}
});
