/**
 * Symbol ordering files, as lld's --symbol-ordering-file takes them: a symbol a line, white space around it cut off, lines that begin with `#` skipped, of a
 * repeated name the first place counts.
 *
 * Order files of Mach-O linkers (`-order_file`, ld(1)) are read on request: there a `#` begins a comment anywhere in a line, and the name may have an architecture
 * (`arm64:`) and an object file (`a.o:`, `lib.a(a.o):`) in front. Lines for another architecture are skipped.
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

/** Architectures that a line of ld64's order files may begin with. */
const ARCHITECTURE = /^(i386|x86_64|arm|arm64|ppc|ppc64):/;

/** Of a Mach-O program its architecture, otherwise null. Never throws on content. */
export function readSymbolOrder(source: Source, machOArchitecture: string | null = null): { order: SymbolOrder; problems: Problem[] } {
	const names = new Set<string>();
	const repeated: { name: string; line: number }[] = [];
	forEachLine(source, (line, _offset, number) => {
		const name = machOArchitecture === null ? line.trim() : machOName(line, machOArchitecture);
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

/** A symbol, with its object file where the line names one; nothing where the line is none for this architecture. */
function machOName(line: string, architecture: string): string {
	const [text = ''] = line.split('#', 1);
	const entry = text.trimStart();
	const [prefix = '', wanted] = ARCHITECTURE.exec(entry) ?? [];
	if (wanted !== undefined && wanted !== architecture) {
		return '';
	}
	const name = entry.slice(prefix.length);
	for (const end of ['.o:', '.o):']) {
		const at = name.indexOf(end);
		if (at >= 0) {
			return `${name.slice(0, at + end.length)}${name.slice(at + end.length).trim()}`;
		}
	}
	return name.trim();
}
