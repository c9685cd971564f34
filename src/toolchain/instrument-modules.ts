/** Instruments modules of LLVM IR text: reads each twice, first what has to be known of it, then to copy it with the changes. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Source } from '../bytes/source.js';
import { type IrModule, readIrModule } from '../formats/llvm-ir/read.js';
import { rewriteIr } from '../formats/llvm-ir/rewrite.js';
import { writeOrderMap } from '../formats/order-map/write.js';
import { combineHashes, type OrderMap, type OrderMapFunction, type OrderMapModule } from '../model/order-map.js';
import { InputError } from '../model/problem.js';
import { createOutputFile } from '../recording/output-file.js';
import { CONTINUATION, globalsText, type InstrumentationOptions, type ModuleToInstrument, prologueText, whyOmitted } from '../startup/instrumentation.js';
import type { ModuleName } from '../startup/module-id.js';

/** How functions are chosen: patterns of symbols, `*` for any text. Without `only` all. */
export interface Choice extends InstrumentationOptions {
	readonly only: readonly string[];
	readonly skip: readonly string[];
}

/** A module that was read once. */
export interface ScannedModule {
	readonly source: Source;
	readonly ir: IrModule;
	/** Of its text without the names of files that it begins with, in hexadecimal digits: the same wherever it is built. */
	readonly textHash: string;
}

export function scanModule(source: Source): ScannedModule {
	const hash = crypto.createHash('blake2b512');
	const ir = readIrModule(source, (bytes) => hash.update(bytes));
	if (ir.isInstrumented) {
		throw unsuitable(source, 'the module is instrumented already', 'give the module as the compiler wrote it');
	}
	if (ir.triple !== null && /windows|win32|msvc|mingw|cygwin|uefi|wasm|nvptx|amdgcn|spir|bpf|aix/.test(ir.triple)) {
		throw unsuitable(
			source,
			`the target ${ir.triple} is not supported`,
			'instrumented programs are ELF programs of a Unix, or Mach-O programs of Apple systems',
		);
	}
	return { source, ir, textHash: hash.digest('hex') };
}

/** What the map says of a module. */
export function describeModule({ ir, textHash }: ScannedModule, { name, id }: ModuleName, choice: Choice): OrderMapModule {
	const only = choice.only.map(symbolPattern);
	const skip = choice.skip.map(symbolPattern);
	/** Patterns may leave out the underscore of Mach-O. */
	const isLike = (pattern: RegExp, symbol: string): boolean => pattern.test(symbol) || (ir.isMachO && symbol.startsWith('_') && pattern.test(symbol.slice(1)));
	const isOnly = (symbol: string): boolean => only.length === 0 || only.some((pattern) => isLike(pattern, symbol));
	const isSkipped = (symbol: string): boolean => skip.some((pattern) => isLike(pattern, symbol));
	const functions: OrderMapFunction[] = [];
	const omitted: OrderMapModule['omitted'][number][] = [];
	for (const found of ir.functions) {
		const reason = whyOmitted(found, isOnly, isSkipped);
		if (reason === null) {
			const { symbol, linkage, comdat, file, line } = found;
			functions.push({ symbol, linkage, comdat: comdat === symbol ? null : comdat, file, line });
		} else {
			omitted.push({ symbol: found.symbol, reason });
		}
	}
	const { bufferEntries, isRing, bitmap } = choice;
	const hash = crypto
		.createHash('sha256')
		.update(JSON.stringify([textHash, id, bufferEntries, isRing, bitmap, functions.map(({ symbol }) => symbol)]))
		.digest('hex')
		.slice(0, 16);
	return { id, name, source: ir.sourceFilename ?? '', hash, ...(ir.isMachO ? { isMachO: true } : {}), functions, omitted };
}

/** Writes the instrumented module, `more` text before its functions; the text is complete or the file is not there. */
export function writeInstrumented({ source, ir }: ScannedModule, module: OrderMapModule, options: InstrumentationOptions, outputPath: string, more = ''): void {
	const left = new Set<number>();
	const omitted = module.omitted.map(({ symbol }) => symbol);
	let next = 0;
	ir.functions.forEach(({ symbol }, index) => {
		if (next < omitted.length && omitted[next] === symbol) {
			left.add(index);
			next++;
		}
	});
	const { isBigEndian, pointerBits, isMachO } = ir;
	const target: ModuleToInstrument = { id: module.id, hash: module.hash, functionCount: module.functions.length, isBigEndian, pointerBits, isMachO };
	let number = 0;
	const prologue = (index: number): string | null => (left.has(index) ? null : prologueText(target, number++, options));
	const globals = module.functions.length === 0 ? more : globalsText(target, options) + more;
	fs.mkdirSync(path.dirname(outputPath), { recursive: true });
	writeWhole(outputPath, (write) => rewriteIr(source, { globals, prologue, continuation: CONTINUATION }, write));
}

export function mapOf(modules: readonly OrderMapModule[], { bufferEntries, isRing }: InstrumentationOptions): OrderMap {
	return { buildId: combineHashes(modules.map(({ hash }) => hash)), bufferEntries, isRing, modules };
}

/** Whole or not at all: parallel builds may write the same map. */
export function writeMapFile(map: OrderMap, filePath: string): void {
	writeWhole(filePath, (write) => writeOrderMap(map, (text) => write(Buffer.from(text))));
}

function writeWhole(filePath: string, produce: (write: (bytes: Uint8Array) => void) => void): void {
	const file = createOutputFile(filePath);
	try {
		produce(file.write);
		file.end();
	} catch (error) {
		file.discard();
		throw error;
	}
}

function symbolPattern(pattern: string): RegExp {
	return new RegExp(
		`^${pattern
			.split('*')
			.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
			.join('.*')}$`,
		's',
	);
}

function unsuitable(source: Source, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file: source.name, message, action });
}
