import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameHash } from '../../bytes/name-hash.js';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { type ClangOrder, readClangOrderBuffer } from './read-buffer.js';
import { type ClangOrderMap, isClangOrderMap, isProbablyLocal, mergeClangOrderMaps, readClangOrderMap } from './read-map.js';

const FILE_BYTES = 524_288;
const line = (name: string): string => `MD5 ${nameHash(Buffer.from(name)).toString(16)} ${name}\n`;
const mapOf = (text: string, name = 'a.map'): ClangOrderMap => readClangOrderMap(memorySource(name, Buffer.from(text)));
const MAP = mapOf(['main', 'f', 'g', '_ZN1AC2Ev', '_ZN1AC2Ev', 'helper', 'helper', '\u0001_plain'].map(line).join(''));

function buffer(names: readonly string[], sizeBytes = FILE_BYTES): Buffer {
	const bytes = Buffer.alloc(sizeBytes);
	names.forEach((name, i) => {
		if (name !== '') {
			bytes.writeBigUInt64LE(nameHash(Buffer.from(name)), i * 8);
		}
	});
	return bytes;
}
const read = (bytes: Uint8Array, map = MAP): ClangOrder => readClangOrderBuffer(memorySource('a.order', bytes), map);
const symbols = ({ functions, traces }: ClangOrder): string[] => traces.flatMap(({ order }) => [...order].map((position) => functions[position]?.symbol ?? ''));

describe("clang's map", () => {
	test('numbers without leading zeros', () => {
		const short = mapOf('MD5 db956436e78dd5fa main\n');
		expect(short.symbols.get(0xdb956436e78dd5fan)).toEqual(['main']);
		expect(short.problems).toEqual([]);
	});

	test('told from other text', () => {
		expect(isClangOrderMap(line('main'))).toBe(true);
		expect(isClangOrderMap('MD5 (a.c) = d41d8cd98f00b204e9800998ecf8427e\n')).toBe(false);
		expect(isClangOrderMap('main\n')).toBe(false);
	});

	test('torn and damaged lines are left out and counted', () => {
		const map = mapOf(`${line('main')}MD5 12\n${line('f').replace('f\n', 'q\n')}${line('g')}`);
		expect([...map.symbols.values()].flat()).toEqual(['main', 'g']);
		expect(map.problems).toMatchObject([
			{ line: 2, message: expect.stringContaining('expected MD5') },
			{ line: 3, message: expect.stringContaining('not the MD5 of the symbol') },
		]);
	});

	test('several are one', () => {
		const merged = mergeClangOrderMaps([mapOf(line('main') + line('helper')), mapOf(line('helper') + line('g'), 'b.map')]);
		expect([...merged.symbols.values()].flat()).toEqual(['main', 'helper', 'g']);
		expect([...merged.repeated]).toEqual([['helper', 2]]);
		expect(merged.name).toBe('a.map, b.map');
	});
});

describe("clang's buffer", () => {
	test('the first of each, in order', () => {
		const result = read(buffer(['main', '_ZN1AC2Ev', 'f', '\u0001_plain', 'main']));
		expect(symbols(result)).toEqual(['main', '_ZN1AC2Ev', 'f', '_plain']);
		expect(result.isTruncated).toBe(false);
	});

	test('functions of one name share a number', () => {
		const result = read(buffer(['main', 'helper', 'f', 'helper']));
		expect(symbols(result)).toEqual(['main', 'helper', 'f']);
		expect(result.sharedNames).toEqual([{ symbol: 'helper', ran: 2, inMap: 2 }]);
		expect(read(buffer(['main', 'helper'])).sharedNames).toEqual([{ symbol: 'helper', ran: 1, inMap: 2 }]);
	});

	test('a map of two builds is known as such', () => {
		const twice = mapOf(['main', 'f', 'helper'].map((name) => line(name) + line(name)).join(''));
		const result = read(buffer(['main', 'f']), twice);
		expect(result.sharedNames).toEqual([]);
		expect(result.problems).toMatchObject([{ message: expect.stringContaining('built again') }]);
	});

	test('two symbols of one number are both given, and reported', () => {
		const id = nameHash(Buffer.from('f'));
		const map: ClangOrderMap = { name: 'a.map', symbols: new Map([[id, ['f', 'twin']]]), repeated: new Map(), problems: [] };
		const result = read(buffer(['f']), map);
		expect(symbols(result)).toEqual(['f', 'twin']);
		expect(result.collisions).toEqual([{ id: id.toString(16), symbols: ['f', 'twin'] }]);
	});

	test('a full file may have lost functions', () => {
		const names = Array.from({ length: FILE_BYTES / 8 }, (_, i) => `f${i}`);
		const result = read(buffer(names), mapOf(names.map(line).join('')));
		expect(result.isTruncated).toBe(true);
		expect(symbols(result)).toEqual(names);
		expect(result.problems).toMatchObject([{ severity: 'warning', message: expect.stringContaining('all 65536 places are used') }]);
	});

	test('a cut file', () => {
		expect(read(buffer(['main', 'f', 'g']).subarray(0, 20)).problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('it is cut') }]);
		expect(symbols(read(buffer(['main', 'f', 'g']).subarray(0, 20)))).toEqual(['main', 'f']);
		const longer = read(buffer(['main', 'f', 'g']).subarray(0, 100));
		expect(longer.problems).toMatchObject([{ severity: 'warning', action: expect.stringContaining('no function seems to be missing') }]);
		expect(symbols(longer)).toEqual(['main', 'f', 'g']);
	});

	test('of a big-endian machine, of another program, with holes, empty', () => {
		expect(() => read(buffer(['main', 'f']).swap64())).toThrow(/big-endian/);
		expect(() => read(buffer(['x', 'y', 'main']))).toThrow(/2 of which are not in a.map/);
		expect(read(buffer(['main', 'f', 'x'])).problems).toMatchObject([{ severity: 'error', message: '1 of 3 functions are not in a.map' }]);
		expect(read(buffer(['main', '', 'f'])).problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('1 empty places') }]);
		expect(read(buffer([])).problems).toMatchObject([{ severity: 'warning', message: 'holds no function' }]);
	});

	test('a bit changed: refused, told, or nothing lost', () => {
		const good = buffer(['main', 'f', 'g', '_ZN1AC2Ev'], FILE_BYTES);
		fc.assert(
			fc.property(fc.nat(32 - 1), fc.nat(7), (at, bit) => {
				const bytes = Buffer.from(good);
				bytes[at] = bytes[at]! ^ (1 << bit);
				expect(read(bytes).problems).not.toEqual([]);
			}),
			{ numRuns: 50 },
		);
	});

	test('other bytes throw nothing but InputError', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
				try {
					read(bytes);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	});
});

