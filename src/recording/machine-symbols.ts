/**
 * Symbols of this machine: of the programs and libraries on it, of its kernel, and of the code that the kernel maps into every process. A file is looked into
 * only where it surely is the one that was sampled: its build id is the recorded one or, where none was recorded, its number in the file system.
 */
import fs from 'node:fs';
import { memorySource } from '../bytes/source.js';
import { buildIdOfNotes, hasSymbolTable, readBuildId, readNativeSymbols } from '../formats/shared/elf/native-symbols.js';
import { type LibrarySymbols, type MappedLibrary, type NativeSymbol, type NativeSymbols, SymbolRanges } from '../model/native-symbols.js';
import { debugFileOf } from './debug-files.js';
import { fileSource } from './file-source.js';
import { KernelSymbols } from './kernel-symbols.js';
import { openNativeNames } from './native-names.js';

const KERNEL_SYMBOLS = '/proc/kallsyms';
const VDSO = '[vdso]';
const MAX_VDSO_BYTES = 1 << 20;

/** `held`: where files can be opened that may not be there any more, by the paths that they had. */
export async function machineSymbols(held: ReadonlyMap<string, string> = new Map()): Promise<NativeSymbols> {
	const meaning = await openNativeNames();
	let kernel: Kernel | null | undefined;
	return {
		symbolsOf(library) {
			try {
				if (library.kernelText !== null) {
					kernel ??= readKernel();
					const isSame =
						kernel !== null && kernel.symbols.text === library.kernelText && (!library.name.startsWith('[kernel') || isOf(library.buildId, kernel.buildId));
					return isSame && kernel !== null ? kernel.symbols : null;
				}
				if (library.name.startsWith('/')) {
					return namedFile(library, held.get(library.name) ?? library.name, meaning);
				}
				const symbols = library.name === VDSO ? vdsoSymbols() : null;
				return symbols === null ? null : named(symbols, meaning);
			} catch {
				// Files that cannot be read have no symbols.
				return null;
			}
		},
	};
}

/** An unknown build id is not another one. */
function isOf(recorded: string | null, own: string | null): boolean {
	return recorded === null || own === null || recorded === own;
}

function named(symbols: readonly NativeSymbol[], meaning: (symbol: string) => string): LibrarySymbols {
	const ranges = new SymbolRanges(symbols);
	return {
		find(address) {
			const symbol = ranges.find(address);
			return symbol === null ? null : { start: symbol.start, end: symbol.end, name: meaning(symbol.name) };
		},
	};
}

/** The libraries that were looked into last: of recordings that are read one after another most are the same, and the JVM's has 60,000 symbols. */
const lastFiles = new Map<string, LibrarySymbols | null>();
const MOST_FILES = 8;

function namedFile(library: MappedLibrary, file: string, meaning: (symbol: string) => string): LibrarySymbols | null {
	const stats = fs.statSync(file);
	const key = [library.name, library.buildId, library.inode, stats.ino, stats.size, stats.mtimeMs].join(' ');
	let symbols = lastFiles.get(key);
	if (symbols === undefined) {
		const read = fileSymbols(library, file, stats);
		symbols = read === null ? null : named(read, meaning);
	}
	lastFiles.delete(key);
	lastFiles.set(key, symbols);
	const [oldest] = lastFiles.keys();
	if (lastFiles.size > MOST_FILES && oldest !== undefined) {
		lastFiles.delete(oldest);
	}
	return symbols;
}

function fileSymbols({ name, buildId, inode }: MappedLibrary, file: string, stats: fs.Stats): NativeSymbol[] | null {
	if (!stats.isFile() || (buildId === null && stats.ino !== inode)) {
		return null;
	}
	const program = fileSource(file, name, stats.size);
	try {
		const own = readBuildId(program);
		if (buildId !== null && own !== buildId) {
			return null;
		}
		const debug = hasSymbolTable(program) ? null : debugFileOf(program, name, []);
		try {
			return readNativeSymbols(program, debug ?? program);
		} finally {
			debug?.close();
		}
	} finally {
		program.close();
	}
}

/** What the kernel maps into every process, ours too: an ELF file; null where there is none. */
export function readVdso(): Buffer | null {
	const [, start = '', end = ''] = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m.exec(fs.readFileSync('/proc/self/maps', 'latin1')) ?? [];
	const length = Number(BigInt(`0x${end || 0}`) - BigInt(`0x${start || 0}`));
	if (!(length > 0 && length <= MAX_VDSO_BYTES)) {
		return null;
	}
	const bytes = Buffer.alloc(length);
	const memory = fs.openSync('/proc/self/mem', 'r');
	try {
		fs.readSync(memory, bytes, 0, length, BigInt(`0x${start}`));
	} finally {
		fs.closeSync(memory);
	}
	return bytes;
}

function vdsoSymbols(): NativeSymbol[] | null {
	const bytes = readVdso();
	const source = bytes === null ? null : memorySource(VDSO, bytes);
	return source === null ? null : readNativeSymbols(source, source);
}

interface Kernel {
	readonly buildId: string | null;
	/** Of its modules too: their addresses are others. */
	readonly symbols: KernelSymbols;
}

/** null: this user may not see where it lies. */
function readKernel(): Kernel | null {
	const symbols = new KernelSymbols(fs.readFileSync(KERNEL_SYMBOLS));
	return symbols.text === null ? null : { buildId: kernelBuildId(), symbols };
}

function kernelBuildId(): string | null {
	return buildIdOfNotes(fs.readFileSync('/sys/kernel/notes'), true);
}
