/** How far two distributions are apart, and how far sampling alone would put them. */

/** Name → observations, or a weight of as many observations in all. */
export type Weights = ReadonlyMap<string, number>;

/** Total variation distance, 0 to 1: half the sum of the differences of shares. 0 where a side has nothing. */
export function totalVariation(a: Weights, b: Weights): number {
	const totalA = totalOf(a);
	const totalB = totalOf(b);
	if (totalA === 0 || totalB === 0) {
		return 0;
	}
	return sumOverNames(a, b, (name) => Math.abs((a.get(name) ?? 0) / totalA - (b.get(name) ?? 0) / totalB)) / 2;
}

/**
 * The total variation distance to be expected between two samples of the same truth from their sizes: each share differs by a normal variable, whose
 * mean absolute value is sqrt(2/π) of its deviation. The truth is taken to be both together. 0 where a side has nothing.
 */
export function expectedFromSampling(a: Weights, b: Weights): number {
	const totalA = totalOf(a);
	const totalB = totalOf(b);
	if (totalA === 0 || totalB === 0) {
		return 0;
	}
	return (
		sumOverNames(a, b, (name) => {
			const share = ((a.get(name) ?? 0) + (b.get(name) ?? 0)) / (totalA + totalB);
			return Math.sqrt((2 / Math.PI) * share * (1 - share) * (1 / totalA + 1 / totalB));
		}) / 2
	);
}

export function totalOf(weights: Weights): number {
	let sum = 0;
	for (const amount of weights.values()) {
		sum += amount;
	}
	return sum;
}

function sumOverNames(a: Weights, b: Weights, term: (name: string) => number): number {
	let sum = 0;
	for (const name of new Set([...a.keys(), ...b.keys()])) {
		sum += term(name);
	}
	return sum;
}
