/** Where the compiler put the basic blocks of functions: what a program built with `-fbasic-block-address-map` says of itself. */

/** What the compiler says of a block; bits of {@link BlockMap.flags}. */
export const BLOCK_RETURNS = 1;
export const BLOCK_TAIL_CALLS = 2;
/** It is entered by an exception. */
export const BLOCK_IS_LANDING_PAD = 4;
/** It may run on into the block behind it. */
export const BLOCK_FALLS_THROUGH = 8;
export const BLOCK_JUMPS_INDIRECTLY = 16;

/** Blocks are columns, in the order of the section: those of a function, range by range, stand together. */
export interface BlockMap {
	/** Address of each function's first block, as linked. */
	readonly functionStarts: Float64Array;
	/** Blocks of function f: [firstBlock[f], firstBlock[f + 1]). */
	readonly firstBlock: Int32Array;
	/** What the compiler calls a block in its function; the same in each build of the same source with the same compiler and flags, wherever the block lies. */
	readonly ids: Int32Array;
	/** Addresses as linked. */
	readonly starts: Float64Array;
	/** Bytes. */
	readonly sizes: Float64Array;
	/** Bits as of `BLOCK_…`. */
	readonly flags: Uint8Array;
	/** Of each block the ends of its calls, from its start; null where the map does not tell calls (version 2 and older, and where they are not asked for). */
	readonly calls: readonly (readonly number[] | null)[];
	/** The compilers that the program's parts were made by, as its section `.comment` names them, sorted. */
	readonly compilers: readonly string[];
}
