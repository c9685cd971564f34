import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { isLldMap } from '../lld-map/read.js';
import { isMoldMap, readMoldMap } from '../mold-map/read.js';
import { isNmListing } from '../nm-listing/read.js';
import { isGnuMap, readGnuMap } from './read.js';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/orderfile/linkmaps');
const source = (text: string): ReturnType<typeof memorySource> => memorySource('app.map', Buffer.from(text));
const textOf = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');

/** Functions with sizes as nm lists them: `1060 c rare`. */
function truth(name: string): string[] {
	return [...textOf(name).matchAll(/^0*([0-9a-f]+) 0*([0-9a-f]+) [tTwW] (.*)$/gm)].map(([, at, size, symbol]) => `${at} ${size} ${symbol}`).sort();
}

function functions({ symbols }: SymbolTable): string[] {
	return symbols.names.map((name, i) => `${symbols.addresses[i]!.toString(16)} ${symbols.sizes[i]!.toString(16)} ${name}`).sort();
}

describe.each(['clang', 'gcc'])('programs of %s', (compiler) => {
	test.each(['gold', 'bfd'])('%s: functions as nm lists them, local ones by their sections', (linker) => {
		const { table, problems } = readGnuMap(source(textOf(`${compiler}-${linker}-no-demangle.map`)));
		expect(problems).toEqual([]);
		// clang puts the constructor of a file into a section without its name.
		const known = truth(`${compiler}-${linker}.nm`).filter((line) => !line.endsWith('_GLOBAL__sub_I_classes.cpp'));
		expect(functions(table)).toEqual(expect.arrayContaining(known));
		expect(known.length).toBeGreaterThan(9);
		const at = table.symbols.names.indexOf('rare');
		expect(table.symbols.isLocal[at]).toBe(1);
		expect(table.symbols.isLocal[table.symbols.names.indexOf('main')]).toBe(0);
		const same = table.symbols.names.flatMap((name, i) => (name === 'same' ? [[table.symbols.isLocal[i], table.symbols.files[i]]] : []));
		expect(same).toEqual([
			[1, 'start.o'],
			[1, 'libother.a(other.o)'],
		]);
		expect(table.sections.filter(({ isExecutable }) => isExecutable).map(({ name }) => name)).toEqual(
			expect.arrayContaining(['.init', '.plt', '.text', '.fini']),
		);
	});

	test.each(['gold', 'bfd'])('%s: demangled symbols are known by their sections', (linker) => {
		const { table, problems } = readGnuMap(source(textOf(`${compiler}-${linker}-demangle.map`)));
		expect(table.symbols.names).toContain('_ZNK1A3getEv');
		expect(table.symbols.names.filter((name) => /[ (]/.test(name))).toEqual([]);
		// `A::A(int)` is there twice: its section is named after one of the two.
		expect(problems).toEqual([
			{
				severity: 'warning',
				file: 'app.map',
				message: '2 symbols are demangled and left out',
				action: 'link with -Wl,--no-demangle, or give the program with --elf',
			},
		]);
	});

	test('mold: functions as nm lists them', () => {
		const { table, problems } = readMoldMap(source(textOf(`${compiler}-mold-no-demangle.map`)));
		expect(problems).toEqual([]);
		expect(functions(table)).toEqual(expect.arrayContaining(truth(`${compiler}-mold.nm`)));
		expect(table.inputSections?.find(({ name }) => name === 'start.o:(.text.main)' || name === 'start.o:(.text.startup.main)')?.alignment).toBe(16);
		const demangled = readMoldMap(source(textOf(`${compiler}-mold-demangle.map`)));
		expect(demangled.table.symbols.names).toEqual(expect.arrayContaining(['_ZNK1A3getEv', '_ZN12_GLOBAL__N_17unnamedEi', 'rare', 'same']));
		expect(demangled.problems).toMatchObject([{ message: '2 symbols are demangled and left out' }]);
	});
});

test('alignments are what addresses and gaps tell', () => {
	const { table } = readGnuMap(source(textOf('clang-gold-no-demangle.map')));
	const alignments = Object.fromEntries(table.inputSections?.map(({ name, alignment }) => [name, alignment]) ?? []);
	expect(alignments).toMatchObject({ 'start.o:(.text.twice)': 16, 'start.o:(.text.main)': 16 });
});

test('what is cold in gcc is a part of its function, unless the whole function is cold', () => {
	const { table } = readGnuMap(source(textOf('gcc-bfd-no-demangle.map')));
	expect(table.symbols.names).toEqual(expect.arrayContaining(['main.cold', 'main', 'rare']));
	expect(table.symbols.names).not.toContain('rare.cold');
});

test('maps are told by their first line', () => {
	const maps = fs.readdirSync(folder).filter((name) => name.endsWith('.map'));
	expect(maps).toHaveLength(14);
	for (const name of maps) {
		const head = textOf(name);
		expect([isGnuMap(head), isMoldMap(head), isLldMap(head), isNmListing(head)]).toEqual([/gold|bfd/.test(name), name.includes('mold'), false, false]);
	}
	expect(isGnuMap('Memory map of a house\n')).toBe(false);
	expect(isMoldMap('')).toBe(false);
});

test('maps without code are refused', () => {
	expect(() => readGnuMap(source('Memory map\n\n.text           0x0000000000000660      0x1e0\n'))).toThrow(InputError);
	expect(() => readMoldMap(source('               VMA       Size Align Out     In      Symbol\n'))).toThrow('holds no symbol of code');
});

test('symbols of a script, and those of no section, are none', () => {
	const { table } = readGnuMap(
		source(`Linker script and memory map

.text           0x0000000000001000       0x30
                0x0000000000001000                lost
 .text          0x0000000000001000       0x20 a.o
                0x0000000000001000                first
                0x0000000000001010                second
                0x0000000000001020                PROVIDE (etext = .)
                0x0000000000001020                edge = .
 .text.startup
                0x0000000000001020       0x10 b.o
                0x0000000000001024                $x
`),
	);
	expect(functions(table)).toEqual(['1000 10 first', '1010 10 second']);
});

test.each([
	['gnu', readGnuMap, 'gcc-bfd-demangle.map'],
	['mold', readMoldMap, 'gcc-mold-demangle.map'],
] as const)('any lines are read or refused: %s', (_, read, name) => {
	const lines = textOf(name).split('\n');
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.constantFrom(...lines), fc.string())), (some) => {
			try {
				read(source(['Memory map', ...some].join('\n')));
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
		}),
	);
});
