import { expect, test } from 'vitest';
import { NO_SYMBOLS, SymbolRanges } from './native-symbols.js';

const symbol = (name: string, start: number, end: number) => ({ name, start, end });

test('the symbol that holds an address: its end is behind it; in whatever order they come', () => {
	const ranges = new SymbolRanges([symbol('c', 50, 60), symbol('a', 10, 20), symbol('b', 20, 30)]);
	const name = (address: number) => ranges.find(address)?.name ?? null;
	expect([9, 10, 19, 20, 29, 30, 49, 50, 59, 60].map(name)).toEqual([null, 'a', 'a', 'b', 'b', null, null, 'c', 'c', null]);
	expect(new SymbolRanges([]).find(5)).toBeNull();
});

test('addresses of the kernel are negative', () => {
	const ranges = new SymbolRanges([symbol('schedule', -100, -50), symbol('idle', -50, -10)]);
	expect([-101, -100, -51, -50, -10].map((address) => ranges.find(address)?.name ?? null)).toEqual([null, 'schedule', 'schedule', 'idle', null]);
});

test('of several that hold an address the one that begins last; sixteen are looked at', () => {
	const nested = (count: number) =>
		new SymbolRanges([symbol('outer', 0, 1000), ...Array.from({ length: count }, (_, i) => symbol(`inner${i}`, 10 + 10 * i, 15 + 10 * i))]);
	expect([nested(3).find(12)?.name, nested(3).find(17)?.name, nested(3).find(500)?.name]).toEqual(['inner0', 'outer', 'outer']);
	expect([nested(15).find(900)?.name, nested(16).find(900)?.name ?? null]).toEqual(['outer', null]);
});

test('nothing is known of any library', () => {
	expect(NO_SYMBOLS.symbolsOf({ name: 'x', buildId: null, inode: null, kernelText: null })).toBeNull();
});
