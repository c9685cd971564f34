/**
 * The mapping file of clang's order-file instrumentation (clang 9 to 20, `-mllvm -orderfile-write-mapping=FILE`): a line for each instrumented
 * function of each module, appended by every compiler process,
 *     MD5 db956436e78dd5fa main
 * the first eight bytes of the MD5 of the name as a little-endian number, in hexadecimal without leading zeros. Modules are not told apart.
 */
import { forEachLine } from '../../bytes/lines.js';
import { nameHash } from '../../bytes/name-hash.js';
import type { Source } from '../../bytes/source.js';
import { symbolOfIrName } from '../../model/function-trace.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

export interface ClangOrderMap {
	/** The file, as the user named it. */
	readonly name: string;
	/** Symbols by number; more than one where two names have the same number. */
	readonly symbols: ReadonlyMap<bigint, readonly string[]>;
	/** How often a symbol stands there, where that is more than once: functions of one name in several modules. */
	readonly repeated: ReadonlyMap<string, number>;
	readonly problems: readonly Problem[];
}

const ENTRY = /^MD5 ([0-9a-f]{1,16}) (.+)$/;

/** Whether the first bytes of a file, as Latin-1, are those of a mapping file. */
export function isClangOrderMap(head: string): boolean {
	return ENTRY.test(head.split(/\r?\n/, 1)[0]!);
}

/** Never throws on content. */
export function readClangOrderMap(source: Source): ClangOrderMap {
	const symbols = new Map<bigint, string[]>();
	const repeated = new Map<string, number>();
	const torn = new SkippedLines(source.name, 'expected MD5, a hexadecimal number and a symbol');
	const wrong = new SkippedLines(source.name, 'the number is not the MD5 of the symbol: the line is damaged');
	const encoder = new TextEncoder();
	forEachLine(source, (line, offset, number) => {
		const [, digits, name] = ENTRY.exec(line) ?? [];
		if (digits === undefined || name === undefined) {
			if (line !== '') {
				torn.add(number, offset);
			}
			return;
		}
		const id = BigInt(`0x${digits}`);
		// Names that are no UTF-8 cannot be checked: their bytes are gone.
		if (nameHash(encoder.encode(name)) !== id && !name.includes('\ufffd')) {
			wrong.add(number, offset);
			return;
		}
		const symbol = symbolOfIrName(name);
		const known = symbols.get(id);
		if (known === undefined) {
			symbols.set(id, [symbol]);
		} else if (known.includes(symbol)) {
			repeated.set(symbol, (repeated.get(symbol) ?? 1) + 1);
		} else {
			known.push(symbol);
		}
	});
	return { name: source.name, symbols, repeated, problems: [...torn.problems(), ...wrong.problems()] };
}

/** The maps of one program that was compiled with several. */
export function mergeClangOrderMaps(maps: readonly ClangOrderMap[]): ClangOrderMap {
	const [first] = maps;
	if (first !== undefined && maps.length === 1) {
		return first;
	}
	const symbols = new Map<bigint, string[]>();
	const repeated = new Map<string, number>();
	for (const map of maps) {
		for (const [id, names] of map.symbols) {
			const known = symbols.get(id) ?? [];
			for (const name of names) {
				const count = map.repeated.get(name) ?? 1;
				if (known.includes(name)) {
					repeated.set(name, (repeated.get(name) ?? 1) + count);
				} else {
					known.push(name);
					if (count > 1) {
						repeated.set(name, count);
					}
				}
			}
			symbols.set(id, known);
		}
	}
	return { name: maps.map(({ name }) => name).join(', '), symbols, repeated, problems: maps.flatMap(({ problems }) => problems) };
}

/**
 * Whether functions of this name in several modules are probably different ones (static in C, `_ZL…` and unnamed namespaces in C++) and not the copies of
 * an inline function, of which the linker keeps one.
 */
export function isProbablyLocal(symbol: string): boolean {
	return !/^_Z(?!L|N?[A-Z]*12_GLOBAL__N_1)|^_R/.test(symbol);
}
