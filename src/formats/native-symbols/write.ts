/** Writes the symbols of samples: the format is described in format.ts. */
import type { MappedLibrary, NativeSymbol } from '../../model/native-symbols.js';
import { escaped, NATIVE_SYMBOLS_HEAD } from './format.js';

export interface UsedSymbol {
	readonly library: MappedLibrary;
	readonly symbol: NativeSymbol;
}

/** The text of the file, in the order of libraries and addresses. */
export function writeNativeSymbols(used: Iterable<UsedSymbol>): string {
	const rows = [...used].sort(
		(a, b) => compare(a.library.name, b.library.name) || compare(a.library.buildId ?? '', b.library.buildId ?? '') || a.symbol.start - b.symbol.start,
	);
	const lines = rows.map(({ library, symbol }) =>
		[
			escaped(library.name),
			library.buildId ?? '-',
			BigInt.asUintN(64, BigInt(symbol.start)).toString(16),
			(symbol.end - symbol.start).toString(16),
			escaped(symbol.name),
		].join('\t'),
	);
	return `${[NATIVE_SYMBOLS_HEAD, ...lines].join('\n')}\n`;
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
