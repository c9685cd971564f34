/** The inputs of a reader, by number: mostly real ones that were damaged, and now and then one that only grows. */
import { growing } from './doubling.js';
import { mutated } from './mutate.js';
import { randomOf } from './random.js';

/** Work that grows with the square of this takes longer than an input may. */
const LARGEST_GROWN_BYTES = 512 << 10;
const ONE_GROWS_IN = 50;

export function inputOf(seeds: readonly Uint8Array[], seed: string, reader: string, number: number): Uint8Array {
	const random = randomOf(seed, reader, number);
	if (number % ONE_GROWS_IN > 0) {
		return mutated(seeds, random);
	}
	const text = seeds.filter((one) => !one.subarray(0, 4096).includes(0));
	const cases = growing(text.length === 0 || random.isChance(0.1) ? null : random.one(text));
	return random.one(cases).make(random.isChance(0.5) ? LARGEST_GROWN_BYTES : random.size(LARGEST_GROWN_BYTES));
}
