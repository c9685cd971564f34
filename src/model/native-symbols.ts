/** Symbols of programs, shared libraries and the kernel: what lies at an offset in the file, or at an address of the kernel. */
import { firstWhere } from './binary-search.js';

/** A function. `start` and `end` are offsets in the file; of the kernel addresses, as signed numbers. */
export interface NativeSymbol {
	readonly start: number;
	/** Behind its last byte. */
	readonly end: number;
	/** As perf prints it: demangled, without parameters. */
	readonly name: string;
}

/** What Java puts into the names of temporary files, another number each time. */
const NUMBER_OF_RUN = /\d{10,}/;

/**
 * One of which only the place is known, in a stripped file: it is called by where it begins, in the addresses of the file, as in `libz.so.1@0x4830`, the same of the
 * same file in each run.
 */
export function unnamedFunction(start: number, end: number, file: string, address: number): NativeSymbol {
	return {
		start,
		end,
		get name() {
			return `${file.slice(file.lastIndexOf('/') + 1).replace(NUMBER_OF_RUN, '')}@0x${address.toString(16)}`;
		},
	};
}

export function isUnnamedFunction(name: string): boolean {
	return /@0x[0-9a-f]{1,16}$/.test(name);
}

/** A file of code that was mapped, as far as it is known which one it was. */
export interface MappedLibrary {
	/** As perf names it: a path, `[vdso]`, `[kernel.kallsyms]`, `[xfs]`. */
	readonly name: string;
	/** In hexadecimal digits; null where it was not recorded. */
	readonly buildId: string | null;
	/** The number of the file in its file system, where it was recorded; null otherwise. */
	readonly inode: number | null;
	/** Of the kernel and its modules: where `_text` lay; null of others, and where it is not known. */
	readonly kernelText: number | null;
}

export interface LibrarySymbols {
	find(address: number): NativeSymbol | null;
}

/** Where symbols are looked up. */
export interface NativeSymbols {
	/** null: nothing is known of it. */
	symbolsOf(library: MappedLibrary): LibrarySymbols | null;
}

export const NO_SYMBOLS: NativeSymbols = { symbolsOf: () => null };

/** How far is looked back for a function that holds the ones behind its start. */
const MOST_NESTED = 16;

/** Symbols in the order of their starts; of those that hold an address the one that begins last is meant. */
export class SymbolRanges implements LibrarySymbols {
	private readonly symbols: readonly NativeSymbol[];

	constructor(symbols: readonly NativeSymbol[]) {
		this.symbols = [...symbols].sort((a, b) => a.start - b.start);
	}

	find(address: number): NativeSymbol | null {
		const { symbols } = this;
		const behind = firstWhere(symbols.length, (at) => symbols[at]!.start > address);
		for (let at = behind - 1; at >= 0 && at >= behind - MOST_NESTED; at--) {
			const symbol = symbols[at]!;
			if (address < symbol.end) {
				return symbol;
			}
		}
		return null;
	}
}
