/** A section by its name: of both classes and byte orders, with more sections than 16 bits count, and cut anywhere. */
import { describe, expect, test } from 'vitest';
import { elfFile } from '../../../../test/elf-file.js';
import { memorySource } from '../../../bytes/source.js';
import { readElfSection } from './read-section.js';

const read = (bytes: Uint8Array, name: string): string | null => {
	const found = readElfSection(memorySource('app', bytes), name);
	return found === null ? null : Buffer.from(found).toString();
};

describe.each([
	[true, true],
	[true, false],
	[false, true],
	[false, false],
])('64 bit %s, little endian %s', (is64, isLittle) => {
	const bytes = elfFile({
		is64,
		isLittle,
		sections: [
			{ name: '.text', address: 0x1000, bytes: Buffer.from('code') },
			{ name: '.text.hot', address: 0x2000, bytes: Buffer.from('hot code') },
			{ name: 'assay_map', address: 0, bytes: Buffer.from('the map') },
			{ name: 'empty', address: 0, bytes: Buffer.alloc(0) },
		],
		symbols: [],
	});
	const view = (of: Buffer) => new DataView(of.buffer, of.byteOffset, of.byteLength);
	const tableOffset = is64 ? 64 : 52;
	const headerBytes = is64 ? 64 : 40;
	const countAt = is64 ? 60 : 48;

	test('the one of this name, not one that begins with it', () => {
		expect(['.text', '.text.hot', 'assay_map', 'empty', '.tex', 'hot', '.text.hot2', ''].map((name) => read(bytes, name))).toEqual([
			'code',
			'hot code',
			'the map',
			'',
			null,
			null,
			null,
			'',
		]);
	});

	test('a name that ends with the table of names', () => {
		// The last of the names is that of the table itself.
		expect(read(bytes, '.shstrtab')).toMatch(/\0\.text\0/);
	});

	test('counts beyond 16 bits stand in the first section', () => {
		const many = Buffer.from(bytes);
		const head = view(many);
		const count = head.getUint16(countAt, isLittle);
		const names = head.getUint16(countAt + 2, isLittle);
		head.setUint16(countAt, 0, isLittle);
		head.setUint16(countAt + 2, 0xffff, isLittle);
		expect(read(many, 'assay_map')).toBeNull();
		if (is64) {
			head.setBigUint64(tableOffset + 32, BigInt(count), isLittle);
		} else {
			head.setUint32(tableOffset + 20, count, isLittle);
		}
		head.setUint32(tableOffset + (is64 ? 40 : 24), names, isLittle);
		expect(read(many, 'assay_map')).toBe('the map');
	});

	test('no table, rows that are too small, names that are not there', () => {
		const with16 = (at: number, value: number) => {
			const changed = Buffer.from(bytes);
			view(changed).setUint16(at, value, isLittle);
			return read(changed, 'assay_map');
		};
		expect(with16(is64 ? 58 : 46, headerBytes - 1)).toBeNull();
		expect(with16(countAt + 2, 500)).toBeNull();
		const noTable = Buffer.from(bytes);
		noTable.fill(0, is64 ? 40 : 32, is64 ? 48 : 36);
		expect(read(noTable, 'assay_map')).toBeNull();
	});

	test('larger than can be held is not read', () => {
		const huge = Buffer.from(bytes);
		const sizeAt = tableOffset + 3 * headerBytes + (is64 ? 32 : 20);
		if (is64) {
			view(huge).setBigUint64(sizeAt, 2n ** 30n + 1n, isLittle);
		} else {
			view(huge).setUint32(sizeAt, 2 ** 30 + 1, isLittle);
		}
		expect(read(huge, 'assay_map')).toBeNull();
	});

	test('cut anywhere it says nothing wrong', () => {
		for (let length = 0; length < bytes.length; length++) {
			const found = read(bytes.subarray(0, length), 'assay_map');
			expect(found === null || 'the map'.startsWith(found)).toBe(true);
		}
	});
});

test('what is no ELF file', () => {
	const bytes = elfFile({ sections: [{ name: 'x', address: 0, bytes: Buffer.from('y') }], symbols: [] });
	for (let at = 0; at < 4; at++) {
		const changed = Buffer.from(bytes);
		changed[at] = 0;
		expect(read(changed, 'x')).toBeNull();
	}
	expect(read(bytes, 'x')).toBe('y');
});
