/**
 * Symbol ordering files, as lld's --symbol-ordering-file takes them: a symbol a line, white space around it cut off, lines that begin with `#` skipped, of a
 * repeated name the first place counts.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';

export interface SymbolOrder {
	/** Distinct names, first to last. */
	readonly names: readonly string[];
	/** Names that are listed again later, with the line, from 1. */
	readonly repeated: readonly { readonly name: string; readonly line: number }[];
}

/** Never throws on content. */
export function readSymbolOrder(source: Source): { order: SymbolOrder; problems: Problem[] } {
	const names = new Set<string>();
	const repeated: { name: string; line: number }[] = [];
	forEachLine(source, (line, _offset, number) => {
		const name = line.trim();
		if (name === '' || name.startsWith('#')) {
			return;
		}
		if (names.has(name)) {
			repeated.push({ name, line: number });
		}
		names.add(name);
	});
	const problems: Problem[] =
		names.size > 0
			? []
			: [{ severity: 'warning', file: source.name, message: 'names no symbol', action: 'the order changes nothing; a symbol a line is expected' }];
	return { order: { names: [...names], repeated }, problems };
}
