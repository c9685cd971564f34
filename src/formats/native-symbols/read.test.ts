/** What is written is read again; lines that are none are told. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { MappedLibrary } from '../../model/native-symbols.js';
import { isNativeSymbols, readNativeSymbolsFile } from './read.js';
import { writeNativeSymbols } from './write.js';

const library = (name: string, buildId: string | null = null): MappedLibrary => ({ name, buildId, inode: null, kernelText: null });
const read = (text: string) => readNativeSymbolsFile(memorySource('native-symbols.txt', Buffer.from(text)));

test('libraries by name and build id, the kernel by addresses', () => {
	const kernel = library('[kernel.kallsyms]');
	const text = writeNativeSymbols([
		{ library: library('/b', 'aa'), symbol: { start: 0x20, end: 0x30, name: 'second' } },
		{ library: library('/b', 'aa'), symbol: { start: 0x10, end: 0x20, name: 'first' } },
		{ library: kernel, symbol: { start: -0x7f000000, end: -0x7effff00, name: 'schedule' } },
	]);
	expect(isNativeSymbols(text)).toBe(true);
	expect(text.split('\n').slice(1)).toEqual(['/b\taa\t10\t10\tfirst', '/b\taa\t20\t10\tsecond', '[kernel.kallsyms]\t-\tffffffff81000000\t100\tschedule', '']);
	const { symbols, problems } = read(text);
	expect(problems).toEqual([]);
	expect([0xf, 0x10, 0x1f, 0x20, 0x30].map((at) => symbols.symbolsOf(library('/b', 'aa'))?.find(at)?.name)).toEqual([
		undefined,
		'first',
		'first',
		'second',
		undefined,
	]);
	expect(symbols.symbolsOf(kernel)?.find(-0x7effffff)?.name).toBe('schedule');
	expect([symbols.symbolsOf(library('/b', 'bb')), symbols.symbolsOf(library('/b')), symbols.symbolsOf(library('/a', 'aa'))]).toEqual([null, null, null]);
});

test('any name comes back', () => {
	fc.assert(
		fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (file, name) => {
			const { symbols } = read(writeNativeSymbols([{ library: library(`/${file}`), symbol: { start: 1, end: 2, name } }]));
			expect(symbols.symbolsOf(library(`/${file}`))?.find(1)?.name).toBe(name);
		}),
	);
});

test('lines that are none', () => {
	const { problems } = read('# assay native symbols 1\n/a\t-\t10\t10\tf\n/a\t-\tx\t10\tf\n/a\t-\t10\n\n/a\t-\t1\t1\tf\tg\n');
	expect(problems.map(({ line }) => line)).toEqual([3, 4, 6]);
	fc.assert(fc.property(fc.string(), (text) => void read(text)));
});

test('names are escaped; libraries of one name are in the order of their build ids', () => {
	const symbol = { start: 1, end: 2, name: 'a\\b\tc\nd\re' };
	const text = writeNativeSymbols([
		{ library: library('/b'), symbol },
		{ library: library('/a', 'bb'), symbol },
		{ library: library('/c'), symbol },
		{ library: library('/a', 'aa'), symbol },
		{ library: library('/a'), symbol },
	]);
	expect(text).toBe(
		['# assay native symbols 1', ...['/a\t-', '/a\taa', '/a\tbb', '/b\t-', '/c\t-'].map((start) => `${start}\t1\t1\ta\\\\b\\tc\\nd\\re`), ''].join('\n'),
	);
});
