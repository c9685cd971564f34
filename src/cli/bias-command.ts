/** `assay bias`: what safepoints do to a program and to those who look at it. */
import { biasPredictionCommand, PREDICTION_HELP } from './bias-prediction-command.js';
import { biasProfilersCommand, PROFILERS_HELP } from './bias-profilers-command.js';
import { biasTtspCommand, TTSP_HELP } from './bias-ttsp-command.js';
import type { CommandIo } from './io.js';

export async function biasCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	if (argv.includes('--ttsp')) {
		return biasTtspCommand(argv, io);
	}
	if (argv.includes('--profilers')) {
		return biasProfilersCommand(argv, io);
	}
	if (argv.includes('--help')) {
		io.out(`${PREDICTION_HELP}\n${TTSP_HELP}\n${PROFILERS_HELP}`);
		return 0;
	}
	return biasPredictionCommand(argv, io);
}
