/** `assay record` with programs that stand in for java and perf: what is left behind, however the program ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ProcessRun, runProcess, writeTool } from '../../test/fake-tools.js';
import { runAssay } from '../../test/run-assay.js';
import type { RecordingManifest } from '../model/recording-manifest.js';
import { defaultStackBytes } from '../recording/record/perf.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
	JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'recording.json'), 'utf8')),
);

let folder = '';
let tools = '';

beforeEach(() => {
	folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-record-')));
	tools = path.join(folder, 'tools');
	writeTool(tools, 'java', 'java');
	writeTool(tools, 'perf', 'perf');
	writeTool(tools, 'cc', 'cc');
	// The folder above that of java is its JDK.
	fs.mkdirSync(path.join(folder, 'include'));
	fs.writeFileSync(path.join(folder, 'include', 'jvmti.h'), '');
});

afterEach(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

type OnOutput = (all: string, child: ChildProcess) => void;

function record(args: readonly string[], onOutput?: OnOutput, environment: Readonly<Record<string, string>> = {}): Promise<ProcessRun> {
	return runProcess(['record', '-o', 'out', ...args], folder, tools, environment, onOutput);
}

function readManifest(name = 'out'): RecordingManifest {
	const manifest = JSON.parse(fs.readFileSync(path.join(folder, name, 'assay-recording.json'), 'utf8'));
	validate(manifest);
	expect(validate.errors ?? []).toEqual([]);
	return manifest;
}

/** The fake perf, telling its process id, and with another way to take Ctrl-C. */
function withPidFile(trap: string): `#!${string}` {
	const script = fs.readFileSync(path.join(tools, 'perf'), 'utf8').replace("trap 'exit 0' INT", () => `echo $$ > "$(dirname "$0")/pid"; ${trap}`);
	return script as `#!${string}`;
}

function perfProcess(): number {
	return Number(fs.readFileSync(path.join(tools, 'pid'), 'utf8'));
}

/** Once each, when the text first has appeared. */
function when(...reactions: readonly (readonly [string, (child: ChildProcess) => void])[]): OnOutput {
	const waiting = [...reactions];
	return (all, child) => {
		while (waiting[0] !== undefined && all.includes(waiting[0][0])) {
			waiting.shift()?.[1](child);
		}
	};
}

describe('JMH', () => {
	const jmh = (args: readonly string[], onOutput?: OnOutput) => record(['--', 'java', 'org.openjdk.jmh.Main', '-f', '0', ...args], onOutput);
	const FORK = { benchmark: 'a.B.c', parameters: null, fork: '1 of 1', iterations: 1 };

	test('what it prints is handed on, and tells when it measured', async () => {
		const { status, stdout } = await jmh(['jmh']);
		expect(status).toBe(0);
		expect(stdout.split('\n').slice(1)).toEqual([
			'# Benchmark: a.B.c',
			'# Fork: 1 of 1',
			'# Warmup Iteration   1: 2 ns/op',
			'Iteration   1: 1 ns/op',
			'',
			'Result',
			'',
		]);
		const { measured = [], problems } = readManifest();
		expect(measured).toMatchObject([FORK]);
		expect(measured[0]!.toSeconds - measured[0]!.fromSeconds).toBeGreaterThan(0.25);
		expect(problems).toEqual([]);
	});

	test('is recorded to its end when nobody reads what it prints', async () => {
		const { status, stderr } = await jmh(['jmh'], when(['Warmup', (child) => child.stdout?.destroy()]));
		expect([status, stderr]).toEqual([0, expect.stringContaining('next: assay hot out')]);
		expect(readManifest()).toMatchObject({ state: 'complete', measured: [FORK] });
	});

	test('that prints no iterations: what is counted is said', async () => {
		await jmh(['exit-0']);
		const { measured, problems } = readManifest();
		expect([measured, problems.map(({ message }) => message)]).toEqual([
			undefined,
			['JMH printed no measured iteration: warm-up and measurement cannot be told apart'],
		]);
	});
});

