/** Random numbers that are the same for the same seed, reader and number of an input: what failed can be made again. */
import { createHash } from 'node:crypto';
import { xorshift32 } from '../src/statistics/random.js';

export interface Random {
	/** From 0 on, below `limit`. */
	below(limit: number): number;
	/** Small numbers are as likely as large ones: from 1 on, up to `most`. */
	size(most: number): number;
	one<T>(values: readonly T[]): T;
	isChance(share: number): boolean;
}

export function randomOf(...words: readonly (string | number)[]): Random {
	const state = createHash('sha256').update(words.join('\0')).digest().readInt32LE(0);
	const next = xorshift32(state === 0 ? 1 : state);
	const below = (limit: number): number => Math.floor(next() * limit);
	return {
		below,
		size: (most) => Math.max(1, Math.floor(most ** next())),
		one: (values) => values[below(values.length)]!,
		isChance: (share) => next() < share,
	};
}
