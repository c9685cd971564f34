/**
 * Where in the source an optimization happened: bytecode indices from the innermost inlined method out to the compiled root,
 * `bcis[i]` in `methodNames[i]`. Both lists are empty when the compiler gave no position.
 */
export interface Position {
	readonly methodNames: readonly string[];
	readonly bcis: readonly number[];
}

export const NO_POSITION: Position = { methodNames: [], bcis: [] };

/** A bytecode index that is not known; also the callsite of a root. */
export const UNKNOWN_BCI = -1;