test('a program is run, sampled, and its folder completed', async () => {
	const { status, stdout, stderr } = await record(['--', 'java', 'Main', 'exit-7']);
	expect(status).toBe(7);
	const manifest = readManifest();
	expect(stdout).toBe(`hello ${manifest.flags.length + 2}\n`);
	const library = fs.readdirSync(path.join(tools, 'cache', 'assay')).map((name) => path.join(tools, 'cache', 'assay', name, 'libassay_agent.so'));
	expect(manifest.flags).toContain(`-agentpath:${library[0]}=${path.join(folder, 'out', 'agent-%p.bin')}`);
	expect(stderr).toBe('assay record: out: 2 samples of cpu-clock, generated code, 0.0 MB, log of the JVM, 0.0 MB\nassay record: next: assay hot out\n');
	expect(manifest).toMatchObject({
		state: 'complete',
		command: ['java', 'Main', 'exit-7'],
		workingDirectory: folder,
		machine: { host: os.hostname(), cpus: os.cpus().length },
		flagsPassedBy: 'command-line',
		tools: { perf: '6.fake', asyncProfiler: null },
		exit: { status: 7, signal: null },
		endedBy: 'program',
		samples: { event: 'cpu-clock', frequencyHz: 999, count: 2 },
		clocks: { perf: 'CLOCK_MONOTONIC' },
		problems: [],
	});
	expect(manifest.files.map(({ name, processId }) => [name, processId])).toEqual([
		[`agent-${manifest.processId}.bin`, manifest.processId],
		['hotspot.log', manifest.processId],
		['native-symbols.txt', undefined],
		['perf.data', undefined],
	]);
	expect(manifest.executed).toEqual([path.join(tools, 'java'), ...manifest.flags, 'Main', 'exit-7']);
	const withCallers = process.arch === 'x64' ? ` -z --buildid-mmap --call-graph dwarf,${defaultStackBytes(true)} --user-regs=bp,sp` : '';
	expect(fs.readFileSync(path.join(tools, 'perf-arguments'), 'utf8')).toBe(
		`record --no-bpf-event -k CLOCK_MONOTONIC -F 999 -e cpu-clock -o ${path.join(folder, 'out', 'perf.data')}${withCallers} -D -1 --control fd:3,4 -p ${manifest.processId}\n`,
	);
});

test('the event that perf really counted is told', async () => {
	expect((await record(['--event', 'cycles:u', '--', 'java', 'exit-0'])).stderr).toContain('cycles:u cannot be counted here; perf took cpu-clock instead');
	expect(readManifest().samples).toEqual({ event: 'cpu-clock', frequencyHz: 999, count: 2 });
});

