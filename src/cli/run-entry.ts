/** Loads a command and runs it, whichever form it has. */
import { type CommandEntry, runCommand } from './command.js';
import { isGroup, runGroup } from './command-group.js';
import type { CommandIo } from './io.js';

/** The result is the exit status. */
export async function runEntry(entry: CommandEntry, argv: readonly string[], io: CommandIo): Promise<number> {
	const command = await entry.load();
	if (typeof command === 'function') {
		return command(argv, io);
	}
	return isGroup(command) ? runGroup(command, argv, io) : runCommand(command, argv, io);
}
