/**
 * Linux perf: finding it, sampling a process, and turning what it wrote into text. The process is sampled from outside (`-p`), not
 * started by perf: its exit status, its signals and its process id stay its own, and it runs also when perf does not.
 * `--control` (perf 5.10) says when sampling has begun.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Readable, Writable } from 'node:stream';
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

/** The arguments of perf that sample a process, as they would be given by hand. */
export function perfRecordArguments(event: string, frequencyHz: number, outputFile: string): string[] {
	return ['record', '-k', CLOCK, '-F', String(frequencyHz), '-e', event, '-o', outputFile];
}

export interface Sampling {
	/** Ends sampling; the result is what perf said that the user should know, or null. */
	stop(): Promise<string | null>;
}

const READY_TIMEOUT_MS = 10_000;
/** For writing out what is in its buffers. */
const STOP_TIMEOUT_MS = 60_000;

/** Samples a process, its threads and the processes that it starts. Resolves when sampling has begun, or with the reason why not. */
export function startSampling(perf: Perf, processId: number, recordArguments: readonly string[]): Promise<Sampling | string> {
	const args = [...recordArguments, '-D', '-1', '--control', 'fd:3,4', '-p', String(processId)];
	const child = spawn(perf.path, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], detached: true });
	let said = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		said = (said + text).slice(-10_000);
	});
	const ended = new Promise<void>((resolve) => {
		child.once('error', (error) => {
			said += error.message;
			resolve();
		});
		child.once('close', () => resolve());
	});
	const orders = child.stdio[3] as Writable;
	const answers = child.stdio[4] as unknown as Readable;
	orders.on('error', () => {});
	answers.on('error', () => {});
	orders.write('enable\n');
	return new Promise((resolve) => {
		const timer = setTimeout(() => {
			child.kill('SIGKILL');
			resolve(`perf did not begin within ${READY_TIMEOUT_MS / 1000} seconds`);
		}, READY_TIMEOUT_MS);
		answers.once('data', () => {
			clearTimeout(timer);
			resolve({ stop: () => stop(child, ended, () => said) });
		});
		void ended.then(() => {
			clearTimeout(timer);
			resolve(reasonOf(said));
		});
	});
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

export interface WrittenSamples {
	readonly count: number;
	/** Of the first sample: where a processor counts no cycles, perf takes cpu-clock without a word. Null without samples. */
	readonly event: string | null;
}

/** Writes the samples as text; the result is what there is, or why there is nothing. */
export async function writePerfScript(perf: Perf, dataFile: string, scriptFile: string): Promise<WrittenSamples | string> {
	const { status, stderr } = await runTool([perf.path, 'script', '-i', dataFile, '--fields', SCRIPT_FIELDS], { outputFile: scriptFile });
	return status === 0 ? lookAtSamples(scriptFile) : reasonOf(stderr);
}

/** One sample a line. */
function lookAtSamples(file: string): WrittenSamples {
	const buffer = Buffer.alloc(1 << 20);
	const descriptor = fs.openSync(file, 'r');
	let count = 0;
	let event: string | null = null;
	for (let read = fs.readSync(descriptor, buffer); read > 0; read = fs.readSync(descriptor, buffer)) {
		event ??= /\d\.\d+: +([^\s:]+)\S* /.exec(buffer.toString('latin1', 0, Math.min(read, 1000)))?.[1] ?? null;
		for (let at = buffer.indexOf(10); at >= 0 && at < read; at = buffer.indexOf(10, at + 1)) {
			count++;
		}
	}
	fs.closeSync(descriptor);
	return { count, event };
}

/** `kernel.perf_event_paranoid`: what a user without privileges may sample; null where there is no such setting. */
export function perfEventParanoid(): number | null {
	try {
		return Number(fs.readFileSync('/proc/sys/kernel/perf_event_paranoid', 'utf8'));
	} catch {
		return null;
	}
}
