/**
 * Whether two samples of numbers differ by more than chance. If both sides were alike, any way of labelling the values would be as likely: the probability
 * is the part of all labellings whose means are at least as far apart, in the same direction (Fisher's exact permutation test, one-sided).
 */
import { sumOf } from './sums.js';

/** 1 for equal means; null when one side has no value: nothing can be told. All C(n + m, n) labellings are tried. */
export function meansProbability(a: readonly number[], b: readonly number[]): number | null {
	if (a.length === 0 || b.length === 0) {
		return null;
	}
	const all = [...a, ...b];
	const total = sumOf(all);
	const direction = Math.sign(sumOf(b) / b.length - sumOf(a) / a.length);
	if (direction === 0) {
		return 1;
	}
	// Both means follow from the sum of one side, so that alone is compared.
	const observed = sumOf(a);
	const tolerance = 1e-9 * Math.max(1, Math.abs(total));
	let asFar = 0;
	let tried = 0;
	for (const labelled of subsetSums(all, a.length)) {
		tried++;
		if (direction > 0 ? labelled <= observed + tolerance : labelled >= observed - tolerance) {
			asFar++;
		}
	}
	return asFar / tried;
}

/** Sums of all subsets of `size` values; the first is that of the first values. */
function* subsetSums(values: readonly number[], size: number): Generator<number> {
	const chosen = Array.from({ length: size }, (_, i) => i);
	for (;;) {
		yield chosen.reduce((total, index) => total + values[index]!, 0);
		let place = size - 1;
		while (place >= 0 && chosen[place] === values.length - size + place) {
			place--;
		}
		if (place < 0) {
			return;
		}
		chosen[place] = chosen[place]! + 1;
		for (let i = place + 1; i < size; i++) {
			chosen[i] = chosen[i - 1]! + 1;
		}
	}
}
