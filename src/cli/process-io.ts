/** The real streams. Writes are synchronous and in the caller's block sizes: a report is produced faster than it is read. */
import fs from 'node:fs';
import { reasonOf } from '../recording/system-error.js';
import { type CommandIo, OutputClosed, OutputFailed } from './io.js';

export function processIo(): CommandIo {
	const isTerminal = process.stdout.isTTY === true;
	return {
		workingDirectory: process.cwd(),
		isTerminal,
		columns: process.stdout.columns ?? (Number(process.env.COLUMNS) || undefined),
		hasColour: wantsColour(isTerminal),
		progress: process.stderr.isTTY === true ? terminalProgress() : undefined,
		// Only asked for by those who read it: opening it would keep the process.
		get input() {
			return process.stdin;
		},
		out: (text) => writeAll(1, text),
		outBytes: (bytes) => writeBytes(1, bytes),
		err: (text) => writeAll(2, text),
	};
}

/** https://no-color.org and https://force-color.org */
function wantsColour(isTerminal: boolean): boolean {
	const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
	if (NO_COLOR) {
		return false;
	}
	return FORCE_COLOR ? FORCE_COLOR !== '0' : isTerminal && TERM !== 'dumb';
}

const ERASE_LINE = '\r\u001b[2K';

/** One line on standard error that is written over; it is gone when the job ends, also by Ctrl-C. */
function terminalProgress(): NonNullable<CommandIo['progress']> {
	let isShown = false;
	const clear = (): void => {
		if (isShown) {
			fs.writeSync(2, ERASE_LINE);
			isShown = false;
		}
	};
	let isWatching = false;
	return (text) => {
		if (text === null) {
			clear();
			return;
		}
		if (!isWatching) {
			isWatching = true;
			process.once('SIGINT', () => {
				clear();
				process.exit(130);
			});
		}
		fs.writeSync(2, ERASE_LINE + text.slice(0, (process.stderr.columns ?? 80) - 1));
		isShown = true;
	};
}

function writeAll(descriptor: number, text: string): void {
	// Java writes '?' for half a surrogate pair, which has no UTF-8 form.
	const isWellFormed = !/[\ud800-\udfff]/.test(text);
	writeBytes(descriptor, Buffer.from(isWellFormed ? text : text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '?')));
}

function writeBytes(descriptor: number, bytes: Uint8Array): void {
	let written = 0;
	while (written < bytes.length) {
		try {
			written += fs.writeSync(descriptor, bytes, written);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code === 'EPIPE') {
				throw new OutputClosed();
			}
			if (code !== 'EAGAIN') {
				throw descriptor === 1 ? new OutputFailed(`standard output cannot be written (${reasonOf(error)})`) : error;
			}
			// A pipe that does not block and is full: wait a little for its reader.
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
		}
	}
}