describe('nothing is lost when', () => {
	test('the program is killed', async () => {
		expect((await record(['--', 'java', 'kill-me'])).status).toBe(128 + 9);
		expect(readManifest()).toMatchObject({ state: 'complete', exit: { status: null, signal: 'SIGKILL' }, samples: { count: 2 } });
	});

	test('the time is over', async () => {
		expect((await record(['--duration', '0.2', '--', 'java', 'wait'])).status).toBe(128 + 15);
		expect(readManifest()).toMatchObject({ state: 'complete', endedBy: 'duration', exit: { signal: 'SIGTERM' }, samples: { count: 2 } });
	});

	test('the time is over and the program does not listen', async () => {
		expect((await record(['--duration', '0.2', '--', 'java', 'stubborn'])).status).toBe(128 + 9);
		expect(readManifest()).toMatchObject({ state: 'complete', endedBy: 'duration', exit: { signal: 'SIGKILL' }, samples: { count: 2 } });
	});

	test('Ctrl-C is pressed', async () => {
		const { status, stderr } = await record(['--', 'java', 'wait'], when(['hello', (child) => child.kill('SIGINT')]));
		expect(status).toBe(130);
		expect(stderr).toContain('Ctrl-C again kills it');
		expect(readManifest()).toMatchObject({ state: 'complete', endedBy: 'interrupt', exit: { signal: 'SIGINT' }, samples: { count: 2 } });
	});

	test('a program that does not listen has to be killed by a second Ctrl-C', async () => {
		const interrupt = (child: ChildProcess): boolean => child.kill('SIGINT');
		const { status } = await record(['--', 'java', 'stubborn'], when(['hello', interrupt], ['Ctrl-C again', interrupt]));
		expect(status).toBe(128 + 9);
		expect(readManifest()).toMatchObject({ state: 'complete', endedBy: 'interrupt', exit: { signal: 'SIGKILL' }, samples: { count: 2 } });
	});

	test('assay is asked to end', async () => {
		expect((await record(['--', 'java', 'wait'], when(['hello', (child) => child.kill('SIGTERM')]))).status).toBe(128 + 15);
		expect(readManifest()).toMatchObject({ state: 'complete', endedBy: 'terminated', samples: { count: 2 } });
	});

	test('the folder is removed meanwhile: the program runs to its end, and that nothing is left is said', async () => {
		const remove = (child: ChildProcess): void => {
			fs.rmSync(path.join(folder, 'out'), { recursive: true });
			child.kill('SIGTERM');
		};
		const { status, stderr } = await record(['--', 'java', 'wait'], when(['hello', remove]));
		expect([status, fs.existsSync(path.join(folder, 'out'))]).toEqual([3, false]);
		expect(stderr).toMatch(/^assay record: out: the recording could not be written \(.+\); the program ended with SIGTERM; keep the folder/m);
		expect(stderr).not.toContain('    at ');
	});

	test('assay itself is killed: the manifest is there', async () => {
		writeTool(tools, 'perf', withPidFile("trap 'exit 0' INT"));
		const killBoth = (child: ChildProcess): void => {
			child.kill('SIGKILL');
			process.kill(readManifest().processId ?? Number.NaN, 'SIGKILL');
		};
		await record(['--', 'java', 'wait'], when(['hello', killBoth]));
		expect(readManifest()).toMatchObject({ state: 'running', exit: null, samples: { count: null } });
		process.kill(perfProcess(), 'SIGKILL');
	});

	test('a third Ctrl-C ends assay although perf does not', async () => {
		writeTool(tools, 'perf', withPidFile("trap '' INT"));
		const interrupt = (child: ChildProcess): boolean => child.kill('SIGINT');
		const third = (child: ChildProcess): void => {
			interrupt(child);
			const poll = setInterval(() => {
				if (readManifest().exit !== null) {
					clearInterval(poll);
					interrupt(child);
				}
			}, 20);
		};
		expect((await record(['--', 'java', 'stubborn'], when(['hello', interrupt], ['Ctrl-C again', third]))).status).toBe(130);
		expect(readManifest()).toMatchObject({ state: 'running', exit: { signal: 'SIGKILL' } });
		process.kill(perfProcess(), 'SIGKILL');
	});
});

test('the code comes from the agent, is printed, or is left out', async () => {
	await record(['--code', 'print', '--', 'java', 'exit-0']);
	expect(readManifest().flags).toEqual(expect.arrayContaining(['-XX:+PrintAssembly', '-XX:+PrintStubCode']));
	await record(['--force', '--code', 'none', '--', 'java', 'exit-0']);
	expect(readManifest().flags.filter((flag) => /Print|agent/.test(flag))).toEqual([]);
	expect(readManifest().flags).toContain('-XX:+LogCompilation');
});

