/** What JMH measured is what counts, in every command, unless the whole run is asked for. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPacked } from '../../test/packed.js';
import { FIXTURES, json } from '../../test/report-json.js';
import { runAssay } from '../../test/run-assay.js';

const RECORDING = path.join(FIXTURES, 'agent', 'jdk25');
const CLOCKS = { perf: 'CLOCK_MONOTONIC' };
let folder = '';
let first = 0;
/** Of every sample; all are of one JVM. */
let times: readonly number[] = [];

/** The recording with what JMH would have printed in it, in seconds after the first sample. */
function measuring(...windows: readonly (readonly [from: number, to: number])[]): string {
	const name = path.join(folder, windows.flat().join('-'));
	fs.cpSync(RECORDING, name, { recursive: true });
	const measured = windows.map(([from, to], i) => ({
		benchmark: 'demo.Bench.sum',
		parameters: 'size = 10',
		fork: `${i + 1} of ${windows.length}`,
		iterations: 5,
		fromSeconds: first + from,
		toSeconds: first + to,
	}));
	fs.writeFileSync(path.join(name, 'assay-recording.json'), JSON.stringify({ assayRecording: 1, clocks: CLOCKS, measured }));
	return name;
}

const between = (from: number, to: number): number => times.filter((time) => time - first >= from && time - first <= to).length;

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-measured-'));
	const text = readPacked(path.join(RECORDING, 'perf.script.txt.zst')).toString();
	times = [...text.matchAll(/ (\d+\.\d+): cpu-clock: /g)].map(([, time]) => Number(time));
	first = Math.min(...times);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test('every command counts the measured iterations, or the whole run', async () => {
	const name = measuring([0.5, 1.25]);
	const inside = between(0.5, 1.25);
	expect(inside).toBeGreaterThan(50);
	expect(times.length).toBeGreaterThan(inside + 50);
	const hot = await json('hot', name);
	const report = await json('report', name, '--no-index');
	const bias = await json('bias', name, '--rounds', '0');
	expect(hot.samples.counted).toBe(inside);
	expect(report.samples).toMatchObject({ counted: inside, byReason: { 'outside the window': times.length - inside } });
	expect(bias.samples + (bias.otherThreads ?? 0)).toBe(inside);
	const measured = 'the 5 measured iterations of demo.Bench.sum (size = 10), fork 1 of 1';
	for (const window of [hot.samples.window, report.samples.window, bias.window]) {
		expect(window).toMatchObject({ delayMs: expect.closeTo(500, 3), lengthMs: expect.closeTo(750, 3), measured });
	}
	for (const command of ['hot', 'report', 'bias']) {
		const { stdout } = await runAssay([command, name], folder);
		expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`${measured}, 0.75 s from 0.50 s after the first sample on; --window all counts the whole run`);
	}

	const whole = await json('hot', name, '--window', 'all');
	expect(whole.samples).toMatchObject((await json('hot', 'agent/jdk25')).samples);
	expect(whole.samples).toMatchObject({ counted: times.length - (whole.samples.byReason["before the JVM's start"] ?? 0), window: null });
	expect((await json('report', name, '--no-index', '--window', 'all')).samples.counted).toBe(whole.samples.counted);
	const wholeBias = await json('bias', name, '--rounds', '0', '--window', 'all');
	expect([wholeBias.samples + (wholeBias.otherThreads ?? 0), wholeBias.window]).toEqual([whole.samples.counted, null]);
});

test('commands that prove the findings of a whole run look at the whole run', async () => {
	const { findings } = await json('report', measuring([0.25, 1.5]), '--no-index', '--window', 'all');
	const commands = findings.flatMap(({ command }) => command?.split(' && ') ?? []).filter((command) => /^assay (?:hot|bias(?! --ttsp))/.test(command));
	expect(commands.length).toBeGreaterThan(0);
	expect(commands.filter((command) => !command.endsWith(' --window all'))).toEqual([]);
});

test('several forks in one JVM, and windows in which it has no sample', async () => {
	const { samples } = await json('hot', measuring([0.2, 0.4], [0.6, 0.9], [100, 200]));
	expect(samples).toMatchObject({
		counted: between(0.2, 0.9),
		window: { measured: 'from the first to the last of the 10 measured iterations of demo.Bench.sum (size = 10)' },
	});
	expect((await json('hot', measuring([100, 200]))).samples.window).toBeNull();
});

test('samples that begin after the first iteration did', async () => {
	const { samples } = await json('hot', measuring([-3, 0.5]));
	expect(samples).toMatchObject({ counted: between(0, 0.5) - (samples.byReason["before the JVM's start"] ?? 0), window: { delayMs: 0 } });
	expect(samples.window?.lengthMs).toBeCloseTo(500, 3);
});

test('--window takes measured or all', async () => {
	const { exit, stderr } = await runAssay(['hot', RECORDING, '--window', 'some'], folder);
	expect([exit, stderr]).toEqual([2, expect.stringContaining('--window takes measured or all, not "some"')]);
	const asked = await runAssay(['report', RECORDING, '--window', 'all', '-o', 'page.html'], folder);
	expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('--thread, --class and --window choose samples of the report')]);
});
