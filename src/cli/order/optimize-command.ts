/** `assay order optimize`: an order for several runs at once, by the pages that they touch. */

import { OrderInputs, shortName } from '../../answers/order/open-layout.js';
import type { ExecutionTrace } from '../../model/executed-code.js';
import { UsageError } from '../../model/problem.js';
import type { TextLayout } from '../../model/text-layout.js';
import { writeOptimizeJson } from '../../render/order-optimize-json.js';
import { writeOptimizeText } from '../../render/order-optimize-text.js';
import { optimizeOrder } from '../../startup/optimize-order.js';
import type { OptimizeMethod, OptimizeObjective } from '../../startup/results.js';
import { simulate } from '../../startup/simulate.js';
import { withStartUpCode } from '../../startup/start-up-code.js';
import { carryTrace, layTrace } from '../../startup/trace-on-layout.js';
import type { CommandIo } from '../io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from '../options.js';
import { type OrderResult, runOrder } from './run-order.js';
import { weightsOf } from './trace-weights.js';
import { orderText, writeOrderTo } from './write-order.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', help: 'the program that is to be linked again' },
	{ name: 'nm', value: 'FILE', help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor ld.lld -Map' },
	{ name: 'output', short: 'o', value: 'ORDER', help: 'where the order goes (standard output)' },
	{ name: 'weight', value: 'TRACE=N', isMultiple: true, help: 'how much a trace counts (1); TRACE is its file, or its\nname up to the first dot' },
	{ name: 'method', value: 'NAME', help: 'pages, classes, bp (balanced partitioning) or\nfirst-execution (pages)' },
	{ name: 'objective', value: 'WHAT', help: 'what counts first: pages, or windows of 64 KiB, the\nfaults of a cached file (pages)' },
	{ name: 'recorded-on', value: 'FILE', help: 'the binary or listing that the addresses of the traces\nbelong to (the program itself)' },
	{ name: 'map', value: 'MAP', isMultiple: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const HELP = `usage: assay order optimize TRACE... (--elf BINARY|--nm FILE) [-o ORDER]

Makes an order file (lld: --symbol-ordering-file) with which the traced runs
together touch as few pages of code as can be. A TRACE is a list of executed
instructions, which is best, or tells functions by first execution
(docs/order.md). Functions that did not run stay in their old order, but for a
few that fill pages up.

The order fits the objects that the program was linked from: after a change of
the code, trace and optimize again.

options:
${describeOptions(OPTIONS)}

example, on recordings that come with assay:
  assay order optimize examples/order/startup.gz examples/order/queries.gz \\
    --nm examples/order/sqlite.nm.gz -o sqlite.order

exit status: 0 done, 2 wrong use, 3 unusable input
`;

const METHODS: readonly OptimizeMethod[] = ['pages', 'classes', 'bp', 'first-execution'];
const OBJECTIVES: readonly OptimizeObjective[] = ['pages', 'windows'];

export function optimizeCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HELP);
		return Promise.resolve(0);
	}
	const programs = [...parsed.values('elf'), ...parsed.values('nm')];
	const [program] = programs;
	if (program === undefined || programs.length > 1) {
		throw new UsageError(program === undefined ? 'the program is missing: --elf BINARY, or --nm FILE with a listing of it' : 'name one program');
	}
	if (parsed.positionals.length === 0) {
		throw new UsageError('what ran is missing: name one trace or more');
	}
	const choices = {
		method: oneOf(parsed, 'method', METHODS),
		objective: oneOf(parsed, 'objective', OBJECTIVES),
		weights: weightsOf(parsed),
	};
	return runOrder('optimize', parsed, io, () => run(program, choices, parsed, io));
}

interface Choices {
	readonly method: OptimizeMethod;
	readonly objective: OptimizeObjective;
	/** Of each positional. */
	readonly weights: readonly number[];
}

async function run(program: string, { method, objective, weights }: Choices, parsed: ParsedOptions, io: CommandIo): Promise<OrderResult> {
	const inputs = new OrderInputs(io.workingDirectory);
	const layout: TextLayout = await inputs.layout(program);
	const recordedOnName = parsed.value('recorded-on');
	const recordedOn = recordedOnName === undefined ? layout : await inputs.layout(recordedOnName);
	const traces: ExecutionTrace[] = [];
	for (const [i, name] of parsed.positionals.entries()) {
		traces.push(...(await inputs.traces(name, weights[i]!, parsed.values('map'))));
	}
	const laid = traces.map((trace) => carryTrace(layTrace(trace, recordedOn), recordedOn, layout));
	const completed = withStartUpCode(laid, layout);
	const order = optimizeOrder(layout, completed.traces, { method, objective });
	const united = optimizeOrder(layout, completed.traces, { method: 'first-execution', objective });
	const output = parsed.value('output');
	const simulation = simulate(
		[layout],
		[
			{ name: 'first execution', symbols: united.symbols },
			{ name: output === undefined ? 'this order' : shortName(output), symbols: order.symbols },
		],
		traces,
		recordedOn,
	);
	inputs.checkTraces(simulation.traces, parsed.positionals[0]!);
	writeOrderTo(output ?? null, order.symbols, io);
	const shown = { simulation, order, startUpCode: completed.added, objective, output: output ?? null };
	return {
		problems: inputs.problems,
		status: 0,
		writeJson: (json) => writeOptimizeJson(json, shown),
		writeText: (writer, terminal) => {
			if (output === undefined || output === '-') {
				writer.raw(orderText(order.symbols));
			} else {
				writeOptimizeText(writer, shown, terminal);
			}
		},
	};
}

function oneOf<T extends string>(parsed: ParsedOptions, name: string, known: readonly T[]): T {
	const text = parsed.value(name) ?? known[0];
	const found = known.find((one) => one === text);
	if (found === undefined) {
		throw new UsageError(`--${name} takes ${known.join(', ')}, not "${text}"`);
	}
	return found;
}
