/** Options of `assay order instrument` and `cc`: how functions are chosen, and what is logged. */
import { UsageError } from '../../model/problem.js';
import { DEFAULT_BUFFER_ENTRIES, MAX_BUFFER_ENTRIES } from '../../startup/instrumentation.js';
import type { Choice } from '../../toolchain/instrument-modules.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from '../options.js';

export const CHOICE_OPTIONS: readonly OptionSpec[] = [
	{ name: 'only', value: 'SYMBOL', isMultiple: true, help: 'instrument only these functions; * stands for any text;\nmay be given several times' },
	{ name: 'skip', value: 'SYMBOL', isMultiple: true, help: 'leave these functions out' },
	{ name: 'buffer-entries', value: 'N', help: `functions that the buffer can hold (${DEFAULT_BUFFER_ENTRIES}: 1 MiB)` },
	{ name: 'ring', help: 'keep the last entries when the buffer is full, not the\nfirst' },
	{
		name: 'bitmap',
		value: 'byte|bit',
		choices: ['byte', 'bit'],
		help: 'what marks a function that ran (byte: the same\ninstructions, and threads lose no mark)',
	},
];

/** The choice of functions, from options of that name. */
export function choiceOf(parsed: ParsedOptions): Choice {
	const bitmap = parsed.value('bitmap') ?? 'byte';
	if (bitmap !== 'byte' && bitmap !== 'bit') {
		throw new UsageError(`--bitmap takes byte or bit, not "${bitmap}"`);
	}
	const bufferEntries = positiveInteger(parsed, 'buffer-entries') ?? DEFAULT_BUFFER_ENTRIES;
	if (bufferEntries > MAX_BUFFER_ENTRIES) {
		throw new UsageError(`--buffer-entries takes at most ${MAX_BUFFER_ENTRIES}, not ${bufferEntries}`);
	}
	return { only: parsed.values('only'), skip: parsed.values('skip'), bufferEntries, isRing: parsed.isSet('ring'), bitmap };
}
