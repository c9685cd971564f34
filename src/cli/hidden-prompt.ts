/** A question on the terminal whose answer is not shown: a password. */
import { UsageError } from '../model/problem.js';
import { visible } from '../render/visible.js';

/** Of a terminal: what is typed comes at once, and is not shown, while it is raw. */
export interface TerminalInput {
	readonly isTTY?: boolean | undefined;
	setRawMode?(isRaw: boolean): unknown;
	setEncoding(encoding: 'utf8'): unknown;
	on(event: 'data', take: (text: string) => void): unknown;
	on(event: 'end', take: () => void): unknown;
	removeAllListeners(event: 'data' | 'end'): unknown;
	resume(): unknown;
	pause(): unknown;
}

const ENTER = /[\r\n]/;
const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = ['\u007f', '\b'];

/** Null where nobody can be asked: input or standard error is no terminal. Throws a {@link UsageError} where the user gives up. */
export async function askHidden(
	question: string,
	input: TerminalInput,
	error: { readonly isTerminal: boolean; write(text: string): void },
): Promise<string | null> {
	if (input.isTTY !== true || input.setRawMode === undefined || !error.isTerminal) {
		return null;
	}
	error.write(`${visible(question)}: `);
	input.setRawMode(true);
	input.setEncoding('utf8');
	try {
		return await typed(input);
	} finally {
		input.removeAllListeners('data');
		input.removeAllListeners('end');
		input.setRawMode(false);
		input.pause();
		error.write('\n');
	}
}

function typed(input: TerminalInput): Promise<string> {
	return new Promise((resolve, reject) => {
		const letters: string[] = [];
		const giveUp = (): void => reject(new UsageError('no password was given'));
		input.on('end', giveUp);
		input.on('data', (text) => {
			for (const letter of text) {
				if (ENTER.test(letter)) {
					resolve(letters.join(''));
					return;
				}
				if (letter === INTERRUPT || letter === END) {
					giveUp();
					return;
				}
				if (ERASE.includes(letter)) {
					letters.pop();
				} else {
					letters.push(letter);
				}
			}
		});
		input.resume();
	});
}
