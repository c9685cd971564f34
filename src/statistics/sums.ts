/** Adds up in the order given. */
export function sumOf(values: ArrayLike<number>): number {
	let sum = 0;
	for (let i = 0; i < values.length; i++) {
		sum += values[i]!;
	}
	return sum;
}
