/** `assay order merge`: many runs, on many devices, into one order; and where they disagree. */

import { OrderInputs } from '../../answers/order/open-layout.js';
import { InputError, UsageError } from '../../model/problem.js';
import type { TextLayout } from '../../model/text-layout.js';
import { writeMergeJson } from '../../render/order-merge-json.js';
import { writeMergeText } from '../../render/order-merge-text.js';
import { mergeOrders, type Scenario } from '../../startup/merge-orders.js';
import { layTrace } from '../../startup/trace-on-layout.js';
import type { CommandIo } from '../io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from '../options.js';
import { type OrderResult, runOrder } from './run-order.js';
import { weightsOf } from './trace-weights.js';
import { orderText, writeOrderTo } from './write-order.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'output', short: 'o', value: 'ORDER', help: 'where the order goes (standard output)' },
	{ name: 'weight', value: 'TRACE=N', isMultiple: true, help: 'how much a trace counts (1); TRACE is its file, or its\nname up to the first dot' },
	{ name: 'elf', value: 'BINARY', help: 'the program, for traces that are addresses' },
	{ name: 'nm', value: 'FILE', help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor ld.lld -Map' },
	{ name: 'map', value: 'MAP', isMultiple: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'top', value: 'N', help: 'how many disagreements are shown (10)' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const HELP = `usage: assay order merge TRACE... [-o ORDER] [--weight TRACE=N]

Makes one order of many start-ups: what most of them run comes first, functions
of the same runs together, in the mean order of their execution. Needs no
program; with it, assay order optimize does better. Says where the runs
disagree: functions that only some run, and functions that run early here and
late there.

options:
${describeOptions(OPTIONS)}

example, on recordings that come with assay:
  assay order merge examples/order/startup.gz examples/order/queries.gz \\
    --nm examples/order/sqlite.nm.gz -o merged.order

exit status: 0 done, 2 wrong use, 3 unusable input
`;

export function mergeCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HELP);
		return Promise.resolve(0);
	}
	if (parsed.positionals.length === 0) {
		throw new UsageError('what ran is missing: name traces');
	}
	const weights = weightsOf(parsed);
	const top = /^\d{1,6}$/.test(parsed.value('top') ?? '10') ? Number(parsed.value('top') ?? 10) : null;
	if (top === null) {
		throw new UsageError(`--top takes a number, not "${parsed.value('top')}"`);
	}
	return runOrder('merge', parsed, io, () => run(weights, top, parsed, io));
}

async function run(weights: readonly number[], top: number, parsed: ParsedOptions, io: CommandIo): Promise<OrderResult> {
	const inputs = new OrderInputs(io.workingDirectory);
	const program = parsed.value('elf') ?? parsed.value('nm');
	const layout = program === undefined ? null : await inputs.layout(program);
	const scenarios: Scenario[] = [];
	for (const [i, name] of parsed.positionals.entries()) {
		for (const trace of await inputs.traces(name, weights[i]!, parsed.values('map'))) {
			const symbols =
				trace.functions?.flatMap(({ symbol }) => symbol ?? []) ??
				namesOn(layout, name, (on) => Array.from(layTrace(trace, on).functions, (f) => on.functionNames[f]!));
			scenarios.push({ name: trace.name, weight: trace.weight, symbols: [...new Set(symbols)] });
		}
	}
	const merged = mergeOrders(scenarios);
	const output = parsed.value('output') ?? null;
	writeOrderTo(output, merged.symbols, io);
	return {
		problems: inputs.problems,
		status: 0,
		writeJson: (json) => writeMergeJson(json, merged, output),
		writeText: (writer, terminal) => {
			if (output === null || output === '-') {
				writer.raw(orderText(merged.symbols));
			} else {
				writeMergeText(writer, { merged, output, top }, terminal);
			}
		},
	};
}

function namesOn(layout: TextLayout | null, file: string, names: (layout: TextLayout) => string[]): string[] {
	if (layout === null) {
		throw new InputError({ severity: 'error', file, message: 'lists addresses', action: 'give the program with --elf, or a listing of it with --nm' });
	}
	return names(layout);
}
