/** The real streams. Writes are synchronous and in the caller's block sizes: a report is produced faster than it is read. */
import fs from 'node:fs';
import { type CommandIo, OutputClosed } from './io.js';

export function processIo(): CommandIo {
	const isTerminal = process.stdout.isTTY === true;
	return {
		workingDirectory: process.cwd(),
		isTerminal,
		out: (text) => writeAll(1, isTerminal ? visible(text) : text),
		err: (text) => writeAll(2, process.stderr.isTTY === true ? visible(text) : text),
	};
}

function writeAll(descriptor: number, text: string): void {
	// Java writes '?' for half a surrogate pair, which has no UTF-8 form.
	const bytes = Buffer.from(/[\ud800-\udfff]/.test(text) ? text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '?') : text);
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
				throw error;
			}
			// A pipe that does not block and is full: wait a little for its reader.
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
		}
	}
}

/** Control and direction characters made visible: a method name must not move the cursor or reorder a line. */
function visible(text: string): string {
	return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
		return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	});
}
