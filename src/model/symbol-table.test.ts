import { expect, test } from 'vitest';
import { codeSections, isMappingSymbol, SymbolCollector } from './symbol-table.js';

test('sections of code, by address; empty ones are none', () => {
	const section = (name: string, address: number, sizeBytes: number, isExecutable: boolean) => ({
		name,
		address,
		sizeBytes,
		alignment: 16,
		isExecutable,
		fileOffset: 7,
	});
	const code = codeSections([section('.text', 50, 10, true), section('.data', 10, 10, false), section('.init', 20, 1, true), section('.empty', 5, 0, true)]);
	expect(code).toEqual([
		{ name: '.init', address: 20, sizeBytes: 1, alignment: 16, fileOffset: 7 },
		{ name: '.text', address: 50, sizeBytes: 10, alignment: 16, fileOffset: 7 },
	]);
});

test('symbols as columns', () => {
	const collector = new SymbolCollector();
	expect(collector.count).toBe(0);
	collector.add('f', 0x7f00_0000_0010, 16, 3, false, null);
	collector.add('g', 0x20, 0, -1, true, 'g.c');
	expect(collector.count).toBe(2);
	expect(collector.columns()).toEqual({
		names: ['f', 'g'],
		addresses: Float64Array.of(0x7f00_0000_0010, 0x20),
		sizes: Float64Array.of(16, 0),
		sections: Int32Array.of(3, -1),
		isLocal: Uint8Array.of(0, 1),
		files: [null, 'g.c'],
	});
});

test('names that mark code and data are no functions', () => {
	expect(['$a', '$d', '$t', '$x', '$d.12', '$x.foo', '$xrv64i2p1'].filter(isMappingSymbol)).toHaveLength(7);
	expect(['$b', '$data', '$', 'a', 'd$', 'x$a', '$dx', '', '_$xrv'].filter(isMappingSymbol)).toEqual([]);
});
