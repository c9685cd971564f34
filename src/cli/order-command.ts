/** `assay order`: order files, from the program that tells what it runs first to the linker. Each command has a file of its own. */

import type { CommandGroup } from './command.js';

export const orderCommand: CommandGroup = {
	name: 'order',
	about: `Order files: a program starts faster when the functions that run at start-up lie
together. docs/order.md tells how.`,
	/** The whole, then its steps in the order in which they are used. */
	commands: [
		{
			name: 'run',
			summary: ['everything below in one command: builds, runs, makes the order,', 'builds with it, and measures what it won'],
			load: async () => (await import('./order/run-command.js')).runOrderCommand,
		},
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
	],
	examples: ['assay order decode examples/order/startup.profraw.gz'],
};
