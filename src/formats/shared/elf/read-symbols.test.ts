/** ELF files of both classes and byte orders, with what is unusual in them, and damaged ones. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ElfSpec, elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { InputError } from '../../../model/problem.js';
import { debugNames, isElf, readElfSymbols } from './read-symbols.js';

const fixtures = path.resolve(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'orderfile');
const source = (bytes: Uint8Array): ReturnType<typeof memorySource> => memorySource('app', bytes);

const small: ElfSpec = {
	sections: [
		{ name: '.text', address: 0x1000, bytes: Buffer.alloc(64, 0xcc) },
		{ name: '.data', address: 0x2000, bytes: Buffer.alloc(8), flags: 3 },
		{ name: '.debug_str', address: 0, bytes: Buffer.from('a.c\0inlined\0main\0'), flags: 0 },
	],
	symbols: [
		{ name: 'a.c', offset: 0, type: 4, isLocal: true },
		{ name: 'helper', offset: 16, size: 5, isLocal: true },
		{ name: '$x.1', offset: 16, type: 0, isLocal: true },
		{ name: 'table', offset: 0, size: 8, type: 1, section: 2 },
		{ name: 'main', offset: 0, size: 9 },
		{ name: 'alias_of_main', offset: 0, size: 9 },
		{ name: 'etext', offset: 64, type: 0 },
		{ name: 'far_away', offset: 4096 },
	],
};

describe.each([
	[true, true],
	[true, false],
	[false, true],
	[false, false],
])('64 bit %s, little endian %s', (is64, isLittle) => {
	const bytes = elfFile({ ...small, is64, isLittle });

	test('functions, where they lie and whose they are', () => {
		const { table, problems } = readElfSymbols(source(bytes));
		expect(table).toMatchObject({ kind: 'elf', machine: 'X86_64', isRelocatable: false });
		const { symbols } = table;
		expect(symbols.names.map((name, i) => [name, symbols.addresses[i], symbols.sizes[i], symbols.sections[i], symbols.isLocal[i], symbols.files[i]])).toEqual([
			['helper', 0x1010, 5, 1, 1, 'a.c'],
			['main', 0x1000, 9, 1, 0, null],
			['alias_of_main', 0x1000, 9, 1, 0, null],
		]);
		expect(problems.map(({ message }) => message)).toEqual(['1 symbols lie outside of their section, or beyond 2^53']);
		expect(table.sections.slice(1, 3)).toEqual([
			{ name: '.text', address: 0x1000, sizeBytes: 64, alignment: 16, isExecutable: true, fileOffset: expect.any(Number) },
			{ name: '.data', address: 0x2000, sizeBytes: 8, alignment: 16, isExecutable: false, fileOffset: expect.any(Number) },
		]);
		expect(table.readCode?.(0x103e, 10)).toEqual(Buffer.from([0xcc, 0xcc]));
		expect(table.readCode?.(0x2000, 1)).toHaveLength(0);
	});

	test('damaged files give what is left, or say why not, and never hang', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 12 }), fc.nat(bytes.length), (changes, length) => {
				const damaged = Buffer.from(bytes.subarray(0, Math.max(length, bytes.length >> (length % 3))));
				for (const [at, value] of changes) {
					damaged[at % damaged.length] = value;
				}
				try {
					const { table } = readElfSymbols(source(damaged));
					expect(table.symbols.names).toHaveLength(table.symbols.addresses.length);
					debugNames(source(damaged), new Set(['main']));
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
			{ numRuns: 300 },
		);
	});
});

test('what debug information names', () => {
	expect(debugNames(source(elfFile(small)), new Set(['main', 'inlined', 'never']))).toEqual(new Set(['main', 'inlined']));
	expect(debugNames(source(elfFile({ ...small, sections: small.sections.slice(0, 2) })), new Set(['main']))).toBeNull();
});

test('Thumb code, programs without .symtab, PIE', () => {
	const thumb = readElfSymbols(source(elfFile({ ...small, is64: false, machine: 40, symbols: [{ name: 'f', offset: 17, size: 4 }] }))).table;
	expect(thumb.symbols.addresses[0]).toBe(0x1010);
	const stripped = readElfSymbols(source(elfFile({ ...small, type: 3, symbolTable: '.dynsym' })));
	expect(stripped.table.isRelocatable).toBe(true);
	expect(stripped.problems[0]?.message).toContain('only dynamic symbols');
});

test.each<[string, Buffer, string]>([
	['text', Buffer.from('hello, world: this is no program at all, only a line of text'), 'is no ELF file'],
	['object', elfFile({ ...small, type: 1 }), 'is an object file'],
	['cut off', elfFile(small).subarray(0, 64), 'is cut off'],
])('%s', (_name, bytes, message) => {
	expect(() => readElfSymbols(source(bytes))).toThrow(message);
});

test('a linked program', () => {
	const bytes = gunzipSync(fs.readFileSync(path.join(fixtures, 'bin', 'sqlite_base.elf.gz')));
	expect(isElf(bytes.subarray(0, 10).toString('latin1'))).toBe(true);
	const { table, problems } = readElfSymbols(source(bytes));
	expect(problems).toEqual([]);
	expect(table.symbols.names).toHaveLength(2894);
});
