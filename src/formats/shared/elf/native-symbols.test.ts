/** Functions by their offsets in the file, which of several names of one place is meant, and damaged files. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { buildIdOfNotes, chosenSymbols, hasSymbolTable, type RawSymbol, readBuildId, readNativeSymbols } from './native-symbols.js';

const bytes = elfFile({
	sections: [
		{ name: '.text', address: 0x1000, bytes: Buffer.alloc(64, 0xcc) },
		{ name: '.data', address: 0x2000, bytes: Buffer.alloc(8), flags: 3 },
	],
	symbols: [
		{ name: 'main', offset: 0, size: 9 },
		{ name: '__main_alias', offset: 0, size: 9 },
		{ name: 'open_end', offset: 16, size: 0 },
		{ name: 'behind', offset: 32, size: 4 },
		{ name: 'table', offset: 0, size: 8, type: 1, section: 2 },
	],
});
const read = (file: Uint8Array) => {
	const source = memorySource('app', file);
	return readNativeSymbols(source, source);
};

test('by offset; without a size up to the next', () => {
	const symbols = read(bytes);
	const [{ start } = { start: 0 }] = symbols;
	expect(start).toBe(bytes.indexOf(Buffer.alloc(64, 0xcc)));
	expect(symbols.map((symbol) => [symbol.name, symbol.start - start, symbol.end - start])).toEqual([
		['main', 0, 9],
		['open_end', 16, 32],
		['behind', 32, 36],
	]);
	expect(hasSymbolTable(memorySource('app', bytes))).toBe(true);
});

test('of names of one place: with a size, not weak, global, fewer underscores, longer', () => {
	const symbol = (name: string, more: Partial<RawSymbol> = {}): RawSymbol => ({ start: 0, end: 8, name, isWeak: false, isGlobal: true, ...more });
	const chosen = (...all: readonly RawSymbol[]): string[] => chosenSymbols(all).map(({ name }) => name);
	expect(chosen(symbol('weak', { isWeak: true }), symbol('f'))).toEqual(['f']);
	expect(chosen(symbol('local', { isGlobal: false }), symbol('f'))).toEqual(['f']);
	expect(chosen(symbol('__longer'), symbol('f'))).toEqual(['f']);
	expect(chosen(symbol('f'), symbol('longer'))).toEqual(['longer']);
	expect(chosen(symbol('a'), symbol('b'))).toEqual(['a']);
	// Without sizes the last of a place is the one that reaches to the next.
	expect(chosen(symbol('longest', { end: 0 }), symbol('last', { end: 0 }), symbol('next', { start: 4 }))).toEqual(['last', 'next']);
});

test('build ids', () => {
	const note = Buffer.concat([Buffer.from(Uint32Array.of(4, 3, 3).buffer), Buffer.from('GNU\0'), Buffer.from([0xab, 0xcd, 0x01])]);
	expect(buildIdOfNotes(note, true)).toBe('abcd01');
	expect(buildIdOfNotes(note.subarray(0, 17), true)).toBeNull();
	expect(buildIdOfNotes(Buffer.alloc(64, 0xff), true)).toBeNull();
	expect(readBuildId(memorySource('app', bytes))).toBeNull();
});

test('damaged files are read without an error', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 12 }), fc.nat(bytes.length), (changes, length) => {
			const damaged = Buffer.from(bytes.subarray(0, length));
			for (const [at, value] of changes) {
				if (at < length) {
					damaged[at] = value;
				}
			}
			expect(Array.isArray(read(damaged))).toBe(true);
			readBuildId(memorySource('app', damaged));
		}),
		{ numRuns: 300 },
	);
});
