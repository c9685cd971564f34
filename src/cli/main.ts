/** The command line: finds the command and loads only what it needs. */
import { type CommandIo, OutputClosed } from './io.js';
import { VERSION } from './version.js';

const GENERAL_HELP = `assay shows what compilers and runtimes really did to a program.

usage: assay COMMAND ...

commands:
  profdiff   report and compare optimization logs of the Graal compiler, with the
             commands, options and output of Graal's \`mx profdiff\`
  help       explain assay, or a command: assay help profdiff

options:
  --help     this text
  --version  the version

example, on the recordings that come with assay:
  assay profdiff jit-vs-jit examples/a/log examples/a/prof.json \\
                            examples/b/log examples/b/prof.json
`;

/** Runs a command line; the result is the exit status: 0 done, 1 see the command, 2 wrong use. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
	try {
		return await run(argv, io);
	} catch (error) {
		if (error instanceof OutputClosed) {
			return 0;
		}
		throw error;
	}
}

async function run(argv: readonly string[], io: CommandIo): Promise<number> {
	const [command, ...rest] = argv;
	switch (command) {
		case 'profdiff': {
			const { profdiffCommand } = await import('./profdiff-command.js');
			return profdiffCommand(rest, io);
		}
		case 'help':
			return rest.length === 0 ? run(['--help'], io) : run([rest[0] as string, 'help', ...rest.slice(1)], io);
		case '--help':
		case '-h':
			io.out(GENERAL_HELP);
			return 0;
		case '--version':
			io.out(`${VERSION}\n`);
			return 0;
		case undefined:
			io.err(`assay: a command is missing.\n\n${GENERAL_HELP}`);
			return 2;
		default:
			io.err(`assay: there is no command '${command}'. Commands: profdiff, help. See assay --help.\n`);
			return 2;
	}
}
