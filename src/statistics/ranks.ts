/** Orders of the same things, compared. */

/** The rank of each value among all, from 0; of values that are all different. */
export function ranksOf(values: Int32Array): Int32Array {
	const rankOf = new Map(Array.from(Int32Array.from(values).sort(), (value, rank) => [value, rank]));
	return values.map((value) => rankOf.get(value)!);
}

/**
 * Kendall's tau (1938) of an order against 0, 1, 2, … by the ranks of the same things in it: 1 for the same order, -1 for the reverse; null with fewer than
 * two. Ranks are all different. Takes n log n steps.
 */
export function kendallTau(ranks: Int32Array): number | null {
	const pairs = (ranks.length * (ranks.length - 1)) / 2;
	return pairs === 0 ? null : 1 - (2 * inversions(ranks)) / pairs;
}

/** How many pairs stand in descending order; by merging. */
function inversions(values: Int32Array): number {
	let from = Int32Array.from(values);
	let to = new Int32Array(values.length);
	let count = 0;
	for (let width = 1; width < from.length; width *= 2) {
		for (let start = 0; start < from.length; start += 2 * width) {
			const middle = Math.min(start + width, from.length);
			const end = Math.min(start + 2 * width, from.length);
			let left = start;
			let right = middle;
			for (let at = start; at < end; at++) {
				if (left < middle && (right >= end || from[left]! <= from[right]!)) {
					to[at] = from[left++]!;
				} else {
					count += middle - left;
					to[at] = from[right++]!;
				}
			}
		}
		[from, to] = [to, from];
	}
	return count;
}
