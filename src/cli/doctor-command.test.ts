/** `assay doctor`: recordings of real runs, damaged ones, and machines with and without tools. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProcessRun, runProcess, writeTool } from '../../test/fake-tools.js';
import { runAssay } from '../../test/run-assay.js';
import type { MachineInspection, MissingEvidence, RecordingInspection } from '../model/inspection.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recordings = path.join(root, 'fixtures', 'jvm', 'perfasm');
const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
	JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'doctor.json'), 'utf8')),
);

interface DoctorOutput {
	readonly result: { readonly recording: RecordingInspection; readonly machine: MachineInspection; readonly missing: readonly MissingEvidence[] };
	readonly problems: readonly { readonly message: string }[];
}

let folder = '';

beforeAll(() => {
	folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-doctor-')));
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function checked(stdout: string): DoctorOutput {
	const output = JSON.parse(stdout);
	validate(output);
	expect(validate.errors ?? []).toEqual([]);
	return output;
}

async function doctor(names: readonly string[], cwd = recordings): Promise<DoctorOutput> {
	return checked((await runAssay(['doctor', '--json', ...names], cwd)).stdout);
}

/** A recording as `assay record` leaves it, with made-up content. */
function writeRecording(name: string, files: Readonly<Record<string, string>>): string {
	fs.mkdirSync(path.join(folder, name), { recursive: true });
	for (const [file, text] of Object.entries(files)) {
		fs.writeFileSync(path.join(folder, name, file), text);
	}
	return name;
}

const LOG = `<?xml version='1.0' encoding='UTF-8'?>
<hotspot_log version='160 1' process='7' time_ms='1700000000000'>
<task_queued compile_id='1' method='A a ()V' stamp='0.500'/>
<nmethod compile_id='1' compiler='c2' level='4' entry='0x00007f0000001000' size='256' address='0x00007f0000000f80' method='A a ()V' stamp='1.000'/>
Compiled method (c2) 1 1 4 A::a (3 bytes)
[MachCode]
  0x00007f0000001000: 9090
[/MachCode]
StubRoutines::call_stub [0x00007f0000000100, 0x00007f0000000180] (128 bytes)
<hotspot_log_done stamp='2.000'/>
`;
const SAMPLES = [0x1000, 0x107f, 0x1080, 0x2000]
	.map((offset, i) => `    java 7/7 ${1000 + i}.000000: cpu-clock:      7f000000${offset.toString(16).padStart(4, '0')} [unknown] (/tmp/perf-7.map)\n`)
	.join('');

function manifest(offset: number, state = 'complete'): string {
	const clocks = { perf: 'CLOCK_MONOTONIC', monotonicMinusRealtimeSeconds: offset, uncertaintySeconds: 1e-6 };
	return JSON.stringify({ assayRecording: 1, state, command: ['java', 'A'], jdk: null, clocks, problems: [] });
}

