/** Generated code as text: the lines that a JVM printed, with their addresses. */

/** A piece of code with a name and an extent. */
export interface NamedCode {
	readonly name: string;
	/** Who made it: `c2, level 4`, `interpreter`, `runtime stub`. */
	readonly source: string;
	readonly start: number;
	readonly end: number;
}

/** All printed assembly of a log, line by line. */
export interface Assembly {
	/** All lines but blank ones. */
	readonly lines: readonly string[];
	/** Address of each line, NaN where there is none. */
	readonly addresses: Float64Array;
	/** From an address word to each further address word of its line: jumps, and constants that look like addresses. */
	readonly jumpSources: Float64Array;
	readonly jumpTargets: Float64Array;
	/** Interpreter codelets and stubs, then Java methods; a later one at the same start replaces an earlier one. */
	readonly code: readonly NamedCode[];
	/** Process id of the JVM, null when the log does not say. */
	readonly processId: number | null;
}
