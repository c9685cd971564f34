/**
 * Linking instrumented programs: with the runtime, and with the map of what was linked. Bitcode among the inputs is optimized first, as the linker would
 * have done it, then instrumented and compiled: with ThinLTO an index-only link and a backend compile for each module, with full LTO the
 * merged module that the linker gives. https://clang.llvm.org/docs/ThinLTO.html, "Distributed".
 */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../model/problem.js';
import { readEmbeddedMap } from '../recording/embedded-order-map.js';
import { openFile } from '../recording/file-source.js';
import { RUNTIME_FOLDER } from '../recording/runtime-folder.js';
import { archiveMembers, headOf, isBitcode } from './archive.js';
import { generateCode, instrumentIr } from './compile.js';
import { type CompilerArguments, codegenOptions, isForMachO, targetOptions } from './compiler-arguments.js';
import { type Choice, mapOf, writeMapFile } from './instrument-modules.js';
import { runCompiler, temporary, type Workshop } from './tools.js';

/** Children that end by _exit tell what they ran, too; on other systems the runtime has nothing to end with. */
const END_OPTIONS = process.platform === 'linux' ? ['-Wl,--wrap=_exit,--wrap=_Exit'] : [];

/** What the linker gets, in order; a bitcode module is a word of its own. */
interface LinkWord {
	readonly word: string;
	/** Where the module came from, for its name. */
	readonly bitcode: string | null;
}

/**
 * Links. `objects` are the outputs of the inputs that were compiled, by their index among the words. `warn` gets what the user has to know.
 */
export async function link(
	shop: Workshop,
	line: CompilerArguments,
	objects: ReadonlyMap<number, string>,
	choice: Choice,
	mapFile: string | null,
	warn: (text: string) => void,
): Promise<void> {
	const output = line.output ?? 'a.out';
	const { words, hasBitcode } = linkWords(shop, line, objects);
	const isMachO = isForMachO(line, process.platform);
	const runtime = line.isRelocatable ? [] : [compileRuntime(shop, line, isMachO), ...(isMachO ? [] : END_OPTIONS)];
	if (isMachO && hasBitcode) {
		throw new InputError({
			severity: 'error',
			file: output,
			message: 'link-time optimization of Mach-O programs is not instrumented',
			action: 'build without -flto',
		});
	}
	if (isMachO) {
		// Constructors run in the order of the link.
		runCompiler(shop, [...runtime, ...words.map(({ word }) => word), '-o', output]);
	} else if (!hasBitcode) {
		runCompiler(shop, [...words.map(({ word }) => word), ...runtime, '-o', output]);
	} else {
		const compiled = line.lto === 'thin' ? await thinLto(shop, line, words, runtime, choice) : await fullLto(shop, line, words, runtime, choice);
		runCompiler(shop, [...compiled, ...runtime, '-o', output]);
	}
	if (!line.isRelocatable) {
		await writeMergedMap(path.resolve(shop.workingDirectory, output), mapFile ?? `${path.resolve(shop.workingDirectory, output)}.order-map.json`, choice, warn);
	}
}

function compileRuntime(shop: Workshop, line: CompilerArguments, isMachO: boolean): string {
	const object = temporary(shop, 'assay_order.o');
	const hasHeaders = !isMachO || process.platform === 'darwin' || line.words.some((word) => /^(?:-isysroot|--sysroot)/.test(word)) || 'SDKROOT' in process.env;
	runCompiler(shop, [
		'-Qunused-arguments',
		...targetOptions(line),
		'-O2',
		'-w',
		'-fPIC',
		...(line.words.includes('-shared') ? ['-DASSAY_ORDER_LIBRARY'] : []),
		...(hasHeaders ? [] : ['-nostdlibinc']),
		'-c',
		'-x',
		'c',
		path.join(RUNTIME_FOLDER, 'assay_order.c'),
		'-o',
		object,
	]);
	return object;
}

