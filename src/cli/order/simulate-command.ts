/** `assay order simulate`: the pages that runs touch, as linked and under candidate orders, before anything is linked. */

import { simulateOrders } from '../../answers/order/simulate.js';
import { UsageError } from '../../model/problem.js';
import { writeSimulateText } from '../../render/order-simulate-text.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', isMultiple: true, isFile: true, help: 'a linked program; may be given several times' },
	{ name: 'nm', value: 'FILE', isMultiple: true, isFile: true, help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor the map of a linker' },
	{ name: 'trace', value: 'TRACE', isMultiple: true, isFile: true, help: 'what ran: executed instructions, or functions by first\nexecution (docs/order.md)' },
	{ name: 'recorded-on', value: 'FILE', isFile: true, help: 'the binary or listing that the addresses of the traces\nbelong to (the first one given)' },
	{ name: 'order', value: 'ORDER', isMultiple: true, isFile: true, help: 'an order file, applied to the first binary; several may\nfollow' },
	{ name: 'map', value: 'MAP', isMultiple: true, isFile: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'no-map', help: 'only the numbers' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const simulateCommand: CommandDescription = {
	name: 'order simulate',
	usage: ['(--elf BINARY|--nm FILE)... --trace TRACE\n                            [--recorded-on FILE] [--order ORDER...]'],
	about: `Predicts which pages of code a run touches (4 KiB, of arm64 Mach-O 16 KiB), how
many 64 KiB windows these lie in (the page faults of a cached file), and the
fault curve: for each binary as it is linked, and for the first one under each
order, as lld would place it.
With several traces the numbers are sums, then those of each.`,
	options: OPTIONS,
	examples: [
		'assay order simulate --nm examples/order/sqlite.nm.gz \\\n    --trace examples/order/startup.gz \\\n    --order examples/order/first-executed.order',
	],
	examplesTitle: 'example, on a recording that comes with assay:',
	exitStatus: '0 done, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'order_simulate',
			question: 'Which pages of code a start touches and how many page faults that is: as the program is linked, and under candidate orders.',
			inputs: [],
			leavesOut: ['layouts[].byTrace[].map'],
			first: ['layouts'],
			options: ['elf', 'nm', 'trace', 'recorded-on', 'order', 'map'],
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { binaries, traces, orders } = filesOf(parsed);
	const { simulation, isRelocatable, problems, result } = await simulateOrders({
		programs: binaries,
		traces,
		orders,
		recordedOn: parsed.value('recorded-on'),
		maps: parsed.values('map'),
		workingDirectory: context.workingDirectory,
	});
	if (context.wantsJson) {
		context.json(result(), problems);
	} else {
		context.tell(problems);
		writeSimulateText(context.writer, { simulation, isRelocatable, hasMap: !parsed.isSet('no-map') }, context.terminal);
	}
	return EXIT.done;
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
