/** Tables of functions as Go wrote them since 1.2, where the code begins of those that do not say it, and damaged ones. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elfFile } from '../../../../test/elf-file.js';
import { GO_TEXT, type GoVersion, goTable } from '../../../../test/go-table.js';
import { memorySource } from '../../../bytes/source.js';
import { goFunctions } from './go-functions.js';
import { readNativeSymbols } from './native-symbols.js';
import { readSectionTable } from './section-table.js';

const TABLE = 0x500000;

type Section = Parameters<typeof elfFile>[0]['sections'][number];
const elf = (table: Uint8Array, more: readonly Section[] = [], name = '.gopclntab', is64 = true): Buffer =>
	elfFile({
		is64,
		sections: [{ name: '.text', address: GO_TEXT, bytes: Buffer.alloc(256, 0xcc) }, { name, address: TABLE, bytes: table, flags: 2 }, ...more],
		symbols: [],
		symbolTable: '.dynsym',
	});
const functionsOf = (file: Uint8Array): (number | string)[][] => {
	const table = readSectionTable(memorySource('app', file));
	return table.kind === 'unusable' ? [] : goFunctions(table).map(({ start, end, name }) => [start - GO_TEXT, end - start, name]);
};
const rows = (from = 0) => [
	[from, 32, 'runtime.memmove'],
	[from + 32, 16, 'main.work[...]'],
	[from + 48, 48, 'main.main'],
];

test.each(['1.2', '1.16', '1.18', '1.20'] satisfies GoVersion[])('Go %s, pointers of 8 and 4 bytes', (version) => {
	expect(functionsOf(elf(goTable({ version })))).toEqual(rows());
	expect(functionsOf(elf(goTable({ version, pointerBytes: 4 }), [], '.gopclntab', false))).toEqual(rows());
	expect(functionsOf(elf(goTable({ version }), [], '.data.rel.ro.gopclntab'))).toEqual(rows());
});

test('where the code begins: the table, what the runtime is told, the loader, the section', () => {
	const other = GO_TEXT + 0x40;
	const untold = goTable({ version: '1.20', textStart: 0 });
	const word = (at: number, value: number, bytes: number): Buffer => {
		const result = Buffer.alloc(bytes);
		result.writeUInt32LE(value, at);
		return result;
	};
	const module = (bytes: Buffer): Section => ({ name: '.go.module', address: 0x600000, bytes, flags: 3 });
	const relocation = (place: number): Section => ({
		name: '.rela.dyn',
		address: 0x700000,
		bytes: Buffer.concat([Buffer.alloc(24, 1), word(0, place, 16), word(0, other, 8)]),
		flags: 2,
		kind: 4,
	});
	expect(functionsOf(elf(goTable({ version: '1.20', textStart: other })))).toEqual(rows(0x40));
	expect(functionsOf(elf(untold))).toEqual(rows());
	expect(functionsOf(elf(untold, [module(word(22 * 8, other, 200))]))).toEqual(rows(0x40));
	expect(functionsOf(elf(untold, [module(Buffer.alloc(200)), relocation(0x600000 + 22 * 8)]))).toEqual(rows(0x40));
	expect(functionsOf(elf(untold, [module(Buffer.alloc(8))]))).toEqual(rows());
	expect(functionsOf(elf(untold, [relocation(TABLE + 8 + 2 * 8)]))).toEqual(rows(0x40));
});

test('among other data, where the C linker put it', () => {
	const merged = Buffer.concat([Buffer.alloc(40, 0xff), goTable({ version: '1.18' })]);
	const mark: Section = { name: '.note.go.buildid', address: 0x600000, bytes: Buffer.alloc(4), flags: 2 };
	expect(functionsOf(elf(merged, [mark], '.data.rel.ro'))).toEqual(rows());
	expect(functionsOf(elf(merged, [], '.data.rel.ro'))).toEqual([]);
	expect(functionsOf(elf(Buffer.alloc(400), [mark], '.data.rel.ro'))).toEqual([]);
});

test('names of a stripped program', () => {
	const source = memorySource('app', elf(goTable({ version: '1.20' })));
	expect(readNativeSymbols(source, source).map(({ name, start, end }) => [name, end - start, start > 0])).toEqual([
		['runtime.memmove', 32, true],
		['main.work[...]', 16, true],
		['main.main', 48, true],
	]);
});

test('other tables, and damaged ones', () => {
	expect(functionsOf(elf(Buffer.alloc(0)))).toEqual([]);
	expect(functionsOf(elf(Buffer.alloc(100)))).toEqual([]);
	for (const version of ['1.2', '1.16', '1.18'] satisfies GoVersion[]) {
		const whole = goTable({ version });
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 12 }), fc.nat(whole.length), (changes, length) => {
				const damaged = Buffer.from(whole.subarray(0, length));
				for (const [at, byte] of changes) {
					if (at < length) {
						damaged[at] = byte;
					}
				}
				expect(functionsOf(elf(damaged)).length).toBeLessThanOrEqual(whole.length);
			}),
		);
	}
});
