/** `assay bias`: what safepoints do to a program and to those who look at it. */
import { biasTtspCommand, TTSP_HELP } from './bias-ttsp-command.js';
import type { CommandIo } from './io.js';
import { UsageError } from './options.js';

export async function biasCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	if (argv.includes('--ttsp')) {
		return biasTtspCommand(argv, io);
	}
	if (argv.includes('--help')) {
		io.out(TTSP_HELP);
		return 0;
	}
	throw new UsageError('only --ttsp is there: who delays safepoints');
}
