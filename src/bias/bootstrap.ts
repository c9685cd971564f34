/** How sure a prediction is as far as its samples go: the same prediction from samples drawn again with replacement (Efron 1979). */

import { percentile } from '../statistics/percentiles.js';
import { xorshift32 } from '../statistics/random.js';
import { isMethod, methodsTotal } from './method-shares.js';
import { predict } from './predict.js';
import type { PredictionInput } from './prediction-input.js';

export interface PredictedInterval {
	/** Percent of what is predicted for methods. */
	readonly low: number;
	readonly high: number;
}

/** By method, the 5th and the 95th of a hundred. The draws are the same in each run. */
export function bootstrap(input: PredictionInput, rounds: number): Map<string, PredictedInterval> {
	const random = xorshift32(0x2545f491);
	const seen = new Map<string, number[]>();
	for (let round = 0; round < rounds; round++) {
		const { byMethod } = predict(resampled(input, random)).blame;
		const total = methodsTotal(byMethod);
		for (const [name, amount] of byMethod) {
			if (isMethod(name) && total > 0) {
				const list = seen.get(name) ?? [];
				list.push((100 * amount) / total);
				seen.set(name, list);
			}
		}
	}
	return new Map(
		[...seen].map(([name, list]) => {
			const sorted = [...new Array<number>(rounds - list.length).fill(0), ...list].sort((a, b) => a - b);
			return [name, { low: percentile(sorted, 0.05) ?? 0, high: percentile(sorted, 0.95) ?? 0 }];
		}),
	);
}

function resampled({ sampled, native, methods }: PredictionInput, random: () => number): PredictionInput {
	const drawn = sampled.map((row) => ({ ...row, counts: new Float64Array(row.counts.length) }));
	const drawnNative = native.map((row) => ({ ...row, count: 0 }));
	/** What each sample adds to. */
	const owners: (() => void)[] = [];
	sampled.forEach(({ counts }, row) => {
		counts.forEach((count, i) => {
			const into = drawn[row]!.counts;
			for (let n = 0; n < count; n++) {
				owners.push(() => {
					into[i] = into[i]! + 1;
				});
			}
		});
	});
	native.forEach(({ count }, row) => {
		const into = drawnNative[row]!;
		for (let n = 0; n < count; n++) {
			owners.push(() => {
				into.count++;
			});
		}
	});
	for (let n = 0; n < owners.length; n++) {
		owners[Math.floor(random() * owners.length)]?.();
	}
	return { sampled: drawn, native: drawnNative.filter(({ count }) => count > 0), methods };
}
