/** What completion knows of the command line: every command with its commands, options and arguments, made from the descriptions. */

import type { Command, CommandEntry, CommandText } from '../command.js';
import { isGroup } from '../command-group.js';
import type { OptionSpec } from '../options.js';

interface Named {
	readonly name: string;
	readonly summary: string;
}

export interface CompletedCommand {
	/** As it is called behind `assay`: `hot`, `order simulate`; nothing for assay itself. */
	readonly at: string;
	/** What may stand next. */
	readonly commands: readonly Named[];
	readonly options: readonly OptionSpec[];
	readonly completes: 'files' | 'programs' | null;
	/** Words that it takes. */
	readonly choices: readonly string[];
	/** Whether a command line may stand behind `--`. */
	readonly takesCommand: boolean;
}

const GENERAL: readonly OptionSpec[] = [
	{ name: 'help', help: 'explain assay' },
	{ name: 'version', help: 'print the version' },
];

const NOTHING = { commands: [], options: [], completes: null, choices: [], takesCommand: false } as const;

/** assay itself, then its commands, each before its own. Loads the code of all. */
export async function completedCommands(entries: readonly CommandEntry[]): Promise<CompletedCommand[]> {
	const named = entries.map(namedOf);
	const all: CompletedCommand[] = [
		{ ...NOTHING, at: '', commands: [...named, { name: 'help', summary: 'explain assay, or a command' }], options: GENERAL },
		{ ...NOTHING, at: 'help', commands: named },
	];
	for (const entry of entries) {
		all.push(...(await completedOf(entry.name, await entry.load())));
	}
	return all;
}

async function completedOf(at: string, command: Command): Promise<CompletedCommand[]> {
	if (typeof command === 'function') {
		return [{ ...NOTHING, at, completes: 'files' }];
	}
	if (isGroup(command)) {
		const own = await Promise.all(command.commands.map(async (entry) => completedText(`${at} ${entry.name}`, await entry.load())));
		return [{ ...NOTHING, at, commands: [...command.commands.map(namedOf), { name: 'help', summary: 'explain a command' }], options: HELP }, ...own];
	}
	if ('runWords' in command) {
		const own = command.commands.map(({ name, takesFiles }): CompletedCommand => {
			return { ...NOTHING, at: `${at} ${name}`, completes: takesFiles ? 'files' : null, choices: takesFiles ? [] : command.commands.map((one) => one.name) };
		});
		return [{ ...NOTHING, at, options: command.options, commands: command.commands }, ...own];
	}
	return [completedText(at, command)];
}

const HELP: readonly OptionSpec[] = [{ name: 'help', help: 'print its commands' }];

function completedText(at: string, { options, completes, choices = [], takesCommand = false }: CommandText): CompletedCommand {
	return { ...NOTHING, at, options, completes: completes ?? null, choices, takesCommand };
}

function namedOf({ name, summary }: CommandEntry): Named {
	return { name, summary: summary.join(' ') };
}
