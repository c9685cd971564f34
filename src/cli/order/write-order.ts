/** Order files that are written: a symbol a line, as lld takes them. */
import fs from 'node:fs';
import path from 'node:path';
import { asInputError } from '../../recording/file-source.js';

export function orderText(symbols: readonly string[]): string {
	return symbols.map((symbol) => `${symbol}\n`).join('');
}

/** Writes the file that was asked for; nothing and `-` are standard output, which the caller writes to. */
export function writeOrderTo(output: string | undefined, symbols: readonly string[], workingDirectory: string): void {
	if (output !== undefined && output !== '-') {
		try {
			fs.writeFileSync(path.resolve(workingDirectory, output), orderText(symbols));
		} catch (error) {
			throw asInputError(error, output);
		}
	}
}
