/**
 * Linux perf: finding it, sampling a process, and turning what it wrote into text. The process is sampled from outside (`-p`), not
 * started by perf: its exit status, its signals and its process id stay its own, and it runs also when perf does not.
 * `--control` (perf 5.10) says when sampling has begun.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findExecutable } from './find-executable.js';
import { lastLine, runTool } from './run-tool.js';

export interface Perf {
	readonly path: string;
	readonly version: string;
}

const PROBE_TIMEOUT_MS = 10_000;

/** Null when there is none, or only a wrapper without a perf for this kernel. */
export async function findPerf(folder: string, searchPath: string | undefined): Promise<Perf | null> {
	const file = findExecutable('perf', folder, searchPath);
	if (file === null) {
		return null;
	}
	const { status, stdout } = await runTool([file, '--version'], { timeoutMs: PROBE_TIMEOUT_MS });
	return status === 0 ? { path: file, version: stdout.trim().replace(/^perf version /, '') } : null;
}

/** Whether cycles are counted by hardware: a virtual machine often has no counters. */
export async function hasHardwareCycles(perf: Perf): Promise<boolean> {
	const { status, stderr } = await runTool([perf.path, 'stat', '-x', ',', '-e', 'cycles', 'true'], { timeoutMs: PROBE_TIMEOUT_MS });
	return status === 0 && /^\d+,[^,]*,cycles/m.test(stderr);
}

/** The clock that times in `perf.data` are of; the JVM's clock and ours can be mapped onto it. */
const CLOCK = 'CLOCK_MONOTONIC';

/** With them perf ends up to a second later: a thread of its own waits so long for the next. */
export const NO_BPF_EVENTS = '--no-bpf-event';

/** The arguments of perf that sample a process, as they would be given by hand. */
export function perfRecordArguments(event: string, frequencyHz: number, outputFile: string): string[] {
	return ['record', NO_BPF_EVENTS, '-k', CLOCK, '-F', String(frequencyHz), '-e', event, '-o', outputFile];
}

/**
 * How much of a stack is copied where nobody says. Of Java the callers of nearly all compilations stand within 256 bytes, the Java frame that called native code mostly
 * within 1024, and that of what loads classes within 4096. Frames of native programs are unwound one by one: half as much shows the start of the program for 83 % of
 * GCC's stacks, this for 94 %. With many processors that would be too much: 64 busy ones would give 260 MB a second to compress.
 */
export function defaultStackBytes(isJava: boolean, processors: number = os.availableParallelism()): number {
	const bytes = isJava ? 4096 : 8192;
	return processors > MANY_PROCESSORS ? bytes / 4 : bytes;
}

const MANY_PROCESSORS = 16;
/** perf's limit. */
export const MOST_STACK_BYTES = 65528;

/**
 * Further arguments that have perf copy the top of each stack: who called generated code, stubs and native code is read there. perf keeps the program counter with
 * the other two registers.
 */
const withStacks = (bytes: number): readonly string[] => ['--call-graph', `dwarf,${bytes}`, '--user-regs=bp,sp'];
/**
 * One stack is much like the next: they get 20 to 70 times smaller, for less processor time than writing takes. perf does not read at the end what it compressed, so
 * that the kernel has to tell the build ids. Not every perf and kernel can.
 */
const COMPRESSED = ['-z', '--buildid-mmap'];

/** The same with callers where they are wanted and can be read; 0: they are not. */
export function withCallers(recordArguments: readonly string[], stackBytes: number): readonly string[] {
	return hasCallers(stackBytes) ? [...recordArguments, ...COMPRESSED, ...withStacks(stackBytes)] : recordArguments;
}

const hasCallers = (stackBytes: number): boolean => stackBytes > 0 && process.arch === 'x64';

export interface Sampling {
	/** Ends sampling; the result is what perf said that the user should know, or null. */
	stop(): Promise<string | null>;
}

const READY_TIMEOUT_MS = 10_000;
/** For writing out what is in its buffers. */
const STOP_TIMEOUT_MS = 60_000;

/** How often what the kernel holds is fetched: perf waits for a buffer that is half full, which takes seconds. */
const FETCH_MS = 500;
const POLL_MS = 2;

/** As {@link startSampling}, with callers where they are wanted, and this perf and kernel can. */
export async function startSamplingWithCallers(
	perf: Perf,
	processIds: readonly number[],
	recordArguments: readonly string[],
	stackBytes: number,
): Promise<Sampling | string> {
	const withoutCallers = [recordArguments];
	const attempts = hasCallers(stackBytes)
		? [withCallers(recordArguments, stackBytes), [...recordArguments, ...withStacks(stackBytes)], ...withoutCallers]
		: withoutCallers;
	let sampling: Sampling | string = '';
	for (const attempt of attempts) {
		sampling = await startSampling(perf, processIds, attempt);
		if (typeof sampling !== 'string') {
			break;
		}
	}
	return sampling;
}

