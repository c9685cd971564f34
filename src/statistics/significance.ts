/** When a probability is small enough to call something a difference: one level for everything that assay compares. */

/** What is as probable as this, or less, if both sides were alike, is called a difference. */
export const SIGNIFICANCE_LEVEL = 0.05;

export function isSignificant(probability: number): boolean {
	return probability <= SIGNIFICANCE_LEVEL;
}