describe('a real recording', () => {
	test('with hsdis has everything but clocks', async () => {
		const { result } = await doctor(['jdk25-arraySum']);
		expect(result.missing.map(({ what }) => what)).toEqual(['clocks', 'log of safepoints']);
		expect(result.recording.joins.slice(0, 3).map(({ works }) => works)).toEqual([true, true, false]);
		const [log] = result.recording.files.filter(({ kind }) => kind === 'hotspot-log');
		expect(log?.code).toMatchObject({ nmethods: 589, isWhole: true, machCodeBlocks: 0 });
		const [samples] = result.recording.files.filter(({ kind }) => kind === 'perf-script');
		expect(samples?.samples).toMatchObject({ total: 8428, events: [{ name: 'cpu-clock', count: 8428 }] });
	});

	test('without hsdis has its code in hex', async () => {
		const { result } = await doctor(['jdk25-arraySum-nohsdis']);
		expect(result.missing.map(({ what }) => what)).toEqual(['interpreter and stubs', 'clocks', 'log of safepoints']);
		expect(result.recording.files.find(({ code }) => code !== null)?.code).toMatchObject({ disassembledLines: 0, machCodeBlocks: expect.any(Number) });
	});

	test('of samples only lacks the flags of the JVM', async () => {
		const { result } = await doctor([path.join('jdk25-mapGet-skipasm', 'perf.script.txt.gz')]);
		expect(result.missing.map(({ remedy }) => remedy.match(/-XX:\+(?:LogCompilation|PrintAssembly|PrintStubCode)/)?.[0])).toEqual([
			...['-XX:+LogCompilation', '-XX:+PrintAssembly', '-XX:+PrintStubCode'],
			undefined,
		]);
	});

	test('of DTrace or xctrace is told as such', async () => {
		const { result } = await doctor(['dtrace-jdk25-stringConcatHash', 'xctrace-derived-jdk25-mapGet']);
		expect(result.recording.files.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['dtrace-profile', 'hotspot-log', 'xctrace-table']));
	});

	test("of xctrace is on the JVM's clock by its table of contents, if the samples fit it", async () => {
		const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-xctrace-'));
		const xctrace = path.join(recordings, 'xctrace-derived-jdk25-mapGet');
		fs.copyFileSync(path.join(xctrace, 'xctrace-table.xml.gz'), path.join(folder, 'table.xml.gz'));
		// The table is made of the samples of this run.
		fs.copyFileSync(path.join(recordings, 'jdk25-mapGet', 'hotspot.log.zst'), path.join(folder, 'hotspot.log.zst'));
		const contents = gunzipSync(fs.readFileSync(path.join(xctrace, 'xctrace-toc.xml.gz'))).toString();
		const timeOf = async (date: string) => {
			fs.writeFileSync(path.join(folder, 'toc.xml'), contents.replace(/(?<=<start-date>)[^<]+/, date));
			const { result } = await doctor(['.'], folder);
			expect(result.recording.files.find(({ name }) => name.endsWith('toc.xml'))).toMatchObject({ kind: 'xctrace-contents' });
			return result.recording.joins.find(({ name }) => name === 'time');
		};
		// The JVM began at 21:44:33.389 UTC.
		const fits = await timeOf('2026-11-20T22:44:33.385+01:00');
		const { stderr } = await runAssay(['hot', '.'], folder);
		const fitsNot = await timeOf('2026-11-20T22:44:03.385+01:00');
		const warned = await runAssay(['hot', '.'], folder);
		fs.rmSync(folder, { recursive: true });
		expect(fits).toMatchObject({
			works: true,
			why: expect.stringMatching(/^stamp 0 is 0\.004 s on the samples' clock, by the start that .*toc\.xml tells, within 100\.0 ms$/),
		});
		expect(stderr).toBe('');
		expect(fitsNot).toMatchObject({ works: false });
		expect(warned.stderr).toMatch(/toc\.xml: the samples cannot count from the start that it tells: .*hotspot\.log/);
	});

	test('of async-profiler has no times', async () => {
		const { result } = await doctor([path.join('..', 'async-profiler')]);
		const samples = result.recording.files.find(({ kind }) => kind === 'async-profiler-collapsed')?.samples;
		expect(samples).toMatchObject({ total: 624, firstSeconds: null, lastSeconds: null });
		expect(result.recording.joins.slice(0, 3)).toMatchObject([{ works: true }, { works: true }, { works: false, why: 'the samples have no times' }]);
	});

	test('of other profilers is named, with its samples', async () => {
		const jvm = path.dirname(recordings);
		const { result } = await doctor(['jfr', 'thread-dumps/jdk25-jstack.txt.gz', 'safepoint/jdk25-stack-g1.txt.gz'], jvm);
		const kinds = Object.fromEntries(result.recording.files.map(({ name, kind, profile }) => [path.basename(name), [kind, profile?.format ?? null]]));
		expect(kinds).toMatchObject({
			'README.md': ['other', null],
			'jdk17.jfr.gz': ['flight-recording', 'flight-recording'],
			'jdk17.print.json.gz': ['jfr-print', 'jfr-print'],
			'jdk17.print.txt.gz': ['jfr-print', 'jfr-print'],
			'async-profiler.traces.txt.gz': ['async-profiler-text', 'async-profiler-text'],
			'jdk25-jstack.txt.gz': ['thread-dumps', 'thread-dumps'],
			'jdk25-stack-g1.txt.gz': ['jmh-stack', 'jmh-stack'],
		});
		expect(result.recording.files.find(({ name }) => name.endsWith('jdk25.jfr.gz'))?.profile).toMatchObject({
			isCounted: true,
			events: [
				{ name: 'jdk.ExecutionSample', count: 105 },
				{ name: 'jdk.CPUTimeSample', count: 102 },
			],
			seconds: expect.closeTo(2, 0),
			problems: 0,
		});
		expect(result.missing[0]).toMatchObject({ what: 'samples', without: expect.stringContaining('another profiler') });
		expect((await runAssay(['doctor', 'jfr'], jvm)).stdout).toMatch(
			/jdk25\.jfr\.gz .* recording of Flight Recorder {2}105 jdk\.ExecutionSample, 102 jdk\.CPUTimeSample, 2\.0 s/,
		);
	});

	test('in the output of a JVM is named beside what else is there', async () => {
		const jvm = path.dirname(recordings);
		const printed = gunzipSync(fs.readFileSync(path.join(jvm, 'compilation', 'jdk25', 'printcompilation.txt.gz'))).subarray(0, 20_000);
		const dump = gunzipSync(fs.readFileSync(path.join(jvm, 'thread-dumps', 'jdk17-sigquit.txt.gz')));
		const name = writeRecording('output', { 'out.txt': `${printed.toString('latin1')}\n${dump.toString('latin1')}` });
		const { result } = await doctor([name], folder);
		expect(result.recording.files).toMatchObject([{ kind: 'print-compilation', profile: { format: 'thread-dumps', events: [{ count: 14 }] } }]);
		expect((await runAssay(['doctor', name], folder)).stdout).toContain('PrintCompilation        also thread dumps: 14 stacks');
	});

	test('as text', async () => {
		const { exit, stdout } = await runAssay(['doctor', 'jdk17-arraySum'], recordings);
		expect(exit).toBe(0);
		expect(stdout).toContain('yes  samples with instructions');
		expect(stdout).toContain('missing: clocks');
	});
});

