/**
 * The median of some numbers, with an interval that needs no assumption of how they are distributed: of values drawn from anything, the number below its median is
 * binomial, so two of the sorted values have the median between them with a known probability (the sign test turned around; Thompson 1936).
 */

export interface MedianInterval {
	readonly median: number;
	/** Limits of the interval. */
	readonly low: number;
	readonly high: number;
	/** The probability that such an interval holds the median, at least what was asked for. */
	readonly confidence: number;
}

/** The middle value, of two middle ones their mean; null without values. */
export function medianOf(values: readonly number[]): number | null {
	const sorted = values.toSorted((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)];
	const lower = sorted[Math.floor((sorted.length - 1) / 2)];
	return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}

/** The narrowest such interval around the median; null where there are too few values: six are needed for 95 %. */
export function medianInterval(values: readonly number[], confidence = 0.95): MedianInterval | null {
	const median = medianOf(values);
	const sorted = values.toSorted((a, b) => a - b);
	// How likely it is that fewer than `rank` of the values are below the median of what they are drawn from.
	let below = 0;
	let rank = 0;
	let outside = 0;
	let probability = 0.5 ** sorted.length;
	while (rank < sorted.length / 2 && 1 - 2 * (below + probability) >= confidence) {
		below += probability;
		rank++;
		outside = below;
		probability *= (sorted.length - rank + 1) / rank;
	}
	const low = sorted[rank - 1];
	const high = sorted[sorted.length - rank];
	return median === null || low === undefined || high === undefined ? null : { median, low, high, confidence: 1 - 2 * outside };
}
