/** `assay order decode`: what a program ran first, as symbols in that order. */
import { decodeOrder } from '../../answers/order/decode.js';
import { type Problem, UsageError } from '../../model/problem.js';
import type { OpenedTrace } from '../../recording/open-function-traces.js';
import { ORDER_FILE_FORMATS, type OrderFileFormat, writeOrderFile } from '../../render/order-file.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';

const OPTIONS: readonly OptionSpec[] = [
	{
		name: 'map',
		value: 'MAP',
		isMultiple: true,
		isFile: true,
		help: "the map of the build: assay's, or the program that\nassay-cc linked, which holds it, or clang's (-mllvm\n-orderfile-write-mapping=MAP); may be given several\ntimes",
	},
	{ name: 'elf', value: 'PROGRAM', isFile: true, help: 'the program that ran, for recordings that hold addresses' },
	{ name: 'trace', value: 'N', help: 'only this trace, from 0, as llvm-profdata numbers them\n(all, united in order)' },
	{ name: 'format', value: 'NAME', choices: ORDER_FILE_FORMATS, help: 'what is written: lld, gold, ld64 or bolt (lld; of a\nMach-O program ld64)' },
	{ name: 'demangle', help: 'say what mangled symbols of C++ and Rust mean: comments,\nin JSON demangled' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const decodeCommand: CommandDescription = {
	name: 'order decode',
	usage: ['FILE... [--map MAP] [options]'],
	about: `Prints the functions that a program ran, in the order of their first execution.
FILE is told by what it holds:
  dumps of assay's runtime, with the map of the build
  .profraw, .profdata and text profiles of LLVM (17 and later) with
  -ftemporal-profile; llvm-profdata show --temporal-profile-traces
  .order files of clang 9 to 20 (-forder-file-instrumentation), with their map
  perf.data of samples or of page faults (perf record -e page-faults -c 1 -d),
  with --elf, and what perf script prints (-F comm,event,addr,ip,sym)
  what simpleperf report-sample --show-callchain prints, with --elf
  entries of functions as dtrace prints them, with columns or by depth (-F)
  the folder of uftrace record, or what uftrace dump or replay prints
  (--demangle=no)
  a folder with .gcda and .gcno files of GCC 12 and later (-fprofile-generate
  -fprofile-reorder-functions -ftest-coverage)
  logs of XRay as llvm-xray convert -f yaml prints them
  executed instructions: valgrind --tool=lackey --trace-mem=yes, with --elf
  lists of functions: symbols, addresses, or number, address and symbol, as
  tracers and hooks of -finstrument-functions write them
Of several traces the first comes first, then what is new in the second, and so
on.`,
	options: OPTIONS,
	examples: ['assay order decode examples/order/startup.profraw.gz'],
	exitStatus: `0 decoded, 2 wrong use, 3 unusable input, or one of which a part
             could not be used`,
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	if (parsed.positionals.length === 0) {
		throw new UsageError('a file is expected: a dump, a profile with temporal traces, or a list of functions');
	}
	const chosen = formatOption(parsed.value('format'));
	const trace = traceOption(parsed.value('trace'));
	context.progress.report(`reading ${parsed.positionals.join(', ')}`);
	const answer = await decodeOrder({
		files: parsed.positionals,
		maps: parsed.values('map'),
		program: parsed.value('elf'),
		trace,
		demangle: parsed.isSet('demangle'),
		workingDirectory: context.workingDirectory,
	});
	const { functions, traces, demangle } = answer;
	const format = chosen ?? (functions.length > 0 && functions.every(({ isMachO }) => isMachO === true) ? 'ld64' : 'lld');
	const problems = [...answer.problems];
	if (context.wantsJson) {
		context.json(answer.result(), problems);
	} else {
		const view = { functions, notes: notesOf(traces), ...(demangle === null ? {} : { demangle }) };
		const unwritable = writeOrderFile(context.writer, view, format);
		if (unwritable > 0) {
			problems.push(unwritableProblem(unwritable, format));
		}
		context.tell(problems);
	}
	return problems.some(({ severity }) => severity === 'error') ? EXIT.unusableInput : EXIT.done;
}

function formatOption(name: string | undefined): OrderFileFormat | undefined {
	const format = ORDER_FILE_FORMATS.find((one) => one === name);
	if (format === undefined && name !== undefined) {
		throw new UsageError(`--format takes ${ORDER_FILE_FORMATS.join(', ')}, not "${name}"`);
	}
	return format;
}

function traceOption(text: string | undefined): number | undefined {
	if (text !== undefined && !/^\d{1,9}$/.test(text)) {
		throw new UsageError(`--trace takes the number of a trace, from 0, not "${text}"`);
	}
	return text === undefined ? undefined : Number(text);
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