const SAFEPOINT =
	'[5ns][9ns][safepoint] Safepoint "G1CollectFull", Time since last: 7 ns, Reaching safepoint: 4 ns, Cleanup: 8 ns, At safepoint: 7 ns, Total: 19 ns\n';

describe('a made-up recording', () => {
	test.each([40, 80])('fits a terminal of %i columns, and says the same', async (width) => {
		const words = (text: string): string[] =>
			text
				.split(/\s+/)
				.filter((word) => word !== '')
				.sort();
		const { stdout } = await runAssay(['doctor', 'jdk25-mapGet'], recordings);
		const narrow = await runAssay(['doctor', 'jdk25-mapGet'], recordings, { isTerminal: true, columns: width });
		const text = stripVTControlCharacters(narrow.stdout);
		expect(words(text)).toEqual(words(stdout));
		// What cannot be broken stands whole: flags, names of files, and what joins.
		const isWhole = (line: string): boolean => !line.trim().includes(' ') || line.startsWith('  jdk25-mapGet/') || /^(?:yes|no ) /.test(line);
		const [told = ''] = text.split('\nmissing');
		expect(told.split('\n').filter((line) => line.length > width && !isWhole(line) && width === 80)).toEqual([]);
	});

	test('in which all fits together', async () => {
		const name = writeRecording('whole', { 'hotspot.log': LOG, 'perf.script.txt': SAMPLES, 'assay-recording.json': manifest(-1_699_999_000) });
		const { result, problems } = await doctor([name], folder);
		expect(problems).toEqual([]);
		expect(result.missing.map(({ remedy }) => remedy)).toEqual([
			expect.stringMatching(/^-Xlog:safepoint\*=info:file=safepoint.log:uptimenanos,timenanos,tags /),
		]);
		fs.writeFileSync(path.join(folder, name, 'safepoint.log'), SAFEPOINT);
		expect((await doctor([name], folder)).result.missing).toEqual([]);
		expect(result.recording.joins.slice(0, 3)).toMatchObject([
			{ works: true, why: '2 of 4 samples (50.0 %) lie in logged code' },
			{ works: true },
			{ works: true },
		]);
		const log = result.recording.files.find(({ kind }) => kind === 'hotspot-log');
		expect(log?.code).toMatchObject({ nmethods: 1, tasksQueued: 1, printedMethods: 1, machCodeBlocks: 1, codelets: 1, processId: 7, lastStampSeconds: 2 });
	});

	test('whose log and samples are of different times', async () => {
		const name = writeRecording('apart', { 'hotspot.log': LOG, 'perf.script.txt': SAMPLES, 'assay-recording.json': manifest(-1_600_000_000) });
		expect((await doctor([name], folder)).result.recording.joins[2]).toMatchObject({ works: false, why: expect.stringContaining('another time') });
	});

	test('of several JVMs: code of one is not looked for in another', async () => {
		const other = LOG.replace("process='7'", "process='8'").replaceAll('00007f000000', '00007f000001');
		const name = writeRecording('several', {
			'hotspot-pid7.log': LOG,
			'hotspot-pid8.log': other,
			'perf.script.txt': SAMPLES + SAMPLES.replaceAll(' 7/7 ', ' 8/8 '),
		});
		const { result } = await doctor([name], folder);
		expect(result.recording.files.find(({ samples }) => samples !== null)?.samples).toMatchObject({ total: 8, inCompilations: 2 });
	});

	test('of a JVM that was killed, by an assay that was', async () => {
		const name = writeRecording('cut', {
			'hotspot.log': LOG.slice(0, LOG.indexOf('<nmethod')),
			'assay-recording.json': manifest(0, 'running'),
			'perf.data': 'PERFILE2....',
		});
		const { result, problems } = await doctor([name], folder);
		expect(result.missing.map(({ what }) => what)).toEqual([
			'samples',
			'log of compilations',
			'generated code',
			'interpreter and stubs',
			'end of the log',
			'log of safepoints',
		]);
		expect(result.missing[0]?.remedy).toMatch(/^perf script -i perf.data/);
		expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('not completed')]);
	});

	test.each([
		['', 'of a JVM that was killed'],
		[
			'[1.5s][2ns][safepoint,stats] Exit                                 1\n[1.5s][3ns][safepoint,stats] Maximum sync time  0 ns\n',
			'of one that ended, with its summary',
		],
	])('without a safepoint: %j %s', async (text) => {
		const name = writeRecording('still', { 'hotspot.log': LOG, 'perf.script.txt': SAMPLES, 'safepoint.log': text });
		const { result } = await doctor([name], folder);
		expect(result.missing.map(({ what }) => what)).toEqual(['clocks']);
		const delays = await runAssay(['bias', '--ttsp', name], folder);
		expect(delays).toMatchObject({ exit: 3, stderr: expect.stringContaining('still/safepoint.log: holds no safepoint: the program had none') });
	});

	test.each(['', 'x', '[]', 'null', '{"assayRecording":2}', '{"assayRecording":1,"command":5,"clocks":[],"jdk":"x","problems":[1,{}]}'])(
		'with the manifest %j',
		async (text) => {
			const name = writeRecording('manifest', { 'assay-recording.json': text });
			expect((await doctor([name], folder)).problems.length).toBe(1);
		},
	);

	test('with hostile names', async () => {
		const hostile = JSON.stringify({
			assayRecording: 1,
			state: '\u001b[2J',
			command: ['\u001b]0;x\u0007'],
			problems: [],
			jdk: { home: '/', version: '\u202e' },
		});
		const name = writeRecording('hostile', { 'assay-recording.json': hostile, 'evil\u001b[31m.log': LOG });
		const { stdout, stderr } = await runAssay(['doctor', name], folder);
		expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/);
	});

	test('damaged anyhow', async () => {
		const bytes = Buffer.from(LOG + SAMPLES);
		await fc.assert(
			fc.asyncProperty(fc.nat(bytes.length), fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255))), async (length, changes) => {
				const damaged = Buffer.from(bytes);
				for (const [at, value] of changes) {
					damaged[at] = value;
				}
				fs.mkdirSync(path.join(folder, 'damaged'), { recursive: true });
				fs.writeFileSync(path.join(folder, 'damaged', 'hotspot.log'), damaged.subarray(0, length));
				fs.writeFileSync(path.join(folder, 'damaged', 'perf.script.txt'), damaged.subarray(length));
				await doctor(['damaged'], folder);
			}),
			{ numRuns: 60 },
		);
	});
});

