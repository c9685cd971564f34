/** `assay order lint`: an order file against the program that it is for. */

import { lintOrderFile } from '../../answers/order/lint.js';
import { UsageError } from '../../model/problem.js';
import { writeLintText } from '../../render/order-lint-text.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';
import { onlyProgram } from './only-program.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', isFile: true, help: 'the program, best with debug information (-g)' },
	{ name: 'nm', value: 'FILE', isFile: true, help: 'the same as a listing: nm -n --print-size, readelf -SsW\nor the map of a linker' },
	{ name: 'trace', value: 'TRACE', isMultiple: true, isFile: true, help: 'what ran: how much of it the order covers' },
	{ name: 'min-coverage', value: 'PERCENT', help: 'with --trace: less is a finding' },
	{ name: 'recorded-on', value: 'FILE', isFile: true, help: 'the binary or listing that the addresses of the traces\nbelong to (the program itself)' },
	{ name: 'map', value: 'MAP', isMultiple: true, isFile: true, help: 'for dumps: the map of the build (assay order decode)' },
	{ name: 'all', help: 'show every finding' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const lintCommand: CommandDescription = {
	name: 'order lint',
	usage: ['ORDER (--elf BINARY|--nm FILE) [--trace TRACE...]'],
	about: `Checks an order file (- is standard input) against the program: symbols that no
function has, that several have, that were inlined or folded away, that lie
outside of .text, that move other functions with them (no -ffunction-sections),
and with traces how much of what ran it covers, and which functions are mostly
cold. Of a list of blocks (order optimize --blocks) it says whether the program
(--elf, built with -fbasic-block-address-map) has the blocks that the list was
made of: after another source, compiler or flags it does not.`,
	options: OPTIONS,
	examples: ['assay order lint examples/order/first-executed.order \\\n    --nm examples/order/sqlite.nm.gz'],
	examplesTitle: 'example, on a recording that comes with assay:',
	exitStatus: '0 nothing found, 1 findings, 2 wrong use, 3 unusable input',
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const program = onlyProgram(parsed);
	const [order, ...more] = parsed.positionals;
	if (order === undefined || more.length > 0) {
		throw new UsageError(order === undefined ? 'the order file is missing' : 'name one order file; traces go with --trace');
	}
	const { lint, cold, isBlockList, problems, result } = await lintOrderFile({
		order,
		program,
		traces: parsed.values('trace'),
		leastCoverage: percentage(parsed),
		recordedOn: parsed.value('recorded-on'),
		maps: parsed.values('map'),
		workingDirectory: context.workingDirectory,
	});
	if (context.wantsJson) {
		context.json(result(), problems);
	} else {
		context.tell(problems);
		writeLintText(context.writer, { lint, cold, order, program, isAll: parsed.isSet('all'), isBlockList }, context.terminal);
	}
	return lint.findings.length > 0 ? EXIT.no : EXIT.done;
}

function percentage(parsed: ParsedOptions): number | undefined {
	const text = parsed.value('min-coverage');
	if (text === undefined) {
		return undefined;
	}
	if (!/^\d{1,3}(?:\.\d{1,3})?%?$/.test(text) || Number.parseFloat(text) > 100) {
		throw new UsageError(`--min-coverage takes a percentage, not "${text}"`);
	}
	if (!parsed.isSet('trace')) {
		throw new UsageError('--min-coverage needs what ran: --trace TRACE');
	}
	return Number.parseFloat(text) / 100;
}
