import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExecutedInstructions } from './executed-code.js';
import { type LinkedProgram, loadAddressOfInstructions, loadAddressOfRows } from './load-address.js';
import type { FileMapping } from './page-faults.js';

const section = (name: string, address: number, sizeBytes: number) => ({ name, address, sizeBytes, alignment: 16, fileOffset: address });
const program: LinkedProgram = {
	name: 'app',
	isRelocatable: true,
	entry: 0x1060,
	code: [section('.init', 0x1000, 0x17), section('.plt', 0x1020, 0x30), section('.text', 0x1060, 0x800)],
	starts: Float64Array.of(0x1000, 0x1060, 0x1100, 0x1240, 0x1300, 0x1500),
	end: 0x1860,
};
/** The loader, the program from its entry on with the PLT, the C library, at addresses of their own. */
const ADDRESSES = [0x1060, 0x1063, 0x1240, 0x1244, 0x1024, 0x1100, 0x1104, 0x1300];
const LOADER = [0x4001ab70, 0x4001ab73, 0x4001c060, 0x4001c070, 0x4001d240];
const LIBRARY = [0x48b7060, 0x48b8100, 0x48b8110];
const executed = (...addresses: readonly number[]): ExecutedInstructions => ({
	addresses: Float64Array.from(addresses),
	sizes: new Uint8Array(addresses.length).fill(3),
});
const mapping = (file: string, start: number, fileOffset: number, isExecutable = true): FileMapping => ({
	processId: 0,
	start,
	sizeBytes: 0x1000,
	fileOffset,
	isExecutable,
	file,
});
const at = (slide: number) => ADDRESSES.map((address) => address + slide);

describe('where a position-independent program was loaded', () => {
	test('by its entry, wherever that was', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 2 ** 34 }), (page) => {
				const slide = page * 4096;
				const list = executed(...LOADER, ...at(slide), ...LIBRARY);
				expect(loadAddressOfInstructions(program, list, [])).toEqual({ slide, by: 'entry' });
			}),
		);
	});

	test('at addresses of the link, and of a program that is not to be moved', () => {
		expect(loadAddressOfInstructions(program, executed(...LOADER, ...ADDRESSES), [])).toEqual({ slide: 0, by: 'linked' });
		expect(loadAddressOfInstructions({ ...program, isRelocatable: false }, executed(...at(0x8000)), [])).toEqual({ slide: 0, by: 'linked' });
	});

	test('by starts of functions, where the entry is not in the list or not known', () => {
		const later = executed(...LOADER, ...at(0x108000).slice(2));
		expect(loadAddressOfInstructions(program, later, [])).toEqual({ slide: 0x108000, by: 'functions' });
		expect(loadAddressOfInstructions({ ...program, entry: null, code: [] }, executed(...at(0x108000)), [])).toEqual({ slide: 0x108000, by: 'functions' });
	});

	test('by the memory map: that of a file of its name, else that which fits', () => {
		const elsewhere = mapping('/lib/libc.so.6', 0x48b7000, 0x1000);
		expect(loadAddressOfInstructions(program, executed(0x555555555234), [elsewhere, mapping('/tmp/app', 0x555555555000, 0x1000)])).toEqual({
			slide: 0x555555554000,
			by: 'memory map',
		});
		const renamed = [elsewhere, mapping('/tmp/renamed', 0x109000, 0x1000), mapping('/tmp/renamed', 0x10a000, 0x1000, false)];
		expect(loadAddressOfInstructions(program, executed(...LOADER, ...at(0x108000)), renamed)).toEqual({ slide: 0x108000, by: 'memory map' });
	});

	test('nothing tells it: another program, or parts of functions alone', () => {
		expect(loadAddressOfInstructions(program, executed(...LOADER, ...LIBRARY), [])).toEqual({ slide: 0, by: null });
		expect(loadAddressOfInstructions(program, executed(0x55550000123a, 0x55550000130a), [])).toEqual({ slide: 0, by: null });
	});
});

test('rows of a program that a memory map names: as they were loaded, or as they are linked, which perf script prints of stacks', () => {
	const symbols = {
		names: ['main', 'work'],
		addresses: Float64Array.of(0x1100, 0x1240),
		sizes: Float64Array.of(0x40, 0x40),
		isLocal: Uint8Array.of(0, 0),
		files: [null, null],
		sections: Int32Array.of(0, 0),
	};
	const rows = (slide: number) => ['main', 'work'].map((symbol, i) => ({ symbol, module: '/tmp/app', address: symbols.addresses[i]! + 4 + slide, offset: 4 }));
	const loaded = [mapping('/tmp/app', 0x555555555000, 0x1000)];
	expect(loadAddressOfRows(program, symbols, rows(0x555555554000), loaded)).toEqual({ slide: 0x555555554000, by: 'memory map' });
	expect(loadAddressOfRows(program, symbols, rows(0), loaded)).toEqual({ slide: 0, by: 'linked' });
	const nameless = rows(0x555555554000).map((row) => ({ ...row, symbol: null, offset: null }));
	expect(loadAddressOfRows(program, symbols, nameless, loaded)).toEqual({ slide: 0x555555554000, by: 'memory map' });
});
