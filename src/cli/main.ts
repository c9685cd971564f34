/** The command line: finds the command and loads only what it needs. */
import { type CommandIo, OutputClosed } from './io.js';
import { UsageError } from './options.js';
import { VERSION } from './version.js';

const GENERAL_HELP = `assay shows what compilers and runtimes really did to a program.

usage: assay COMMAND ...

commands:
  report     where the time of a run went, and what the compiler did there
  diff       compare two runs of a program: which decisions of the compiler changed,
             most expensive first, noise told from change
  profdiff   report and compare optimization logs of the Graal compiler, with the
             commands, options and output of Graal's \`mx profdiff\`
  record     run a Java program under the JVM's own logs and perf, and keep what
             they say in a folder
  doctor     which evidence a recording holds, what is missing, and the flag for it
  perfasm    the hottest regions of the code that HotSpot generated, with the
             options and output of JMH's perfasm and dtraceasm
  hot        the hottest code of a JVM, instruction by instruction, every sample
             accounted for
  bias       what a profiler at safepoints would have said of a run; who delays
             safepoints (--ttsp): thread, loop, what to do
  export     the samples of a recording as a profile for Graal's tools
  help       explain assay, or a command: assay help profdiff

options:
  --help     this text
  --version  the version

examples, on the recordings that come with assay:
  assay report examples/a
  assay diff examples/a examples/b
  assay hot examples/hot
`;

/** Runs a command line; the result is the exit status: 0 done, 1 see the command, 2 wrong use. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
	try {
		return await run(argv, io);
	} catch (error) {
		if (error instanceof OutputClosed) {
			return 0;
		}
		if (error instanceof UsageError) {
			io.err(`assay ${argv[0]}: ${error.message}. See assay ${argv[0]} --help.\n`);
			return 2;
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
		case 'report': {
			const { reportCommand } = await import('./report-command.js');
			return reportCommand(rest, io);
		}
		case 'diff': {
			const { diffCommand } = await import('./diff-command.js');
			return diffCommand(rest, io);
		}
		case 'perfasm': {
			const { perfasmCommand } = await import('./perfasm-command.js');
			return perfasmCommand(rest, io);
		}
		case 'hot': {
			const { hotCommand } = await import('./hot-command.js');
			return hotCommand(rest, io);
		}
		case 'bias': {
			const { biasCommand } = await import('./bias-command.js');
			return biasCommand(rest, io);
		}
		case 'record': {
			const { recordCommand } = await import('./record-command.js');
			return recordCommand(rest, io);
		}
		case 'doctor': {
			const { doctorCommand } = await import('./doctor-command.js');
			return doctorCommand(rest, io);
		}
		case 'export': {
			const { exportCommand } = await import('./export-command.js');
			return exportCommand(rest, io);
		}
		case 'help':
			return help(rest, io);
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
			io.err(
				`assay: there is no command '${command}'. Commands: report, diff, profdiff, record, doctor, perfasm, hot, bias, export, help. See assay --help.\n`,
			);
			return 2;
	}
}

/** `assay help`, `assay help diff`; profdiff explains its own commands: `assay help profdiff report`. */
function help([command, ...rest]: readonly string[], io: CommandIo): Promise<number> {
	if (command === undefined) {
		return run(['--help'], io);
	}
	return run(command === 'profdiff' ? [command, 'help', ...rest] : [command, '--help'], io);
}
