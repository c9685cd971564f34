/** `assay order decode`: what a program ran first, as symbols in that order. */
import path from 'node:path';
import { VERSION } from '../../answers/version.js';
import { openDemangler } from '../../demangling/demangler.js';
import { formatProblem, InputError, type Problem, UsageError } from '../../model/problem.js';
import type { Progress } from '../../model/progress.js';
import { type OpenedTrace, openFunctionTraces } from '../../recording/open-function-traces.js';
import { beginEnvelope, endEnvelope } from '../../render/envelope.js';
import { writeOrderDecodeJson } from '../../render/order-decode-json.js';
import { ORDER_FILE_FORMATS, type OrderFileFormat, writeOrderFile } from '../../render/order-file.js';
import { TextWriter } from '../../render/text-writer.js';
import { visible } from '../../render/visible.js';
import { uniteTraces } from '../../startup/unite-traces.js';
import type { CommandIo } from '../io.js';
import { describeOptions, type OptionSpec, parseOptions } from '../options.js';
import { writeProblems } from '../problems.js';
import { createProgress } from '../progress.js';

const OPTIONS: readonly OptionSpec[] = [
	{
		name: 'map',
		value: 'MAP',
		isMultiple: true,
		help: "the map of the build: assay's, or clang's (-mllvm\n-orderfile-write-mapping=MAP); may be given several\ntimes",
	},
	{ name: 'elf', value: 'PROGRAM', help: 'the program that ran, for recordings that hold addresses' },
	{ name: 'trace', value: 'N', help: 'only this trace, from 0, as llvm-profdata numbers them\n(all, united in order)' },
	{ name: 'format', value: 'NAME', help: 'what is written: lld, gold, ld64 or bolt (lld)' },
	{ name: 'demangle', help: 'say what mangled symbols of C++ and Rust mean: comments,\nin JSON demangled' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const DECODE_HELP = `usage: assay order decode FILE... [--map MAP] [options]

Prints the functions that a program ran, in the order of their first execution.
FILE is told by what it holds:
  dumps of assay's runtime, with the map of the build
  .profraw, .profdata and text profiles of LLVM (17 and later) with
  -ftemporal-profile; llvm-profdata show --temporal-profile-traces
  .order files of clang 9 to 20 (-forder-file-instrumentation), with their map
  perf script of samples or of page faults (perf record -e page-faults -c 1 -d,
  perf script -F comm,event,addr,ip,sym); best with --elf
  the folder of uftrace record, or what uftrace dump or replay prints
  (--demangle=no)
  lists of functions: symbols, addresses, or number, address and symbol, as
  tracers and hooks of -finstrument-functions write them
Of several traces the first comes first, then what is new in the second, and so
on.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay order decode examples/order/startup.profraw.gz

exit status: 0 decoded, 2 wrong use, 3 unusable input, or one of which a part
             could not be used
`;

export async function decodeCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(DECODE_HELP);
		return 0;
	}
	if (parsed.positionals.length === 0) {
		throw new UsageError('a file is expected: a dump, a profile with temporal traces, or a list of functions');
	}
	const format = formatOption(parsed.value('format'));
	const traceNumber = traceOption(parsed.value('trace'));
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	const fileOf = (name: string) => ({
		filePath: name === '-' ? '/dev/stdin' : path.resolve(io.workingDirectory, name),
		name: name === '-' ? 'standard input' : name,
	});
	const program = parsed.value('elf');
	try {
		progress.report(`reading ${parsed.positionals.join(', ')}`);
		const opened = await openFunctionTraces(parsed.positionals.map(fileOf), {
			maps: parsed.values('map').map(fileOf),
			program: program === undefined ? null : fileOf(program),
		});
		const traces = chooseTrace(opened.traces, traceNumber);
		const functions = [...uniteTraces(traces)].map((position) => opened.functions[position]!);
		const demangle = parsed.isSet('demangle') ? { demangle: await openDemangler() } : {};
		progress.end();
		const problems = [...opened.problems];
		if (parsed.isSet('json')) {
			const json = beginEnvelope(writer, VERSION, COMMAND);
			writeOrderDecodeJson(json, { ...opened, functions, traces, ...demangle });
			endEnvelope(json, writer, problems);
		} else {
			const unwritable = writeOrderFile(writer, { functions, notes: notesOf(traces), ...demangle }, format);
			if (unwritable > 0) {
				problems.push(unwritableProblem(unwritable, format));
			}
			writeProblems(problems, io);
		}
		writer.flush();
		return problems.some(({ severity }) => severity === 'error') ? 3 : 0;
	} catch (error) {
		return failed(error, parsed.isSet('json'), writer, progress, io);
	}
}

const COMMAND = 'order decode';

function failed(error: unknown, isJson: boolean, writer: TextWriter, progress: Progress, io: CommandIo): number {
	progress.end();
	if (!(error instanceof InputError)) {
		throw error;
	}
	if (isJson) {
		endEnvelope(beginEnvelope(writer, VERSION, COMMAND), writer, [error.problem]);
		writer.flush();
	}
	io.err(`assay ${COMMAND}: ${visible(formatProblem(error.problem))}\n`);
	return 3;
}

function formatOption(name: string | undefined): OrderFileFormat {
	const format = ORDER_FILE_FORMATS.find((one) => one === (name ?? 'lld'));
	if (format === undefined) {
		throw new UsageError(`--format takes ${ORDER_FILE_FORMATS.join(', ')}, not "${name}"`);
	}
	return format;
}

function traceOption(text: string | undefined): number | null {
	if (text !== undefined && !/^\d{1,9}$/.test(text)) {
		throw new UsageError(`--trace takes the number of a trace, from 0, not "${text}"`);
	}
	return text === undefined ? null : Number(text);
}

function chooseTrace(traces: readonly OpenedTrace[], number: number | null): readonly OpenedTrace[] {
	if (number === null) {
		return traces;
	}
	const trace = traces[number];
	if (trace === undefined) {
		throw new UsageError(traces.length === 0 ? 'there is no trace' : `there is no trace ${number}: they are numbered 0 to ${traces.length - 1}`);
	}
	return [trace];
}

function notesOf(traces: readonly OpenedTrace[]): string[] {
	return traces.map(({ name, format, order, weight, isComplete }) => {
		const times = weight === 1 ? '' : `, weight ${weight}`;
		return `${order.length} function${order.length === 1 ? '' : 's'} from ${name} (${format}${times})${isComplete ? '' : ', not complete'}`;
	});
}

function unwritableProblem(count: number, format: OrderFileFormat): Problem {
	return {
		severity: 'warning',
		file: format,
		message: `${count} symbols cannot be spelt in a file of this kind`,
		action: 'they are comments there; --json has them',
	};
}
