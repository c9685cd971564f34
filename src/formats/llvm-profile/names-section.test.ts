/** The names of a raw profile: sizes in several bytes, pieces, what does not fit. */
import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { readNamesSection } from './names-section.js';
import { splitProfileName } from './profile-names.js';

function uleb128(value: number): number[] {
	return value < 128 ? [value] : [(value & 127) | 128, ...uleb128(value >>> 7)];
}

const piece = (names: readonly string[]): number[] => {
	const plain = Buffer.from(names.join('\x01'));
	return [...uleb128(plain.length), 0, ...plain];
};
const packedPiece = (names: readonly string[], sizeBytes?: number): number[] => {
	const plain = Buffer.from(names.join('\x01'));
	const packed = zlibSync(plain);
	return [...uleb128(sizeBytes ?? plain.length), ...uleb128(packed.length), ...packed];
};
const read = (...bytes: number[]): string | string[] => {
	const names = readNamesSection(Uint8Array.from(bytes));
	return typeof names === 'string' ? names : [...names.values()];
};
const MANY = Array.from({ length: 3000 }, (_, i) => `function_number_${i}`);

describe('the section', () => {
	test('with sizes of one, two and three bytes, plain and packed', () => {
		for (const names of [['main'], MANY.slice(0, 20), MANY]) {
			expect(read(...piece(names))).toEqual(names);
			expect(read(...packedPiece(names))).toEqual(names);
		}
	});

	test('of several pieces, zeros between them', () => {
		expect(read(...piece(['a', 'b']), 0, 0, 0, ...packedPiece(['c']), ...piece(['d']), 0)).toEqual(['a', 'b', 'c', 'd']);
		expect(read()).toEqual([]);
		expect(read(0, 0)).toEqual([]);
	});

	test('separators at the ends are no names', () => {
		expect(read(...piece(['', 'a', '', 'b', '']))).toEqual(['a', 'b']);
	});

	test('that does not fit is told with its place', () => {
		const good = piece(['a']);
		expect(read(...good, 0x80)).toBe(`the sizes of the names at byte ${good.length} of their section make no sense`);
		expect(read(...Array.from({ length: 9 }, () => 0x80))).toContain('at byte 0 of their section make no sense');
		expect(read(5, 0, 97)).toBe('the names at byte 0 of their section say that they have 5 bytes, and 1 are left');
		expect(read(...packedPiece(['abc'], 4))).toBe('the packed names at byte 0 of their section are damaged');
		expect(read(...packedPiece(['abc'], 2))).toBe('the packed names at byte 0 of their section are damaged');
		const packed = packedPiece(['abc', 'def']);
		expect(read(...packed.slice(0, -1), packed.at(-1)! ^ 1)).toBe('the packed names at byte 0 of their section are damaged');
		expect(read(...uleb128(200), ...uleb128(200), 1, 2, 3)).toContain('say that they have 200 bytes, and 3 are left');
	});
});

test('names of local functions', () => {
	expect(splitProfileName('a.c;f')).toEqual({ symbol: 'f', module: 'a.c' });
	expect(splitProfileName(';f')).toEqual({ symbol: ';f', module: null });
	expect(splitProfileName('f;')).toEqual({ symbol: 'f;', module: null });
	expect(splitProfileName('a.c:f')).toEqual({ symbol: 'f', module: 'a.c' });
	expect(splitProfileName(':f')).toEqual({ symbol: ':f', module: null });
	expect(splitProfileName('\u0001_f')).toEqual({ symbol: '_f', module: null });
	expect(splitProfileName('a.c;\u0001f')).toEqual({ symbol: 'f', module: 'a.c' });
});
