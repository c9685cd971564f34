/** Flight Recorder files of real JVMs: every event counted as `jfr summary` counts it, every sample as `jfr print` prints it; beside perf's samples. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readJfrPrintJson } from '../src/formats/jfr-print/json.js';
import { memorySource, readJfr, type StackSamples } from '../src/index.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jfr-live-'));
	compileProgram(findJdk(17), 'Mixer', folder);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function tool(jdk: LiveJdk, name: string, ...argv: string[]): string {
	return execFileSync(path.join(jdk.home, 'bin', name), argv, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 29 });
}

/** Runs the program under Flight Recorder; a dump in between starts a new chunk. */
async function record(jdk: LiveJdk, file: string, settings: string): Promise<void> {
	const child = spawn(jdk.java, [`-XX:StartFlightRecording:filename=${file},settings=${settings}`, '-cp', '.', 'Mixer', '4000'], {
		cwd: folder,
		stdio: 'ignore',
	});
	const ended = new Promise((resolve) => child.once('exit', resolve));
	for (let attempt = 0; attempt < 30; attempt++) {
		await new Promise((resolve) => setTimeout(resolve, 300));
		try {
			tool(jdk, 'jcmd', String(child.pid), 'JFR.dump', `filename=${file}.part`);
			break;
		} catch {
			// The JVM is not up yet.
		}
	}
	await ended;
}