/** The words for the linker: sources replaced by their objects, bitcode out of libraries. */
function linkWords(shop: Workshop, line: CompilerArguments, objects: ReadonlyMap<number, string>): { words: LinkWord[]; hasBitcode: boolean } {
	const words: LinkWord[] = [];
	const add = (word: string, bitcode: string | null = null): void => {
		words.push({ word, bitcode });
	};
	const inputs = new Set(line.inputs.map(({ index }) => index));
	const folders = libraryFolders(line);
	let isWhole = false;
	let hasBitcode = false;
	const addFile = (word: string, file: string, origin = word): void => {
		if (isBitcode(headOf(file, 4))) {
			hasBitcode = true;
			add(moduleFile(shop, fs.readFileSync(file)), origin);
			return;
		}
		const members = archiveMembers(file);
		if (members === null || !members.some(({ read }) => isBitcode(read()))) {
			add(word);
			return;
		}
		hasBitcode = true;
		if (!isWhole) {
			add('-Wl,--start-lib');
		}
		for (const { name, read } of members) {
			const bytes = read();
			add(moduleFile(shop, bytes), isBitcode(bytes) ? `${word}(${name})` : null);
		}
		if (!isWhole) {
			add('-Wl,--end-lib');
		}
	};
	for (let i = 0; i < line.words.length; i++) {
		const word = line.words[i]!;
		const value = line.values.has(i + 1) ? line.words[i + 1] : undefined;
		const object = objects.get(i);
		if (object !== undefined) {
			addFile(object, object, word);
		} else if (value !== undefined && /^(?:-o|--output|-x|--language|-MF|-MT|-MQ|-MJ)$/.test(word)) {
			i++;
		} else if (/^-(?:x.+|o.+|MD|MMD|MP|MG|M[FTQJ].+)$/.test(word)) {
			// Of the compilation, which is done.
		} else if (inputs.has(i) || (value !== undefined && inputs.has(i + 1))) {
			const name = value ?? word;
			const library = word === '-l' ? name : word.startsWith('-l') ? word.slice(2) : null;
			const found = library === null ? path.resolve(shop.workingDirectory, name) : findLibrary(shop, folders, library);
			if (found === null) {
				add(word);
				if (value !== undefined) {
					add(value);
				}
			} else {
				addFile(word.startsWith('-l') ? `-l${library}` : word, found);
			}
			i += value === undefined ? 0 : 1;
		} else {
			isWhole = /--whole-archive$/.test(word) && !/--no-whole-archive$/.test(word) ? true : /--no-whole-archive$/.test(word) ? false : isWhole;
			add(word);
			if (value !== undefined) {
				add(value);
				i++;
				isWhole = value === '--whole-archive' ? true : value === '--no-whole-archive' ? false : isWhole;
			}
		}
	}
	return { words, hasBitcode };
}

function moduleFile(shop: Workshop, bytes: Uint8Array): string {
	const file = temporary(shop, 'module.o');
	fs.writeFileSync(file, bytes);
	return file;
}

function libraryFolders(line: CompilerArguments): string[] {
	return line.words.flatMap((word, i) =>
		line.values.has(i) ? [] : word === '-L' && line.words[i + 1] !== undefined ? [line.words[i + 1]!] : /^-L./.test(word) ? [word.slice(2)] : [],
	);
}

/** The static library that `-lNAME` means in the given folders; null: a shared one, or one of the system. */
function findLibrary(shop: Workshop, folders: readonly string[], name: string): string | null {
	for (const folder of folders) {
		const base = path.resolve(shop.workingDirectory, folder);
		const names = name.startsWith(':') ? [name.slice(1)] : [`lib${name}.so`, `lib${name}.a`];
		for (const file of names.map((one) => path.join(base, one))) {
			if (fs.existsSync(file)) {
				return file.endsWith('.a') ? file : null;
			}
		}
	}
	return null;
}

/** lld alone can stop behind the optimizer in the ways that are needed. */
function withLld(line: CompilerArguments): string[] {
	return line.words.some((word) => /^-fuse-ld=.*lld|^--ld-path=.*lld/.test(word)) ? [] : ['-fuse-ld=lld'];
}

