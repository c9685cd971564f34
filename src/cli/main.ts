/** The command line: finds the command and loads only what it needs. */

import { VERSION } from '../answers/version.js';
import { UsageError } from '../model/problem.js';
import { type CommandDescription, runCommand } from './command.js';
import { type CommandIo, OutputClosed } from './io.js';

/** Commands that are not described yet take their arguments as they are. */
type Command = CommandDescription | ((argv: readonly string[], io: CommandIo) => Promise<number>);

interface CommandEntry {
	readonly name: string;
	/** What it is for: a line or two. */
	readonly help: readonly string[];
	/** The code of a command is loaded when it runs. */
	readonly load: () => Promise<Command>;
}

const COMMANDS: readonly CommandEntry[] = [
	{
		name: 'record',
		help: ["run a Java program under the JVM's own logs and perf, and keep what", 'they say in a folder'],
		load: async () => (await import('./record-command.js')).recordCommand,
	},
	{
		name: 'doctor',
		help: ['which evidence a recording holds, what is missing, and the flag for it'],
		load: async () => (await import('./doctor-command.js')).doctorCommand,
	},
	{
		name: 'report',
		help: ['where the time of a run went, and what the compiler did there'],
		load: async () => (await import('./report-command.js')).reportCommand,
	},
	{
		name: 'open',
		help: ['a recording as a page in the browser'],
		load: async () => (await import('./open-command.js')).openCommand,
	},
	{
		name: 'diff',
		help: ['compare two runs of a program: which decisions of the compiler changed,', 'most expensive first, noise told from change'],
		load: async () => (await import('./diff-command.js')).diffCommand,
	},
	{
		name: 'hot',
		help: ['the hottest code of a JVM, instruction by instruction, every sample', 'accounted for'],
		load: async () => (await import('./hot-command.js')).hotCommand,
	},
	{
		name: 'compilations',
		help: ['the life of every compilation of a HotSpot JVM: queued, compiled, made', 'not entrant, deoptimized, and why each call was inlined or not'],
		load: async () => (await import('./compilations-command.js')).compilationsCommand,
	},
	{
		name: 'memory',
		help: ["what compilations cost the JVM's compilers in memory"],
		load: async () => (await import('./memory-command.js')).memoryCommand,
	},
	{
		name: 'bias',
		help: ['what a profiler at safepoints would have said of a run; who delays', 'safepoints (--ttsp): thread, loop, what to do'],
		load: async () => (await import('./bias-command.js')).biasCommand,
	},
	{
		name: 'order',
		help: ['order files: what ran first, laid out for few page faults, scored', 'before it is linked'],
		load: async () => (await import('./order-command.js')).orderCommand,
	},
	{
		name: 'lab',
		help: ['lab bias: how right each profiler is on this JVM, on programs of which it', 'is known where their time goes'],
		load: async () => (await import('./lab-command.js')).labCommand,
	},
	{
		name: 'perfasm',
		help: ['the hottest regions of the code that HotSpot generated, with the', "options and output of JMH's perfasm and dtraceasm"],
		load: async () => (await import('./perfasm-command.js')).perfasmCommand,
	},
	{
		name: 'profdiff',
		help: ['report and compare optimization logs of the Graal compiler, with the', "commands, options and output of Graal's `mx profdiff`"],
		load: async () => (await import('./profdiff-command.js')).profdiffCommand,
	},
	{
		name: 'export',
		help: ['a recording for other tools: flame graphs, speedscope, pprof, Firefox', 'Profiler, Perfetto, tables in CSV, Parquet and JSON'],
		load: async () => (await import('./export-command.js')).exportCommand,
	},
];

const GENERAL_HELP = `assay shows what compilers and runtimes really did to a program.

usage: assay COMMAND ...

commands:
${COMMANDS.map(commandHelp).join('\n')}
${commandHelp({ name: 'help', help: ['explain assay, or a command: assay help profdiff'] })}

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

function commandHelp({ name, help }: Pick<CommandEntry, 'name' | 'help'>): string {
	return help.map((line, i) => `  ${(i === 0 ? name : '').padEnd(15)}${line}`).join('\n');
}

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
	const [name, ...rest] = argv;
	const entry = COMMANDS.find((command) => command.name === name);
	if (entry !== undefined) {
		const command = await entry.load();
		return typeof command === 'function' ? command(rest, io) : runCommand(command, rest, io);
	}
	switch (name) {
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
				`assay: there is no command '${name}'. Commands: ${[...COMMANDS, { name: 'help' }].map((command) => command.name).join(', ')}. See assay --help.\n`,
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
