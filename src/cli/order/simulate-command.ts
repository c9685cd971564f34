/** `assay order simulate`: the pages that runs touch, as linked and under candidate orders, before anything is linked. */

import { OrderInputs, shortName } from '../../answers/order/open-layout.js';
import { UsageError } from '../../model/problem.js';
import type { TextLayout } from '../../model/text-layout.js';
import { writeSimulateJson } from '../../render/order-simulate-json.js';
import { writeSimulateText } from '../../render/order-simulate-text.js';
import { simulate } from '../../startup/simulate.js';
import type { CommandIo } from '../io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from '../options.js';
import { type OrderResult, runOrder } from './run-order.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', isMultiple: true, help: 'a linked program; may be given several times' },
	{ name: 'nm', value: 'FILE', isMultiple: true, help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor ld.lld -Map' },
	{ name: 'trace', value: 'TRACE', isMultiple: true, help: 'what ran: executed instructions, or functions by first\nexecution (docs/order.md)' },
	{ name: 'recorded-on', value: 'FILE', help: 'the binary or listing that the addresses of the traces\nbelong to (the first one given)' },
	{ name: 'order', value: 'ORDER', isMultiple: true, help: 'an order file, applied to the first binary; several may\nfollow' },
	{ name: 'map', value: 'MAP', isMultiple: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'no-map', help: 'only the numbers' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const HELP = `usage: assay order simulate (--elf BINARY|--nm FILE)... --trace TRACE
                            [--recorded-on FILE] [--order ORDER...]

Predicts which 4 KiB pages of code a run touches, how many 64 KiB windows these
lie in (the page faults of a cached file), and the fault curve: for each binary
as it is linked, and for the first one under each order, as lld would place it.
With several traces the numbers are sums, then those of each.

options:
${describeOptions(OPTIONS)}

example, on a recording that comes with assay:
  assay order simulate --nm examples/order/sqlite.nm.gz \\
    --trace examples/order/startup.gz \\
    --order examples/order/first-executed.order

exit status: 0 done, 2 wrong use, 3 unusable input
`;

export function simulateCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HELP);
		return Promise.resolve(0);
	}
	const files = filesOf(parsed);
	return runOrder('simulate', parsed, io, () => run(files, parsed, io));
}

interface Files {
	readonly binaries: readonly string[];
	readonly traces: readonly string[];
	readonly orders: readonly string[];
}

/** A name without an option belongs to the option before it: `--order a.txt b.txt`. */
function filesOf(parsed: ParsedOptions): Files {
	const files = { binaries: [] as string[], traces: [] as string[], orders: [] as string[] };
	const lists: Record<string, string[]> = { elf: files.binaries, nm: files.binaries, trace: files.traces, order: files.orders };
	let list: string[] | undefined;
	for (const { option, value } of parsed.given) {
		list = option === null ? list : lists[option];
		if (list === undefined && option === null) {
			throw new UsageError(`name "${value}" with --elf, --nm, --trace or --order`);
		}
		list?.push(value);
	}
	if (files.binaries.length === 0) {
		throw new UsageError('a program is missing: --elf BINARY, or --nm FILE with a listing of it');
	}
	if (files.traces.length === 0) {
		throw new UsageError('what ran is missing: --trace TRACE');
	}
	return files;
}

async function run(files: Files, parsed: ParsedOptions, io: CommandIo): Promise<OrderResult> {
	const inputs = new OrderInputs(io.workingDirectory);
	const binaries: TextLayout[] = [];
	for (const name of files.binaries) {
		binaries.push(await inputs.layout(name));
	}
	const recordedOnName = parsed.value('recorded-on');
	const recordedOn = recordedOnName === undefined ? binaries[0]! : await inputs.layout(recordedOnName);
	const traces = [];
	for (const name of files.traces) {
		traces.push(...(await inputs.traces(name, 1, parsed.values('map'))));
	}
	const orders = [];
	for (const name of files.orders) {
		orders.push({ name: shortName(name), symbols: (await inputs.order(name)).names });
	}
	const simulation = simulate(binaries, orders, traces, recordedOn);
	inputs.checkTraces(simulation.traces, files.traces[0]!);
	return {
		problems: inputs.problems,
		status: 0,
		writeJson: (json) => writeSimulateJson(json, simulation),
		writeText: (writer, terminal) =>
			writeSimulateText(
				writer,
				{ simulation, isRelocatable: binaries.some(({ isRelocatable }) => isRelocatable === true), hasMap: !parsed.isSet('no-map') },
				terminal,
			),
	};
}
