/** Commands as they may be given to a shell. */
import { visible } from './visible.js';

export function commandLine(argv: readonly string[]): string {
	return argv.map(shellWord).join(' ');
}

export function shellWord(word: string): string {
	const shown = visible(word);
	return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
