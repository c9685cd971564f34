import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExecutedInstructions } from './executed-code.js';
import { type LinkedProgram, loadAddressOfInstructions, loadAddressOfRows, notLoaded, symbolAt, symbolsByAddress } from './load-address.js';
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

describe('rows without a memory map of the program', () => {
	const symbols = {
		names: ['main', 'work', 'helper', '_init'],
		addresses: Float64Array.of(0x1100, 0x1240, 0x2240, 0x1000),
		sizes: Float64Array.of(0x40, 0x40, 0x40, 0x10),
		isLocal: Uint8Array.of(0, 0, 1, 0),
	};
	const row = (symbol: string | null, address: number | null, offset: number | null = null) => ({ symbol, module: '/tmp/app', address, offset });
	const found = (rows: ReturnType<typeof row>[], mappings: readonly FileMapping[] = [], isRelocatable: boolean | null = true) => {
		const { slide, by } = loadAddressOfRows({ ...program, isRelocatable }, symbols, rows, mappings);
		return [slide, by];
	};

	test('by the names and the offsets of functions', () => {
		expect(found([row('main', 0x55501104, 4), row('work', 0x55501240, 0)])).toEqual([0x55500000, 'functions']);
		// Without an offset a sample may lie anywhere in its function.
		expect(found([row('main', 0x55501104), row('work', 0x55501250), row(null, null)])).toEqual([0x55500000, 'functions']);
		expect(found([row('main', 0x1104, 4), row('work', 0x1240, 0)])).toEqual([0, 'linked']);
		expect(found([row('main', 0x55501104, 4)], [], false)).toEqual([0, 'linked']);
		expect(found([])).toEqual([0, 'linked']);
		// Demangled names and addresses alone tell where a function begins.
		expect(found([row('a::main(int)', 0x55501104, 4), row('a::work<int>', 0x55501242, 2)])).toEqual([0x55500000, 'functions']);
		expect(found([row(null, 0x55501100), row(null, 0x55501240)])).toEqual([0x55500000, 'functions']);
	});

	test('the most rows decide; a name that says otherwise counts against', () => {
		const rows = [row('main', 0x55501100, 0), row('work', 0x55501240, 0), row('helper', 0x77702240, 0)];
		expect(found(rows)).toEqual([0x55500000, 'functions']);
		// A name that every program has tells less than another one.
		expect(found([row('_init', 0x66601000, 0), row('main', 0x55501100, 0)])).toEqual([0x55500000, 'functions']);
		expect(found([row('other', 0x55501100, 0), row('main', 0x77701100, 0)])).toEqual([0x77700000, 'functions']);
	});

	test('of equally good ones the lower: libraries lie above the program', () => {
		expect(found([row('work', 0x77701240, 0), row('main', 0x55501100, 0)])).toEqual([0x55500000, 'functions']);
		expect(found([row('main', 0x55501100, 0), row('work', 0x77701240, 0)])).toEqual([0x55500000, 'functions']);
	});

	test('by a file of another name that is mapped where rows fit', () => {
		const mappings = [
			mapping('/lib/libx.so', 0x77701000, 0x1000),
			mapping('/tmp/renamed', 0x55501000, 0x1000),
			mapping('/tmp/data', 0x66601000, 0x1000, false),
		];
		expect(found([row('main', 0x55501104, 4), row('work', 0x55501240, 0)], mappings)).toEqual([0x55500000, 'memory map']);
		expect(found([row('main', 0x66601104, 4)], mappings)).toEqual([0x66600000, 'functions']);
		// A packed copy of the program has the same name.
		const packed = loadAddressOfRows({ ...program, name: 'x/app.gz' }, symbols, [row('main', 0x55501104, 4)], [mapping('/tmp/app', 0x55501000, 0x1000)]);
		expect(packed).toEqual({ slide: 0x55500000, by: 'memory map' });
	});
});

describe('the symbol of an address', () => {
	const symbols = {
		names: ['late', 'local', 'global', 'weak', 'none'],
		addresses: Float64Array.of(0x200, 0x100, 0x100, 0x100, 0x180),
		sizes: Float64Array.of(0x10, 0x20, 0x20, 0x20, 0),
		isLocal: Uint8Array.of(0, 1, 0, 0, 0),
	};
	const sorted = symbolsByAddress(symbols);
	const name = (address: number, wanted: string | null = null) => symbols.names[symbolAt(symbols, sorted, address, wanted)] ?? null;

	test('by address, of equal ones in the order of the table', () => {
		expect([...sorted]).toEqual([1, 2, 3, 4, 0]);
	});

	test('the one that holds it; one without a size at its start alone', () => {
		expect([0xff, 0x100, 0x11f, 0x120, 0x17f, 0x180, 0x181, 0x200, 0x20f, 0x210].map((address) => name(address))).toEqual([
			null,
			'global',
			'global',
			null,
			null,
			'none',
			null,
			'late',
			'late',
			null,
		]);
	});

	test('of several the one of the name, else a global one', () => {
		expect([name(0x105, 'local'), name(0x105, 'weak'), name(0x105, 'other')]).toEqual(['local', 'weak', 'global']);
		const locals = { ...symbols, isLocal: Uint8Array.of(0, 1, 1, 1, 0) };
		expect(symbols.names[symbolAt(locals, sorted, 0x105, null)]).toBe('local');
	});
});

test('what is said where nothing tells', () => {
	expect(notLoaded('run.txt', 'app')).toEqual({
		severity: 'error',
		file: 'run.txt',
		message:
			'nothing tells where app, which is position-independent, was loaded: there is no memory map, and no executed address fits its entry or its functions',
		action:
			"is it the program that was recorded (--recorded-on)? Put a copy of /proc/PID/maps of the run beside the trace, as run.txt.maps, or record from the program's start",
	});
});
