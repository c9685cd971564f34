/** Numbers that look random and are the same in each run. */

/** Marsaglia's xorshift32 (2003), from 0 inclusive to 1 exclusive. The seed is an integer of 32 bits, not 0. */
export function xorshift32(seed: number): () => number {
	let state = seed;
	return () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return (state >>> 0) / 2 ** 32;
	};
}
