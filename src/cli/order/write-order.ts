/** Order files that are written: a symbol a line, as lld takes them. */
import path from 'node:path';
import { createOutputFile, unwritable } from '../../recording/output-file.js';

export function orderText(symbols: readonly string[]): string {
	return symbols.map((symbol) => `${symbol}\n`).join('');
}

/** Writes the file that was asked for; nothing and `-` are standard output, which the caller writes to. */
export function writeOrderTo(output: string | undefined, symbols: readonly string[], workingDirectory: string): void {
	if (output !== undefined && output !== '-') {
		writeFileTo(output, orderText(symbols), workingDirectory);
	}
}

/** Throws an InputError where it cannot be written. */
export function writeFileTo(output: string, text: string, workingDirectory: string): void {
	try {
		const file = createOutputFile(path.resolve(workingDirectory, output));
		file.write(Buffer.from(text));
		file.end();
	} catch (error) {
		throw unwritable(output, error);
	}
}
