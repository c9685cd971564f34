import { expect, test } from 'vitest';
import { percentile } from './percentiles.js';

const hundred = Array.from({ length: 100 }, (_, i) => i + 1);

test.each<[readonly number[], number, number | null]>([
	[[], 0.5, null],
	[[], 0, null],
	[[7], 0, 7],
	[[7], 0.5, 7],
	[[7], 1, 7],
	[[1, 2], 0.49, 1],
	[[1, 2], 0.5, 2],
	[hundred, 0, 1],
	[hundred, 0.05, 6],
	[hundred, 0.95, 96],
	[hundred, 0.99, 100],
	[hundred, 1, 100],
])('%j at %d', (sorted, share, value) => {
	expect(percentile(sorted, share)).toBe(value);
});
