/** `assay lab`: programs of which the answer is known, under the user's JVM. Each command has a file of its own. */
import type { CommandGroup } from './command.js';

export const labCommand: CommandGroup = {
	name: 'lab',
	about: `Runs programs of which the answer is known under your JVM, and prints how near
assay and others come to it.`,
	commands: [
		{
			name: 'bias',
			summary: ['how right each profiler is, on programs of which it is known where', 'their time goes'],
			load: async () => (await import('./lab/bias-lab-command.js')).labBiasCommand,
		},
		{
			name: 'problems',
			summary: ['whether the findings of assay report name the fault, on programs', 'with one known fault each'],
			load: async () => (await import('./lab/problems-lab-command.js')).labProblemsCommand,
		},
	],
	examplesTitle: 'examples',
	examples: ['assay lab bias --only S1,S4 --seconds 1 -- -XX:+UseSerialGC', 'assay lab problems --only storm,division'],
};
