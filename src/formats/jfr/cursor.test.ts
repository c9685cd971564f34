/** Numbers and strings at their boundaries, in both ways to write integers, and where bytes end too early. */
import { describe, expect, test } from 'vitest';
import { StringTable } from '../../bytes/string-table.js';
import { JfrCursor } from './cursor.js';

const compressed = (...bytes: number[]) => new JfrCursor(Uint8Array.from(bytes), true);
const fixed = (...bytes: number[]) => new JfrCursor(Uint8Array.from(bytes), false);
const ff = (count: number) => new Array<number>(count).fill(0xff);
const x80 = (count: number) => new Array<number>(count).fill(0x80);

describe('integers as LEB128', () => {
	test.each<[number[], number]>([
		[[0x00], 0],
		[[0x7f], 127],
		[[0x80, 0x01], 128],
		[[0x81, 0x80, 0x80, 0x00], 1],
		[[...ff(3), 0x7f], 2 ** 28 - 1],
		[[...x80(4), 0x01], 2 ** 28],
		[[...ff(4), 0x01], 2 ** 29 - 1],
		[[...x80(7), 0x7f], 127 * 2 ** 49],
		[[...x80(7), 0x80, 0x01], 2 ** 56],
		[[...ff(8), 0x7f], 2 ** 63],
		[ff(9), -1],
		[[0xfe, ...ff(8)], -2],
		[[...x80(4), ...ff(5)], -(2 ** 28)],
		[[...x80(8), 0x80], -(2 ** 63)],
	])('%j', (bytes, expected) => {
		const cursor = compressed(...bytes, 0x55);
		expect(cursor.long()).toBe(expected);
		expect(cursor.at).toBe(bytes.length);
	});

	test('of 32 bits they are signed', () => {
		expect(compressed(...ff(4), 0x0f).int()).toBe(-1);
		expect(compressed(...ff(4), 0x07).int()).toBe(2 ** 31 - 1);
		expect(compressed(...ff(9)).int()).toBe(-1);
	});

	test('as keys they are exact, also where a double is not', () => {
		expect(compressed(...ff(6), 0x7f).key()).toBe(2 ** 49 - 1);
		expect(compressed(0x81, ...x80(6), 0x01).key()).toBe(2n ** 49n + 1n);
		expect(compressed(0x81, ...x80(7), 0x40).key()).toBe(2n ** 62n + 1n);
		expect(compressed(...ff(9)).key()).toBe(-1n);
	});

	test.each([1, 3, 4, 5, 7, 8])('that end after %i bytes are damage', (count) => {
		expect(() => compressed(...x80(count)).long()).toThrow('ends inside a number');
	});

	test('a cursor ends where it is told to, not where its bytes do', () => {
		const cursor = new JfrCursor(Uint8Array.of(9, 7, 0x80, 0x01), true, 1, 3);
		expect(cursor.long()).toBe(7);
		expect(() => cursor.long()).toThrow('ends inside a number');
		expect(() => new JfrCursor(Uint8Array.of(1, 2, 3), true, 0, 2).skip(3)).toThrow('ends inside a value of 3 bytes');
	});
});

describe('integers of fixed size', () => {
	test('are big-endian and signed', () => {
		expect(fixed(0, 0, 0, 1, 0x80, 0, 0, 2).long()).toBe(2 ** 32 + 2 ** 31 + 2);
		expect(fixed(...ff(7), 0xfe).long()).toBe(-2);
		expect(fixed(...ff(3), 0xfe).int()).toBe(-2);
		expect(() => fixed(...ff(7)).long()).toThrow('ends inside a value of 8 bytes');
		expect(() => fixed(...ff(3)).int()).toThrow('ends inside a value of 4 bytes');
	});

	test('as keys they are exact', () => {
		expect(fixed(0, 0, 0, 0, 0, 0, 1, 2).key()).toBe(258);
		expect(fixed(0x01, 0, 0, 0, 0, 0, 0, 0x03).key()).toBe(2n ** 56n + 3n);
		expect(fixed(0x80, 0, 0, 0, 0, 0, 0, 0x01).key()).toBe(-(2n ** 63n) + 1n);
	});
});

describe('numbers of elements', () => {
	test('as many as bytes follow, not more', () => {
		expect(compressed(2, 0, 0).length()).toBe(2);
		expect(() => compressed(3, 0, 0).length()).toThrow('3 elements cannot follow in 2 bytes');
		expect(() => compressed(...ff(9)).length()).toThrow('-1 elements cannot follow in 0 bytes');
	});
});

describe('strings', () => {
	test.each<[string, number[], unknown]>([
		['none', [0], null],
		['empty', [1], ''],
		['a key', [2, 0x80, 0x01], { key: 128 }],
		['UTF-8', [3, 3, 0xe2, 0x82, 0xac], '€'],
		['UTF-16', [4, 2, 0x41, 0xac, 0x41], 'A€'],
		['Latin-1', [5, 2, 0x41, 0xe9], 'Aé'],
	])('%s', (_, bytes, expected) => {
		const cursor = compressed(...bytes, 0x55);
		expect(cursor.string()).toEqual(expected);
		expect(cursor.at).toBe(bytes.length);
		cursor.at = 0;
		cursor.skipString();
		expect(cursor.at).toBe(bytes.length);
	});

	test('read over: what is cut or of another encoding is damage', () => {
		expect(() => compressed(3, 4, 1, 2).skipString()).toThrow('4 elements cannot follow in 2 bytes');
		expect(() => compressed(6).skipString()).toThrow('a string has the encoding 6, expected 0 to 5');
		expect(() => compressed().skipString()).toThrow('ends inside a value of 1 bytes');
	});

	test('the same bytes are the same text, also where strings are made once', () => {
		const strings = new StringTable([]);
		const bytes = Uint8Array.from([3, 3, 0xe2, 0x82, 0xac, 3, 3, 0xe2, 0x82, 0xac, 3, 2, 0x41, 0x42]);
		const cursor = new JfrCursor(bytes, true, 0, bytes.length, strings);
		expect([cursor.string(), cursor.string(), cursor.string()]).toEqual(['€', '€', 'AB']);
		expect(strings.strings).toEqual(['€', 'AB']);
	});

	test('UTF-16 of a chunk without LEB128 has two bytes a character', () => {
		expect(fixed(4, 0, 0, 0, 2, 0x00, 0x41, 0x20, 0xac).string()).toBe('A€');
	});

	test('other encodings are damage', () => {
		expect(() => compressed(6).string()).toThrow('a string has the encoding 6, expected 0 to 5');
	});
});
