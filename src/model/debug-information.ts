/** Which functions of a native program an address belongs to, and at which lines of source. */

/** A function of a chain of inlining. */
export interface ChainFrame {
	/** Linkage name; null where it is not told. */
	readonly function: string | null;
	/** As the compiler wrote it; null where no line is told. */
	readonly file: string | null;
	/** Of the code, in the functions around of the call; 0 where none is told. */
	readonly line: number;
	readonly column: number;
}

/** What was inlined into a function at one of its calls, with all that was inlined into that. */
export interface InlinedPart {
	/** Linkage name; null where it is not told. */
	readonly function: string | null;
	/** Of the call; null and 0 where none is told. */
	readonly file: string | null;
	readonly line: number;
	readonly column: number;
	/** Of the code that was asked about. */
	readonly bytes: number;
}

export interface DebugInformation {
	/** What made the units: `clang version 22.1.0`. */
	readonly producers: readonly string[];
	/** The innermost frame first; empty where nothing is told of the address. Addresses are those of the file. */
	chainAt(address: number): readonly ChainFrame[];
	/** What was inlined into the function at `start`, of its code up to `end`; empty where nothing is told of it. */
	inlinedInto(start: number, end: number): readonly InlinedPart[];
}
