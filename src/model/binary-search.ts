/** Places in what is sorted. */

/** The first of `length` positions for which a condition holds that, once it holds, holds for all after it; `length` where it holds for none. */
export function firstWhere(length: number, holds: (index: number) => boolean): number {
	let low = 0;
	let high = length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (holds(middle)) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return low;
}

/** Position of the last of ascending numbers that is not above `value`; -1 when all are. Written out: it is asked for every sample. */
export function lastAtOrBelow(ascending: Float64Array, value: number): number {
	let low = 0;
	let high = ascending.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (ascending[middle]! <= value) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low - 1;
}