test('without the top of stacks where it is not wanted, and where this perf cannot copy it', async () => {
	const isCopied = (): boolean => fs.readFileSync(path.join(tools, 'perf-arguments'), 'utf8').includes('--call-graph');
	await record(['--no-callers', '--', 'java', 'exit-0']);
	expect(isCopied()).toBe(false);
	await record(['--force', '--stack', '512', '--', 'java', 'exit-0']);
	expect(fs.readFileSync(path.join(tools, 'perf-arguments'), 'utf8')).toContain(process.arch === 'x64' ? '--call-graph dwarf,512 ' : '-F 999');
	for (const [argv, message] of [
		[['--stack', '513'], 'takes a multiple of 8 up to 65528, not 513'],
		[['--stack', '65536'], 'takes a multiple of 8 up to 65528, not 65536'],
		[['--stack', '8', '--no-callers'], 'do not go together'],
	] as const) {
		const { status, stderr } = await record(['--force', ...argv, '--', 'java', 'exit-0']);
		expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
	}
	expect([1, 16, 17, 256].map((processors) => [defaultStackBytes(true, processors), defaultStackBytes(false, processors)])).toEqual([
		[4096, 8192],
		[4096, 8192],
		[1024, 2048],
		[1024, 2048],
	]);
	// A perf that cannot compress, and one that cannot copy.
	const able = fs.readFileSync(path.join(tools, 'perf'), 'utf8');
	for (const [refused, isStillCopied] of [
		[' -z ', process.arch === 'x64'],
		['--call-graph', false],
	] as const) {
		const refusing = able.replace('\nrecord)\n', `\nrecord)\n\tcase "$*" in *"${refused}"*) echo "Error: unknown option" >&2; exit 129 ;; esac\n`);
		writeTool(tools, 'perf', refusing as `#!${string}`);
		expect((await record(['--force', '--', 'java', 'exit-0'])).status).toBe(0);
		expect([isCopied(), readManifest().samples?.count, readManifest().problems]).toEqual([isStillCopied, 2, []]);
	}
});

test('a process that is no JVM is asked nothing: jcmd would end it', async () => {
	writeTool(tools, 'jcmd', '#!/bin/sh\nkill -QUIT "$1"; echo "$@" >> "$(dirname "$0")/jcmd-asked"\n');
	const child = spawn('sleep', ['60'], { stdio: 'ignore' });
	try {
		const { status, stderr } = await record(['--pid', String(child.pid), '--duration', '1']);
		expect([status, stderr]).toEqual([0, expect.not.stringMatching(/error|warning/)]);
		expect([child.exitCode, child.signalCode, fs.existsSync(path.join(tools, 'jcmd-asked'))]).toEqual([null, null, false]);
		for (const argv of [
			['record', '-o', 'other', '--evidence', 'jfr', '--pid', String(child.pid)],
			['memory', String(child.pid)],
			['memory', '--watch', String(child.pid)],
		]) {
			const asked = await runProcess(argv, folder, tools);
			expect([asked.status, asked.stderr]).toEqual([3, expect.stringContaining(`process ${child.pid}: is no JVM; jcmd without arguments lists running JVMs`)]);
		}
		expect([child.signalCode, fs.existsSync(path.join(tools, 'jcmd-asked'))]).toEqual([null, false]);
	} finally {
		child.kill('SIGKILL');
	}
});

test('an agent that writes nothing is told', async () => {
	writeTool(tools, 'java', '#!/bin/sh\nfor a in "$@"; do case "$a" in -XX:LogFile=*) echo "<hotspot_log>" > "$(echo "$a" | cut -d= -f2)" ;; esac; done\n');
	expect((await record(['--', 'java', 'exit-0'])).stderr).toContain('the agent in the JVM wrote nothing');
});

