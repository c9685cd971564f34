/** Which entries of a symbol table are functions, and where they end. */
import { describe, expect, test } from 'vitest';
import { type ElfSpec, elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { readElfSymbols } from './read-symbols.js';

const TEXT = { name: '.text', address: 0x1000, bytes: Buffer.from(Array.from({ length: 64 }, (_, i) => i)) };
const DATA = { name: '.data', address: 0x2000, bytes: Buffer.alloc(16), flags: 3 };

function read(symbols: ElfSpec['symbols'], more: Partial<ElfSpec> = {}) {
	const { table, problems } = readElfSymbols(memorySource('a.out', elfFile({ sections: [TEXT, DATA], symbols, ...more })));
	const { symbols: found } = table;
	const rows = found.names.map((name, i) => [name, found.addresses[i], found.sizes[i]]);
	return { table, rows, problems: problems.map(({ message }) => message) };
}

/** In each class and byte order. */
describe.each([
	[true, true],
	[true, false],
	[false, true],
	[false, false],
])('64 bits: %s, little endian: %s', (is64, isLittle) => {
	const layout = { is64, isLittle };

	test('the first byte of a section is in it, the byte behind it is not; sizes end with the section', () => {
		const { rows, problems } = read(
			[
				{ name: 'first', offset: 0, size: 4 },
				{ name: 'last', offset: 63, size: 9 },
				{ name: 'whole', offset: 8, size: 56 },
				{ name: 'etext', offset: 64 },
			],
			layout,
		);
		expect([...rows].sort()).toEqual([
			['first', 0x1000, 4],
			['last', 0x103f, 1],
			['whole', 0x1008, 56],
		]);
		expect(problems).toEqual([]);
	});

	test('what lies elsewhere is counted', () => {
		const { rows, problems } = read(
			[
				{ name: 'before', offset: -1 },
				{ name: 'behind', offset: 65 },
				{ name: 'in', offset: 1 },
			],
			layout,
		);
		expect([rows.map(([name]) => name), problems]).toEqual([['in'], ['2 symbols lie outside of their section, or beyond 2^53']]);
	});

	test('only named symbols of code: no data, no sections, no variables of threads, none that are undefined', () => {
		const { rows, problems } = read(
			[
				{ name: 'data', offset: 0, section: 2 },
				{ name: 'undefined', offset: 0, section: 0 },
				{ name: 'section', offset: 0, type: 3 },
				{ name: 'tls', offset: 0, type: 6 },
				{ name: '', offset: 4 },
				{ name: '$x', offset: 8 },
				{ name: 'nowhere', offset: 0, section: 99 },
				{ name: 'absolute', offset: 0, section: 0xfff1 },
				{ name: 'label', offset: 4, type: 0 },
				{ name: 'f', offset: 0 },
			],
			layout,
		);
		expect(rows.map(([name]) => name).sort()).toEqual(['f', 'label']);
		expect(problems).toEqual([]);
	});

	test('the code of a function, as far as its section goes', () => {
		const { table } = read([{ name: 'f', offset: 0 }], layout);
		const code = (address: number, length: number) => [...(table.readCode?.(address, length) ?? [])];
		expect(code(0x1002, 3)).toEqual([2, 3, 4]);
		expect(code(0x103e, 9)).toEqual([62, 63]);
		expect([code(0xfff, 4), code(0x1040, 4), code(0x2000, 4)]).toEqual([[], [], []]);
	});
});

test('local symbols are of the file that was named last', () => {
	const { table } = read([
		{ name: 'g', offset: 0, isLocal: true },
		{ name: 'a.c', offset: 0, type: 4, isLocal: true },
		{ name: 'f', offset: 8, isLocal: true },
		{ name: 'h', offset: 16 },
		{ name: '', offset: 0, type: 4, isLocal: true },
		{ name: 'k', offset: 24, isLocal: true },
	]);
	const { names, isLocal, files } = table.symbols;
	expect(names.map((name, i) => [name, isLocal[i] === 1, files[i]]).sort()).toEqual([
		['f', true, 'a.c'],
		['g', true, null],
		['h', false, null],
		['k', true, null],
	]);
});

test.each([
	[62, 'X86_64'],
	[183, 'AARCH64'],
	[243, 'RISCV'],
	[999, '999'],
])('machine %d is %s', (machine, name) => {
	expect(read([{ name: 'f', offset: 0 }], { machine }).table.machine).toBe(name);
});

test('an odd address is even Thumb code on ARM only', () => {
	const address = (machine: number, offset: number) => read([{ name: 'f', offset }], { machine, is64: false }).rows[0]?.[1];
	expect([address(40, 9), address(40, 8), address(62, 9)]).toEqual([0x1008, 0x1008, 0x1009]);
});

test('sections as the headers have them', () => {
	const { table } = read([{ name: 'f', offset: 0 }], { sections: [{ ...TEXT, alignment: 0 }, DATA], type: 3 });
	expect(table.sections[1]).toMatchObject({ name: '.text', address: 0x1000, sizeBytes: 64, alignment: 1, isExecutable: true });
	expect(table.sections[2]).toMatchObject({ name: '.data', isExecutable: false, alignment: 16 });
	expect(table.isRelocatable).toBe(true);
	expect(() => read([{ name: 'f', offset: 0 }], { type: 1 })).toThrow('object file');
});
