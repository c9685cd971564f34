import { expect, test } from 'vitest';
import { handLayout, ran } from '../../test/text-layout.js';
import { type HotCode, hotCode } from './hot-code.js';
import { servesShortened, shortened } from './shortened-runs.js';
import { layTrace } from './trace-on-layout.js';

const P = 4096;
const BASE = 16 * P;
/** Functions of half a page. */
const NAMES = 'abcdefgh';
const layout = handLayout(
	BASE,
	[...NAMES].map((name) => ({ name, size: P / 2 })),
);
const run = (...names: readonly string[]) => layTrace(ran(...names.map((name) => [BASE + (NAMES.indexOf(name) * P) / 2, 4] as const)), layout);
const region = layout.regions[0]!;
const united = ({ sections }: HotCode) => Int32Array.from(sections, (_section, i) => i);
const names = (functions: Iterable<number>) => Array.from(functions, (f) => NAMES[f]!).join('');

test('a run that ends sooner has its first functions, with what they executed', () => {
	const { functions, ranges } = shortened(run('h', 'a', 'c', 'b'), 0.5);
	expect(names(functions)).toBe('ha');
	expect(names([...(ranges?.functions ?? [])].sort())).toBe('ah');
	expect([ranges?.starts.length, ranges?.ends.length]).toEqual([2, 2]);
	// What is begun counts.
	expect(names(shortened(run('h', 'a', 'c', 'b'), 0.3).functions)).toBe('ha');
	expect(names(shortened({ ...run('h', 'a'), ranges: null }, 0.5).functions)).toBe('h');
});

test('beginnings have to gain under an order', () => {
	const traces = [run(...NAMES)];
	const hot = hotCode(layout, region, traces);
	// Of two, four and six functions: as they ran 1 + 2 + 3 pages; those that ran at even places first, a c | e g | b d | f h: 2 + 2 + 4.
	const spread = Int32Array.from([0, 2, 4, 6, 1, 3, 5, 7]);
	expect(servesShortened(layout, region, hot, traces, 'pages', [united(hot), spread], 1)).toEqual([true, false]);
	expect(servesShortened(layout, region, hot, traces, 'pages', [spread, united(hot), spread], 1)).toEqual([true, true, true]);
	expect(servesShortened(layout, region, hot, traces, 'windows', [united(hot), spread], 0)).toEqual([false, false]);
});

test('of many pages some have to be gained', () => {
	const many = handLayout(
		BASE,
		[...Array(400).keys()].map((i) => ({ name: `f${i}`, size: P / 2 })),
	);
	const whole = layTrace(ran(...[...Array(400).keys()].map((i) => [BASE + (i * P) / 2, 4] as const)), many);
	const hot = hotCode(many, many.regions[0]!, [whole]);
	const lists = [united(hot), united(hot)];
	// 50 + 100 + 150 pages: three of them.
	expect(servesShortened(many, many.regions[0]!, hot, [whole], 'pages', lists, 1)).toEqual([false, false]);
	expect(servesShortened(many, many.regions[0]!, hot, [{ ...whole, weight: 3 }], 'pages', lists, 3)).toEqual([false, false]);
	const backwards = [united(hot).reverse(), united(hot)];
	expect(servesShortened(many, many.regions[0]!, hot, [whole], 'pages', backwards, 1)).toEqual([false, false]);
});
