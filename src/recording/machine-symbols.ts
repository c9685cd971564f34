/**
 * Symbols of this machine: of the programs and libraries on it, of its kernel, and of the code that the kernel maps into every process. A file is looked into
 * only where it surely is the one that was sampled: its build id is the recorded one or, where none was recorded, its number in the file system.
 */
import fs from 'node:fs';
import { memorySource, type Source } from '../bytes/source.js';
import { buildIdOfNotes, hasSymbolTable, readBuildId, readNativeSymbols } from '../formats/shared/elf/native-symbols.js';
import { type LibrarySymbols, type MappedLibrary, type NativeSymbol, type NativeSymbols, SymbolRanges } from '../model/native-symbols.js';
import { fileSource } from './file-source.js';
import { KernelSymbols } from './kernel-symbols.js';
import { openNativeNames } from './native-names.js';

const KERNEL_SYMBOLS = '/proc/kallsyms';
const DEBUG_FOLDER = '/usr/lib/debug';
const MAX_VDSO_BYTES = 1 << 20;

export async function machineSymbols(): Promise<NativeSymbols> {
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
				const symbols = library.name === '[vdso]' ? vdsoSymbols() : library.name.startsWith('/') ? fileSymbols(library) : null;
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

function fileSymbols({ name, buildId, inode }: MappedLibrary): NativeSymbol[] | null {
	const stats = fs.statSync(name);
	if (!stats.isFile() || (buildId === null && stats.ino !== inode)) {
		return null;
	}
	const program = fileSource(name, name, stats.size);
	try {
		const own = readBuildId(program);
		if (buildId !== null && own !== buildId) {
			return null;
		}
		const debug = hasSymbolTable(program) ? null : debugFile(own);
		try {
			return readNativeSymbols(program, debug ?? program);
		} finally {
			debug?.close();
		}
	} finally {
		program.close();
	}
}

/** Where distributions put what was stripped: by build id. */
export function debugFile(buildId: string | null): Source | null {
	const file = `${DEBUG_FOLDER}/.build-id/${buildId?.slice(0, 2)}/${buildId?.slice(2)}.debug`;
	const stats = buildId === null ? undefined : fs.statSync(file, { throwIfNoEntry: false });
	return stats?.isFile() === true ? fileSource(file, file, stats.size) : null;
}

/** It is an ELF file in the memory of every process, ours too. */
function vdsoSymbols(): NativeSymbol[] | null {
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
	const source = memorySource('[vdso]', bytes);
	return readNativeSymbols(source, source);
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
