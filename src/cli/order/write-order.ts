/** Order files that are written: a symbol a line, as lld takes them. */
import fs from 'node:fs';
import path from 'node:path';
import { asInputError } from '../../recording/file-source.js';
import type { CommandIo } from '../io.js';

export function orderText(symbols: readonly string[]): string {
	return symbols.map((symbol) => `${symbol}\n`).join('');
}

/** Writes the file that was asked for; null and `-` are standard output, which the caller writes to. */
export function writeOrderTo(output: string | null, symbols: readonly string[], io: CommandIo): void {
	if (output !== null && output !== '-') {
		try {
			fs.writeFileSync(path.resolve(io.workingDirectory, output), orderText(symbols));
		} catch (error) {
			throw asInputError(error, output);
		}
	}
}
