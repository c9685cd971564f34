/** Commands as they may be given to a shell. */
import { shellWord as posixWord } from '../model/shell-word.js';
import { visible } from './visible.js';

export function commandLine(argv: readonly string[]): string {
	return argv.map(shellWord).join(' ');
}

export function shellWord(word: string): string {
	return posixWord(visible(word));
}
