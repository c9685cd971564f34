/** `assay order lint`: an order file against the program that it is for. */

import { OrderInputs } from '../../answers/order/open-layout.js';
import { UsageError } from '../../model/problem.js';
import { writeLintJson } from '../../render/order-lint-json.js';
import { writeLintText } from '../../render/order-lint-text.js';
import { lintOrder } from '../../startup/lint-order.js';
import { carryTrace, layTrace } from '../../startup/trace-on-layout.js';
import type { CommandIo } from '../io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from '../options.js';
import { type OrderResult, runOrder } from './run-order.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', help: 'the program, best with debug information (-g)' },
	{ name: 'nm', value: 'FILE', help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor ld.lld -Map' },
	{ name: 'trace', value: 'TRACE', isMultiple: true, help: 'what ran: how much of it the order covers' },
	{ name: 'min-coverage', value: 'PERCENT', help: 'with --trace: less is a finding' },
	{ name: 'recorded-on', value: 'FILE', help: 'the binary or listing that the addresses of the traces\nbelong to (the program itself)' },
	{ name: 'map', value: 'MAP', isMultiple: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'all', help: 'show every finding' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const HELP = `usage: assay order lint ORDER (--elf BINARY|--nm FILE) [--trace TRACE...]

Checks an order file (- is standard input) against the program: symbols that no
function has, that several have, that were inlined or folded away, that lie
outside of .text, that move other functions with them (no -ffunction-sections),
and with traces how much of what ran it covers.

options:
${describeOptions(OPTIONS)}

example, on a recording that comes with assay:
  assay order lint examples/order/first-executed.order \\
    --nm examples/order/sqlite.nm.gz

exit status: 0 nothing found, 1 findings, 2 wrong use, 3 unusable input
`;

export function lintCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HELP);
		return Promise.resolve(0);
	}
	const programs = [...parsed.values('elf'), ...parsed.values('nm')];
	const [program] = programs;
	const [order, ...more] = parsed.positionals;
	if (program === undefined || programs.length > 1) {
		throw new UsageError(program === undefined ? 'the program is missing: --elf BINARY, or --nm FILE with a listing of it' : 'name one program');
	}
	if (order === undefined || more.length > 0) {
		throw new UsageError(order === undefined ? 'the order file is missing' : 'name one order file; traces go with --trace');
	}
	const leastCoverage = percentage(parsed);
	return runOrder('lint', parsed, io, () => run(program, order, leastCoverage, parsed, io));
}

async function run(program: string, orderName: string, leastCoverage: number | null, parsed: ParsedOptions, io: CommandIo): Promise<OrderResult> {
	const inputs = new OrderInputs(io.workingDirectory);
	const layout = await inputs.layout(program);
	const recordedOnName = parsed.value('recorded-on');
	const recordedOn = recordedOnName === undefined ? layout : await inputs.layout(recordedOnName);
	const order = await inputs.order(orderName);
	const traces = [];
	for (const name of parsed.values('trace')) {
		for (const trace of await inputs.traces(name, 1, parsed.values('map'))) {
			traces.push(carryTrace(layTrace(trace, recordedOn), recordedOn, layout));
		}
	}
	const debugNames = await inputs.debugNames(program, new Set(order.names));
	const lint = lintOrder(layout, order.names, { debugNames, repeated: order.repeated, traces, leastCoverage });
	return {
		problems: inputs.problems,
		status: lint.findings.length > 0 ? 1 : 0,
		writeJson: (json) => writeLintJson(json, lint),
		writeText: (writer, terminal) => writeLintText(writer, { lint, order: orderName, program, isAll: parsed.isSet('all') }, terminal),
	};
}

function percentage(parsed: ParsedOptions): number | null {
	const text = parsed.value('min-coverage');
	if (text === undefined) {
		return null;
	}
	if (!/^\d{1,3}(?:\.\d{1,3})?%?$/.test(text) || Number.parseFloat(text) > 100) {
		throw new UsageError(`--min-coverage takes a percentage, not "${text}"`);
	}
	if (!parsed.isSet('trace')) {
		throw new UsageError('--min-coverage needs what ran: --trace TRACE');
	}
	return Number.parseFloat(text) / 100;
}
