import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReadTraces } from '../../model/function-trace.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { InputError } from '../../model/problem.js';
import { SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { nameFunctions } from './name-functions.js';

const collector = new SymbolCollector();
const FUNCTIONS = [
	['main', 0x1130, 0x40, null],
	['helper', 0x1200, 0x10, 'a.c'],
	['helper', 0x2300, 0x20, 'b.c'],
	['_Z1fi', 0x2340, 0x80, null],
	['alias', 0x2340, 0x80, null],
	['_start', 0x3010, 0, null],
] as const;
for (const [name, address, sizeBytes, file] of FUNCTIONS) {
	collector.add(name, address, sizeBytes, 1, file !== null, file);
}
const table = (isRelocatable: boolean): SymbolTable => ({
	kind: 'elf',
	name: 'bin/app.gz',
	machine: 'X86_64',
	isRelocatable,
	entry: null,
	sections: [],
	symbols: collector.columns(),
	inputSections: null,
	readCode: null,
});
const row = (address: number | null, symbol: string | null = null, offset: number | null = null, module: string | null = null): ListedFunction => ({
	symbol,
	module,
	address,
	offset,
});
const named = ({ functions, traces }: ReadTraces): string[] =>
	traces.flatMap(({ order }) =>
		[...order].map((position) => {
			const { symbol = '', module = null } = functions[position] ?? {};
			return module === null ? symbol : `${module};${symbol}`;
		}),
	);

describe('addresses and the symbols of the program', () => {
	test('a program that lies where it was linked', () => {
		const read = nameFunctions('t', [row(0x1130), row(0x2310), row(0x1205), row(0x3010), row(0x3020), row(0x999999)], table(false));
		expect(named(read)).toEqual(['main', 'b.c;helper', 'a.c;helper', '_start']);
	});

	test('of two names at an address the one that the recording has', () => {
		expect(named(nameFunctions('t', [row(0x2340, 'alias')], table(false)))).toEqual(['alias']);
		expect(named(nameFunctions('t', [row(0x2340, '_Z1fi')], table(false)))).toEqual(['_Z1fi']);
	});

	test('where the program was loaded is told by starts of functions', () => {
		fc.assert(
			fc.property(fc.nat(2 ** 34), (page) => {
				const bias = page * 4096;
				const rows = FUNCTIONS.map(([, address]) => row(address + bias));
				expect(named(nameFunctions('t', rows, table(true)))).toEqual(['main', 'a.c;helper', 'b.c;helper', expect.stringMatching(/_Z1fi|alias/), '_start']);
			}),
		);
	});

	test('by names, with and without offsets, and by starts of functions with demangled names', () => {
		const bias = 0x55d0c1a2f000;
		const rows = [row(0x7f0000001000, '_start'), row(bias + 0x1140, 'main'), row(bias + 0x2350, 'f(int)', 0x10), row(bias + 0x1200, 'helper')];
		expect(named(nameFunctions('t', rows, table(true)))).toEqual(['main', '_Z1fi', 'a.c;helper']);
	});

	test('files of the recording tell libraries from the program', () => {
		const rows = [row(0x7f0000001130, 'main', 0, '/lib/other.so'), row(0x1130, 'main', 0, '/x/app'), row(0x7f0000002340, null, 0, '/lib/other.so')];
		expect(named(nameFunctions('t', rows, table(true)))).toEqual(['main']);
	});

	test('without a program: names as they are, demangled ones are none', () => {
		const read = nameFunctions('t', [row(1, 'main'), row(2, 'std::f(int)'), row(3), row(null, 'local', null, 'a.c')], null);
		expect(named(read)).toEqual(['main', 'a.c;local']);
		expect(read.problems).toMatchObject([
			{ severity: 'error', message: expect.stringContaining('1 rows have demangled names') },
			{ severity: 'warning', message: '1 rows have no symbol' },
		]);
	});

	test('nothing to name them by', () => {
		expect(() => nameFunctions('t', [row(1)], null)).toThrow(/holds addresses and no symbols.*--elf/);
		expect(() => nameFunctions('t', [row(1)], table(false))).toThrow(InputError);
		expect(() => nameFunctions('t', [row(1, 'a::b')], null)).toThrow(/demangled names only/);
	});
});
