import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SparseSolver } from './sparse-solver.js';

test('both solutions satisfy their systems, whatever the edges', () => {
	const edge = fc.tuple(fc.nat(11), fc.nat(11), fc.double({ min: 0.01, max: 1, noNaN: true }));
	fc.assert(
		fc.property(fc.array(edge, { maxLength: 40 }), fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 12, maxLength: 12 }), (edges, b) => {
			const out = new Float64Array(12);
			for (const [from, , weight] of edges) {
				out[from] = out[from]! + weight;
			}
			const probabilities = Float64Array.from(edges, ([from, , weight]) => (0.95 * weight) / out[from]!);
			const solver = new SparseSolver(
				12,
				Int32Array.from(edges, ([from]) => from),
				Int32Array.from(edges, ([, to]) => to),
			);
			solver.factor(probabilities);
			const x = solver.solve(Float64Array.from(b));
			const y = solver.solveTransposed(Float64Array.from(b));
			const left = [...x];
			const right = [...y];
			edges.forEach(([from, to], i) => {
				left[from] = left[from]! - probabilities[i]! * x[to]!;
				right[to] = right[to]! - probabilities[i]! * y[from]!;
			});
			b.forEach((value, i) => {
				expect(left[i]).toBeCloseTo(value, 6);
				expect(right[i]).toBeCloseTo(value, 6);
			});
		}),
	);
});
