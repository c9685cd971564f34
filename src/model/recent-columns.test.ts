import { expect, test } from 'vitest';
import { RecentColumns, RecentlyMade } from './recent-columns.js';

test('what was made first is forgotten first; the newest is kept however large it is', () => {
	const forgotten: number[] = [];
	const recent = new RecentColumns(10);
	const keep = (sizeBytes: number): void => recent.keep({ sizeBytes, forget: () => forgotten.push(sizeBytes) });
	keep(3);
	keep(4);
	expect(forgotten).toEqual([]);
	keep(5);
	expect(forgotten).toEqual([3]);
	keep(100);
	expect(forgotten).toEqual([3, 4, 5]);
	keep(1);
	expect(forgotten).toEqual([3, 4, 5, 100]);
});

test('what is made of objects is kept while there is room, and made again after that', () => {
	const made: number[] = [];
	const recent = new RecentlyMade(
		10,
		({ size }: { readonly size: number }) => ({ size, number: made.push(size) }),
		({ size }) => size,
	);
	const [small, other, large] = [{ size: 4 }, { size: 5 }, { size: 20 }];
	expect(recent.of(small)).toBe(recent.of(small));
	recent.of(other);
	expect([recent.of(small), recent.of(other)]).toEqual([
		{ size: 4, number: 1 },
		{ size: 5, number: 2 },
	]);
	expect(recent.of(large)).toBe(recent.of(large));
	expect(recent.of(small)).toEqual({ size: 4, number: 4 });
	expect(recent.of(large)).toEqual({ size: 20, number: 5 });
	expect(made).toEqual([4, 5, 20, 4, 20]);
});
