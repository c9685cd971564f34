/** `assay order run`: from a build command to what an order is worth, in one command. */
import { runOrder } from '../../answers/order/run.js';
import { InputError, UsageError } from '../../model/problem.js';
import { CommandFailed } from '../../recording/build/command-failed.js';
import { watchInterrupts } from '../../recording/record/interrupts.js';
import { writeRunText } from '../../render/order-run-text.js';
import { visible } from '../../render/visible.js';
import { COMPILERS, findCompiler } from '../../toolchain/compiler-driver.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from '../options.js';

const DEFAULT_FOLDER = 'assay-order';
const DEFAULT_PAIRS = 20;
const INTERRUPTED = 130;

const OPTIONS: readonly OptionSpec[] = [
	{
		name: 'workload',
		short: 'w',
		value: "'LINE'",
		isMultiple: true,
		help: 'a line for the shell that runs the program, where the\nbuild runs; "$PROGRAM" is its path; may be given several\ntimes (the program without arguments)',
	},
	{
		name: 'blocks',
		help: 'also split what ran of each function from what did not,\nby basic blocks: clang 19 and newer, valgrind; one more\nbuild and its link, and workloads 50 times as long',
	},
	{ name: 'program', value: 'PATH', isFile: true, help: "which of the build's programs; or a shared library" },
	{ name: 'source', value: 'DIR', isFile: true, help: 'the folder that is copied and built (.)' },
	{ name: 'all-files', help: 'copy also what git ignores' },
	{ name: 'output', short: 'o', value: 'FOLDER', isFile: true, help: `where everything goes (${DEFAULT_FOLDER})` },
	{ name: 'runs', value: 'N', help: `pairs of timed runs of each workload (${DEFAULT_PAIRS})` },
	{ name: 'drop-caches', help: 'as root: before a cold run drop the whole page cache of\nthe machine, not the file of the program alone' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const runOrderCommand: CommandDescription = {
	name: 'order run',
	usage: ["[--workload 'LINE'...] [options] -- BUILD COMMAND..."],
	about: `Copies the source and builds it three times: instrumented (trace), as it is
(plain), and with the order that is made of what the workloads ran first
(order). Then plain and order are run in turn and compared: pages, page faults
and milliseconds. At the end stands what keeps the order in the project's build.

The build needs clang and lld. However it calls its compiler ($CC, cc, gcc,
clang, also by CMake, Meson and configure), it gets clang: the newest, or
ASSAY_CC and ASSAY_CXX. Of a work tree of git what git ignores is not copied;
elsewhere let the build begin with make clean. Nothing outside of FOLDER is
written; an earlier run in it is replaced.`,
	options: OPTIONS,
	examples: ["assay order run --workload './app --help' -- make -j2", "assay order run -w '\"$PROGRAM\" in.txt' -- sh -c 'cmake . && make'"],
	examplesTitle: 'examples:',
	exitStatus: `0 measured, also where nothing was won; 1 the build or a workload
             failed; 2 wrong use; 3 no clang or lld, no program or no trace
             of it; 130 interrupted`,
	takesCommand: true,
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const build = parsed.command ?? [];
	if (parsed.positionals.length > 0 || build.length === 0) {
		throw new UsageError("the command that builds goes after --: assay order run --workload './app' -- make");
	}
	const interrupted = new AbortController();
	const end = (): void => interrupted.abort(new Interrupted());
	const stopWatching = watchInterrupts({ interrupt: end, kill: end, terminate: end });
	try {
		const { outcome, problems } = await runOrder({
			build,
			workloads: parsed.values('workload'),
			program: parsed.value('program') ?? null,
			source: parsed.value('source') ?? '.',
			isAll: parsed.isSet('all-files'),
			hasBlocks: parsed.isSet('blocks'),
			folder: parsed.value('output') ?? DEFAULT_FOLDER,
			pairs: positiveInteger(parsed, 'runs') ?? DEFAULT_PAIRS,
			dropped: parsed.isSet('drop-caches') ? 'everything' : 'program',
			compilers: { c: compilerOf('c'), cxx: compilerOf('c++') },
			workingDirectory: context.workingDirectory,
			environment: process.env,
			progress: context.progress,
			signal: interrupted.signal,
		});
		if (context.wantsJson) {
			context.json(outcome, problems);
		} else {
			context.tell(problems);
			writeRunText(context.writer, outcome, context.terminal);
		}
		return EXIT.done;
	} catch (error) {
		if (interrupted.signal.aborted) {
			context.progress.end();
			context.io.err('assay order run: interrupted; what was begun has been ended\n');
			return INTERRUPTED;
		}
		if (!(error instanceof CommandFailed)) {
			throw error;
		}
		if (context.wantsJson) {
			context.json({}, [error.problem]);
		}
		context.tell([error.problem]);
		for (const line of error.lines) {
			context.io.err(`  ${visible(line)}\n`);
		}
		return EXIT.no;
	} finally {
		stopWatching();
	}
}

class Interrupted extends Error {}

function compilerOf(language: keyof typeof COMPILERS): string[] {
	const compiler = findCompiler(language, process.env);
	const { variable, name } = COMPILERS[language];
	if (compiler === null) {
		throw new InputError({ severity: 'error', file: name, message: 'is not on the path', action: `install clang 15 to 22, or set ${variable} to it` });
	}
	return compiler;
}
