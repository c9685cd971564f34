import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isReadelfListing, readReadelfListing } from './read.js';

const file = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'orderfile', 'symtab', 'base.readelf.txt.gz');
const listing = gunzipSync(fs.readFileSync(file)).toString();
const source = (text: string): ReturnType<typeof memorySource> => memorySource('app.readelf', Buffer.from(text));

test('sections and symbols', () => {
	const { table, problems } = readReadelfListing(source(listing));
	expect(problems).toEqual([]);
	expect(table.isRelocatable).toBe(false);
	expect(table.sections[14]).toEqual({ name: '.text', address: 0x24e0a0, sizeBytes: 0x11bce7, alignment: 16, isExecutable: true, fileOffset: 0x4d0a0 });
	const { names, addresses, sizes, files } = table.symbols;
	const at = names.indexOf('vdbeMemClear');
	expect([names.length, addresses[at], sizes[at], files[at]]).toEqual([2894, 0x34ca30, 54, 'vdbemem.c']);
});

test('told from other text; without symbols it is refused', () => {
	expect(isReadelfListing(listing.slice(0, 2000))).toBe(true);
	expect(isReadelfListing('main\n')).toBe(false);
	expect(() => readReadelfListing(source(listing.slice(0, 3000)))).toThrow(InputError);
});

