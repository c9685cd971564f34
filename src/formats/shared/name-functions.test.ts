import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReadTraces } from '../../model/function-trace.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { InputError } from '../../model/problem.js';
import { SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { nameFunctions, nameInstructions } from './name-functions.js';

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

describe('what is told of rows without a function', () => {
	const messages = (...given: Parameters<typeof nameFunctions>): string[] =>
		nameFunctions(...given).problems.map(({ severity, file, message }) => `${severity} ${file}: ${message}`);

	test('functions that the program does not have', () => {
		expect(messages('t', [row(null, 'main'), row(null, 'inlined'), row(null, 'std::g(int)')], table(false))).toEqual([
			'warning t: 2 rows name functions that bin/app.gz does not have',
		]);
		expect(messages('t', [row(0x1130), row(0x999999)], table(false))).toEqual([]);
		expect(messages('t', [row(null, 'main')], null)).toEqual([]);
	});

	test('what to do where there are addresses only', () => {
		const action = (program: SymbolTable | null): string => {
			try {
				nameFunctions('t', [row(1)], program);
				return '';
			} catch (error) {
				return error instanceof InputError ? error.problem.action : 'another error';
			}
		};
		expect([action(null), action(table(false))]).toEqual(['give the program that was recorded: --elf PROGRAM', 'give the program that was recorded']);
	});

	test('methods of Objective-C are symbols', () => {
		expect(named(nameFunctions('t', [row(null, '-[Main run:with:]'), row(null, '+[Main new]')], null))).toEqual(['-[Main run:with:]', '+[Main new]']);
	});

	test('functions of a file are local, those of a library are not', () => {
		const { functions } = nameFunctions('t', [row(null, 'f', null, 'a.c'), row(null, 'g', null, '/lib/a.so'), row(null, 'h', null, '[vdso]')], null);
		expect(functions.map(({ symbol, isLocal }) => [symbol, isLocal])).toEqual([
			['f', true],
			['g', false],
			['h', false],
		]);
	});

	test('the program in a recording is the file that is called like it, also compressed', () => {
		const rows = (program: string) => [row(0x1130, null, null, program), row(0x1200, null, null, '/lib/other')];
		expect(named(nameFunctions('t', rows('/x/app'), table(false)))).toEqual(['main']);
		expect(named(nameFunctions('t', rows('/x/app.gz'), table(false)))).toEqual(['main', 'a.c;helper']);
		expect(named(nameFunctions('t', rows('/x/app'), { ...table(false), name: 'app.gz.old' }))).toEqual(['main', 'a.c;helper']);
	});
});

describe('executed instructions', () => {
	const executed = (...addresses: number[]) => ({ addresses: Float64Array.from(addresses), sizes: new Uint8Array(addresses.length).fill(4) });

	test('each function that has one, once', () => {
		const read = nameInstructions('t', executed(0x2300, 0x2304, 0x1134, 0x1170, 0x2310, 0x3010, 0x9999999), table(false), []);
		expect(named(read)).toEqual(['b.c;helper', 'main', '_start']);
		expect(read.functions.map(({ isLocal }) => isLocal)).toEqual([true, false, false]);
		expect(read).toMatchObject({ problems: [], traces: [{ name: 't', weight: 1 }] });
	});

	test('where the program was loaded is told by the map of memory', () => {
		const bias = 0x555555554000;
		const mapping = { processId: 0, start: bias, sizeBytes: 0x4000, fileOffset: 0, isExecutable: true, isWritable: false, file: '/x/app' };
		const sections = [{ name: '.text', address: 0x1000, sizeBytes: 0x3000, alignment: 16, isExecutable: true, fileOffset: 0x1000 }];
		const program = { ...table(true), sections };
		expect(named(nameInstructions('t', executed(bias + 0x1130, bias + 0x1204), program, [mapping]))).toEqual(['main', 'a.c;helper']);
	});

	test('nothing to name them by', () => {
		expect(() => nameInstructions('t', executed(1), null, [])).toThrow(/t: holds addresses and no symbols.*--elf/);
		expect(() => nameInstructions('t', executed(1, 2), table(false), [])).toThrow(/has 2 addresses, none of which is in a function of bin\/app\.gz/);
		expect(() => nameInstructions('t', executed(0x7f0000000123), table(true), [])).toThrow(/nothing tells where bin\/app\.gz/);
	});
});
