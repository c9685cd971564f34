/** Functions of stripped files: forms of addresses, what cannot be read, and symbols that some of them have. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elfFile } from '../../../../test/elf-file.js';
import { commonInformation, frameRecord, frameSection, u32 } from '../../../../test/frame-section.js';
import { memorySource } from '../../../bytes/source.js';
import { frameRanges } from './call-frames.js';
import { readNativeSymbols } from './native-symbols.js';
import { readSectionTable } from './section-table.js';

const TEXT = 0x1000;
const FRAMES = 0x3000;

const elf = (frames: Uint8Array, more: Partial<Parameters<typeof elfFile>[0]> = {}): Buffer =>
	elfFile({
		sections: [
			{ name: '.text', address: TEXT, bytes: Buffer.alloc(64, 0xcc) },
			{ name: '.eh_frame', address: FRAMES, bytes: frames, flags: 2 },
			{ name: '.plt', address: 0x2000, bytes: Buffer.alloc(32, 0xcc) },
		],
		symbols: [{ name: 'exported', offset: 16, size: 8 }],
		symbolTable: '.dynsym',
		...more,
	});

const rangesOf = (file: Uint8Array) => {
	const table = readSectionTable(memorySource('app', file));
	return table.kind === 'unusable' ? null : frameRanges(table).map(({ start, end }) => [start, end]);
};
const namesOf = (file: Uint8Array, name = '/usr/lib/libapp.so.1') => {
	const source = memorySource('app', file);
	return readNativeSymbols(source, source, name)
		.toSorted((a, b) => a.start - b.start)
		.map((symbol) => [symbol.name, symbol.end - symbol.start]);
};

const FUNCTIONS = [
	[TEXT + 32, 8],
	[TEXT, 9],
	[TEXT + 16, 8],
] as const;

test('relative addresses of 4 bytes, behind what else the common information brings', () => {
	const sorted = [
		[TEXT, TEXT + 9],
		[TEXT + 16, TEXT + 24],
		[TEXT + 32, TEXT + 40],
	];
	for (const first of [
		commonInformation('zR', [0x1b]),
		commonInformation('zPLR', [0x9b, 1, 2, 3, 4, 0x1b, 0x1b]),
		commonInformation('zRS', [0x1b]),
		commonInformation('zR', [0x1b], 3),
	]) {
		expect(rangesOf(elf(frameSection(first, FRAMES, FUNCTIONS)))).toEqual(sorted);
	}
});

test('absolute addresses of 8 bytes, and a longer length', () => {
	const first = commonInformation('', []);
	const place = Buffer.alloc(16);
	place.writeBigUInt64LE(BigInt(TEXT));
	place.writeBigUInt64LE(9n, 8);
	const at = first.length;
	const long = Buffer.concat([u32(-1), u32(20), u32(0), u32(at + 12), place]);
	expect(rangesOf(elf(Buffer.concat([first, long])))).toEqual([[TEXT, TEXT + 9]]);
});

test('relative addresses of 8 bytes may be behind or before', () => {
	const first = commonInformation('zR', [0x1c]);
	const place = Buffer.alloc(16);
	place.writeBigInt64LE(BigInt(TEXT - (FRAMES + first.length + 8)));
	place.writeBigInt64LE(9n, 8);
	expect(rangesOf(elf(Buffer.concat([first, frameRecord(u32(first.length + 4), place)])))).toEqual([[TEXT, TEXT + 9]]);
});

test('what has another form is left out', () => {
	for (const first of [
		commonInformation('zR', [0xff]),
		commonInformation('zR', [0x3b]),
		commonInformation('zR', [0x11]),
		commonInformation('zX', [0x1b]),
		commonInformation('eh', []),
		commonInformation('zP', [0x0e]),
	]) {
		expect(rangesOf(elf(frameSection(first, FRAMES, FUNCTIONS)))).toEqual([]);
	}
	expect(rangesOf(elf(Buffer.alloc(0)))).toEqual([]);
	expect(rangesOf(elf(u32(100)))).toEqual([]);
});

test('functions without a symbol are called by the file and their addresses', () => {
	const frames = frameSection(commonInformation('zR', [0x1b]), FRAMES, [...FUNCTIONS, [TEXT + 12, 30], [TEXT + 60, 9], [TEXT + 200, 9], [0x2000, 32]]);
	expect(namesOf(elf(frames))).toEqual([
		['libapp.so.1@0x1000', 9],
		// It ends where the symbol begins.
		['libapp.so.1@0x100c', 4],
		['exported', 8],
		['libapp.so.1@0x1020', 8],
	]);
});

test('the one that a program begins with has its usual name', () => {
	expect(namesOf(elf(frameSection(commonInformation('zR', [0x1b]), FRAMES, FUNCTIONS), { entry: TEXT + 32 }))).toEqual([
		['libapp.so.1@0x1000', 9],
		['exported', 8],
		['_start', 8],
	]);
});

test('also where a table of symbols was left and names of local functions taken out of it', () => {
	const symbols = [
		{ name: 'first', offset: 0, size: 9 },
		{ name: 'exported', offset: 16, size: 8 },
	];
	expect(namesOf(elf(frameSection(commonInformation('zR', [0x1b]), FRAMES, FUNCTIONS), { symbolTable: '.symtab', symbols }))).toEqual([
		['first', 9],
		['exported', 8],
		['libapp.so.1@0x1020', 8],
	]);
});

test('a library that was unpacked into a temporary file has the same names in each run', () => {
	const frames = frameSection(commonInformation('zR', [0x1b]), FRAMES, [[TEXT, 9]]);
	expect(namesOf(elf(frames), '/tmp/librocksdbjni12033671397136529666.so')[0]).toEqual(['librocksdbjni.so@0x1000', 9]);
	expect(namesOf(elf(frames), '/usr/lib/libLLVM.so.22.1')[0]).toEqual(['libLLVM.so.22.1@0x1000', 9]);
});

test('damaged descriptions are read without an error', () => {
	const frames = frameSection(commonInformation('zPLR', [0x9b, 1, 2, 3, 4, 0x1b, 0x1b]), FRAMES, FUNCTIONS);
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(frames.length - 1), fc.nat(255)), { maxLength: 12 }), fc.nat(frames.length), (changes, length) => {
			const damaged = Buffer.from(frames.subarray(0, length));
			for (const [at, byte] of changes) {
				if (at < length) {
					damaged[at] = byte;
				}
			}
			for (const [start = 0, end = 0] of rangesOf(elf(damaged)) ?? []) {
				expect(end).toBeGreaterThan(start);
			}
		}),
	);
});
