/** Faults of a program that was loaded elsewhere than it was linked. */
import { expect, test } from 'vitest';
import { elfFile } from '../../test/elf-file.js';
import { handLayout } from '../../test/text-layout.js';
import { memorySource } from '../bytes/source.js';
import { readElfSymbols } from '../formats/shared/elf/read-symbols.js';
import { codeSections } from '../model/symbol-table.js';
import { functionAt } from './function-at.js';
import { inferLayout } from './infer-layout.js';
import { textFaults } from './text-faults.js';

const { table } = readElfSymbols(
	memorySource(
		'app',
		elfFile({
			type: 3,
			sections: [{ name: '.text', address: 0x11000, bytes: Buffer.alloc(0x20000, 0x90) }],
			symbols: [
				{ name: 'first', offset: 0, size: 0x1800 },
				{ name: 'second', offset: 0x1800, size: 0x1e800 },
			],
		}),
	),
);
const layout = inferLayout(table, 'app');
const offset = table.sections[1]?.fileOffset as number;

test('addresses are those of the link; other files, processes and sections do not count', () => {
	const start = 0x7f0000000000;
	const pageOffset = offset - (offset % 4096);
	const mapping = { processId: 1, start, sizeBytes: 0x30000, fileOffset: pageOffset, isExecutable: true, file: '/bin/app' };
	const at = (address: number): number => start + (offset - pageOffset) + (address - 0x11000);
	const faults = [0x11000, 0x12900, 0x25000].map((address) => ({ processId: 1, address: at(address), isMajor: address === 0x12900 }));
	const result = textFaults(
		{
			faults: [...faults, { processId: 2, address: at(0x11000), isMajor: false }, { processId: 1, address: 0x1000, isMajor: true }],
			mappings: [mapping, { ...mapping, processId: 2, file: '/bin/other' }],
		},
		layout,
		(file) => file === '/bin/app',
	);
	expect(result).toEqual({
		allFaults: 5,
		majorFaults: 2,
		textFaults: 3,
		textMajorFaults: 1,
		windows64k: 2,
		pages: [0x11000, 0x12000, 0x25000],
		isMapped: true,
	});
	expect(result.pages.map(functionAt(layout))).toEqual(['first', 'first', 'second']);
});

test('a page is called after what lies at its beginning, or begins first in it', () => {
	const name = functionAt(layout);
	expect([name(0x10000), name(0x11000), name(0x12000), name(0x13000)]).toEqual([null, 'first', 'first', 'second']);
});

test('the code of an order reaches from the page that it begins in to its last byte', () => {
	const code = (name: string, address: number, fileOffset: number | null, sizeBytes: number, isExecutable = true) => ({
		name,
		address,
		sizeBytes,
		alignment: 16,
		isExecutable,
		fileOffset,
	});
	// .plt and .text are as far apart in memory as in no file; .fini follows .text, .data lies over it in the file.
	const sections = [
		code('.plt', 0x401100, 0x1100, 0x100),
		code('.data', 0x900000, 0x2100, 0x2000, false),
		code('.bss', 0x2000, null, 0x9000),
		code('.text', 0x602100, 0x2100, 0x1800),
		code('.fini', 0x603900, 0x3900, 0x100),
	];
	const moved = 0x10000000;
	const mapping = { processId: 1, start: moved, sizeBytes: 0x6000, fileOffset: 0, isExecutable: true, file: 'app' };
	const functions = [
		{ name: 'a', size: 0x1000 },
		{ name: 'b', size: 0x800 },
	];
	const text = handLayout(0x602100, functions, { code: codeSections(sections) });
	const pages = (offset: number, more: Partial<typeof mapping> = {}) => {
		const recording = { faults: [{ processId: 1, address: moved + offset, isMajor: false }], mappings: [{ ...mapping, ...more }] };
		return textFaults(recording, text, (file) => file === 'app').pages;
	};
	expect([0x1100, 0x1fff, 0x2000, 0x2100, 0x30ff, 0x38ff, 0x3900, 0x39ff].map((offset) => pages(offset))).toEqual([
		[],
		[],
		[0x602000],
		[0x602000],
		[0x603000],
		[0x603000],
		[],
		[],
	]);
	expect(pages(0x2100, { isExecutable: false })).toEqual([]);
	expect([
		pages(0x2100, { sizeBytes: 0x2101 }),
		pages(0x2100, { sizeBytes: 0x2100 }),
		pages(0, { fileOffset: 0x2100 }),
		pages(-1, { fileOffset: 0x2101 }),
	]).toEqual([[0x602000], [], [0x602000], []]);
	expect(textFaults({ faults: [], mappings: [] }, text, () => true)).toMatchObject({ textFaults: 0, windows64k: 0, isMapped: false });
});

test('the whole program is mapped first, and its code over that', () => {
	const start = 0x7f0000000000;
	const pageOffset = offset - (offset % 4096);
	const whole = { processId: 1, start: start - 0x1000, sizeBytes: 0x40000, fileOffset: 0, isExecutable: false, file: 'app' };
	const code = { processId: 1, start, sizeBytes: 0x30000, fileOffset: pageOffset, isExecutable: true, file: 'app' };
	const fault = { processId: 1, address: start + (offset - pageOffset), isMajor: false };
	const told = textFaults({ faults: [{ ...fault, mappingsBefore: 1 }, fault], mappings: [whole, code] }, layout, (file) => file === 'app');
	expect(told.pages).toEqual([0x11000]);
});
