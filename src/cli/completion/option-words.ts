/** Options as they are written on a command line. */
import type { OptionSpec } from '../options.js';

/** `-o` and `--output`. */
export function wordsOf({ name, short }: OptionSpec): string[] {
	return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
}

export function optionsWithValue(options: readonly OptionSpec[]): OptionSpec[] {
	return options.filter(({ value }) => value !== undefined);
}

/** The help of an option in one line. */
export function helpLine({ help }: OptionSpec): string {
	return help
		.split('\n')
		.map((line) => line.trim())
		.join(' ');
}

/** In single quotes, for bash and zsh. */
export function shellQuoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
