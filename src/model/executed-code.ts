/** What of a program ran: instructions, or functions, in the order of their first execution. */

import type { FileMapping } from './page-faults.js';

/** Distinct executed instructions, in the order in which each first ran. */
export interface ExecutedInstructions {
	readonly addresses: Float64Array;
	readonly sizes: Uint8Array;
}

/** A function that ran, as a list names it: by symbol, by address, or by both. */
export interface ExecutedFunction {
	readonly symbol: string | null;
	/** Its address in the binary it was recorded on; null where it is not told. */
	readonly address: number | null;
	/** Which of several modules it is of: the source file of a local function; null where it is not told. */
	readonly module: string | null;
}

/** A recording of one run, or what a file says of several: `functions` by first execution, or `instructions`. */
export interface ExecutionTrace {
	readonly name: string;
	/** How much it counts against others; 1 by default. */
	readonly weight: number;
	readonly instructions: ExecutedInstructions | null;
	readonly functions: readonly ExecutedFunction[] | null;
	/** Where files were loaded, as far as it is told. */
	readonly mappings?: readonly FileMapping[];
}
