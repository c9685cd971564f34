import { expect, test } from 'vitest';
import { handLayout, ran } from '../../test/text-layout.js';
import { mixedRuns } from './mixed-runs.js';
import { layTrace } from './trace-on-layout.js';

const P = 4096;
const names = [...'abcdefghij'];
const layout = handLayout(
	16 * P,
	names.map((name) => ({ name, size: P })),
);
const run = (letters: string, bytes: number) => layTrace(ran(...[...letters].map((letter) => [(16 + names.indexOf(letter)) * P, bytes] as const)), layout);

test('a mixed run is what all runs did, and some of what some did, with bytes that one of them executed', () => {
	const traces = [run('abcd', 4), run('aefb', 8), run('ghab', 2)];
	const mixed = mixedRuns(traces);
	const told = mixed.map(({ functions }) => Array.from(functions, (f) => layout.functionNames[f]!).join(''));
	expect(told.every((letters) => letters.includes('a') && letters.includes('b') && !/[ij]/.test(letters))).toBe(true);
	// c and d, e and f, g and h each ran one after the other.
	expect(new Set(told.flatMap((letters) => [...letters])).size).toBe(8);
	expect(new Set(told).size).toBeGreaterThan(5);
	for (const { ranges, functions, weight } of mixed) {
		expect(weight).toBe(1);
		expect(Array.from(ranges?.functions ?? [])).toEqual(Array.from(functions).sort((a, b) => a - b));
		expect(Array.from(ranges?.ends ?? []).every((end, i) => [2, 4, 8].includes(end - ranges!.starts[i]!))).toBe(true);
	}
	expect(mixedRuns(traces)).toEqual(mixed);
});

test('of functions alone nothing is told of bytes', () => {
	const traces = [run('ab', 4), run('bc', 4)].map((trace) => ({ ...trace, ranges: null }));
	expect(mixedRuns(traces).every(({ ranges }) => ranges === null)).toBe(true);
});
