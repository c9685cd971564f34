/** `assay order`: order files, from the program that tells what it runs first to the linker. Each command has a file of its own. */

import { UsageError } from '../model/problem.js';
import type { CommandIo } from './io.js';

interface OrderCommand {
	readonly name: string;
	/** What it is for: a line or two. */
	readonly summary: readonly string[];
	/** The code of a command is loaded when it runs. */
	readonly load: () => Promise<(argv: readonly string[], io: CommandIo) => Promise<number>>;
}

/** In the order in which they are used. */
const ORDER_COMMANDS: readonly OrderCommand[] = [
	{
		name: 'instrument',
		summary: ['LLVM IR text that logs the first execution of each function'],
		load: async () => (await import('./order/instrument-command.js')).instrumentCommand,
	},
	{
		name: 'cc',
		summary: ['a compiler driver that instruments: for CC and CXX also the', 'programs assay-cc and assay-c++'],
		load: async () => (await import('./order/cc-command.js')).ccCommand,
	},
	{
		name: 'decode',
		summary: ['what a program ran first, as symbols in that order: from its dump,', 'or from what profilers and tracers recorded'],
		load: async () => (await import('./order/decode-command.js')).decodeCommand,
	},
	{
		name: 'merge',
		summary: ['one order of many runs, without the program; where they disagree'],
		load: async () => (await import('./order/merge-command.js')).mergeCommand,
	},
	{
		name: 'optimize',
		summary: ['an order for several runs at once, by the pages that they touch'],
		load: async () => (await import('./order/optimize-command.js')).optimizeCommand,
	},
	{
		name: 'simulate',
		summary: ['predict the pages that a run touches: the program as it is linked,', 'and under candidate orders'],
		load: async () => (await import('./order/simulate-command.js')).simulateCommand,
	},
	{
		name: 'lint',
		summary: ['what of an order does not do what its author thinks'],
		load: async () => (await import('./order/lint-command.js')).lintCommand,
	},
	{
		name: 'measure',
		summary: ['the page faults of a command in its code, counted by the kernel'],
		load: async () => (await import('./order/measure-command.js')).measureCommand,
	},
];

const ORDER_HELP = `usage: assay order COMMAND ...

Order files: a program starts faster when the functions that run at start-up lie
together. docs/order.md tells how.

commands:
${ORDER_COMMANDS.map(({ name, summary }) => summary.map((line, i) => `  ${(i === 0 ? name : '').padEnd(12)}${line}`).join('\n')).join('\n')}

assay order COMMAND --help explains a command.

example, on the recordings that come with assay:
  assay order decode examples/order/startup.profraw.gz
`;

export async function orderCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const [name, ...rest] = argv;
	if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
		io.out(ORDER_HELP);
		return 0;
	}
	if (name === undefined) {
		io.err(`assay order: a command is missing.\n\n${ORDER_HELP}`);
		return 2;
	}
	const wanted = name === 'help' ? rest[0]! : name;
	const command = ORDER_COMMANDS.find((one) => one.name === wanted);
	if (command === undefined) {
		throw new UsageError(`there is no command '${wanted}'. Commands: ${ORDER_COMMANDS.map((one) => one.name).join(', ')}`);
	}
	const run = await command.load();
	try {
		return await run(name === 'help' ? ['--help'] : rest, io);
	} catch (error) {
		if (!(error instanceof UsageError)) {
			throw error;
		}
		io.err(`assay order ${wanted}: ${error.message}. See assay order ${wanted} --help.\n`);
		return 2;
	}
}