describe('a machine', () => {
	const run = (tools: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<ProcessRun> =>
		runProcess(['doctor', ...args], folder, path.join(folder, tools), environment);

	test('with a perf', async () => {
		writeTool(path.join(folder, 'tools'), 'java', 'java');
		writeTool(
			path.join(folder, 'tools'),
			'perf',
			'#!/bin/sh\ncase "$1" in --version) echo "perf version 6.9";; stat) echo "12345,,cycles,1,100.00,," >&2;; esac\n',
		);
		const { machine, missing } = checked((await run('tools', ['--json', '-o', 'out', '--', 'java', 'Main'])).stdout).result;
		expect(machine.perf).toMatchObject({ version: '6.9', hardwareCycles: true, failure: null });
		expect(machine.plan).toMatchObject({ passing: 'command-line', event: 'cycles' });
		expect(machine.plan.argv).toContain(`-XX:LogFile=${path.join(folder, 'out', 'hotspot.log')}`);
		expect(missing.map(({ what }) => what)).toEqual(['the version of the JVM']);
		expect(fs.existsSync(path.join(folder, 'out'))).toBe(false);
	});

	test('with a perf that may not', async () => {
		writeTool(path.join(folder, 'refusing'), 'java', 'java');
		writeTool(path.join(folder, 'refusing'), 'perf', 'refusing-perf');
		const { stdout } = await run('refusing', ['--', 'java', "it's"]);
		expect(stdout).toMatch(/^perf +6\.fake, fails: .*not permitted/m);
		expect(stdout).toContain('kernel.perf_event_paranoid=1');
		expect(stdout).toContain(`'it'\\''s'`);
	});

	test('without', async () => {
		writeTool(path.join(folder, 'bare'), 'java', 'java');
		writeTool(path.join(folder, 'bare'), 'perf', '#!/bin/sh\nexit 2\n');
		const { machine, missing } = checked((await run('bare', ['--json', '--', 'java', 'Main'])).stdout).result;
		expect(machine).toMatchObject({ perf: null, asyncProfiler: null, plan: { perfArgv: null, event: null } });
		expect(missing[0]?.what).toBe('a profiler');
	});
});

test.each([
	[[], 2, /a recording .* is expected/],
	[['--'], 2, /a recording .* is expected/],
	[['x', '--', 'java'], 2, /a recording .* is expected/],
	[['-o', 'x', 'y'], 2, /Unknown option/],
	[['no-such-folder'], 3, /no-such-folder: cannot be read/],
	[['--', 'no-such-program'], 3, /no-such-program: cannot be started/],
])('%j is refused', async (args, status, message) => {
	const run = await runAssay(['doctor', ...args], folder);
	expect(run.exit).toBe(status);
	expect(run.stderr).toMatch(message);
});

describe('a recording of Flight Recorder', () => {
	const events = path.join(root, 'fixtures', 'jvm', 'jfr-events', 'jdk17');

	test('says which JVM wrote it and how many events of each kind it has', async () => {
		const { stdout } = await runAssay(['doctor', 'run.jfr.gz'], events);
		expect(stdout).toMatch(/^run\.jfr\.gz: 1 chunk, 1\.\d s to 3\.\d s of the JVM's time$/m);
		expect(stdout).toMatch(/^ {2}JVM {8}OpenJDK 64-Bit Server VM \(17\.0\.15\+6-Debian-1deb12u1\) .*, process \d+$/m);
		expect(stdout).toMatch(/^ {2}program {4}Staller 200000000 3$/m);
		expect(stdout).toMatch(/^ +337 jdk\.ActiveSetting$/m);
		expect(stdout).not.toContain('not told');
		const { result } = await doctor(['run.jfr.gz'], events);
		expect(result.recording.files[0]?.flightRecorder).toMatchObject({ chunks: 1, wholeChunks: 1, missing: [], debugNonSafepoints: true, problems: 0 });
		expect(result.missing.map(({ what }) => what)).not.toContain('events of Flight Recorder');
	});

	test('other files have no such part', async () => {
		const { result } = await doctor(['jdk25-arraySum']);
		expect(result.recording.files.every((file) => !('flightRecorder' in file))).toBe(true);
	});
});
