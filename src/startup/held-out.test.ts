import { expect, test } from 'vitest';
import { handLayout, ran } from '../../test/text-layout.js';
import { losesLeftOut } from './held-out.js';
import { type HotCode, hotCode } from './hot-code.js';
import { layTrace } from './trace-on-layout.js';

const P = 4096;
const BASE = 16 * P;
/** Functions of half a page: a and b on the first page, c and d on the second, and so on. */
const layout = handLayout(
	BASE,
	[...'abcdefgh'].map((name) => ({ name, size: P / 2 })),
);
const run = (...names: readonly string[]) => layTrace(ran(...names.map((name) => [BASE + ('abcdefgh'.indexOf(name) * P) / 2, 4] as const)), layout);
const region = layout.regions[0]!;
const united = ({ sections }: HotCode) => Int32Array.from(sections, (_section, i) => i);
const backwards = (hot: HotCode) => united(hot).reverse();
/** An own section that fills begins the list. */
const filled = (hot: HotCode) => Int32Array.from([-1 - 7, ...united(hot)]);

function loses(traces: readonly ReturnType<typeof run>[]): number[][] {
	return losesLeftOut(layout, region, traces, 'pages', (some) => {
		const hot = hotCode(layout, region, some);
		return { hot, lists: [united(hot), backwards(hot), filled(hot)] };
	});
}

test('each run is counted under orders of the others, with what they do not list', () => {
	// Without the first: a b | c d; backwards c b | a d, where a and b are apart; filled h a | b c, too.
	// Without the second: a b | c d; backwards b a | c d; filled h a | b c, where a, b and c are on two pages as well.
	expect(loses([run('a', 'b'), run('a', 'b', 'c')])).toEqual([
		[0, 0],
		[1, 0],
		[1, 0],
	]);
});

test('one run cannot be left out', () => {
	expect(loses([run('a')])).toEqual([]);
});
