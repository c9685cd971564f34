/** Runs a command of the user in a process group of its own, which ends with us, and keeps what it says in a file. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';

export interface LoggedRun {
	/** As shells have it: 128 and the number of the signal that ended it. */
	readonly status: number;
	readonly milliseconds: number;
}

export interface LoggedRunOptions {
	readonly folder: string;
	readonly environment: NodeJS.ProcessEnv;
	/** Gets both of its output streams, from the beginning; null: nobody does. */
	readonly logFile: string | null;
	/** Ends it, and what it started. */
	readonly signal: AbortSignal;
}

/** What does not end when it is asked to is killed after this time. */
const GRACE_MS = 2000;

/** Standard input is empty. Rejects with the reason of the signal, and with an error of the operating system where it cannot be started. */
export function runLogged([program = '', ...argv]: readonly string[], { folder, environment, logFile, signal }: LoggedRunOptions): Promise<LoggedRun> {
	signal.throwIfAborted();
	const log = logFile === null ? null : fs.openSync(logFile, 'w');
	return new Promise<LoggedRun>((resolve, reject) => {
		const started = process.hrtime.bigint();
		const output = log ?? 'ignore';
		const child = spawn(program, argv, { cwd: folder, env: environment, stdio: ['ignore', output, output], detached: true });
		const { pid } = child;
		let timer: NodeJS.Timeout | null = null;
		const end = (): void => {
			killGroup(pid, 'SIGTERM');
			timer = setTimeout(() => killGroup(pid, 'SIGKILL'), GRACE_MS);
		};
		const settle = (act: () => void): void => {
			signal.removeEventListener('abort', end);
			if (timer !== null) {
				clearTimeout(timer);
			}
			if (signal.aborted) {
				killGroup(pid, 'SIGKILL');
				reject(signal.reason);
			} else {
				act();
			}
		};
		signal.addEventListener('abort', end);
		child.once('error', (error) => settle(() => reject(error)));
		child.once('exit', (status, ended) => {
			const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
			settle(() => resolve({ status: status ?? 128 + (ended === null ? 0 : os.constants.signals[ended]), milliseconds }));
		});
	}).finally(() => {
		if (log !== null) {
			fs.closeSync(log);
		}
	});
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
	try {
		if (pid !== undefined) {
			process.kill(-pid, signal);
		}
	} catch {
		// It is gone.
	}
}

const TAIL_BYTES = 1 << 16;

/** The last lines of a log, without blank ones. */
export function lastLines(file: string, count: number): string[] {
	const descriptor = fs.openSync(file, 'r');
	try {
		const { size } = fs.fstatSync(descriptor);
		const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
		const read = fs.readSync(descriptor, bytes, 0, bytes.length, Math.max(0, size - TAIL_BYTES));
		const lines = bytes.subarray(0, read).toString('utf8').split('\n');
		return lines.filter((line) => line.trim() !== '').slice(-count);
	} finally {
		fs.closeSync(descriptor);
	}
}
