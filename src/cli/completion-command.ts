/** `assay completion`: scripts that complete command lines, made from the descriptions of the commands. */
import { UsageError } from '../model/problem.js';
import { type CommandContext, type CommandDescription, type CommandEntry, EXIT } from './command.js';
import { bashCompletion } from './completion/bash.js';
import { type CompletedCommand, completedCommands } from './completion/completed.js';
import { fishCompletion } from './completion/fish.js';
import { zshCompletion } from './completion/zsh.js';
import type { ParsedOptions } from './options.js';

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `commands` are those that are completed, itself among them. */
export function completionCommand(commands: readonly CommandEntry[]): CommandDescription {
	return { ...DESCRIPTION, run: (parsed, context) => run(parsed, context, commands) };
}

const DESCRIPTION: Omit<CommandDescription, 'run'> = {
	name: 'completion',
	usage: ['bash|zsh|fish'],
	about: `Prints a script that completes commands, options, their values and files:
  bash   in ~/.bashrc: source <(assay completion bash)
  zsh    in ~/.zshrc, behind compinit: source <(assay completion zsh)
  fish   in ~/.config/fish/config.fish: assay completion fish | source`,
	options: [{ name: 'help', help: 'print this' }],
	examples: [],
	exitStatus: '0 printed, 2 wrong use, 4 standard output cannot be written',
	choices: Object.keys(SHELLS),
};

async function run({ positionals: [shell, ...more] }: ParsedOptions, { writer }: CommandContext, commands: readonly CommandEntry[]): Promise<number> {
	const script = shell === undefined || !Object.hasOwn(SHELLS, shell) ? undefined : SHELLS[shell];
	if (script === undefined || more.length > 0) {
		throw new UsageError(shell === undefined || more.length > 0 ? 'expected: bash, zsh or fish' : `there is none for "${shell}": bash, zsh or fish`);
	}
	writer.raw(script(await completedCommands(commands)));
	return EXIT.done;
}
