/** Minima of functions where they are known, in so many evaluations. */
import { describe, expect, test } from 'vitest';
import { type Evaluated, minimize } from './minimize.js';

function minimum(start: readonly number[], evaluations: number, f: (x: Float64Array) => Evaluated): { x: number[]; used: number } {
	let used = 0;
	const x = minimize(
		Float64Array.from(start),
		(at) => {
			used++;
			return f(at);
		},
		evaluations,
	);
	return { x: [...x], used };
}

/** (x - 3)² + 100 (y + 1)² */
const bowl = ([x = 0, y = 0]: Float64Array): Evaluated => ({
	value: (x - 3) ** 2 + 100 * (y + 1) ** 2,
	gradient: Float64Array.of(2 * (x - 3), 200 * (y + 1)),
});
/** The valley of Rosenbrock (1960), its lowest point at 1, 1. */
const valley = ([x = 0, y = 0]: Float64Array): Evaluated => ({
	value: (1 - x) ** 2 + 100 * (y - x * x) ** 2,
	gradient: Float64Array.of(-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)),
});

describe('the lowest point', () => {
	test('of a bowl', () => {
		const { x, used } = minimum([0, 0], 100, bowl);
		expect([x[0], x[1]]).toEqual([expect.closeTo(3, 3), expect.closeTo(-1, 3)]);
		expect(used).toBeLessThanOrEqual(8);
	});

	test('of a bent valley', () => {
		const { x, used } = minimum([-1.2, 1], 100, valley);
		expect([x[0], x[1]]).toEqual([expect.closeTo(1, 3), expect.closeTo(1, 3)]);
		expect(used).toBeLessThanOrEqual(52);
	});

	test('of ten bowls at once, each twice as steep as the one before', () => {
		const steep = (at: Float64Array): Evaluated => ({
			value: at.reduce((sum, x, i) => sum + 2 ** i * (x - i) ** 2, 0),
			gradient: at.map((x, i) => 2 ** (i + 1) * (x - i)),
		});
		const { x, used } = minimum(new Array(10).fill(20), 200, steep);
		expect(x.map((value) => Math.round(100 * value) / 100)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
		expect(used).toBeLessThanOrEqual(60);
	});
});

describe('ends', () => {
	test('at once where it is flat, or where only one evaluation is allowed', () => {
		expect(minimum([3, -1], 100, bowl)).toEqual({ x: [3, -1], used: 1 });
		expect(minimum([0, 0], 1, bowl)).toEqual({ x: [0, 0], used: 1 });
	});

	test.each([2, 3, 5, 10])('after %i evaluations, never higher than it began', (evaluations) => {
		const { x, used } = minimum([-1.2, 1], evaluations, valley);
		expect(used).toBe(evaluations);
		expect(valley(Float64Array.from(x)).value).toBeLessThanOrEqual(valley(Float64Array.of(-1.2, 1)).value);
	});

	test('where no step descends: half as far each time, down to a hundred-millionth', () => {
		// The gradient lies: it gets higher everywhere. 2⁻²⁷ is the first half of halves below 1e-8.
		const peak = ([x = 0]: Float64Array): Evaluated => ({ value: Math.abs(x), gradient: Float64Array.of(1) });
		expect(minimum([0], 100, peak)).toEqual({ x: [0], used: 1 + 28 });
		expect(minimum([0], 10, peak)).toEqual({ x: [0], used: 10 });
	});

	test('the first step is as long as the gradient, but not longer than 1', () => {
		const seen: number[] = [];
		const line =
			(slope: number) =>
			([x = 0]: Float64Array) => {
				seen.push(x);
				return { value: slope * x, gradient: Float64Array.of(slope) };
			};
		minimum([0], 2, line(0.5));
		minimum([0], 2, line(4));
		expect(seen).toEqual([0, -0.5, 0, -1]);
	});
});
