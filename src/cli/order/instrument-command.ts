/** `assay order instrument`: modules of LLVM IR text that log the first execution of each function, and the map of their numbers. */
import type { OrderInstrumentResult } from '../../answers/results.js';
import { mapped, type Streamed } from '../../answers/streamed.js';
import { appendTo } from '../../model/append.js';
import type { OmissionReason } from '../../model/order-map.js';
import { UsageError } from '../../model/problem.js';
import { RUNTIME_FOLDER } from '../../recording/runtime-folder.js';
import type { TextWriter } from '../../render/text-writer.js';
import { visible } from '../../render/visible.js';
import { type InstrumentedFiles, type InstrumentRequest, instrumentFiles } from '../../toolchain/instrument-files.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';
import { CHOICE_OPTIONS, choiceOf } from './choice-options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'output', short: 'o', value: 'DIR', isFile: true, help: 'where the instrumented modules go, each under its path\nbelow the common folder of all' },
	{ name: 'map', value: 'MAP.json', isFile: true, help: 'where the map of numbers and functions goes' },
	...CHOICE_OPTIONS,
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const instrumentCommand: CommandDescription = {
	name: 'order instrument',
	usage: ['FILE.ll... -o DIR --map MAP.json [options]'],
	about: `Makes every function of modules of LLVM IR text (clang 15 to 22, best after all
optimizations: -S -emit-llvm) log its first execution. The program has to be
linked with the runtime, C11 without flags, in
  ${RUNTIME_FOLDER}
Programs are ELF, or Mach-O: there the runtime is linked first, and compiled
with -nostdlibinc where no SDK is (docs/order-reference.md).
With ASSAY_ORDER_FILE=FILE it writes there at its end which functions it ran, in
that order; assay order decode makes symbols of it. docs/order.md tells more.

A function is left out that has __attribute__((annotate("assay_order_skip")))
or __attribute__((no_profile_instrument_function)); further those that are naked
or available_externally, and resolvers of ifuncs.`,
	options: OPTIONS,
	examples: ['assay order instrument examples/order/hello.ll -o instrumented \\\n    --map hello.map.json'],
	examplesTitle: 'example:',
	exitStatus: '0 instrumented, 2 wrong use, 3 unusable input: nothing is written',
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const done = await instrumentFiles(requestOf(parsed, context));
	if (context.wantsJson) {
		context.json(resultOf(done), []);
	} else {
		writeText(done, context.writer);
	}
	return EXIT.done;
}

function requestOf(parsed: ParsedOptions, { workingDirectory, progress }: CommandContext): InstrumentRequest {
	const { positionals: inputs } = parsed;
	const output = parsed.value('output');
	const map = parsed.value('map');
	if (inputs.length === 0) {
		throw new UsageError('a file of LLVM IR text is expected');
	}
	if (output === undefined || map === undefined) {
		throw new UsageError(output === undefined ? '-o DIR is expected' : '--map MAP.json is expected');
	}
	return { inputs, output, map, choice: choiceOf(parsed), workingDirectory, report: (text) => progress.report(text) };
}

const REASONS: Record<OmissionReason, string> = {
	available_externally: 'no code is generated for them here',
	naked: 'they have no prologue: registers would be lost',
	'ifunc-resolver': 'they run before the program is relocated',
	noprofile: 'no_profile_instrument_function',
	annotated: 'annotate("assay_order_skip")',
	skipped: '--skip',
	'not-selected': 'not among --only',
};

function writeText({ modules, map, mapPath, output }: InstrumentedFiles, writer: TextWriter): void {
	const all = modules.reduce((sum, { module }) => sum + module.functions.length, 0);
	const count = (n: number, what: string): string => `${n.toLocaleString('en-US')} ${what}${n === 1 ? '' : 's'}`;
	const bytes = modules.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
	writer.raw(`${count(all, 'function')} of ${count(modules.length, 'module')} instrumented (${(bytes / 1e6).toFixed(1)} MB of IR), in ${visible(output)}\n`);
	const omitted = new Map<OmissionReason, string[]>();
	for (const { symbol, reason } of modules.flatMap(({ module }) => module.omitted)) {
		appendTo(omitted, reason, symbol);
	}
	for (const [reason, symbols] of omitted) {
		const named = symbols.slice(0, 3).map((symbol) => visible(symbol));
		writer.raw(`left out: ${count(symbols.length, 'function')}, ${REASONS[reason]}: ${named.join(', ')}${symbols.length > 3 ? ', …' : ''}\n`);
	}
	writer.raw(`map of build ${map.buildId}: ${visible(mapPath)}\n`);
	writer.raw(`buffer: the ${map.isRing ? 'last' : 'first'} ${count(map.bufferEntries, 'function')} that run\n`);
	writer.raw(`link with the runtime: cc -O2 -c ${RUNTIME_FOLDER}/*.c\n`);
}

function resultOf({ modules, map, mapPath, output }: InstrumentedFiles): Streamed<OrderInstrumentResult> {
	return {
		map: mapPath,
		output,
		buildId: map.buildId,
		bufferEntries: map.bufferEntries,
		isRing: map.isRing,
		runtime: RUNTIME_FOLDER,
		modules: mapped(modules, ({ input, output: file, sizeBytes, module }) => ({
			id: module.id,
			name: module.name,
			source: module.source,
			hash: module.hash,
			input,
			output: file,
			sizeBytes,
			functions: module.functions.map(({ symbol, linkage, comdat, file: source, line }, id) => ({ id, symbol, linkage, comdat, file: source, line })),
			omitted: module.omitted,
		})),
	};
}
