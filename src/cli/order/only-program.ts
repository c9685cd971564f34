/** `--elf BINARY` or `--nm FILE`: the one program that an order is for. */
import { UsageError } from '../../model/problem.js';
import type { ParsedOptions } from '../options.js';

export function onlyProgram(parsed: ParsedOptions): string {
	const programs = [...parsed.values('elf'), ...parsed.values('nm')];
	const [program] = programs;
	if (program === undefined || programs.length > 1) {
		throw new UsageError(program === undefined ? 'the program is missing: --elf BINARY, or --nm FILE with a listing of it' : 'name one program');
	}
	return program;
}
