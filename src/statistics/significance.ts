/** When a probability is small enough to call something a difference: one level for everything that assay compares. */

/** What is as probable as this, or less, if both sides were alike, is called a difference. */
export const SIGNIFICANCE_LEVEL = 0.05;

export function isSignificant(probability: number): boolean {
	return probability <= SIGNIFICANCE_LEVEL;
}

/** The same for a question without direction: whether two sides of runs differ at all, whichever of them is called the first. */
export const TWO_SIDED_LEVEL = 2 * SIGNIFICANCE_LEVEL;

/** Of what is called a difference, at most this part is expected to be none. */
export const FALSE_DISCOVERY_RATE = 0.1;
