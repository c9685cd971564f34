/** Code with few samples, as a prediction takes it. */
import { type ColdCode, placesOf, type SampledCode } from '../src/bias/prediction-input.js';
import { sumOf } from '../src/statistics/sums.js';

export function coldCode({ counts, ...row }: SampledCode): ColdCode {
	return { ...row, places: placesOf({ ...row, counts }), samples: sumOf(counts) };
}
