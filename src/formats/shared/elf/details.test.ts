/** Linkage tables, notes, labels, extended numbers of sections: in each class and byte order where it matters. */
import { describe, expect, test } from 'vitest';
import { type ElfSpec, elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { buildIdOfNotes, chosenSymbols, hasSymbolTable, type RawSymbol, readBuildId, readNativeSymbols } from './native-symbols.js';
import { debugNames, isElf, readElfSymbols } from './read-symbols.js';

const TEXT = { name: '.text', address: 0x1000, bytes: Buffer.alloc(64, 0xcc) };
const source = (spec: ElfSpec) => memorySource('app', elfFile(spec));

/** Names with where they begin and end, from the beginning of a section that holds these bytes. */
function native(spec: ElfSpec, fill = 0xcc): (string | number)[][] {
	const bytes = elfFile(spec);
	const file = memorySource('app', bytes);
	const from = bytes.indexOf(Buffer.alloc(64, fill));
	return readNativeSymbols(file, file).map(({ name, start, end }) => [name, start - from, end - from]);
}

function number(value: number, isLittle: boolean): Buffer {
	const bytes = Buffer.alloc(4);
	isLittle ? bytes.writeUInt32LE(value) : bytes.writeUInt32BE(value);
	return bytes;
}

const note = (type: number, name: string, value: readonly number[], isLittle = true): Buffer =>
	Buffer.concat([
		...[name.length + 1, value.length, type].map((one) => number(one, isLittle)),
		Buffer.from(`${name}\0`.padEnd((name.length + 4) & ~3, '\0')),
		Buffer.from([...value, ...Array<number>(-value.length & 3).fill(0)]),
	]);

describe('build ids', () => {
	test('among other notes, filled up to four bytes', () => {
		const id = [0xab, 0x01, 0xff, 0x10, 0x20];
		const all = Buffer.concat([note(1, 'GNU', [1, 2, 3, 4, 5]), note(3, 'Go', [9]), note(3, 'abc', [9]), note(5, 'stapsdt', [1]), note(3, 'GNU', id)]);
		expect(buildIdOfNotes(all, true)).toBe('ab01ff1020');
		expect(buildIdOfNotes(Buffer.concat([note(1, 'GNU', [1]), note(3, 'GNU', [7], false)]), false)).toBeNull();
		expect(buildIdOfNotes(note(3, 'GNU', [7], false), false)).toBe('07');
		expect(buildIdOfNotes(note(3, 'GNU', id).subarray(0, 12 + 4 + 5), true)).toBe('ab01ff1020');
		expect(buildIdOfNotes(note(3, 'GNU', id).subarray(0, 12 + 4 + 4), true)).toBeNull();
		expect([buildIdOfNotes(Buffer.alloc(0), true), buildIdOfNotes(Buffer.alloc(11), true), buildIdOfNotes(note(3, 'XYZ', id), true)]).toEqual([
			null,
			null,
			null,
		]);
	});

	test.each([true, false])('of sections of notes only, little-endian %s', (isLittle) => {
		const bytes = note(3, 'GNU', [0xab, 0xcd], isLittle);
		const sections = (kind: number) => [
			TEXT,
			{ name: '.note', address: 0, flags: 2, kind: 7, bytes: note(1, 'GNU', [1], isLittle) },
			{ name: '.id', address: 0, flags: 2, kind, bytes },
		];
		expect(readBuildId(source({ isLittle, sections: sections(7), symbols: [] }))).toBe('abcd');
		expect(readBuildId(source({ isLittle, sections: sections(1), symbols: [] }))).toBeNull();
		expect(readBuildId(memorySource('a', Buffer.from('no ELF')))).toBeNull();
	});
});

describe('native symbols', () => {
	test('labels, indirect functions and objects in code; no sections, files, hidden labels, data', () => {
		const symbols = [
			{ name: 'label', offset: 0, type: 0 },
			{ name: 'hidden', offset: 4, type: 0, visibility: 2 },
			{ name: 'internal', offset: 4, type: 0, visibility: 1 },
			{ name: 'protected', offset: 8, type: 0, visibility: 3 },
			{ name: 'hidden_function', offset: 12, size: 2, visibility: 2 },
			{ name: 'object', offset: 16, size: 4, type: 1 },
			{ name: 'ifunc', offset: 24, size: 4, type: 10 },
			{ name: 'section', offset: 32, type: 3 },
			{ name: 'thread', offset: 36, type: 6 },
			{ name: '$x', offset: 40, type: 0 },
			{ name: '', offset: 44 },
			{ name: 'data', offset: 0, size: 4, section: 2 },
			{ name: 'last', offset: 63, size: 9 },
			{ name: 'behind', offset: 64 },
		];
		const sections = [TEXT, { name: '.data', address: 0x2000, flags: 3, bytes: Buffer.alloc(8) }];
		for (const [is64, isLittle] of [
			[true, true],
			[true, false],
			[false, true],
			[false, false],
		]) {
			expect(native({ is64, isLittle, sections, symbols } as ElfSpec)).toEqual([
				['label', 0, 8],
				['protected', 8, 12],
				['hidden_function', 12, 14],
				['object', 16, 20],
				['ifunc', 24, 28],
				['last', 63, 72],
			]);
		}
	});

	test('weak ones give way; of the dynamic table where there is no other', () => {
		const symbols = [
			{ name: 'weak_but_longer', offset: 0, size: 4, binding: 2 },
			{ name: 'local_longer', offset: 0, size: 4, isLocal: true },
			{ name: 'f', offset: 0, size: 4 },
		];
		expect(native({ sections: [TEXT], symbols })).toEqual([['f', 0, 4]]);
		expect(native({ sections: [TEXT], symbols, symbolTable: '.dynsym' })).toEqual([['f', 0, 4]]);
		expect([hasSymbolTable(source({ sections: [TEXT], symbols })), hasSymbolTable(source({ sections: [TEXT], symbols, symbolTable: '.dynsym' }))]).toEqual([
			true,
			false,
		]);
		expect(hasSymbolTable(memorySource('a', Buffer.from('no ELF')))).toBe(false);
	});

	test('a file of debug information tells names, the program where they lie', () => {
		const program = elfFile({ sections: [{ name: '.first', address: 0x500, flags: 2, bytes: Buffer.alloc(40) }, TEXT], symbols: [] });
		const debug = source({ sections: [{ ...TEXT, kind: 8 }], symbols: [{ name: 'f', offset: 8, size: 4 }] });
		const start = program.indexOf(Buffer.alloc(64, 0xcc)) + 8;
		expect(readNativeSymbols(memorySource('app', program), debug)).toMatchObject([{ start, end: start + 4, name: 'f' }]);
		expect(readNativeSymbols(debug, debug)).toEqual([]);
		expect([readNativeSymbols(memorySource('a', Buffer.from('no')), debug), readNativeSymbols(debug, memorySource('a', Buffer.from('no')))]).toEqual([[], []]);
	});

	test('ends of those without a size: the next one, or that of the page behind the next page', () => {
		const symbol = (name: string, start: number, more: Partial<RawSymbol> = {}): RawSymbol => ({
			start,
			end: start,
			name,
			isWeak: false,
			isGlobal: true,
			...more,
		});
		const ends = (...all: RawSymbol[]) => chosenSymbols(all).map(({ name, start, end }) => [name, start, end]);
		expect(ends(symbol('b', 0x1800), symbol('a', 0x1000))).toEqual([
			['a', 0x1000, 0x1800],
			['b', 0x1800, 0x3000],
		]);
		expect(ends(symbol('a', 0x1000))).toEqual([['a', 0x1000, 0x2000]]);
		expect(ends(symbol('sized', 0x1000, { end: 0x1004 }), symbol('b', 0x2000))).toEqual([
			['sized', 0x1000, 0x1004],
			['b', 0x2000, 0x3000],
		]);
	});

	test('of several names the one with fewer underscores in front; not those of system calls', () => {
		const symbol = (name: string): RawSymbol => ({ start: 0, end: 8, name, isWeak: false, isGlobal: true });
		const chosen = (...names: string[]): string[] => chosenSymbols(names.map(symbol)).map(({ name }) => name);
		expect([chosen('_a__b', 'a____b'), chosen('a_b', '_ab'), chosen('SyS_a', 'sys_a'), chosen('sys_a', 'SyS_a')]).toEqual([
			['a____b'],
			['a_b'],
			['sys_a'],
			['sys_a'],
		]);
	});
});

describe('procedure linkage tables', () => {
	/** Relocations by number of symbol; the table of symbols is section 4, behind these. */
	const linked = ({
		is64 = true,
		isLittle = true,
		machine = 62,
		entryBytes = 16,
		sizeBytes = 64,
		relocations = [1, 3, 2],
		section = '.rela.plt',
	} = {}): ElfSpec => {
		const rows = relocations.map((symbol) => {
			const row = Buffer.alloc(is64 ? 24 : 12);
			const value = is64 ? symbol : symbol * 256 + 7;
			const at = is64 ? (isLittle ? 12 : 8) : 4;
			isLittle ? row.writeUInt32LE(value, at) : row.writeUInt32BE(value, at);
			return row;
		});
		return {
			...{ is64, isLittle, machine, symbolTable: '.dynsym' },
			sections: [
				{ name: '.plt', address: 0x4000, bytes: Buffer.alloc(sizeBytes, 0xee), entryBytes },
				{ name: section, address: 0, flags: 2, kind: 4, link: 3, entryBytes: is64 ? 24 : 12, bytes: Buffer.concat(rows) },
			],
			symbols: ['puts', 'exit', 'memcpy'].map((name) => ({ name, offset: 0, section: 0, type: 0 })),
		};
	};

	test.each([
		[true, true],
		[true, false],
		[false, true],
		[false, false],
	])('64 bits: %s, little endian: %s', (is64, isLittle) => {
		expect(native(linked({ is64, isLittle }), 0xee)).toEqual([
			['puts@plt', 16, 32],
			['memcpy@plt', 32, 48],
			['exit@plt', 48, 64],
		]);
	});

	test('as long as the table, as many as there are relocations; unknown symbols have no name', () => {
		expect(native(linked({ sizeBytes: 80, relocations: [2, 99] }), 0xee)).toEqual([
			['exit@plt', 16, 32],
			['@plt', 32, 48],
		]);
		expect(native(linked({ relocations: [1, 1, 1, 1, 1] }), 0xee)).toHaveLength(3);
		expect([
			native(linked({ entryBytes: 0 }), 0xee),
			native(linked({ section: '.rela.dyn' }), 0xee),
			native({ ...linked(), sections: linked().sections.slice(1) }, 0xee),
		]).toEqual([[], [], []]);
		expect(native(linked({ section: '.rel.plt', relocations: [3] }), 0xee)).toEqual([['memcpy@plt', 16, 32]]);
	});

	test('of machines whose section does not tell its entries', () => {
		expect(native(linked({ machine: 183, entryBytes: 0, sizeBytes: 64 }), 0xee)).toEqual([
			['puts@plt', 32, 48],
			['memcpy@plt', 48, 64],
		]);
		expect(native(linked({ machine: 40, entryBytes: 4, is64: false, sizeBytes: 64 }), 0xee)).toEqual([
			['puts@plt', 20, 32],
			['memcpy@plt', 32, 44],
			['exit@plt', 44, 56],
		]);
	});
});

describe('the table of symbols', () => {
	const read = (spec: ElfSpec) => {
		const { table, problems } = readElfSymbols(source(spec));
		return { table, names: table.symbols.names, problems: problems.map(({ message }) => message) };
	};

	test.each([true, false])('numbers of sections that are too large for the table stand in one of their own, little-endian %s', (isLittle) => {
		const numbers = Buffer.concat([0, 1, 2, 1].map((value) => number(value, isLittle)));
		const extended = (kind: number, bytes: Uint8Array): ElfSpec => ({
			isLittle,
			sections: [
				TEXT,
				{ name: '.data', address: 0x2000, flags: 3, bytes: Buffer.alloc(8) },
				{ name: '.symtab_shndx', address: 0, flags: 0, kind, link: 4, bytes },
			],
			symbols: [
				{ name: 'f', offset: 0x1000, section: 0xffff },
				{ name: 'data', offset: 0x2000, section: 0xffff },
				{ name: 'g', offset: 0x1010, section: 0xffff },
				{ name: 'plain', offset: 8 },
				{ name: 'absolute', offset: 0x1000, section: 0xfff1 },
				{ name: 'reserved', offset: 0x1000, section: 0xff00 },
			],
		});
		expect(read(extended(18, numbers)).names).toEqual(['f', 'g', 'plain']);
		expect(read(extended(18, numbers.subarray(0, 12))).names).toEqual(['f', 'plain']);
		expect(read(extended(1, numbers)).names).toEqual(['plain']);
	});

	test('names outside of their strings, and files of local functions', () => {
		const bytes = elfFile({
			sections: [TEXT],
			symbols: [
				{ name: 'f', offset: 0 },
				{ name: 'g', offset: 4 },
			],
		});
		const at = bytes.indexOf(Buffer.from([1, 0, 0, 0, 18, 0, 1, 0]));
		bytes.writeUInt32LE(5, at);
		expect(readElfSymbols(memorySource('app', bytes)).problems.map(({ message }) => message)).toEqual(['1 symbols have names outside of the string table']);
		bytes.writeUInt32LE(4, at);
		const { table, problems } = readElfSymbols(memorySource('app', bytes));
		expect([table.symbols.names, problems]).toEqual([['g'], []]);
		const files = read({
			sections: [TEXT],
			symbols: [
				{ name: 'a.c', offset: 0, type: 4, isLocal: true },
				{ name: 'f', offset: 0, isLocal: true },
				{ name: '', offset: 0, type: 4, isLocal: true },
				{ name: 'g', offset: 4, isLocal: true },
			],
		}).table.symbols;
		expect(files.names.map((name, i) => [name, files.files[i]])).toEqual([
			['f', 'a.c'],
			['g', null],
		]);
	});

	test('machines, entries, and code that lies in the file', () => {
		const symbols = [{ name: 'f', offset: 0 }];
		expect([3, 8, 20, 21, 22, 40, 62, 183, 243, 258, 99].map((machine) => read({ machine, sections: [TEXT], symbols }).table.machine)).toEqual([
			...['386', 'MIPS', 'PPC', 'PPC64', 'S390', 'ARM', 'X86_64', 'AARCH64', 'RISCV', 'LOONGARCH', '99'],
		]);
		expect([read({ entry: 0x1004, sections: [TEXT], symbols }).table.entry, read({ sections: [TEXT], symbols }).table.entry]).toEqual([0x1004, null]);
		const { table } = read({ sections: [TEXT, { ...TEXT, name: '.bss', address: 0x3000, kind: 8 }], symbols });
		expect([0xfff, 0x1000, 0x103f, 0x1040, 0x3000].map((address) => table.readCode?.(address, 4).length)).toEqual([0, 4, 1, 0, 0]);
		expect(table.sections.map(({ name, fileOffset }) => [name, fileOffset === null])).toContainEqual(['.bss', true]);
	});

	test('strings of debug information, in pieces of any length', () => {
		const names = new Set(['first', 'middle', 'last', 'x'.repeat(4096), 'y'.repeat(4095)]);
		const strings = (text: string, flags = 0) =>
			debugNames(source({ sections: [TEXT, { name: '.debug_str', address: 0, flags, bytes: Buffer.from(text) }], symbols: [] }), names);
		expect(strings(`first\0other\0${'x'.repeat(4096)}\0${'y'.repeat(4095)}\0last\0`)).toEqual(new Set(['first', 'y'.repeat(4095), 'last']));
		const filler = `${'z'.repeat(2000)}\0`.repeat(520);
		expect(strings(`${filler}${'q'.repeat((1 << 20) - filler.length - 4)}\0middle\0${'w'.repeat(3 << 20)}\0last\0`)).toEqual(new Set(['middle', 'last']));
		expect([strings(''), strings('first\0', 0x800), strings('cut: first')]).toEqual([null, null, new Set()]);
	});

	test('told by its beginning', () => {
		expect([isElf('\u007fELF'), isElf('x\u007fELF'), isElf('\u007fELX')]).toEqual([true, false, false]);
	});
});