/**
 * Samples processes, their threads and the processes that they start. Resolves when sampling has begun, or with the reason why not. perf has a session of its own
 * and no pipe that it writes to: when we are killed it goes on, and completes its file when the process has ended.
 */
function startSampling(perf: Perf, processIds: readonly number[], recordArguments: readonly string[]): Promise<Sampling | string> {
	const args = [...recordArguments, '-D', '-1', '--control', 'fd:3,4', '-p', processIds.join(',')];
	const orders = anonymousPipe();
	if (typeof orders === 'string') {
		return Promise.resolve(orders);
	}
	const complaints = anonymousFile();
	const answers = anonymousFile();
	const child = spawn(perf.path, args, { stdio: ['ignore', 'ignore', complaints, orders, answers], detached: true });
	let failed = '';
	const said = (): string => failed + contentOf(complaints);
	const ended = new Promise<void>((resolve) => {
		child.once('error', (error) => {
			failed += error.message;
			resolve();
		});
		child.once('close', () => resolve());
	});
	order(orders, 'enable');
	return new Promise((resolve) => {
		let fetching: NodeJS.Timeout | undefined;
		const end = (result: Sampling | string): void => {
			clearInterval(poll);
			clearTimeout(timer);
			resolve(result);
		};
		const timer = setTimeout(() => {
			child.kill('SIGKILL');
			end(`perf did not begin within ${READY_TIMEOUT_MS / 1000} seconds`);
		}, READY_TIMEOUT_MS);
		const poll = setInterval(() => {
			if (fs.fstatSync(answers).size > 0) {
				// An order of any kind wakes perf; this one does nothing.
				fetching = setInterval(() => order(orders, 'ping'), FETCH_MS).unref();
				end({ stop: () => stop(child, ended, said) });
			}
		}, POLL_MS);
		void ended.then(() => {
			clearInterval(fetching);
			end(reasonOf(said()));
		});
	});
}

/**
 * A pipe without a name that perf itself holds both ends of: with one that ends when we do, perf 6.1 ends too, and leaves its file unfinished. The result is a
 * descriptor, or why there is none.
 */
function anonymousPipe(): number | string {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-'));
	const name = path.join(folder, 'orders');
	try {
		const { error, stderr } = spawnSync('mkfifo', ['-m', '600', name], { encoding: 'utf8' });
		return fs.existsSync(name) ? fs.openSync(name, fs.constants.O_RDWR | fs.constants.O_NONBLOCK) : (error?.message ?? stderr.trim());
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

function order(descriptor: number, word: string): void {
	try {
		fs.writeSync(descriptor, `${word}\n`);
	} catch {
		// perf has not read for hours: the pipe is full.
	}
}

/** A file without a name: perf may write to it when nobody reads any more. */
function anonymousFile(): number {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-'));
	const file = path.join(folder, 'perf');
	const descriptor = fs.openSync(file, 'a+', 0o600);
	fs.unlinkSync(file);
	fs.rmdirSync(folder);
	return descriptor;
}

const SAID_BYTES = 10_000;

/** The last of what it said. */
function contentOf(descriptor: number): string {
	const { size } = fs.fstatSync(descriptor);
	const bytes = Buffer.alloc(Math.min(size, SAID_BYTES));
	return bytes.toString('utf8', 0, fs.readSync(descriptor, bytes, 0, bytes.length, size - bytes.length));
}

async function stop(child: ChildProcess, ended: Promise<void>, said: () => string): Promise<string | null> {
	child.kill('SIGINT');
	const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
	await ended;
	clearTimeout(timer);
	// Having been interrupted is how it ends here.
	if (child.exitCode !== 0 && child.signalCode !== 'SIGINT') {
		return `perf ended early: ${reasonOf(said())}`;
	}
	const lost = /^.*\blost\b.*$/im.exec(said());
	return lost === null ? null : lost[0].trim();
}

/** The line of perf's complaint that says most. */
function reasonOf(said: string): string {
	const lines = said.split('\n').map((line) => line.trim());
	return (
		lines.find((line) => /denied|not permitted|not supported|No such|invalid|unable|error|exceeded|unknown/i.test(line)) ??
		(lastLine(said) || 'it says nothing')
	);
}

export const SCRIPT_FIELDS = 'comm,pid,tid,time,event,ip,sym,dso';

/** `kernel.perf_event_paranoid`: what a user without privileges may sample; null where there is no such setting. */
export function perfEventParanoid(): number | null {
	try {
		return Number(fs.readFileSync('/proc/sys/kernel/perf_event_paranoid', 'utf8'));
	} catch {
		return null;
	}
}
