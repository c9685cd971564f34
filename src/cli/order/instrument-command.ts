/** `assay order instrument`: modules of LLVM IR text that log the first execution of each function, and the map of their numbers. */
import path from 'node:path';
import { VERSION } from '../../answers/version.js';
import type { OmissionReason, OrderMap, OrderMapModule } from '../../model/order-map.js';
import { formatProblem, InputError, UsageError } from '../../model/problem.js';
import { asInputError, openFile } from '../../recording/file-source.js';
import { beginEnvelope, endEnvelope } from '../../render/envelope.js';
import { TextWriter } from '../../render/text-writer.js';
import { visible } from '../../render/visible.js';
import { DEFAULT_BUFFER_ENTRIES, MAX_BUFFER_ENTRIES } from '../../startup/instrumentation.js';
import { nameModules } from '../../startup/module-id.js';
import { type Choice, describeModule, mapOf, type ScannedModule, scanModule, writeInstrumented, writeMapFile } from '../../toolchain/instrument-modules.js';
import { RUNTIME_FOLDER } from '../../toolchain/runtime-folder.js';
import type { CommandIo } from '../io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from '../options.js';
import { createProgress } from '../progress.js';

/** How functions are chosen and what is logged: `cc` takes the same. */
export const CHOICE_OPTIONS: readonly OptionSpec[] = [
	{ name: 'only', value: 'SYMBOL', isMultiple: true, help: 'instrument only these functions; * stands for any text;\nmay be given several times' },
	{ name: 'skip', value: 'SYMBOL', isMultiple: true, help: 'leave these functions out' },
	{ name: 'buffer-entries', value: 'N', help: `functions that the buffer can hold (${DEFAULT_BUFFER_ENTRIES}: 1 MiB)` },
	{ name: 'ring', help: 'keep the last entries when the buffer is full, not the\nfirst' },
	{ name: 'bitmap', value: 'byte|bit', help: 'what marks a function that ran (byte: the same\ninstructions, and threads lose no mark)' },
];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'output', short: 'o', value: 'DIR', help: 'where the instrumented modules go, each under its path\nbelow the common folder of all' },
	{ name: 'map', value: 'MAP.json', help: 'where the map of numbers and functions goes' },
	...CHOICE_OPTIONS,
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const INSTRUMENT_HELP = `usage: assay order instrument FILE.ll... -o DIR --map MAP.json [options]

Makes every function of modules of LLVM IR text (clang 15 to 22, best after all
optimizations: -S -emit-llvm) log its first execution. The program has to be
linked with the runtime, C11 without flags, in
  ${RUNTIME_FOLDER}
With ASSAY_ORDER_FILE=FILE it writes there at its end which functions it ran, in
that order; assay order decode makes symbols of it. docs/order.md tells more.

A function is left out that has __attribute__((annotate("assay_order_skip")))
or __attribute__((no_profile_instrument_function)); further those that are naked
or available_externally, and resolvers of ifuncs.

options:
${describeOptions(OPTIONS)}

example:
  assay order instrument examples/order/hello.ll -o instrumented \\
    --map hello.map.json

exit status: 0 instrumented, 2 wrong use, 3 unusable input: nothing is written
`;

