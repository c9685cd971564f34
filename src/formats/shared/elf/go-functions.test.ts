/** Tables of functions as Go wrote them since 1.2, where the code begins of those that do not say it, and damaged ones. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { goFunctions } from './go-functions.js';
import { readNativeSymbols } from './native-symbols.js';
import { readSectionTable } from './section-table.js';

const TEXT = 0x401000;
const TABLE = 0x500000;
const MAGICS = { '1.2': 0xfffffffb, '1.16': 0xfffffffa, '1.18': 0xfffffff0, '1.20': 0xfffffff1 } as const;
type Version = keyof typeof MAGICS;
const FUNCTIONS = [
	{ name: 'runtime.memmove', length: 32 },
	{ name: 'main.work[...]', length: 16 },
	{ name: 'main.main', length: 48 },
];

interface Spec {
	readonly version: Version;
	readonly pointerBytes?: 4 | 8;
	/** What the table says; 0 where it does not. */
	readonly textStart?: number;
}

function pclntab({ version, pointerBytes = 8, textStart = TEXT }: Spec): Buffer {
	const isRelative = version === '1.18' || version === '1.20';
	const entryBytes = isRelative ? 4 : pointerBytes;
	const words = { '1.2': 1, '1.16': 7, '1.18': 8, '1.20': 8 }[version];
	const put = (bytes: Buffer, at: number, value: number, size: number): void => {
		bytes.writeUIntLE(value, at, Math.min(6, size));
	};
	const names = Buffer.from(`\0${FUNCTIONS.map(({ name }) => `${name}\0`).join('')}`);
	const head = Buffer.alloc(8 + words * pointerBytes);
	head.writeUInt32LE(MAGICS[version]);
	head.set([0, 0, 1, pointerBytes], 4);
	put(head, 8, FUNCTIONS.length, pointerBytes);
	const table = Buffer.alloc((2 * FUNCTIONS.length + 1) * entryBytes);
	const descriptionBytes = (isRelative ? 4 : pointerBytes) + 4;
	const descriptions = Buffer.alloc(FUNCTIONS.length * descriptionBytes);
	// Offsets count from the table of functions, of Go 1.2 from the beginning of all.
	const base = version === '1.2' ? head.length : 0;
	const namesAt = head.length + table.length + descriptions.length;
	let address = isRelative ? 0 : TEXT;
	let nameAt = 1;
	FUNCTIONS.forEach(({ name, length }, i) => {
		put(table, 2 * i * entryBytes, address, entryBytes);
		put(table, (2 * i + 1) * entryBytes, base + table.length + i * descriptionBytes, entryBytes);
		put(descriptions, i * descriptionBytes, address, descriptionBytes - 4);
		descriptions.writeUInt32LE(version === '1.2' ? namesAt + nameAt : nameAt, (i + 1) * descriptionBytes - 4);
		nameAt += name.length + 1;
		address += length;
	});
	put(table, table.length - entryBytes, address, entryBytes);
	const field = (index: number, value: number): void => put(head, 8 + index * pointerBytes, value, pointerBytes);
	if (version === '1.16') {
		field(2, namesAt);
		field(6, head.length);
	} else if (isRelative) {
		field(2, textStart);
		field(3, namesAt);
		field(7, head.length);
	}
	return Buffer.concat([head, table, descriptions, names, Buffer.alloc(64)]);
}

type Section = Parameters<typeof elfFile>[0]['sections'][number];
const elf = (table: Uint8Array, more: readonly Section[] = [], name = '.gopclntab', is64 = true): Buffer =>
	elfFile({
		is64,
		sections: [{ name: '.text', address: TEXT, bytes: Buffer.alloc(256, 0xcc) }, { name, address: TABLE, bytes: table, flags: 2 }, ...more],
		symbols: [],
		symbolTable: '.dynsym',
	});
const functionsOf = (file: Uint8Array): (number | string)[][] => {
	const table = readSectionTable(memorySource('app', file));
	return table.kind === 'unusable' ? [] : goFunctions(table).map(({ start, end, name }) => [start - TEXT, end - start, name]);
};
const rows = (from = 0) => [
	[from, 32, 'runtime.memmove'],
	[from + 32, 16, 'main.work[...]'],
	[from + 48, 48, 'main.main'],
];

test.each(['1.2', '1.16', '1.18', '1.20'] satisfies Version[])('Go %s, pointers of 8 and 4 bytes', (version) => {
	expect(functionsOf(elf(pclntab({ version })))).toEqual(rows());
	expect(functionsOf(elf(pclntab({ version, pointerBytes: 4 }), [], '.gopclntab', false))).toEqual(rows());
	expect(functionsOf(elf(pclntab({ version }), [], '.data.rel.ro.gopclntab'))).toEqual(rows());
});

test('where the code begins: the table, what the runtime is told, the loader, the section', () => {
	const other = TEXT + 0x40;
	const untold = pclntab({ version: '1.20', textStart: 0 });
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
	expect(functionsOf(elf(pclntab({ version: '1.20', textStart: other })))).toEqual(rows(0x40));
	expect(functionsOf(elf(untold))).toEqual(rows());
	expect(functionsOf(elf(untold, [module(word(22 * 8, other, 200))]))).toEqual(rows(0x40));
	expect(functionsOf(elf(untold, [module(Buffer.alloc(200)), relocation(0x600000 + 22 * 8)]))).toEqual(rows(0x40));
	expect(functionsOf(elf(untold, [module(Buffer.alloc(8))]))).toEqual(rows());
	expect(functionsOf(elf(untold, [relocation(TABLE + 8 + 2 * 8)]))).toEqual(rows(0x40));
});

test('among other data, where the C linker put it', () => {
	const merged = Buffer.concat([Buffer.alloc(40, 0xff), pclntab({ version: '1.18' })]);
	const mark: Section = { name: '.note.go.buildid', address: 0x600000, bytes: Buffer.alloc(4), flags: 2 };
	expect(functionsOf(elf(merged, [mark], '.data.rel.ro'))).toEqual(rows());
	expect(functionsOf(elf(merged, [], '.data.rel.ro'))).toEqual([]);
	expect(functionsOf(elf(Buffer.alloc(400), [mark], '.data.rel.ro'))).toEqual([]);
});

test('names of a stripped program', () => {
	const source = memorySource('app', elf(pclntab({ version: '1.20' })));
	expect(readNativeSymbols(source, source).map(({ name, start, end }) => [name, end - start, start > 0])).toEqual([
		['runtime.memmove', 32, true],
		['main.work[...]', 16, true],
		['main.main', 48, true],
	]);
});

test('other tables, and damaged ones', () => {
	expect(functionsOf(elf(Buffer.alloc(0)))).toEqual([]);
	expect(functionsOf(elf(Buffer.alloc(100)))).toEqual([]);
	for (const version of ['1.2', '1.16', '1.18'] satisfies Version[]) {
		const whole = pclntab({ version });
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
