/** `--syntax`, of commands that print instructions. */
import { SYNTAXES, type Syntax } from '../disassembly/spelled-instructions.js';
import { UsageError } from '../model/problem.js';
import type { OptionSpec, ParsedOptions } from './options.js';

export const SYNTAX_OPTION: OptionSpec = {
	name: 'syntax',
	value: 'NAME',
	choices: SYNTAXES,
	help: 'instructions of x86-64 in the syntax of AT&T, or of\nIntel: att, intel (att)',
};

export function syntaxOf(parsed: ParsedOptions): Syntax {
	const text = parsed.value('syntax') ?? 'att';
	const syntax = SYNTAXES.find((name) => name === text);
	if (syntax === undefined) {
		throw new UsageError(`--syntax takes ${SYNTAXES.join(' or ')}, not "${text}"`);
	}
	return syntax;
}
