import { expect, test } from 'vitest';
import { RecentColumns } from './recent-columns.js';

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