describe('several maps, and sizes of files', () => {
	test('one map is that map; what one has several times counts as often', () => {
		const twice = mapOf(line('helper') + line('helper') + line('main'));
		expect(mergeClangOrderMaps([twice])).toBe(twice);
		expect(mergeClangOrderMaps([])).toEqual({ name: '', symbols: new Map(), repeated: new Map(), problems: [] });
		const torn = mapOf('torn\n', 'b.map');
		const merged = mergeClangOrderMaps([twice, mapOf(line('helper') + line('helper') + line('helper')), torn]);
		expect([[...merged.repeated], merged.problems]).toEqual([[['helper', 5]], torn.problems]);
		const two: ClangOrderMap = { name: 'c', symbols: new Map([[nameHash(Buffer.from('main')), ['main', 'twin']]]), repeated: new Map(), problems: [] };
		expect([...mergeClangOrderMaps([twice, two]).symbols.values()]).toEqual([['helper'], ['main', 'twin']]);
	});

	test('names that are probably of one module', () => {
		const local = ['main', 'f', '_ZL1fv', '_ZN12_GLOBAL__N_11fEv', '_ZNK12_GLOBAL__N_11A1fEv', '_ZNVK12_GLOBAL__N_11A1fEv', 'x_Z1f', 'x_R'];
		const shared = ['_Z1fv', '_ZN1AC2Ev', '_RNvC1a1f', '_ZNSt12_GLOBAL'];
		expect([...local, ...shared].filter(isProbablyLocal)).toEqual(local);
	});

	test('a buffer as long as in memory is whole; another length is cut', () => {
		expect(read(buffer(['main', 'f'], 2 * FILE_BYTES)).problems).toEqual([]);
		expect(read(buffer(['main', 'f'])).problems).toEqual([]);
		expect(read(buffer(['main', 'f'], FILE_BYTES + 8)).problems).toMatchObject([
			{ severity: 'warning', message: `the file has ${FILE_BYTES + 8} bytes, such files have ${FILE_BYTES}` },
		]);
		expect(read(Buffer.alloc(0)).problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('it is cut') }]);
		expect(read(buffer([], 800)).problems).toMatchObject([{ severity: 'error', action: expect.stringContaining('the 0 functions before that') }]);
	});

	test('how many are told by name', () => {
		const names = Array.from({ length: 6 }, (_, i) => `s${i}`);
		const map = mapOf(line('main') + names.map((name) => line(name) + line(name)).join('') + Array.from({ length: 9 }, (_, i) => line(`f${i}`)).join(''));
		const [problem] = read(buffer(['main', ...names]), map).problems;
		expect(problem?.message).toBe(
			'functions of one name in several modules have one number: s0 (1 of 2 ran), s1 (1 of 2 ran), s2 (1 of 2 ran), s3 (1 of 2 ran), s4 (1 of 2 ran) and 1 more',
		);
		expect(() => read(buffer(['x', 'y']))).toThrow(/has 2 functions, none of which is in a\.map/);
		expect(read(buffer(['main', 'x'])).problems).toMatchObject([{ message: '1 of 2 functions are not in a.map' }]);
	});
});
