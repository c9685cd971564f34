/** Reads what `assay record` wrote of native symbols: the format is described in format.ts. */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { type NativeSymbol, type NativeSymbols, SymbolRanges } from '../../model/native-symbols.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { NATIVE_SYMBOLS_HEAD, unescaped } from './format.js';

const WORD = /^[0-9a-f]{1,16}$/;

export function isNativeSymbols(head: string): boolean {
	return head.startsWith(NATIVE_SYMBOLS_HEAD);
}

/** Never throws on content. */
export function readNativeSymbolsFile(source: Source): { readonly symbols: NativeSymbols; readonly problems: readonly Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected five columns: file, build id, start, size, name');
	const rows = new Map<string, NativeSymbol[]>();
	forEachLineOfBytes(source, (bytes, lineStart, lineEnd, offsetBytes, number) => {
		const line = decodeUtf8(bytes, lineStart, lineEnd);
		if (line === '' || line.startsWith('#')) {
			return;
		}
		const [library, buildId, start = '', size = '', name, ...more] = line.split('\t');
		if (library === undefined || buildId === undefined || name === undefined || more.length > 0 || !WORD.test(start) || !WORD.test(size)) {
			skipped.add(number, offsetBytes);
			return;
		}
		const begin = Number(BigInt.asIntN(64, BigInt(`0x${start}`)));
		const key = keyOf(unescaped(library), buildId);
		const known = rows.get(key) ?? [];
		known.push({ start: begin, end: begin + Number.parseInt(size, 16), name: unescaped(name) });
		rows.set(key, known);
	});
	const ranges = new Map([...rows].map(([key, symbols]) => [key, new SymbolRanges(symbols)]));
	const symbols: NativeSymbols = { symbolsOf: ({ name, buildId }) => ranges.get(keyOf(name, buildId ?? '-')) ?? null };
	return { symbols, problems: skipped.problems() };
}

function keyOf(library: string, buildId: string): string {
	return `${buildId}\t${library}`;
}
