/**
 * Results whose lists may be made while they are taken: what is written as JSON need never be in memory as a whole. The shape of a result is described once, in
 * docs/schema; `results.ts` is made from it, and these types say in which form an answer hands it on.
 */

/** The same, not to be changed. */
export type Frozen<T> = T extends readonly (infer Item)[] ? readonly Frozen<Item>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** A list, wherever in the result, may be anything that gives its items in order, once. */
type Given<T> = T extends readonly (infer Item)[] ? Iterable<Given<Item>> : T extends object ? { readonly [K in keyof T]: Given<T[K]> } : T;

/** A result as an answer gives it: fields in the order in which they are written, undefined ones left out. */
export type Streamed<T> = { readonly [K in keyof T]: Given<T[K]> };

/** The whole result, for those who want it in memory. */
export function collected<T>(streamed: Streamed<T>): T {
	return collectedFields(streamed) as T;
}

/** What has nothing to be made or left out stays the object that it is: most rows. */
function collectedFields(value: object): object {
	const entries = Object.entries(value);
	let isSame = true;
	for (const entry of entries) {
		const field = collectedValue(entry[1]);
		isSame &&= field === entry[1] && field !== undefined;
		entry[1] = field;
	}
	return isSame ? value : Object.fromEntries(entries.filter(([, field]) => field !== undefined));
}

function collectedValue(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) {
		return value;
	}
	if (Array.isArray(value)) {
		// Columns of numbers and words stay as they are.
		return typeof value[0] === 'object' ? value.map(collectedValue) : value;
	}
	return isLazy(value) ? Array.from(value, collectedValue) : collectedFields(value);
}

function isLazy(value: unknown): value is Iterable<unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

/** Items made one by one, when they are taken. */
export function* mapped<T, U>(items: Iterable<T>, make: (item: T) => U): Generator<U, void, undefined> {
	for (const item of items) {
		yield make(item);
	}
}
