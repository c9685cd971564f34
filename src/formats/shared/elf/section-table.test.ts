/** Headers of ELF files of both classes and byte orders, and what is left of damaged ones; the section that is read by its name. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ElfSpec, elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { readElfSection } from './read-section.js';
import { readElfSymbols } from './read-symbols.js';
import { readSectionTable, type SectionTable } from './section-table.js';

const source = (bytes: Uint8Array): ReturnType<typeof memorySource> => memorySource('app', bytes);

const spec: ElfSpec = {
	sections: [
		{ name: '.text', address: 0x1000, bytes: Buffer.alloc(64, 0xcc) },
		{ name: '.map', address: 0, bytes: Buffer.from('one two three'), flags: 0 },
	],
	symbols: [{ name: 'main', offset: 0, size: 9 }],
};
const NAMES = ['', '.text', '.map', '.symtab', '.strtab', '.shstrtab'];

function tableOf(bytes: Uint8Array): SectionTable {
	const table = readSectionTable(source(bytes));
	if (table.kind === 'unusable') {
		throw new Error(table.message);
	}
	return table;
}

/** Where the fields of the file's header lie. */
const FIELDS = {
	64: { count: 60, names: 62, entryBytes: 58, table: 64, first: { size: 32, link: 40 } },
	32: { count: 48, names: 50, entryBytes: 46, table: 52, first: { size: 20, link: 24 } },
} as const;

describe.each([
	[64, true],
	[64, false],
	[32, true],
	[32, false],
] as const)('%i bit, little endian %s', (bits, isLittle) => {
	const bytes = elfFile({ ...spec, is64: bits === 64, isLittle });
	const fields = FIELDS[bits];
	const put16 = (buffer: Buffer, value: number, at: number): number => (isLittle ? buffer.writeUInt16LE(value, at) : buffer.writeUInt16BE(value, at));
	const put32 = (buffer: Buffer, value: number, at: number): number => (isLittle ? buffer.writeUInt32LE(value, at) : buffer.writeUInt32BE(value, at));

	test('sections by number and name', () => {
		const table = tableOf(bytes);
		expect(table.names).toEqual(NAMES);
		expect(table).toMatchObject({ is64: bits === 64, isLittle, type: 2, machine: 62, expectedHeaders: 6 });
		expect(table.headers[1]).toMatchObject({ address: 0x1000, sizeBytes: 64, alignment: 16, flags: 6 });
		expect(Buffer.from(readElfSection(source(bytes), '.map')!).toString()).toBe('one two three');
		expect(readElfSection(source(bytes), '.ma')).toBeNull();
		expect(readElfSection(source(bytes), '.map2')).toBeNull();
	});

	test('more sections, or more names, than half a word counts: the first header tells', () => {
		const changed = Buffer.from(bytes);
		put16(changed, 0, fields.count);
		put16(changed, 0xffff, fields.names);
		put32(changed, 6, fields.table + fields.first.size + (bits === 64 && !isLittle ? 4 : 0));
		put32(changed, 5, fields.table + fields.first.link);
		expect(tableOf(changed)).toMatchObject({ names: NAMES, expectedHeaders: 6 });
		expect(Buffer.from(readElfSection(source(changed), '.map')!).toString()).toBe('one two three');
		expect(readElfSymbols(source(changed)).table.symbols.names).toEqual(['main']);
	});

	test('a file that ends within its headers: those before are there, without names', () => {
		const cut = bytes.subarray(0, fields.table + 3 * (bits === 64 ? 64 : 40) + 10);
		expect(tableOf(cut)).toMatchObject({ expectedHeaders: 6, names: ['', '', ''] });
		expect(readElfSection(source(cut), '.map')).toBeNull();
		expect(() => readElfSymbols(source(cut))).toThrow('has no symbol table');
	});

	test('a file that ends before its names: no section is known by its name', () => {
		const cut = bytes.subarray(0, bytes.indexOf('one two three') + 3);
		expect(tableOf(cut).names).toEqual(NAMES.map(() => ''));
		expect(readElfSection(source(cut), '.map')).toBeNull();
	});

	test('names outside of the table of names are empty', () => {
		const changed = Buffer.from(bytes);
		put32(changed, 0x7fffffff, fields.table + (bits === 64 ? 64 : 40));
		expect(tableOf(changed).names).toEqual(['', '', ...NAMES.slice(2)]);
		put16(changed, 99, fields.names);
		expect(tableOf(changed).names).toEqual(NAMES.map(() => ''));
		expect(readElfSection(source(changed), '.map')).toBeNull();
	});

	test.each<[string, (changed: Buffer) => void]>([
		['has no section headers', (changed) => put16(changed, 1, fields.entryBytes)],
		['is an ELF file of unknown class 3', (changed) => changed.writeUInt8(3, 4)],
		['or byte order 0', (changed) => changed.writeUInt8(0, 5)],
		['its section headers should be at byte', (changed) => put32(changed, 0x7fffffff, bits === 64 ? (isLittle ? 40 : 44) : 32)],
	])('%s', (message, change) => {
		const changed = Buffer.from(bytes);
		change(changed);
		expect(readSectionTable(source(changed))).toMatchObject({ kind: 'unusable', message: expect.stringContaining(message) });
		expect(readElfSection(source(changed), '.map')).toBeNull();
		expect(() => readElfSymbols(source(changed))).toThrow(message);
	});

	test('damaged anywhere: both readers agree on whether it is an ELF file, and end', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 }), fc.nat(bytes.length), (changes, length) => {
				const damaged = Buffer.from(bytes.subarray(0, length));
				for (const [at, value] of changes) {
					if (at < length) {
						damaged[at] = value;
					}
				}
				const table = readSectionTable(source(damaged));
				const section = readElfSection(source(damaged), '.map');
				if (table.kind === 'unusable') {
					expect(section).toBeNull();
				} else {
					expect(table.names).toHaveLength(table.headers.length);
					expect(table.headers.length).toBeLessThanOrEqual(table.expectedHeaders);
					expect(section !== null).toBe(table.names.includes('.map') && table.headers[table.names.indexOf('.map')]!.sizeBytes <= 2 ** 30);
				}
			}),
			{ numRuns: 200 },
		);
	});
});

test.each([
	['nothing', Buffer.alloc(0)],
	['a few bytes', Buffer.from('\x7fELF')],
	['text', Buffer.alloc(200, 'text ')],
])('%s', (_name, bytes) => {
	expect(readSectionTable(source(bytes))).toMatchObject({ kind: 'unusable', message: 'is no ELF file' });
	expect(readElfSection(source(bytes), '.map')).toBeNull();
});