test('any lines are read or refused', () => {
	const lines = listing.split('\n');
	fc.assert(
		fc.property(
			fc.array(
				fc.oneof(
					fc.nat(lines.length - 1).map((i) => lines[i]!),
					fc.string(),
				),
				{ maxLength: 60 },
			),
			fc.nat(40),
			(chosen, cut) => {
				try {
					readReadelfListing(source(`${lines.slice(0, 40).join('\n')}\nSymbol table '.symtab' contains 9 entries:\n${chosen.join('\n').slice(cut)}`));
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			},
		),
	);
});

const SECTIONS = `There are 4 section headers, starting at offset 0x98:
Section Headers:
  [Nr] Name              Type            Address          Off    Size   ES Flg Lk Inf Al
  [ 0]                   NULL            0000000000000000 000000 000000 00      0   0  0
  [ 1] .text             PROGBITS        0000000000001000 001000 000100 00  AX  0   0 16
  [ 3] .data             PROGBITS        0000000000002000 002000 000100 00  WA  0   0  8
`;
const SYMTAB = "Symbol table '.symtab' contains 9 entries:\n   Num:    Value          Size Type    Bind   Vis      Ndx Name\n";
let entry = 0;
const symbol = (name: string, { value = '0000000000001010', size = '16', type = 'FUNC', bind = 'GLOBAL', index = '1' } = {}): string =>
	`${String(entry++).padStart(6)}: ${value} ${size.padStart(5)} ${type} ${bind} DEFAULT    ${index}${name === '' ? '' : ` ${name}`}\n`;
const symbolsOf = (text: string) => {
	const { names, addresses, sizes, isLocal, files, sections } = readReadelfListing(source(text)).table.symbols;
	return names.map((name, i) => [name, addresses[i], sizes[i], isLocal[i], files[i], sections[i]]);
};

test('symbols of code only, no longer than their section', () => {
	expect(
		symbolsOf(
			SECTIONS +
				SYMTAB +
				symbol('f') +
				symbol('asm', { type: 'NOTYPE', size: '0x20' }) +
				symbol('long', { value: '00000000000010f0', size: '99' }) +
				symbol('end', { value: '0000000000001100' }) +
				symbol('before', { value: '0000000000000fff' }) +
				symbol('.text', { type: 'SECTION' }) +
				symbol('thread', { type: 'TLS' }) +
				symbol('$x') +
				symbol('') +
				symbol('data', { value: '0000000000002000', index: '3' }) +
				symbol('none', { index: '2' }) +
				symbol('puts', { index: 'UND' }) +
				symbol('start', { value: '0000000000001000' }),
		),
	).toEqual([
		['f', 0x1010, 16, 0, null, 1],
		['asm', 0x1010, 0x20, 0, null, 1],
		['long', 0x10f0, 0x10, 0, null, 1],
		['start', 0x1000, 16, 0, null, 1],
	]);
});

test('local symbols are of the file before them', () => {
	const local = { bind: 'LOCAL' };
	const file = (name: string): string => symbol(name, { type: 'FILE', index: 'ABS', bind: 'LOCAL' });
	expect(
		symbolsOf(SECTIONS + SYMTAB + symbol('a', local) + file('x.c') + symbol('b', local) + symbol('c') + file('') + symbol('d', local)).map(
			([name, , , isLocal, of]) => [name, isLocal, of],
		),
	).toEqual([
		['a', 1, null],
		['b', 1, 'x.c'],
		['c', 0, null],
		['d', 1, null],
	]);
	// Another table begins without a file.
	const both = SECTIONS + SYMTAB.replace('.symtab', '.dynsym') + file('x.c') + symbol('dynamic') + SYMTAB + symbol('static', local);
	expect(symbolsOf(both).map(([name, , , , of]) => [name, of])).toEqual([['static', null]]);
	expect(symbolsOf(SECTIONS + SYMTAB.replace('.symtab', '.dynsym') + symbol('dynamic'))).toHaveLength(1);
});

test('sections that are not listed are empty', () => {
	const { sections } = readReadelfListing(source(SECTIONS + SYMTAB + symbol('f'))).table;
	expect(sections).toEqual([
		{ name: '', address: 0, sizeBytes: 0, alignment: 1, isExecutable: false, fileOffset: 0 },
		{ name: '.text', address: 0x1000, sizeBytes: 0x100, alignment: 16, isExecutable: true, fileOffset: 0x1000 },
		{ name: '', address: 0, sizeBytes: 0, alignment: 1, isExecutable: false, fileOffset: null },
		{ name: '.data', address: 0x2000, sizeBytes: 0x100, alignment: 8, isExecutable: false, fileOffset: 0x2000 },
	]);
});

test.each([
	['  Type:                              DYN (Shared object file)', { isRelocatable: true }],
	['  Type:                              EXEC (Executable file)', { isRelocatable: false }],
	['Elf file type is DYN (Position-Independent Executable file)', { isRelocatable: true }],
	['Elf file type is EXEC', { isRelocatable: false }],
	['', { isRelocatable: null, machine: null, entry: null }],
	['  Machine:                           Advanced Micro Devices X86-64', { machine: 'X86_64' }],
	['  Machine:                           AArch64', { machine: 'AARCH64' }],
	['  Machine:                           Intel 80386', { machine: '386' }],
	['  Machine:                           ARM', { machine: 'ARM' }],
	['  Machine:                           RISC-V', { machine: 'RISCV' }],
	['  Machine:                           IBM S/390', { machine: 'IBM S/390' }],
	['  Entry point address:               0x1040', { entry: 0x1040 }],
	['  Entry point address:               0x0', { entry: null }],
])('%j', (line, told) => {
	expect(readReadelfListing(source(`${line}\n\n${SECTIONS}${SYMTAB}${symbol('f')}`)).table).toMatchObject({ kind: 'readelf', name: 'app.readelf', ...told });
});

test('damaged symbols are told; without symbols of code it is said what is expected', () => {
	const { problems } = readReadelfListing(source(`${SECTIONS}${SYMTAB}${symbol('f')}    12: 0000\nother\n`));
	expect(problems.map(({ line }) => line)).toEqual([10]);
	for (const text of [SECTIONS, SECTIONS + SYMTAB + symbol('data', { index: '3' })]) {
		expect(() => readReadelfListing(source(text))).toThrow(
			expect.objectContaining({
				problem: { severity: 'error', file: 'app.readelf', message: 'lists no symbol of code', action: expect.stringContaining('readelf -SsW') },
			}),
		);
	}
});

test.each(['File: app', 'ELF Header:', 'There are 31 section headers', 'Section Headers:', "Symbol table '.symtab'", 'Elf file type is DYN'])(
	'%j begins a listing',
	(line) => {
		expect([isReadelfListing(`\n${line}\n`), isReadelfListing(`x ${line}\n`), isReadelfListing(`\u007fELF\n${line}\n`)]).toEqual([true, false, false]);
	},
);
