/** What stands behind the rows of what is no compilation. */
import { expect, test } from 'vitest';
import { activityWords, functionShares } from './thread-time-lines.js';

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
