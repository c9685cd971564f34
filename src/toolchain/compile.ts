/** One source to instrumented code: optimized IR, instrumentation, code. */
import path from 'node:path';
import type { OrderMapModule } from '../model/order-map.js';
import { InputError } from '../model/problem.js';
import { openFile } from '../recording/file-source.js';
import { moduleIdOf } from '../startup/module-id.js';
import { headOf } from './archive.js';
import { type CompilerArguments, type CompilerInput, codegenOptions, compileOptions, dependencyDefaults } from './compiler-arguments.js';
import { embeddedMapText } from './embedded-map.js';
import { type Choice, describeModule, mapOf, scanModule, writeInstrumented } from './instrument-modules.js';
import { runCompiler, temporary, type Workshop } from './tools.js';

/** So begins what clang writes of a module as text. */
const MODULE_ID = Buffer.from('; ModuleID = ');

/**
 * Compiles one input to `output`: an object, or with `-S` assembly. With link-time optimization the object is bitcode and is instrumented at link time. `debugFile`: where
 * split debug information goes; null: beside the output.
 */
export async function compileInput(
	shop: Workshop,
	line: CompilerArguments,
	input: CompilerInput,
	output: string,
	choice: Choice,
	debugFile: string | null = null,
): Promise<void> {
	const emit = line.mode === 'assembly' ? '-S' : '-c';
	const dependencies = dependencyDefaults(line, output);
	const options = compileOptions(line, input);
	if (input.kind === 'assembly' || line.lto !== 'none') {
		runCompiler(shop, [emit, ...options, ...dependencies, '-o', output]);
		return;
	}
	const ir = temporary(shop, `${path.basename(input.file).replace(/[^\w.+-]/g, '_')}.ll`);
	runCompiler(shop, ['-S', '-emit-llvm', ...options, ...dependencies, '-o', ir]);
	if (!headOf(ir, MODULE_ID.length).equals(MODULE_ID)) {
		// gcc takes -emit-llvm for an entry point and writes assembly.
		throw new InputError({
			severity: 'error',
			file: shop.compiler.join(' '),
			message: 'does not write LLVM IR',
			action: 'a clang is needed, 15 to 22: name one with ASSAY_CC and ASSAY_CXX, or behind --',
		});
	}
	const instrumented = await instrumentIr(shop, line, ir, choice);
	const split = debugFile === null ? [] : ['-split-dwarf-file', '-split-dwarf-output'].flatMap((option) => ['-Xclang', option, '-Xclang', debugFile]);
	generateCode(shop, instrumented, output, [...codegenOptions(line), ...split], emit);
}

/**
 * Instruments a file of IR text; gives the file with the new text, the module's map embedded. Its number is made of what it holds and is called, so that a build in
 * another folder gives the same; two modules of the same number are the same.
 */
export async function instrumentIr(shop: Workshop, line: CompilerArguments, ir: string, choice: Choice): Promise<string> {
	const { source } = await openFile(ir, ir);
	const scanned = scanModule(source);
	const name = portableName(scanned.ir.sourceFilename ?? '', line, shop.workingDirectory);
	const module: OrderMapModule = { ...describeModule(scanned, { name, id: moduleIdOf(`${scanned.textHash}\n${name}`) }, choice), source: name };
	const instrumented = temporary(shop, path.basename(ir));
	const embedded = module.functions.length === 0 ? '' : embeddedMapText(mapOf([module], choice), scanned.ir.isMachO);
	writeInstrumented(scanned, module, choice, instrumented, embedded);
	source.close();
	return instrumented;
}

/** As the options say that folders are called in what is built; else relative to the folder of the build, which may be anywhere. */
function portableName(file: string, { words }: CompilerArguments, workingDirectory: string): string {
	for (const word of words.toReversed()) {
		const [, from = '', to = ''] = /^-f(?:file|debug|macro)-prefix-map=([^=]+)=(.*)$/.exec(word) ?? [];
		if (from !== '' && file.startsWith(from)) {
			return to + file.slice(from.length);
		}
	}
	return path.isAbsolute(file) ? path.relative(workingDirectory, file) : file;
}

/** IR to code, nothing optimized again: inlining would copy what was put in. */
export function generateCode(shop: Workshop, ir: string, output: string, options: readonly string[], emit: '-c' | '-S' = '-c'): void {
	runCompiler(shop, ['-Qunused-arguments', ...options, '-Xclang', '-disable-llvm-passes', emit, '-x', 'ir', ir, '-o', output]);
}
