/** Percentiles of values that are sorted ascending. */

/** The smallest value that more than `share` (0 to 1) of all values do not exceed, the largest where there is none; null without values. */
export function percentile(sorted: ArrayLike<number>, share: number): number | null {
	return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}
