/**
 * Methods of one name and signature that are not the same method: each class loader may have a class of its own of a name. Programs that write code at run
 * time give each class the same name (Spark, scripts of Groovy), servers load a library once for each application, the JDK its own reader of images twice.
 */
import { appendTo } from './append.js';
import { plainId } from './jit-compilation.js';

/** A compilation, as far as it tells whose it is. */
export interface NamedCompilation {
	readonly compileId: string | null;
	/** Holder and name with dots. */
	readonly method: string;
	readonly signature: string | null;
	/** Of the method's bytecode; null where it is not told. */
	readonly bytecodeBytes: number | null;
}

/** Which class of that name, counted from 1 in the order in which the JVM used them, by compile id without mark: what an agent tells. */
export type ClassRanks = ReadonlyMap<string, number>;

/** The ranks of classes whose name several have, by that name and their number: those with lower numbers came before. */
export function ranksOfClasses(numbersByName: ReadonlyMap<string, ReadonlySet<number>>): ReadonlyMap<string, ReadonlyMap<number, number>> {
	const ranks = new Map<string, ReadonlyMap<number, number>>();
	for (const [name, numbers] of numbersByName) {
		if (numbers.size > 1) {
			const ascending = [...numbers].sort((a, b) => a - b);
			ranks.set(name, new Map(ascending.map((number, at) => [number, at + 1])));
		}
	}
	return ranks;
}

/**
 * `class 2`, or where nothing tells classes apart `154 bytes`, the length of the bytecode, of each compilation, by its place; null where only one method of
 * its name and signature was compiled. What is not known of one, such as of an attempt that failed, is taken from the method of the same length, or the last one before.
 */
export function namesakesOf(compilations: readonly NamedCompilation[], ranks: ClassRanks): (string | null)[] {
	const result = new Array<string | null>(compilations.length).fill(null);
	const rankAt = (at: number): number | null => (ranks.size === 0 ? null : (ranks.get(plainId(compilations[at]!.compileId ?? '')) ?? null));
	const several = namesOfSeveral(compilations, rankAt);
	const groups = new Map<string, number[]>();
	compilations.forEach(({ method, signature, compileId }, at) => {
		if (signature !== null && compileId !== null && several.has(method)) {
			appendTo(groups, `${method} ${signature}`, at);
		}
	});
	for (const group of groups.values()) {
		const told = group.map(rankAt);
		const lengths = group.map((at) => compilations[at]!.bytecodeBytes);
		const isRanked = told.some((rank) => rank !== null);
		const labels = isRanked ? ranked(told, lengths) : lengths.map((bytes) => (bytes === null ? null : `${bytes} bytes`));
		if (new Set(labels.filter((label) => label !== null)).size > 1) {
			let last = labels.find((label) => label !== null) ?? null;
			group.forEach((at, i) => {
				last = labels[i] ?? last;
				result[at] = last;
			});
		}
	}
	return result;
}

/** Names that overloads or methods of several classes have: most have one. */
function namesOfSeveral(compilations: readonly NamedCompilation[], rankAt: (at: number) => number | null): ReadonlySet<string> {
	const first = new Map<string, number>();
	const several = new Set<string>();
	compilations.forEach(({ method, signature, bytecodeBytes }, at) => {
		const known = first.get(method);
		if (known === undefined) {
			first.set(method, at);
			return;
		}
		const other = compilations[known]!;
		if (other.signature !== signature || other.bytecodeBytes !== bytecodeBytes || rankAt(known) !== rankAt(at)) {
			several.add(method);
		}
	});
	return several;
}

function ranked(told: readonly (number | null)[], lengths: readonly (number | null)[]): (string | null)[] {
	const byLength = new Map<number | null, Set<number>>();
	told.forEach((rank, i) => {
		if (rank !== null) {
			const known = byLength.get(lengths[i] ?? null) ?? new Set();
			byLength.set(lengths[i] ?? null, known.add(rank));
		}
	});
	return told.map((rank, i) => {
		const [only, ...others] = byLength.get(lengths[i] ?? null) ?? [];
		const found = rank ?? (others.length === 0 ? only : undefined);
		return found === undefined ? null : `class ${found}`;
	});
}
