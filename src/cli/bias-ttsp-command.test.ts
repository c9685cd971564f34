import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recordings = path.join(root, 'fixtures', 'jvm', 'safepoint');
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
	JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'bias-ttsp.json'), 'utf8')),
);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-ttsp-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Culprit {
	readonly thread: string | null;
	readonly threadId: number | null;
	readonly isReported: boolean;
	readonly method: string;
	readonly line?: number;
	readonly compileId: string | null;
	readonly address: string | null;
	readonly loop: { readonly header: string; readonly end: string; readonly poll: string } | null;
	readonly samples: number;
	readonly percent: number;
	readonly evidence: string;
}
interface Result {
	readonly clock: { readonly source: string };
	readonly safepoints: {
		readonly reachingNs: number;
		readonly startedNs: number;
		readonly startedClock: string;
		readonly isSlow: boolean;
		readonly culprits: Culprit[];
	}[];
	readonly causes: { readonly method: string; readonly safepoints: number }[];
}

async function json(...argv: string[]): Promise<Result> {
	const { stdout, exit } = await runAssay(['bias', '--ttsp', ...argv, '--json'], recordings);
	expect(exit).toBe(0);
	const parsed = JSON.parse(stdout);
	expect(validate(parsed), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
	return parsed.result;
}

/** The recording with one of its files changed. */
function changed(name: string, file: string, change: (text: string) => string | null): string {
	const copy = fs.mkdtempSync(path.join(folder, 'run-'));
	for (const entry of fs.readdirSync(path.join(recordings, name))) {
		const bytes = fs.readFileSync(path.join(recordings, name, entry));
		const text = entry === file ? change((entry.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString()) : undefined;
		if (text !== null) {
			fs.writeFileSync(path.join(copy, text === undefined ? entry : entry.replace('.gz', '')), text ?? bytes);
		}
	}
	return copy;
}

/** What `perf script` and the code say of the loop of `Stall.kernel`: its instructions with samples. */
function expectStall(culprits: readonly Culprit[], thread: string | null = 'stall'): void {
	expect(culprits).toHaveLength(1);
	const [culprit] = culprits as [Culprit];
	expect(culprit).toMatchObject({ thread, method: 'Stall.kernel', line: 4, compileId: '12', loop: { poll: 'none' }, evidence: 'samples' });
	expect(culprit.address).toBe(culprit.loop?.header);
	expect(Number(culprit.loop?.header)).toBeLessThanOrEqual(0x7f84a3ec8195);
	expect(Number(culprit.loop?.end)).toBeGreaterThan(0x7f84a3ec8211);
	expect(culprit.percent).toBeGreaterThan(98);
}

describe('ttsp-sampled/jdk25-stall', () => {
	test('names thread, loop and line of every slow safepoint, and not the innocent thread', async () => {
		const { safepoints, causes } = await json('ttsp-sampled/jdk25-stall');
		expect(safepoints.map(({ isSlow, startedClock }) => [isSlow, startedClock])).toEqual(new Array(6).fill([true, 'samples']));
		expect(safepoints[0]?.startedNs).toBe(5432666539338 - 722319361);
		for (const { culprits } of safepoints) {
			expectStall(culprits);
			expect(culprits[0]).toMatchObject({ threadId: 23341, isReported: true });
		}
		expect(causes).toMatchObject([{ method: 'Stall.kernel', safepoints: 6 }]);
	});

	test('with the uptime alone: the clock is told from the samples', async () => {
		const run = changed('ttsp-sampled/jdk25-stall', 'safepoint.log', (text) => text.replace(/^\[\d+ns\]/gm, ''));
		const { safepoints, clock } = await json(run);
		expect(clock.source).toBe('samples');
		for (const { culprits } of safepoints) {
			expectStall(culprits);
		}
	});

	test('with timenanos alone', async () => {
		const run = changed('ttsp-sampled/jdk25-stall', 'safepoint.log', (text) => text.replace(/^(\[\d+ns\])\[\d+ns\]/gm, '$1'));
		const { safepoints } = await json(run);
		expect(safepoints[0]?.startedNs).toBe(5432666539338 - 722319361);
		for (const { culprits } of safepoints) {
			expectStall(culprits);
		}
	});

	test('samples without threads, and no late threads: the loop is still told', async () => {
		const run = changed('ttsp-sampled/jdk25-stall', 'perf.script.txt.gz', (text) => text.replace(/^.*?(\d+\.\d+: cpu-clock)/gm, '  $1'));
		const log = path.join(run, 'safepoint.log');
		fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace(/^.*# .*\n/gm, ''));
		const { safepoints } = await json(run);
		for (const { culprits } of safepoints) {
			expect(culprits[0]).toMatchObject({ thread: null, method: 'Stall.kernel', line: 4, loop: { poll: 'none' } });
		}
	});

	test('without code: the thread', async () => {
		const run = changed('ttsp-sampled/jdk25-stall', 'hotspot.log.gz', () => null);
		const { safepoints } = await json(run);
		for (const { culprits } of safepoints) {
			expect(culprits[0]).toMatchObject({ thread: 'stall', isReported: true });
		}
	});

	test('text in 80 columns', async () => {
		const { stdout, exit } = await runAssay(['bias', '--ttsp', 'ttsp-sampled/jdk25-stall'], recordings, { isTerminal: true, columns: 80 });
		expect(exit).toBe(0);
		expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
		await expect(stdout).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', 'bias-ttsp.txt'));
	});
});

describe.each([
	['jdk17-nopoll', ['7', '6%']],
	['jdk25-nopoll', ['10', '9%']],
	['jdk25-serial', ['10', '9%']],
])('ttsp/%s, without samples', (name, compileIds) => {
	test('the late thread and the printed loops without a poll', async () => {
		const { safepoints } = await json(`ttsp/${name}`);
		expect(safepoints.filter(({ isSlow }) => isSlow)).toHaveLength(4);
		safepoints.forEach(({ culprits }, i) => {
			expect(culprits.map(({ compileId }) => compileId)).toEqual(compileIds);
			for (const culprit of culprits) {
				expect(culprit).toMatchObject({
					thread: `long-loop-${i}`,
					isReported: true,
					method: 'Ttsp.kernel',
					loop: { poll: 'none' },
					samples: 0,
					evidence: 'code',
				});
			}
		});
	});
});

test.each(['jdk17-poll-every-iteration', 'jdk25-g1-stripmined'])('ttsp/%s: its loops poll, none is blamed', async (name) => {
	const { safepoints } = await json(`ttsp/${name}`);
	expect(safepoints.filter(({ isSlow }) => isSlow)).toEqual([]);
	const all = await json(`ttsp/${name}`, '--slow', '0.001');
	expect(all.safepoints.every(({ isSlow, culprits }) => isSlow && culprits.length === 0)).toBe(true);
});

test('the log of safepoints alone: late threads', async () => {
	const { safepoints } = await json('ttsp/jdk17-nopoll/safepoint.log');
	expect(safepoints[0]?.culprits).toMatchObject([{ thread: 'long-loop-0', threadId: 0x33d, method: '(unknown)', evidence: 'timeout' }]);
});

test('wrong use and unusable input', async () => {
	expect(await runAssay(['bias', '--ttsp'], recordings)).toMatchObject({ exit: 2 });
	expect(await runAssay(['bias', '--ttsp', '--slow', 'x', 'ttsp'], recordings)).toMatchObject({ exit: 2 });
	const none = await runAssay(['bias', '--ttsp', '--json', 'ttsp-sampled/jdk25-stall/perf.script.txt.gz'], recordings);
	expect(none).toMatchObject({ exit: 3, stderr: expect.stringContaining('no file tells of safepoints') });
	expect(validate(JSON.parse(none.stdout))).toBe(true);
	expect(await runAssay(['help', 'bias'], recordings)).toMatchObject({ exit: 0, stdout: expect.stringContaining('assay bias --ttsp RECORDING') });
});

test.each([
	['jdk17', 'GenCollectFull', '1.19 s'],
	['jdk25', 'SerialGCCollect (System.gc())', '1.07 s'],
])('%s: a safepoint that was begun and never reached is told first', async (name, operation, at) => {
	const file = `never-reached/${name}.log`;
	const { safepoints } = await json(file);
	expect(safepoints).toMatchObject([
		{ operation, unfinished: 'begun', isSlow: true, lateThreads: [{ name: 'counter' }], culprits: [{ thread: 'counter', evidence: 'timeout' }] },
	]);
	const { stdout } = await runAssay(['bias', '--ttsp', file], recordings);
	expect(stdout).toContain(`A safepoint for ${operation} was begun at ${at} and never reached: thread counter was late`);
	expect(stdout).toContain('1.00 s and not reached');
});

test('late threads alone are told with what the log lacks', async () => {
	const list = fs
		.readFileSync(path.join(recordings, 'never-reached', 'jdk25.log'), 'utf8')
		.split('\n')
		.slice(3)
		.join('\n');
	const file = path.join(folder, 'late.log');
	fs.writeFileSync(file, list);
	const { stdout } = await runAssay(['bias', '--ttsp', file], folder);
	expect(stdout).toContain('A safepoint was late at 2.07 s, waiting for counter: the log tells neither of its begin nor of its end');
});

describe('a recording of Flight Recorder alone', () => {
	const events = path.join(root, 'fixtures', 'jvm', 'jfr-events');

	test('of JDK 25 tells time to safepoint, and its samples who was waited for', async () => {
		const { stdout, stderr, exit } = await runAssay(['bias', '--ttsp', 'jdk25/run.jfr.gz'], events);
		expect(exit).toBe(0);
		expect(stdout).toContain('6 safepoints, 1.16 s in all; 1.11 s of it to reach them. 3 took 10.0 ms or more to reach.');
		expect(stdout).toContain('381 ms to reach, then 15.1 ms at it  SerialGCCollect');
		expect(stdout).toMatch(/^ {2}Staller\.churn:1\d$/m);
		expect(stdout).toContain('1.11 s in 3 safepoints, thread churner');
		expect(stderr).toContain('its samples have stacks and no program counters');
		const result = await json(path.join('..', 'jfr-events', 'jdk25', 'run.jfr.gz'));
		const slow = result.safepoints.filter(({ isSlow }) => isSlow);
		expect(slow).toHaveLength(3);
		for (const { culprits } of slow) {
			expect(culprits).toMatchObject([{ thread: 'churner', method: 'Staller.churn', evidence: 'samples', address: null, loop: null }]);
		}
		expect(result.causes).toMatchObject([{ method: 'Staller.churn', safepoints: 3 }]);
	});

	test('of JDK 17 tells time to safepoint; its sampler stands still then', async () => {
		const { stdout, stderr, exit } = await runAssay(['bias', '--ttsp', 'jdk17/run.jfr.gz'], events);
		expect(exit).toBe(0);
		expect(stdout).toContain('3 took 10.0 ms or more to reach.');
		expect(stderr).toContain('none of its samples lies in the time in which slow safepoints were waited for');
	});

	test('beside the log of the same run the log is taken', async () => {
		const both = fs.mkdtempSync(path.join(folder, 'both-'));
		for (const name of ['run.jfr.gz', 'safepoint.log.gz']) {
			fs.copyFileSync(path.join(events, 'jdk25', name), path.join(both, name));
		}
		const { stdout } = await runAssay(['bias', '--ttsp', both, '--json'], folder);
		const { result } = JSON.parse(stdout);
		expect(result.recording.safepointsFile).toMatch(/safepoint\.log\.gz$/);
		expect(result.safepoints).toHaveLength(9);
	});
});
