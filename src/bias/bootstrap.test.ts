/** Intervals by draws that weigh anew what was computed once, against predicting everything again from each draw. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { openBias } from '../answers/bias.js';
import { openEvidence } from '../recording/evidence.js';
import { xorshift32 } from '../statistics/random.js';
import { type BlameKey, sharesBy } from './blame.js';
import { bootstrap } from './bootstrap.js';
import { isMethod, methodsTotal } from './method-shares.js';
import { predict } from './predict.js';
import type { PredictionInput } from './prediction-input.js';
import { Walks } from './walks.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const ROUNDS = 40;

test.each([
	['examples/hot', 'method'],
	['fixtures/agent/jdk25', 'method'],
	['examples/hot', 'line'],
] as const)('%s by %s', async (name, by) => {
	const { input } = await openBias(await openEvidence([{ filePath: path.join(root, name), name }], { details: 'threads' }), {
		thread: null,
		from: Number.NEGATIVE_INFINITY,
		to: Number.POSITIVE_INFINITY,
	});
	const walks = new Walks(input);
	const shares = sharesBy(predict(input, walks).blame, by);
	const total = methodsTotal(shares);
	const intervals = bootstrap(walks, ROUNDS, by);
	const predicted = predictedAgain(input, ROUNDS, by);
	let compared = 0;
	for (const [method, amount] of shares) {
		const percent = (100 * amount) / total;
		if (!isMethod(method) || percent < 1) {
			continue;
		}
		const { low, high } = intervals.get(method)!;
		const again = predicted.get(method)!.sort((a, b) => a - b);
		// Of as many draws the deviation itself is known to an eighth or so; the limits of an interval vary more.
		const deviation = deviationOf(again);
		expect(low, method).toBeLessThanOrEqual(percent + 0.2 * deviation);
		expect(high, method).toBeGreaterThanOrEqual(percent - 0.2 * deviation);
		const ratio = (high - low) / (2 * 1.645 * deviation);
		expect(ratio, `${method}: ${low} to ${high}, again ${again[0]} to ${again.at(-1)}`).toBeGreaterThan(0.5);
		expect(ratio, `${method}: ${low} to ${high}, again ${again[0]} to ${again.at(-1)}`).toBeLessThan(2);
		compared++;
	}
	expect(compared).toBeGreaterThan(0);
});

/** Percent of each method or line in each draw. */
function predictedAgain({ sampled, native, methods }: PredictionInput, rounds: number, by: BlameKey): Map<string, number[]> {
	const random = xorshift32(0x1234567);
	const cells = [
		...sampled.flatMap(({ counts }, row) => [...counts].map((count, i) => ({ row, i, count }))),
		...native.map(({ count }, i) => ({ row: -1, i, count })),
	];
	const owners = cells.flatMap((cell) => new Array<(typeof cells)[number]>(cell.count).fill(cell));
	const result = new Map<string, number[]>();
	for (let round = 0; round < rounds; round++) {
		const drawn = sampled.map((row) => ({ ...row, counts: new Float64Array(row.counts.length) }));
		const drawnNative = native.map((row) => ({ ...row, count: 0 }));
		for (let n = 0; n < owners.length; n++) {
			const { row, i } = owners[Math.floor(random() * owners.length)]!;
			if (row < 0) {
				drawnNative[i]!.count++;
			} else {
				const { counts } = drawn[row]!;
				counts[i] = counts[i]! + 1;
			}
		}
		const shares = sharesBy(predict({ sampled: drawn, native: drawnNative.filter(({ count }) => count > 0), cold: [], methods }).blame, by);
		const total = methodsTotal(shares);
		for (const [method, amount] of shares) {
			result.set(method, [...(result.get(method) ?? []), (100 * amount) / total]);
		}
	}
	return result;
}

function deviationOf(values: readonly number[]): number {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