describe.each([
	[17, ''],
	[25, ',jdk.CPUTimeSample#enabled=true,jdk.CPUTimeSample#throttle=10ms'],
])('JDK %i', (major, options) => {
	let jdk: LiveJdk;
	const file = `jdk${major}.jfr`;

	beforeAll(async () => {
		jdk = findJdk(major);
		await record(jdk, file, `profile${options}`);
	}, 120_000);

	test("with assay's own settings all kinds are as many as jfr summary says, and the doctor misses none", async () => {
		const own = `own${major}.jfr`;
		await record(jdk, own, path.resolve(import.meta.dirname, '..', 'runtime', 'assay.jfc'));
		const summary = tool(jdk, 'jfr', 'summary', own);
		// JDK 17 spells it otherwise.
		const rows = [...summary.matchAll(/^ (jdk\.\S+) +(\d+) +\d+\s*$/gm)].map(
			([, name = '', count]) => [name.replace('CheckPoint', 'Checkpoint'), Number(count)] as const,
		);
		const { events, problems } = readJfr(memorySource(own, fs.readFileSync(path.join(folder, own))));
		expect(problems).toEqual([]);
		expect(Object.fromEntries(events)).toEqual(Object.fromEntries(rows.filter(([, count]) => count > 0)));
		for (const kind of [
			'Compilation',
			'CompilerInlining',
			'CompilerPhase',
			'SafepointBegin',
			'SafepointEnd',
			'ExecuteVMOperation',
			'ExecutionSample',
			'JVMInformation',
		]) {
			expect([kind, (events.get(`jdk.${kind}`) ?? 0) > 0]).toEqual([kind, true]);
		}
		const doctor = JSON.parse(execFileSync(process.execPath, [assay, 'doctor', own, '--json'], { cwd: folder, encoding: 'utf8' }));
		const [{ flightRecorder }] = doctor.result.recording.files;
		expect(flightRecorder).toMatchObject({ missing: [], problems: 0, jvm: { command: 'Mixer 4000' } });
		expect(flightRecorder.events.map(({ name, count }: { name: string; count: number }) => [name, count]).sort()).toEqual([...events].sort());
	}, 120_000);

	test('the events of each type are as many as jfr summary says', () => {
		const summary = tool(jdk, 'jfr', 'summary', file);
		const expected = new Map<string, number>();
		for (const [, name = '', count] of summary.matchAll(/^ (jdk\.\S+) +(\d+) +\d+$/gm)) {
			if (Number(count) > 0) {
				expected.set(name, Number(count));
			}
		}
		const { events, chunks, problems } = readJfr(memorySource(file, fs.readFileSync(path.join(folder, file))));
		expect(problems).toEqual([]);
		expect(chunks.length).toBe(Number(/Chunks: (\d+)/.exec(summary)?.[1]));
		expect(expected.get('jdk.ExecutionSample')).toBeGreaterThan(20);
		for (const [name, count] of expected) {
			// JDK 17 spells it otherwise.
			expect([name, events.get(name === 'jdk.CheckPoint' ? 'jdk.Checkpoint' : name)]).toEqual([name, count]);
		}
	});

	test('the samples are those of jfr print', () => {
		const printed = tool(jdk, 'jfr', 'print', '--json', '--stack-depth', '200', '--events', 'ExecutionSample,NativeMethodSample,CPUTimeSample', file);
		const expected = readJfrPrintJson(memorySource('printed', Buffer.from(printed)));
		expect(expected.problems).toEqual([]);
		const { samples } = readJfr(memorySource(file, fs.readFileSync(path.join(folder, file))));
		expect(described(samples)).toEqual(described(expected.samples));
		expect(new Set(samples.event).size).toBeGreaterThanOrEqual(major === 25 ? 2 : 1);
	});

	test('a report and exports count the samples that the JDK prints', () => {
		const names = ['jdk.ExecutionSample', 'jdk.NativeMethodSample', 'jdk.CPUTimeSample'];
		const events = (JSON.parse(tool(jdk, 'jfr', 'print', '--json', '--events', 'ExecutionSample,NativeMethodSample,CPUTimeSample*', file)) as Printed).recording
			.events;
		const countOf = (name: string): number => events.filter(({ type }) => type === name).length;
		const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
		const best = major === 25 ? 'jdk.CPUTimeSample' : 'jdk.ExecutionSample';
		const own = (...argv: string[]): string =>
			execFileSync(process.execPath, [assay, ...argv], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
		const { samples, hotMethods } = (JSON.parse(own('report', file, '--json')) as ReportJson).result;
		expect(samples).toMatchObject({ event: best, total: sum(names.map(countOf)), counted: countOf(best) });
		expect(samples.ofStacks.kinds.map(({ event, samples: count }) => [event, count]).sort()).toEqual(
			names
				.filter((name) => countOf(name) > 0)
				.map((name) => [name, countOf(name)])
				.sort(),
		);
		expect(samples.ofStacks.lost).toBe(sum(events.filter(({ type }) => type === 'jdk.CPUTimeSamplesLost').map(({ values }) => values.lostSamples ?? 0)));
		expect(samples.ofStacks.failed).toBe(events.filter(({ type, values }) => type === best && (values.stackTrace === null || values.failed === true)).length);
		const tops = new Map<string, number>();
		for (const { type, values } of events) {
			const top = type === best && values.failed !== true ? values.stackTrace?.frames[0]?.method : undefined;
			if (top !== undefined) {
				const method = `${top.type.name.replaceAll('/', '.')}.${top.name}`;
				tops.set(method, (tops.get(method) ?? 0) + 1);
			}
		}
		const counted = new Map<string, number>();
		for (const { method, samples: count } of hotMethods) {
			counted.set(method, (counted.get(method) ?? 0) + count);
		}
		expect(counted.get('Mixer.divide')).toBeGreaterThan(10);
		for (const [method, count] of tops) {
			// Of hidden classes the names are spelled in other ways.
			if (!/0x|\$\$/.test(method)) {
				expect([method, counted.get(method)]).toEqual([method, count]);
			}
		}
		for (const name of names.filter((one) => countOf(one) > 0)) {
			const lines = own('export', file, '--to', 'collapsed', '--event', name).trim().split('\n');
			expect([name, sum(lines.map((line) => Number(line.slice(line.lastIndexOf(' ')))))]).toEqual([name, countOf(name)]);
		}
	}, 120_000);
});

interface Printed {
	readonly recording: {
		readonly events: readonly {
			readonly type: string;
			readonly values: {
				readonly failed?: boolean;
				readonly lostSamples?: number;
				readonly stackTrace?: { readonly frames: readonly { readonly method: { readonly type: { readonly name: string }; readonly name: string } }[] } | null;
			};
		}[];
	};
}

interface ReportJson {
	readonly result: {
		readonly samples: {
			readonly ofStacks: { readonly lost: number; readonly failed: number; readonly kinds: readonly { readonly event: string; readonly samples: number }[] };
		};
		readonly hotMethods: readonly { readonly method: string; readonly samples: number }[];
	};
}

function described({ length, event, events, thread, threads, stack, stacks, frames }: StackSamples): string[] {
	return Array.from({ length }, (_, i) => {
		const number = stack[i]!;
		const trace = Array.from(number < 0 ? [] : stacks.frame.subarray(stacks.starts[number], stacks.starts[number + 1]), (frame) => {
			return `${frames.methods[frames.method[frame]!]?.name}:${frames.line[frame]}`;
		});
		return [events[event[i]!], threads[thread[i]!]?.name, ...trace].join(' ');
	}).sort();
}

interface BiasJson {
	readonly result: {
		readonly samples: number;
		readonly profiles: readonly {
			readonly name: string;
			readonly samples: number;
			readonly leftOut: { readonly otherTimes: number };
			readonly clock: unknown;
		}[];
		readonly methods: readonly { readonly method: string; readonly unbiasedPercent: number; readonly observed: Record<string, number> }[];
	};
}

/** By the JDK's own tool: of each safepoint how long until all threads stood, without the cleanup that JDK 17 does behind it; ns. */
function printedReaching(jdk: LiveJdk, file: string): number[] {
	interface Event {
		readonly type: string;
		readonly values: { readonly startTime: string; readonly duration: string; readonly safepointId: number };
	}
	const { recording }: { recording: { events: readonly Event[] } } = JSON.parse(
		tool(jdk, 'jfr', 'print', '--json', '--events', 'SafepointBegin,SafepointCleanup', file),
	);
	const startNs = ({ values: { startTime } }: Event): number => {
		const [, time, fraction] = /^(.*?)(\.\d+)/.exec(startTime)!;
		return (Date.parse(`${time}Z`) % 86_400_000) * 1e6 + Number(fraction) * 1e9;
	};
	const cleanups = new Map(recording.events.filter(({ type }) => type === 'jdk.SafepointCleanup').map((event) => [event.values.safepointId, startNs(event)]));
	return recording.events
		.filter(({ type }) => type === 'jdk.SafepointBegin')
		.map((event) => {
			const cleanup = cleanups.get(event.values.safepointId);
			return cleanup === undefined ? Number(/^PT([\d.E-]+)S$/.exec(event.values.duration)?.[1]) * 1e9 : cleanup - startNs(event);
		});
}

test.each([17, 25])(
	'JDK %i: time to safepoint is that of the log of the same run',
	(major) => {
		const jdk = findJdk(major);
		compileProgram(findJdk(17), 'Staller', folder);
		const [file, log] = [`stall${major}.jfr`, `stall${major}.log`];
		const settings = path.resolve(import.meta.dirname, '..', 'runtime', 'assay.jfc');
		const flags = [`-XX:StartFlightRecording:filename=${file},settings=${settings}`, `-Xlog:safepoint*=info:file=${log}:uptimenanos,timenanos,tags`];
		// -Xbatch: the loop is compiled before the first round however busy the machine is; C1's code and the interpreter's have polls.
		execFileSync(
			jdk.java,
			['-Xbatch', '-XX:+UseSerialGC', '-XX:-UseCountedLoopSafepoints', '-XX:LoopStripMiningIter=0', ...flags, '-cp', '.', 'Staller', '400000000', '5'],
			{
				cwd: folder,
				stdio: 'ignore',
			},
		);
		interface Row {
			readonly operation: string | null;
			readonly reachingNs: number;
			readonly totalNs: number;
			readonly isSlow: boolean;
			readonly culprits: readonly { readonly method: string; readonly thread: string }[];
		}
		const safepoints = (name: string): readonly Row[] =>
			JSON.parse(execFileSync(process.execPath, [assay, 'bias', '--ttsp', name, '--json'], { cwd: folder, encoding: 'utf8' })).result.safepoints;
		// Those that the program asked for: others may lie before the recording, or be slow on a busy machine.
		const isAsked = ({ operation, isSlow }: Row): boolean => isSlow && /^(?:GenCollectFull|SerialGCCollect)/.test(operation ?? '');
		const recorded = safepoints(file).filter(isAsked);
		const logged = safepoints(log).filter(isAsked);
		expect(recorded).toHaveLength(5);
		expect(recorded.map(({ operation }) => operation)).toEqual(logged.map(({ operation }) => operation));
		// jfr print rounds each time to a nanosecond.
		const printed = printedReaching(jdk, path.join(folder, file));
		for (const { reachingNs } of recorded) {
			expect(Math.min(...printed.map((ns) => Math.abs(ns - reachingNs)))).toBeLessThan(2);
		}
		// The JVM reads the clock twice, for each of the two: where its thread lost the processor in between, that is in one of them.
		const apart = recorded.map(({ reachingNs }, i) => Math.abs(reachingNs - logged[i]!.reachingNs)).sort((a, b) => a - b);
		expect(apart[2], apart.join(' ')).toBeLessThan(100_000);
		recorded.forEach((own, i) => {
			expect(own.totalNs).toBeGreaterThanOrEqual(logged[i]!.totalNs - 100_000);
			// Where the method has returned before the next poll, JDK 25 shows its caller.
			expect(own.culprits.slice(0, 1).every(({ method, thread }) => /^Staller\.(?:churn|lambda\$main\$0)$/.test(method) && thread === 'churner')).toBe(true);
		});
		expect(recorded.some(({ culprits }) => culprits.length > 0)).toBe(major === 25);
	},
	60_000,
);

describe.each([17, 25])('JDK %i: the collector', (major) => {
	test.each(['Serial', 'G1'])(
		"%s: its pauses are those that jfr print adds up to, and the first finding, with the JDK's own settings",
		(collector) => {
			const jdk = findJdk(major);
			compileProgram(findJdk(17), 'Hoarder', folder);
			const file = `hoarder${major}${collector}.jfr`;
			const flags = ['-Xmx200m', `-XX:+Use${collector}GC`, `-XX:StartFlightRecording:filename=${file},settings=default`];
			execFileSync(jdk.java, [...flags, '-cp', '.', 'Hoarder', '3000'], { cwd: folder, stdio: 'ignore' });
			const json = (...argv: string[]) =>
				JSON.parse(execFileSync(process.execPath, [assay, ...argv, '--json'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })).result;
			const printed: { recording: { events: readonly { values: { sumOfPauses: string; longestPause: string } }[] } } = JSON.parse(
				tool(jdk, 'jfr', 'print', '--json', '--events', 'jdk.GarbageCollection', file),
			);
			const ns = (iso: string): number => Number(/^PT([\d.E-]+)S$/.exec(iso)?.[1]) * 1e9;
			const pauses = printed.recording.events.map(({ values }) => ns(values.sumOfPauses)).filter((sum) => sum > 0);
			const longest = Math.max(...printed.recording.events.map(({ values }) => ns(values.longestPause)));
			const { collector: told, runNs } = json('bias', '--ttsp', file);
			expect(told).toMatchObject({ counted: 'collections', count: pauses.length });
			const total = pauses.reduce((sum, one) => sum + one, 0);
			expect(Math.abs(told.totalNs - total)).toBeLessThan(1e-6 * total);
			expect(Math.abs(told.longestNs - longest)).toBeLessThan(1e-6 * longest);
			expect(told.percentOfRun).toBeCloseTo((100 * total) / runNs, 1);
			const { findings, recording } = json('report', file, '--no-index');
			expect(findings[0]).toMatchObject({
				kind: 'collector',
				command: `assay bias --ttsp ${file}`,
				text: expect.stringContaining(`for ${told.percentOfRun.toFixed(1)} % of the run`),
			});
			expect(recording.version).toContain(`(${jdk.version}`);
		},
		60_000,
	);
});

test('of a file that was cut nothing but the cut is lost: it is no more chunks than it was', () => {
	const whole = fs.readFileSync(path.join(folder, 'own25.jfr'));
	const cut = memorySource('cut.jfr', whole.subarray(0, Math.round(0.95 * whole.length)));
	const before = readJfr(memorySource('own25.jfr', whole)).chunks.filter(({ offsetBytes }) => offsetBytes < cut.sizeBytes);
	const { chunks, samples, problems } = readJfr(cut);
	expect(chunks.map(({ offsetBytes }) => offsetBytes)).toEqual(before.map(({ offsetBytes }) => offsetBytes));
	expect(problems.filter(({ message }) => /no chunk of Flight Recorder starts here/.test(message))).toEqual([]);
	expect(samples.length).toBeGreaterThan(0);
});

test('beside the samples of perf: the same thread, also in a part of the time', () => {
	const jdk = findJdk(25);
	const run = path.join(folder, 'run');
	const options = `-XX:StartFlightRecording:filename=rec.jfr,settings=profile`;
	execFileSync(process.execPath, [assay, 'record', '-o', run, '--', jdk.java, '-XX:+UseSerialGC', options, '-cp', '.', 'Mixer', '6000'], {
		cwd: folder,
		stdio: 'ignore',
	});
	const bias = (...argv: string[]): BiasJson['result'] =>
		(
			JSON.parse(
				execFileSync(process.execPath, [assay, 'bias', run, '--thread', 'mixer', '--rounds', '0', '--against', 'jfr=rec.jfr', '--json', ...argv], {
					cwd: folder,
					encoding: 'utf8',
					maxBuffer: 1 << 28,
				}),
			) as BiasJson
		).result;
	const whole = bias();
	const [jfr] = whole.profiles as [BiasJson['result']['profiles'][0]];
	expect(jfr.samples).toBeGreaterThan(20);
	const divide = whole.methods.find(({ method }) => method === 'Mixer.divide');
	expect(divide?.unbiasedPercent).toBeGreaterThan(20);
	expect(divide?.observed.jfr).toBeGreaterThan(20);
	// Seconds since the machine's start; the program has run for some.
	const now = Number(fs.readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
	const before = bias('--from', '0', '--to', (now + 1000).toFixed(3)).profiles[0];
	expect(before).toMatchObject({ samples: jfr.samples, leftOut: { otherTimes: 0 }, clock: { source: 'recorded' } });
	const manifest = JSON.parse(fs.readFileSync(path.join(run, 'assay-recording.json'), 'utf8')) as {
		startTime: string;
		endTime: string;
		clocks: { monotonicMinusRealtimeSeconds: number };
	};
	const middle = (Date.parse(manifest.startTime) + Date.parse(manifest.endTime)) / 2000 + manifest.clocks.monotonicMinusRealtimeSeconds;
	const first = bias('--to', middle.toFixed(3)).profiles[0]?.samples as number;
	const second = bias('--from', middle.toFixed(3)).profiles[0]?.samples as number;
	expect(first + second).toBe(jfr.samples);
	expect(Math.min(first, second)).toBeGreaterThan(0);
}, 180_000);