export async function instrumentCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(INSTRUMENT_HELP);
		return 0;
	}
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		const done = await instrument(parsed, io, (text) => progress.report(text));
		progress.end();
		if (parsed.isSet('json')) {
			writeJson(done, writer);
		} else {
			writeText(done, writer);
		}
		writer.flush();
		return 0;
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'order instrument'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay order instrument: ${visible(formatProblem(error.problem))}\n`);
		return 3;
	}
}

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

interface InstrumentedModule {
	readonly input: string;
	readonly output: string;
	readonly sizeBytes: number;
	readonly module: OrderMapModule;
}

interface Done {
	readonly modules: readonly InstrumentedModule[];
	readonly map: OrderMap;
	readonly mapPath: string;
	readonly output: string;
}

async function instrument(parsed: ParsedOptions, io: CommandIo, report: (text: string) => void): Promise<Done> {
	const { positionals: inputs } = parsed;
	const output = parsed.value('output');
	const mapPath = parsed.value('map');
	if (inputs.length === 0) {
		throw new UsageError('a file of LLVM IR text is expected');
	}
	if (output === undefined || mapPath === undefined) {
		throw new UsageError(output === undefined ? '-o DIR is expected' : '--map MAP.json is expected');
	}
	const choice = choiceOf(parsed);
	const resolve = (name: string): string => path.resolve(io.workingDirectory, name);
	const paths = inputs.map(resolve);
	const common = commonFolder(paths);
	const relative = paths.map((file) => path.relative(common, file).replace(/\.gz$/, ''));
	const outputs = relative.map((file) => path.join(output, file));
	checkPaths(inputs, paths, outputs.map(resolve));
	const scanned: ScannedModule[] = [];
	for (const [i, input] of inputs.entries()) {
		report(`reading ${input}`);
		const { source, problems } = await openFile(paths[i]!, input);
		if (problems[0] !== undefined) {
			throw new InputError(problems[0]);
		}
		scanned.push(scanModule(source));
	}
	const names = nameModules(scanned.map(({ ir }, i) => ({ source: ir.sourceFilename ?? '', path: relative[i]! })));
	const modules: InstrumentedModule[] = [];
	try {
		for (const [i, one] of scanned.entries()) {
			report(`writing ${outputs[i]}`);
			const module = describeModule(one, names[i]!, choice);
			writeInstrumented(one, module, choice, resolve(outputs[i]!));
			modules.push({ input: inputs[i]!, output: outputs[i]!, sizeBytes: one.source.sizeBytes, module });
			one.source.close();
		}
		const map = mapOf(
			modules.map(({ module }) => module),
			choice,
		);
		writeMapFile(map, resolve(mapPath));
		return { modules, map, mapPath, output };
	} catch (error) {
		throw writeError(error);
	}
}

/** An error of the operating system while writing. */
function writeError(error: unknown): unknown {
	const { path: file, code } = error as NodeJS.ErrnoException;
	return typeof code === 'string' ? asInputError(error, file ?? 'the output') : error;
}

function commonFolder(paths: readonly string[]): string {
	const folders = paths.map((file) => path.dirname(file).split(path.sep));
	const [first = []] = folders;
	let length = first.length;
	for (const folder of folders) {
		let same = 0;
		while (same < length && folder[same] === first[same]) {
			same++;
		}
		length = same;
	}
	return first.slice(0, length).join(path.sep) || path.sep;
}

function checkPaths(inputs: readonly string[], paths: readonly string[], outputs: readonly string[]): void {
	const seen = new Set<string>();
	outputs.forEach((file, i) => {
		if (seen.has(file)) {
			throw new UsageError(`"${inputs[i]}" is given twice, or another input would go to the same place`);
		}
		seen.add(file);
		if (paths.includes(file)) {
			throw new UsageError(`"${inputs[i]}" would be overwritten; give another folder with -o`);
		}
	});
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

function writeText({ modules, map, mapPath, output }: Done, writer: TextWriter): void {
	const all = modules.reduce((sum, { module }) => sum + module.functions.length, 0);
	const count = (n: number, what: string): string => `${n.toLocaleString('en-US')} ${what}${n === 1 ? '' : 's'}`;
	const bytes = modules.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
	writer.raw(`${count(all, 'function')} of ${count(modules.length, 'module')} instrumented (${(bytes / 1e6).toFixed(1)} MB of IR), in ${visible(output)}\n`);
	const omitted = new Map<OmissionReason, string[]>();
	for (const { symbol, reason } of modules.flatMap(({ module }) => module.omitted)) {
		omitted.set(reason, [...(omitted.get(reason) ?? []), symbol]);
	}
	for (const [reason, symbols] of omitted) {
		const named = symbols.slice(0, 3).map((symbol) => visible(symbol));
		writer.raw(`left out: ${count(symbols.length, 'function')}, ${REASONS[reason]}: ${named.join(', ')}${symbols.length > 3 ? ', …' : ''}\n`);
	}
	writer.raw(`map of build ${map.buildId}: ${visible(mapPath)}\n`);
	writer.raw(`buffer: the ${map.isRing ? 'last' : 'first'} ${count(map.bufferEntries, 'function')} that run\n`);
	writer.raw(`link with the runtime: cc -O2 -c ${RUNTIME_FOLDER}/*.c\n`);
}

function writeJson({ modules, map, mapPath, output }: Done, writer: TextWriter): void {
	const json = beginEnvelope(writer, VERSION, 'order instrument');
	json.field('map', mapPath);
	json.field('output', output);
	json.field('buildId', map.buildId);
	json.field('bufferEntries', map.bufferEntries);
	json.field('isRing', map.isRing);
	json.field('runtime', RUNTIME_FOLDER);
	json.beginList('modules');
	for (const { input, output: file, sizeBytes, module } of modules) {
		json.item({
			id: module.id,
			name: module.name,
			source: module.source,
			hash: module.hash,
			input,
			output: file,
			sizeBytes,
			functions: module.functions.map(({ symbol, linkage, comdat, file, line }, id) => ({ id, symbol, linkage, comdat, file, line })),
			omitted: module.omitted,
		});
	}
	endEnvelope(json, writer, []);
}
