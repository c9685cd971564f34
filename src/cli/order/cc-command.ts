/** `assay order cc`: a compiler driver for CC and CXX whose programs log the first execution of their functions. */
import path from 'node:path';
import { formatProblem, InputError, UsageError } from '../../model/problem.js';
import { visible } from '../../render/visible.js';
import { responseWords } from '../../toolchain/compiler-arguments.js';
import { COMPILERS, driveCompiler, findCompiler, splitCompilerCommand } from '../../toolchain/compiler-driver.js';
import { runToolOf, ToolFailed, ToolMissing } from '../../toolchain/tools.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';
import { CHOICE_OPTIONS, choiceOf } from './choice-options.js';

const TOOLS = ['llvm-ar', 'llvm-ranlib'];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'map', value: 'MAP.json', isFile: true, help: 'where linking writes the map (OUTPUT.order-map.json)' },
	...CHOICE_OPTIONS,
	{
		name: 'driver',
		value: 'c|c++',
		choices: Object.keys(COMPILERS),
		help: 'take the compiler from ASSAY_CC or ASSAY_CXX, or\nthe newest clang or clang++ there is',
	},
	{
		name: 'tool',
		value: 'llvm-ar|llvm-ranlib',
		choices: TOOLS,
		help: "run this program of the compiler's, as it is: CMake looks\nfor assay-llvm-ar and assay-llvm-ranlib",
	},
	{ name: 'help', help: 'print this' },
];

export const ccCommand: CommandDescription = {
	name: 'order cc',
	usage: ['[options] -- clang ARGUMENTS...'],
	programs: ['assay-cc ARGUMENTS...', 'assay-c++ ARGUMENTS...'],
	about: `Compiles and links as clang does, and makes the program log the first execution
of every function: optimizes to IR, instruments, generates code; at the end
links the runtime and writes the map of what was linked beside the output. Works
with archives, with -flto=thin and with -flto (which need lld). What compiles
nothing (-E, -M, --version and the like) goes to clang as it is.

assay-cc and assay-c++ are one word, for CC and CXX:
  ./configure CC=assay-cc CXX=assay-c++ && make -j8
  cmake -DCMAKE_C_COMPILER=assay-cc -DCMAKE_CXX_COMPILER=assay-c++ ...
Options for them go into ASSAY_ORDER_CC_OPTIONS, as in
  ASSAY_ORDER_CC_OPTIONS="--skip 'debug*' --buffer-entries 200000"`,
	options: OPTIONS,
	examples: ['assay order cc -- clang -O2 -c hello.c -o hello.o'],
	examplesTitle: 'example:',
	exitStatus: "that of clang; 1 clang's IR cannot be instrumented, 2 wrong use",
	takesCommand: true,
	words: (argv) => [...responseWords(process.env.ASSAY_ORDER_CC_OPTIONS ?? ''), ...argv],
	run,
};

async function run(parsed: ParsedOptions, { io, workingDirectory }: CommandContext): Promise<number> {
	const words = parsed.command;
	if (words === null || parsed.positionals.length > 0) {
		throw new UsageError('-- and the command of the compiler are expected, as in assay order cc -- clang -O2 -c a.c');
	}
	const driver = parsed.value('driver');
	const [compiler, rest] = driver === undefined ? splitCompilerCommand(words) : [compilerOf(driver), words];
	if (compiler.length === 0) {
		throw new UsageError('a compiler is expected behind --');
	}
	const mapOption = parsed.value('map');
	const choice = choiceOf(parsed);
	const tool = parsed.value('tool');
	try {
		if (tool !== undefined) {
			runToolOf(compiler, tool, rest, workingDirectory);
			return EXIT.done;
		}
		await driveCompiler({
			compiler,
			arguments: rest,
			choice,
			mapFile: mapOption === undefined ? null : path.resolve(workingDirectory, mapOption),
			workingDirectory,
			warn: (text) => io.err(`assay order cc: ${visible(text)}\n`),
		});
		return EXIT.done;
	} catch (error) {
		// The exit status is that of a compiler, so that build systems take it for one.
		if (error instanceof ToolFailed) {
			if (tool === undefined && !compiler.some((word) => /clang/.test(path.basename(word)))) {
				io.err(`assay order cc: if ${visible(compiler.join(' '))} is not clang 15 or later, it cannot be used: other compilers give no LLVM IR\n`);
			}
			return error.status;
		}
		if (error instanceof UsageError) {
			throw error;
		}
		io.err(`assay order cc: ${visible(error instanceof InputError ? formatProblem(error.problem) : (error as Error).message)}\n`);
		return error instanceof ToolMissing ? 127 : EXIT.no;
	}
}

function compilerOf(driver: string): string[] {
	if (driver !== 'c' && driver !== 'c++') {
		throw new UsageError(`--driver takes c or c++, not "${driver}"`);
	}
	const { variable, name } = COMPILERS[driver];
	const compiler = findCompiler(driver, process.env);
	if (compiler === null) {
		throw new UsageError(`${name} is not on the path; set ${variable} to the compiler (clang 15 to 22)`);
	}
	return compiler;
}
