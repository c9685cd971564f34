/**
 * Results whose lists may be made while they are taken: what is written as JSON need never be in memory as a whole. The shape of a result is described once, in
 * docs/schema; `results.ts` is made from it, and these types say in which form an answer hands it on.
 */

/** The same, not to be changed. */
export type Frozen<T> = T extends readonly (infer Item)[] ? readonly Frozen<Item>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** A list may be anything that gives its items in order, once. */
type Given<T> = T extends readonly (infer Item)[] ? Iterable<Item> : T;

/** A result as an answer gives it: fields in the order in which they are written, undefined ones left out. */
export type Streamed<T> = { readonly [K in keyof T]: Given<Frozen<T[K]>> };

/** The whole result, for those who want it in memory. */
export function collected<T>(streamed: Streamed<T>): T {
	const entries = Object.entries(streamed).filter(([, value]) => value !== undefined);
	return Object.fromEntries(entries.map(([name, value]) => [name, isLazy(value) ? [...value] : value])) as T;
}

export function isLazy(value: unknown): value is Iterable<unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

/** Items made one by one, when they are taken. */
export function* mapped<T, U>(items: Iterable<T>, make: (item: T) => U): Generator<U, void, undefined> {
	for (const item of items) {
		yield make(item);
	}
}