describe('the program runs also', () => {
	test('when perf may not', async () => {
		writeTool(tools, 'perf', 'refusing-perf');
		const { status, stdout, stderr } = await record(['--', 'java', 'exit-4']);
		expect(status).toBe(4);
		expect(stdout).toBe(`hello ${readManifest().flags.length + 1}\n`);
		expect(stderr).toContain('Operation not permitted');
		expect(stderr).toContain('kernel.perf_event_paranoid');
		expect(readManifest()).toMatchObject({ samples: null, clocks: { perf: null }, problems: [{ severity: 'error', file: 'perf.data' }] });
	});

	test('when there is none: async-profiler, else the log alone', async () => {
		writeTool(tools, 'perf', '#!/bin/sh\nexit 2\n');
		expect((await record(['--', 'java', 'exit-0'])).stderr).toContain('neither perf nor async-profiler was found');
		expect(readManifest()).toMatchObject({ samples: null, tools: { perf: null } });
		const home = path.join(folder, 'async-profiler');
		fs.mkdirSync(path.join(home, 'lib'), { recursive: true });
		fs.writeFileSync(path.join(home, 'lib', 'libasyncProfiler.so'), '');
		await record(['--force', '--freq', '1000', '--', 'java', 'exit-0'], undefined, { ASPROF_HOME: home });
		const { flags, samples } = readManifest();
		const output = path.join(folder, 'out', 'async-profiler-%p.collapsed');
		expect(flags.at(-1)).toBe(`-agentpath:${home}/lib/libasyncProfiler.so=start,event=ctimer,interval=1000000,features=pcaddr,lib,collapsed,file=${output}`);
		expect(samples).toMatchObject({ event: 'ctimer', count: null });
	});

	test('by a launcher, which hands the flags on', async () => {
		writeTool(folder, 'launch', '#!/bin/sh\njava exit-0\njava exit-6\n');
		const { status, stderr } = await record(['--', './launch']);
		expect(status).toBe(6);
		expect(stderr).toContain('launch is no java: the flags go to every JVM that it starts, by JAVA_TOOL_OPTIONS');
		expect(stderr).toContain('2 logs of JVMs');
		expect(readManifest().files.filter(({ kind }) => kind === 'jvm-log').length).toBe(2);
	});

	test('when no JVM starts', async () => {
		expect((await record(['--', 'true'])).stderr).toContain('no JVM wrote a log');
	});
});

test('a folder that holds something is left alone, or cleared of a recording only', async () => {
	fs.mkdirSync(path.join(folder, 'out'));
	for (const name of ['mine.txt', 'hotspot-pid1.log', 'perf.data.old']) {
		fs.writeFileSync(path.join(folder, 'out', name), 'x');
	}
	const refused = await record(['--', 'java', 'exit-0']);
	expect(refused).toMatchObject({ status: 3, stdout: '' });
	expect(refused.stderr).toContain('out: is not empty; name another folder with -o, or take --force');
	expect((await record(['--force', '--', 'java', 'exit-0'])).status).toBe(0);
	expect(fs.readdirSync(path.join(folder, 'out')).filter((name) => !name.startsWith('agent-'))).toEqual([
		'assay-recording.json',
		'hotspot.log',
		'mine.txt',
		'native-symbols.txt',
		'perf.data',
	]);
});

test.each([
	[['--', 'no-such-program'], 3, /no-such-program: cannot be started/],
	[['--pid', '999999999'], 3, /process 999999999: does not exist/],
	[['java', 'Main'], 2, /the program stands after --/],
	[[], 2, /a program is expected after --/],
	[['--'], 2, /a program is expected after --/],
	[['--pid', '--duration', '3'], 2, /^assay record: [^\n\\]*'--pid=-XYZ'\. See assay record --help\.\n$/],
	[['--pid', '1', '--', 'java'], 2, /not both/],
	[['--duration', '0', '--', 'java'], 2, /--duration takes seconds/],
	[['--freq', 'x', '--', 'java'], 2, /--freq takes a whole number/],
	[['--code', 'x', '--', 'java'], 2, /--code takes agent, print or none, not "x"/],
	[['--evidence', 'x', '--', 'java'], 2, /--evidence takes all or jfr, not "x"/],
	[['--evidence', 'jfr', '--code', 'agent', '--', 'java'], 2, /--code and --evidence jfr do not go together/],
	[['--event', 'a b', '--', 'java'], 2, /--event takes a name/],
])('%j is refused', async (args, status, message) => {
	const run = await runAssay(['record', ...args], folder);
	expect(run.exit).toBe(status);
	expect(run.stderr).toMatch(message);
	expect(fs.readdirSync(folder)).toEqual(['include', 'tools']);
});

test('help', async () => {
	const { exit, stdout } = await runAssay(['help', 'record'], folder);
	expect(exit).toBe(0);
	expect(stdout).toMatch(/^usage: assay record .*-- COMMAND/);
	expect(stdout).toMatch(/\n {2}-o, --output DIR /);
});
