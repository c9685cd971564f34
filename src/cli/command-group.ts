/** A command that only has commands, as `assay order`: its help, and the way to them. */

import { UsageError } from '../model/problem.js';
import { type Command, type CommandGroup, EXIT, runCommand } from './command.js';
import type { CommandIo } from './io.js';

export function isGroup(command: Exclude<Command, (...args: never) => unknown>): command is CommandGroup {
	return !('run' in command) && !('runWords' in command);
}

/** The text of `--help`. */
export function groupHelp({ name, about, commands, examples, examplesTitle }: CommandGroup): string {
	const list = commands.map((one) => one.summary.map((line, i) => `  ${(i === 0 ? one.name : '').padEnd(12)}${line}`).join('\n')).join('\n');
	const shown = examples.map((example) => `  ${example}`).join('\n');
	return `usage: assay ${name} COMMAND ...

${about}

commands:
${list}

assay ${name} COMMAND --help explains a command.

${examplesTitle ?? `example${examples.length === 1 ? '' : 's'}, on the recordings that come with assay`}:
${shown}
`;
}

/** `assay order simulate …`, `assay order help simulate`; the result is the exit status. */
export async function runGroup(group: CommandGroup, argv: readonly string[], io: CommandIo): Promise<number> {
	const [name, ...rest] = argv;
	if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
		io.out(groupHelp(group));
		return EXIT.done;
	}
	if (name === undefined) {
		io.err(`assay ${group.name}: a command is missing.\n\n${groupHelp(group)}`);
		return EXIT.wrongUse;
	}
	const wanted = name === 'help' ? rest[0]! : name;
	const entry = group.commands.find((one) => one.name === wanted);
	if (entry === undefined) {
		throw new UsageError(`there is no command '${wanted}'. Commands: ${group.commands.map((one) => one.name).join(', ')}`);
	}
	return runCommand(await entry.load(), name === 'help' ? ['--help'] : rest, io);
}
