import { expect, test } from 'vitest';
import { handLayout } from '../../test/text-layout.js';
import { servedPages } from './served-pages.js';

const P = 4096;
const layout = handLayout(16 * P, [
	{ name: 'never', size: P },
	{ name: 'rare', size: P / 2 },
	{ name: 'often', size: P + P / 2 },
	{ name: 'always', size: P / 2 },
]);
const run = (weight: number, ...symbols: string[]) => ({ name: 'run', weight, symbols });

test('pages under the order, with the weight of the runs that have a function in them', () => {
	// always 0 to P/2, often to 2 P, rare to 2 P + P/2, then what never ran.
	expect(servedPages(layout, ['always', 'often', 'rare'], [run(3, 'often', 'always'), run(1, 'always', 'rare', 'unknown')])).toEqual([
		{ address: 16 * P, functions: 2, share: 1 },
		{ address: 17 * P, functions: 1, share: 0.75 },
		{ address: 18 * P, functions: 1, share: 0.25 },
	]);
});

test('a run counts once for a page, whatever it has in it', () => {
	expect(servedPages(layout, ['rare', 'always'], [run(2, 'always', 'rare', 'always')])).toEqual([{ address: 16 * P, functions: 2, share: 1 }]);
	expect(servedPages(layout, [], [run(1)])).toEqual([]);
});
