/** `assay order optimize`: an order for several runs at once, by the pages that they touch. */

import { optimizeTraces } from '../../answers/order/optimize.js';
import { blockListText } from '../../formats/block-list/write.js';
import { UsageError } from '../../model/problem.js';
import { writeOptimizeText } from '../../render/order-optimize-text.js';
import type { OptimizeMethod, OptimizeObjective } from '../../startup/results.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';
import { onlyProgram } from './only-program.js';
import { tracesOfStore } from './store-traces.js';
import { weightedTraces } from './trace-weights.js';
import { orderText, writeFileTo, writeOrderTo } from './write-order.js';

const METHODS: readonly OptimizeMethod[] = ['pages', 'classes', 'bp', 'first-execution'];
const OBJECTIVES: readonly OptimizeObjective[] = ['pages', 'windows'];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', isFile: true, help: 'the program that is to be linked again' },
	{ name: 'nm', value: 'FILE', isFile: true, help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor the map of a linker' },
	{ name: 'output', short: 'o', value: 'ORDER', isFile: true, help: 'where the order goes (standard output)' },
	{
		name: 'blocks',
		value: 'LIST',
		isFile: true,
		help: 'part what ran of each function from what did not: writes\nthe list for -fbasic-block-sections=list=LIST, and the\norder with it; BINARY has to have its blocks told',
	},
	{ name: 'weight', value: 'TRACE=N', isMultiple: true, help: 'how much a trace counts (1); TRACE is its file, or its\nname up to the first dot' },
	{ name: 'method', value: 'NAME', choices: METHODS, help: 'pages, classes, bp (balanced partitioning) or\nfirst-execution (pages)' },
	{ name: 'objective', value: 'WHAT', choices: OBJECTIVES, help: 'what counts first: pages, or windows of 64 KiB, the\nfaults of a cached file (pages)' },
	{ name: 'recorded-on', value: 'FILE', isFile: true, help: 'the binary or listing that the addresses of the traces\nbelong to (the program itself)' },
	{ name: 'map', value: 'MAP', isMultiple: true, isFile: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'store', value: 'STORE', isFile: true, help: 'what ran, in the runs of a store of assay collect' },
	{ name: 'where', value: 'LABEL=VALUE', isMultiple: true, help: 'of --store: only runs with this label' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const optimizeCommand: CommandDescription = {
	name: 'order optimize',
	usage: ['TRACE... (--elf BINARY|--nm FILE) [-o ORDER]', '--store STORE [--where LABEL=VALUE] --elf BINARY'],
	about: `Makes an order file (lld: --symbol-ordering-file) with which the traced runs
together touch as few pages of code as can be. A TRACE is a list of executed
instructions, which is best, or tells functions by first execution
(docs/order.md). Functions that did not run stay in their old order, but for a
few that fill pages up.

The order fits the objects that the program was linked from: after a change of
the code, trace and optimize again. With --blocks the compiler (clang 19 and
newer) puts what did not run apart; BINARY is built with
-fbasic-block-address-map, and the list fits its source, compiler and flags.`,
	options: OPTIONS,
	examples: ['assay order optimize examples/order/startup.gz examples/order/queries.gz \\\n    --nm examples/order/sqlite.nm.gz -o sqlite.order'],
	examplesTitle: 'example, on recordings that come with assay:',
	exitStatus: '0 done, 2 wrong use, 3 unusable input',
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const program = onlyProgram(parsed);
	const collected = parsed.isSet('store') ? await tracesOfStore(parsed, context) : [];
	if (parsed.positionals.length + collected.length === 0) {
		throw new UsageError('what ran is missing: name one trace or more');
	}
	const { workingDirectory, writer } = context;
	const output = parsed.value('output');
	const answer = await optimizeTraces({
		program,
		method: oneOf(parsed, 'method', METHODS),
		objective: oneOf(parsed, 'objective', OBJECTIVES),
		traces: [...weightedTraces(parsed), ...collected],
		recordedOn: parsed.value('recorded-on'),
		maps: parsed.values('map'),
		output,
		blocks: parsed.value('blocks'),
		workingDirectory,
	});
	if (answer.blocks !== null) {
		writeFileTo(answer.blocks.output, blockListText(answer.blocks.list), workingDirectory);
	}
	writeOrderTo(output, answer.order.symbols, workingDirectory);
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
		return EXIT.done;
	}
	context.tell(answer.problems);
	if (output === undefined || output === '-') {
		writer.raw(orderText(answer.order.symbols));
	} else {
		writeOptimizeText(writer, answer, context.terminal);
	}
	return EXIT.done;
}

function oneOf<T extends string>(parsed: ParsedOptions, name: string, known: readonly T[]): T {
	const text = parsed.value(name) ?? known[0];
	const found = known.find((one) => one === text);
	if (found === undefined) {
		throw new UsageError(`--${name} takes ${known.join(', ')}, not "${text}"`);
	}
	return found;
}
