/** What stands behind the rows of what is no compilation. */
import { expect, test } from 'vitest';
import { activityWords, functionShares, threadTimeLines } from './thread-time-lines.js';

test('functions are told once each, whatever they did, most first; long names are shortened', () => {
	const shares = functionShares([
		{ symbol: 'memcpy', percent: 2 },
		{ symbol: `Phase<${'T'.repeat(60)}>::run`, percent: 3 },
		{ symbol: 'memcpy', percent: 1.5 },
		{ symbol: null, percent: 0.02 },
	]);
	expect(shares.map(({ percent }) => percent)).toEqual([3.5, 3, 0.02]);
	expect(shares[1]?.name).toMatch(/^Phase<T+…T+>::run$/);
	expect(activityWords(shares, 20)).toBe('memcpy 3.5 %, 1 more');
	expect(activityWords([{ name: 'vtable stub', percent: 14.1 }], 10)).toBe('');
});

test('native threads are told by their names, those of one name as one', () => {
	const row = { low: 39, high: 41, activities: [{ name: 'kernel', percent: 24.2 }] };
	const rows = [
		{ ...row, class: 'native' as const, percent: 40 },
		{ ...row, class: 'java' as const, percent: 38 },
	];
	const threads = [
		{ name: 'rocksdb:high', class: 'native' as const, percent: 18.2 },
		{ name: 'rocksdb:low', class: 'native' as const, percent: 11.2 },
		{ name: 'java', class: 'java' as const, percent: 38 },
		{ name: 'rocksdb:low', class: 'native' as const, percent: 10.6 },
	];
	expect(threadTimeLines(rows, threads, 100)).toEqual([
		'  native                  40.0 ± 1.0 %  kernel 24.2 %',
		'                                        threads rocksdb:low 21.8 %, rocksdb:high 18.2 %',
		'  Java                    38.0 ± 1.0 %  kernel 24.2 %',
	]);
	expect(threadTimeLines([{ ...row, class: 'native', percent: 0.9 }], threads, 100)).toHaveLength(1);
});