function backendOptions(line: CompilerArguments): string[] {
	const options = codegenOptions(line);
	return [...(options.some((word) => /^-O/.test(word)) ? [] : ['-O2']), '-fPIC', '-ffunction-sections', '-fdata-sections', ...options];
}

/** Words in which every bitcode module that the linker takes is replaced by its instrumented object, and the others are left out. */
async function thinLto(shop: Workshop, line: CompilerArguments, words: readonly LinkWord[], runtime: readonly string[], choice: Choice): Promise<string[]> {
	const list = temporary(shop, 'modules.txt');
	const unused = temporary(shop, 'unused');
	runCompiler(shop, [...words.map(({ word }) => word), ...withLld(line), ...runtime, `-Wl,--thinlto-index-only=${list}`, '-o', unused]);
	const taken = new Set(fs.readFileSync(list, 'utf8').split('\n'));
	const modules = words.filter(({ word, bitcode }) => bitcode !== null && taken.has(word));
	const objects = new Map<string, string>();
	const options = backendOptions(line);
	for (const { word } of modules) {
		const ir = temporary(shop, 'module.ll');
		runCompiler(shop, ['-Qunused-arguments', ...options, `-fthinlto-index=${word}.thinlto.bc`, '-S', '-emit-llvm', '-x', 'ir', word, '-o', ir]);
		const instrumented = await instrumentIr(shop, line, ir, choice);
		const object = temporary(shop, 'module.o');
		generateCode(shop, instrumented, object, options);
		objects.set(word, object);
	}
	return words
		.flatMap(({ word, bitcode }) => (bitcode === null ? (/^-flto/.test(word) ? [] : [word]) : objects.has(word) ? [objects.get(word)!] : []))
		.concat(withLld(line));
}

/** Words in which the first bitcode module is replaced by the object of all, and the others are left out. */
async function fullLto(shop: Workshop, line: CompilerArguments, words: readonly LinkWord[], runtime: readonly string[], choice: Choice): Promise<string[]> {
	const merged = temporary(shop, 'merged.bc');
	runCompiler(shop, [...words.map(({ word }) => word), ...withLld(line), ...runtime, '-Wl,--lto-emit-llvm', '-o', merged]);
	const folder = path.dirname(merged);
	const parts = fs
		.readdirSync(folder)
		.filter((name) => name.startsWith('merged.bc'))
		.map((name) => path.join(folder, name))
		.filter((file) => isBitcode(headOf(file, 4)));
	const options = backendOptions(line);
	const objects: string[] = [];
	for (const part of parts) {
		const ir = temporary(shop, 'merged.ll');
		runCompiler(shop, ['-Qunused-arguments', '-Xclang', '-disable-llvm-passes', '-S', '-emit-llvm', '-x', 'ir', part, '-o', ir]);
		const instrumented = await instrumentIr(shop, line, ir, choice);
		const object = temporary(shop, 'merged.o');
		generateCode(shop, instrumented, object, options);
		objects.push(object);
	}
	let isFirst = true;
	return words
		.flatMap(({ word, bitcode }) => {
			if (bitcode === null) {
				return /^-flto/.test(word) ? [] : [word];
			}
			const now = isFirst ? objects : [];
			isFirst = false;
			return now;
		})
		.concat(withLld(line));
}

/** The map of everything that was linked, as the linker put it together in the output. */
async function writeMergedMap(output: string, mapFile: string, choice: Choice, warn: (text: string) => void): Promise<void> {
	if (!fs.existsSync(output) || !fs.statSync(output).isFile()) {
		return;
	}
	const { source } = await openFile(output, output);
	const { map, damaged } = readEmbeddedMap(source);
	source.close();
	if (damaged > 0) {
		warn(`the maps of ${damaged} modules in ${output} are damaged and are left out of ${mapFile}; compile their sources again`);
	}
	const { modules = [], bufferEntries = choice.bufferEntries, isRing = choice.isRing } = map ?? {};
	writeMapFile(mapOf(modules, { ...choice, bufferEntries, isRing }), mapFile);
}
