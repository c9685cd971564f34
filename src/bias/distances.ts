/** How far two profiles of one program are apart, and how far sampling alone would put them. */

/** A profile: name → samples, or a weight of as many samples in all. */
export type Shares = ReadonlyMap<string, number>;

/**
 * Total variation distance, 0 to 1: half the sum of the differences of shares. Rows in round brackets (kernel, native code) are left out on
 * both sides, and the rest is what is 1. 0 where a side has nothing.
 */
export function totalVariation(a: Shares, b: Shares): number {
	const totalA = methodsTotal(a);
	const totalB = methodsTotal(b);
	if (totalA === 0 || totalB === 0) {
		return 0;
	}
	return sumOverNames(a, b, (name) => Math.abs((a.get(name) ?? 0) / totalA - (b.get(name) ?? 0) / totalB)) / 2;
}

/**
 * The total variation distance to be expected between two profiles of the same truth from the sizes of their samples: each share differs by
 * a normal variable, whose mean absolute value is sqrt(2/π) of its deviation. The truth is taken to be both together.
 */
export function expectedFromSampling(a: Shares, b: Shares): number {
	const totalA = methodsTotal(a);
	const totalB = methodsTotal(b);
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

export function methodsTotal(shares: Shares): number {
	let sum = 0;
	for (const [name, amount] of shares) {
		sum += isMethod(name) ? amount : 0;
	}
	return sum;
}

export function isMethod(row: string): boolean {
	return !row.startsWith('(');
}

function sumOverNames(a: Shares, b: Shares, term: (name: string) => number): number {
	let sum = 0;
	for (const name of new Set([...a.keys(), ...b.keys()])) {
		sum += isMethod(name) ? term(name) : 0;
	}
	return sum;
}
