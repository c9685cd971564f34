import { expect, test } from 'vitest';
import { elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { readDynamicNames } from './dynamic.js';

const STRINGS = Buffer.from('\0libz.so.1\0libc.so.6\0libown.so.2\0');
const ENTRIES = [
	[1, 1],
	[14, 21],
	[1, 11],
	[1, 99],
	[0, 0],
	[1, 1],
] as const;

test.each([
	[true, true],
	[true, false],
	[false, true],
	[false, false],
])('what is asked for, up to the end of the section; 64 bits %s, little endian %s', (is64, isLittle) => {
	const half = is64 ? 8 : 4;
	const bytes = Buffer.alloc(ENTRIES.length * 2 * half);
	ENTRIES.flat().forEach((value, i) => {
		const at = i * half + (is64 && !isLittle ? 4 : 0);
		isLittle ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);
	});
	const sections = [
		{ name: '.dynamic', address: 0, bytes, kind: 6, link: 2 },
		{ name: '.dynstr', address: 0, bytes: STRINGS, kind: 3 },
	];
	const file = elfFile({ is64, isLittle, type: 3, sections, symbols: [] });
	expect(readDynamicNames(memorySource('app', file))).toEqual({ needed: ['libz.so.1', 'libc.so.6', ''], soname: 'libown.so.2' });
});

test('what has none asks for nothing', () => {
	expect(readDynamicNames(memorySource('app', elfFile({ sections: [], symbols: [] })))).toEqual({ needed: [], soname: null });
	expect(readDynamicNames(memorySource('app', Buffer.from('text')))).toEqual({ needed: [], soname: null });
});
