/** `assay bias`: what safepoints do to a program and to those who look at it. One of three commands, by switch. */
import { biasPredictionCommand } from './bias-prediction-command.js';
import { biasProfilersCommand } from './bias-profilers-command.js';
import { biasTtspCommand } from './bias-ttsp-command.js';
import { type CommandDescription, EXIT, helpOf, runCommand } from './command.js';
import type { CommandIo } from './io.js';

/** The first is what there is without a switch. */
export const BIAS_FORMS: readonly CommandDescription[] = [biasPredictionCommand, biasTtspCommand, biasProfilersCommand];

export async function biasCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	if (argv.includes('--ttsp')) {
		return runCommand(biasTtspCommand, argv, io);
	}
	if (argv.includes('--profilers')) {
		return runCommand(biasProfilersCommand, argv, io);
	}
	if (argv.includes('--help')) {
		io.out(BIAS_FORMS.map(helpOf).join('\n'));
		return EXIT.done;
	}
	return runCommand(biasPredictionCommand, argv, io);
}
