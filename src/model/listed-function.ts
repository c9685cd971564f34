/** A function as a recording names it before the program's symbols are at hand: by symbol, by address, or by both. */
export interface ListedFunction {
	/** Null where there is only an address. */
	readonly symbol: string | null;
	/** Whose function it is: of a local function its file, of others the library, as far as it is told. */
	readonly module: string | null;
	/** In the memory of the process, or in the file of the program; null where it is not told. */
	readonly address: number | null;
	/** From the function's first byte to the address; null where it is not told. */
	readonly offset?: number | null;
}
