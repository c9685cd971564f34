/** The sort that lld uses is not stable, but it is a sort; recorded: what libstdc++ made of equal keys. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkerSort } from './linker-sort.js';

function sorted(keys: readonly number[]): number[] {
	const items = Int32Array.from(keys, (_key, i) => i);
	linkerSort(items, Int32Array.from(keys));
	return [...items];
}

test('sorts any keys, and keeps the items', () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 300 }), (keys) => {
			const items = sorted(keys);
			expect([...items].sort((a, b) => a - b)).toEqual(keys.map((_key, i) => i));
			expect(items.map((item) => keys[item])).toEqual([...keys].sort((a, b) => a - b));
		}),
	);
});

test('is stable for up to 16 items only', () => {
	const keys = Array.from({ length: 16 }, (_value, i) => i % 3);
	const stable = keys.map((_key, i) => i).sort((a, b) => keys[a]! - keys[b]! || a - b);
	expect(sorted(keys)).toEqual(stable);
	// 20 equal keys, as std::sort of libstdc++ 12 leaves them.
	expect(sorted(Array(20).fill(7))).toEqual([10, 19, 18, 17, 16, 15, 14, 13, 12, 11, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('keys made to defeat the median of three end in the heap sort', () => {
	const count = 4096;
	const keys = Array.from({ length: count }, (_value, i) => i);
	// Musser's sequence for a median of three.
	const half = count / 2;
	const killer = keys.map((i) => (i < half ? (i % 2 === 0 ? i + 1 : half + i) : (i - half + 1) * 2));
	const items = sorted(killer);
	expect(items.map((item) => killer[item])).toEqual([...killer].sort((a, b) => a - b));
	// The same with equal keys among them, as std::sort of libstdc++ 12 leaves them.
	expect(sorted(killer.map((key) => Math.floor(key / 8))).reduce((hash, item) => (hash * 31 + item) % 1000000007, 0)).toBe(114503670);
});
