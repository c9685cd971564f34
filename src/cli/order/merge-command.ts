/** `assay order merge`: many runs, on many devices, into one order; and where they disagree. */

import { mergeTraces } from '../../answers/order/merge.js';
import { UsageError } from '../../model/problem.js';
import { writeMergeText } from '../../render/order-merge-text.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';
import { weightedTraces } from './trace-weights.js';
import { orderText, writeOrderTo } from './write-order.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'output', short: 'o', value: 'ORDER', isFile: true, help: 'where the order goes (standard output)' },
	{ name: 'weight', value: 'TRACE=N', isMultiple: true, help: 'how much a trace counts (1); TRACE is its file, or its\nname up to the first dot' },
	{ name: 'elf', value: 'BINARY', isFile: true, help: 'the program, for traces that are addresses' },
	{ name: 'nm', value: 'FILE', isFile: true, help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor the map of a linker' },
	{ name: 'map', value: 'MAP', isMultiple: true, isFile: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'top', value: 'N', help: 'how many disagreements are shown (10)' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const mergeCommand: CommandDescription = {
	name: 'order merge',
	usage: ['TRACE... [-o ORDER] [--weight TRACE=N]'],
	about: `Makes one order of many start-ups: what most of them run comes first, functions
of the same runs together, in the mean order of their execution. Needs no
program; with it, assay order optimize does better. Says where the runs
disagree: functions that only some run, and functions that run early here and
late there.`,
	options: OPTIONS,
	examples: ['assay order merge examples/order/startup.gz examples/order/queries.gz \\\n    --nm examples/order/sqlite.nm.gz -o merged.order'],
	examplesTitle: 'example, on recordings that come with assay:',
	exitStatus: '0 done, 2 wrong use, 3 unusable input',
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	if (parsed.positionals.length === 0) {
		throw new UsageError('what ran is missing: name traces');
	}
	const traces = weightedTraces(parsed);
	const top = parsed.value('top') ?? '10';
	if (!/^\d{1,6}$/.test(top)) {
		throw new UsageError(`--top takes a number, not "${top}"`);
	}
	const output = parsed.value('output');
	const { workingDirectory, writer } = context;
	const program = parsed.value('elf') ?? parsed.value('nm');
	const { merged, pages, problems, result } = await mergeTraces({ traces, program, maps: parsed.values('map'), output, workingDirectory });
	writeOrderTo(output, merged.symbols, workingDirectory);
	if (context.wantsJson) {
		context.json(result(), problems);
		return EXIT.done;
	}
	context.tell(problems);
	if (output === undefined || output === '-') {
		writer.raw(orderText(merged.symbols));
	} else {
		writeMergeText(writer, { merged, pages, output, top: Number(top) }, context.terminal);
	}
	return EXIT.done;
}
