/** The command line: finds the command and loads only what it needs. */

import { VERSION } from '../answers/version.js';
import { UsageError } from '../model/problem.js';
import { visible } from '../render/visible.js';
import { type CommandEntry, EXIT } from './command.js';
import { COMMANDS } from './commands.js';
import { type CommandIo, OutputClosed, OutputFailed } from './io.js';
import { nearestName } from './nearest-name.js';
import { runEntry } from './run-entry.js';

const LISTED = COMMANDS.filter(({ isHidden }) => isHidden !== true);

const GENERAL_HELP = `assay shows what compilers and runtimes really did to a program.

usage: assay COMMAND ...

commands:
${LISTED.map(commandHelp).join('\n')}
${commandHelp({ name: 'help', summary: ['explain assay, or a command: assay help profdiff'] })}

options:
  --help         this text
  --version      the version

examples, on the recordings that come with assay:
  assay report examples/a
  assay diff examples/a examples/b
  assay hot examples/hot
  assay compilations examples/hot
  assay memory examples/memory
`;

function commandHelp({ name, summary }: Pick<CommandEntry, 'name' | 'summary'>): string {
	return summary.map((line, i) => `  ${(i === 0 ? name : '').padEnd(15)}${line}`).join('\n');
}

/** Runs a command line; the result is the exit status: 0 done, 1 see the command, 2 wrong use, 3 unusable input, 4 standard output cannot be written. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
	const [name = ''] = argv;
	const program = COMMANDS.some((command) => command.name === name) ? `assay ${name}` : 'assay';
	try {
		return await run(argv, io);
	} catch (error) {
		if (error instanceof OutputClosed) {
			return EXIT.done;
		}
		if (error instanceof OutputFailed) {
			io.err(`${program}: ${visible(error.message)}\n`);
			return EXIT.outputFailed;
		}
		if (error instanceof UsageError) {
			io.err(`${program}: ${visible(error.message)}. See ${program} --help.\n`);
			return EXIT.wrongUse;
		}
		throw error;
	}
}

async function run(argv: readonly string[], io: CommandIo): Promise<number> {
	const [name, ...rest] = argv;
	const entry = COMMANDS.find((command) => command.name === name);
	if (entry !== undefined) {
		return runEntry(entry, rest, io);
	}
	switch (name) {
		case 'help':
			return help(rest, io);
		case '--help':
		case '-h':
			io.out(GENERAL_HELP);
			return EXIT.done;
		case '--version':
			io.out(`${VERSION}\n`);
			return EXIT.done;
		case undefined:
			io.err(`assay: a command is missing.\n\n${GENERAL_HELP}`);
			return EXIT.wrongUse;
		default: {
			const names = [...LISTED.map((command) => command.name), 'help'];
			const near = nearestName(name, names);
			io.err(`assay: there is no command '${visible(name)}'${near === null ? '.' : `; is ${near} meant?`} Commands: ${names.join(', ')}. See assay --help.\n`);
			return EXIT.wrongUse;
		}
	}
}

/** `assay help`, `assay help diff`; profdiff explains its own commands: `assay help profdiff report`. */
function help([command, ...rest]: readonly string[], io: CommandIo): Promise<number> {
	if (command === undefined) {
		return run(['--help'], io);
	}
	return run(command === 'profdiff' ? [command, 'help', ...rest] : [command, '--help'], io);
}
