/** One source to instrumented code: optimized IR, instrumentation, code. */
import path from 'node:path';
import type { OrderMapModule } from '../model/order-map.js';
import { openFile } from '../recording/file-source.js';
import type { ModuleName } from '../startup/module-id.js';
import { moduleIdOf } from '../startup/module-id.js';
import { type CompilerArguments, type CompilerInput, codegenOptions, compileOptions, dependencyDefaults } from './compiler-arguments.js';
import { embeddedMapText } from './embedded-map.js';
import { type Choice, describeModule, mapOf, scanModule, writeInstrumented } from './instrument-modules.js';
import { runCompiler, temporary, type Workshop } from './tools.js';

/** Compiles one input to `output`: an object, or with `-S` assembly. With link-time optimization the object is bitcode and is instrumented at link time. */
export async function compileInput(shop: Workshop, line: CompilerArguments, input: CompilerInput, output: string, choice: Choice): Promise<void> {
	const emit = line.mode === 'assembly' ? '-S' : '-c';
	const dependencies = dependencyDefaults(line, output);
	const options = compileOptions(line, input);
	if (input.kind === 'assembly' || line.lto !== 'none') {
		runCompiler(shop, [emit, ...options, ...dependencies, '-o', output]);
		return;
	}
	const ir = temporary(shop, `${path.basename(input.file).replace(/[^\w.+-]/g, '_')}.ll`);
	runCompiler(shop, ['-S', '-emit-llvm', ...options, ...dependencies, '-o', ir]);
	const identity = [path.resolve(shop.workingDirectory, input.file), path.resolve(shop.workingDirectory, output)];
	const isTemporary = output.startsWith(shop.folder);
	const id = moduleIdOf(`${identity[0]}\n${isTemporary ? path.resolve(shop.workingDirectory, line.output ?? 'a.out') : identity[1]}`);
	const instrumented = await instrumentIr(shop, ir, (source) => ({ name: source, id }), choice);
	generateCode(shop, instrumented, output, codegenOptions(line), emit);
}

/** Instruments a file of IR text; gives the file with the new text, the module's map embedded. */
export async function instrumentIr(shop: Workshop, ir: string, nameOf: (source: string) => ModuleName, choice: Choice): Promise<string> {
	const { source } = await openFile(ir, ir);
	const scanned = scanModule(source);
	const module: OrderMapModule = describeModule(scanned, nameOf(scanned.ir.sourceFilename ?? ir), choice);
	const instrumented = temporary(shop, path.basename(ir));
	const embedded = module.functions.length === 0 ? '' : embeddedMapText(mapOf([module], choice));
	writeInstrumented(scanned, module, choice, instrumented, embedded);
	source.close();
	return instrumented;
}

/** IR to code, nothing optimized again: inlining would copy what was put in. */
export function generateCode(shop: Workshop, ir: string, output: string, options: readonly string[], emit: '-c' | '-S' = '-c'): void {
	runCompiler(shop, ['-Qunused-arguments', ...options, '-Xclang', '-disable-llvm-passes', emit, '-x', 'ir', ir, '-o', output]);
}
