/** Maps of blocks against what llvm-readobj prints of the same programs; features that no program of ours has; damaged maps. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elfFile } from '../../../test/elf-file.js';
import { memorySource } from '../../bytes/source.js';
import type { BlockMap } from '../../model/block-map.js';
import { readBlockMap } from './read.js';

const fixtures = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'blocks');
const unpacked = (name: string): Buffer => gunzipSync(fs.readFileSync(path.join(fixtures, `${name}.gz`)));
const SHT_LLVM_BB_ADDR_MAP = 0x6fff4c0a;
const TEXT = { name: '.text', address: 0x1000, bytes: Buffer.alloc(256, 0xcc) };

/** As the goldens have them, without names. */
function lines(map: BlockMap | null): string[] {
	if (map === null) {
		throw new Error('there is no map');
	}
	const { firstBlock, ids, starts, sizes, flags, calls } = map;
	return Array.from(firstBlock.subarray(0, -1)).flatMap((first, f) => [
		'f',
		...Array.from({ length: firstBlock[f + 1]! - first }, (_, i) => {
			const block = first + i;
			const ends = calls[block] ?? [];
			return `${ids[block]} ${starts[block]!.toString(16)} ${sizes[block]} ${flags[block]}${ends.length === 0 ? '' : ` ${ends.join(',')}`}`;
		}),
	]);
}

function program(map: readonly number[], spec: { is64?: boolean; isLittle?: boolean; type?: number } = {}): Buffer {
	const section = { name: '.llvm_bb_addr_map', address: 0, flags: 0, kind: SHT_LLVM_BB_ADDR_MAP, bytes: Buffer.from(map) };
	const comment = {
		name: '.comment',
		address: 0,
		flags: 0,
		bytes: Buffer.from('Linker: clang LLD 22\0GCC: 12\0clang version 22\0clang version 19\0clang version 22\0'),
	};
	return elfFile({ ...spec, sections: [TEXT, section, comment], symbols: [] });
}

const read = (map: readonly number[], spec = {}) => readBlockMap(memorySource('app', program(map, spec)));
const at = (address: number): number[] => [address & 255, (address >> 8) & 255, 0, 0, 0, 0, 0, 0];

describe('as llvm-readobj reads them', () => {
	test.each(['plain22', 'plain19', 'split22'])('%s', (name) => {
		const { map, problems } = readBlockMap(memorySource(name, unpacked(name)));
		const golden = unpacked(`${name}.readobj`)
			.toString('utf8')
			.trimEnd()
			.split('\n')
			.map((line) => (line.startsWith('f ') ? 'f' : line));
		expect(problems).toEqual([]);
		expect(lines(map)).toEqual(golden);
		expect(map?.compilers).toEqual([`Debian clang version ${name === 'plain19' ? '19.1.7 (3' : '22.1.8 (1'}~deb12u1)`]);
		expect(map?.functionStarts).toHaveLength(golden.filter((line) => line === 'f').length);
	});
});

describe('versions and features', () => {
	const one = [...at(0x1000), 2, 0, 0, 5, 8, 1, 3, 4, 1];

	test('version 1 numbers blocks by place; later ones say their numbers', () => {
		expect(lines(read([1, 0, ...at(0x1000), 2, 0, 5, 8, 3, 4, 1]).map)).toEqual(['f', '0 1000 5 8', '1 1008 4 1']);
		expect(lines(read([2, 0, ...at(0x1000), 2, 7, 0, 5, 8, 9, 3, 4, 1]).map)).toEqual(['f', '7 1000 5 8', '9 1008 4 1']);
		expect(lines(read([2, 0, ...one, 5, 0, 0, ...one]).map)).toEqual(['f', '0 1000 5 8', '1 1008 4 1', 'f', '0 1000 5 8', '1 1008 4 1']);
	});

	test('ranges, calls, hashes, blocks left out, and what a profile said', () => {
		expect(lines(read([2, 8, 2, ...at(0x1000), 1, 0, 0, 5, 0, ...at(0x1080), 1, 3, 2, 6, 4]).map)).toEqual(['f', '0 1000 5 0', '3 1082 6 4']);
		expect(lines(read([3, 32, ...at(0x1000), 1, 0, 0, 2, 5, 6, 3, 1]).map)).toEqual(['f', '0 1000 14 1 5,11']);
		expect(lines(read([4, 64, ...at(0x1000), 1, 0, 0, 9, 1, 1, 2, 3, 4, 5, 6, 7, 8]).map)).toEqual(['f', '0 1000 9 1']);
		expect(lines(read([2, 16, ...at(0x1000), 4, 2, 0, ...one]).map)).toEqual(['f', 'f', '0 1000 5 8', '1 1008 4 1']);
		const profile = [200, 1, 9, 1, 1, 100, 8, 0];
		expect(lines(read([2, 7, ...one, ...profile, 2, 0, ...one]).map)).toHaveLength(6);
		const linked = [200, 1, 9, 4, 1, 1, 100, 3, 8, 5, 0];
		expect(lines(read([5, 0x87, 0, ...one, ...linked, 2, 0, ...one]).map)).toHaveLength(6);
	});

	test('32 bits and the other byte order; numbers of several bytes', () => {
		expect(lines(read([2, 0, 0, 0, 0x10, 0, 1, 0xac, 0x02, 0, 0x81, 0x01, 1], { is64: false, isLittle: false }).map)).toEqual(['f', '300 1000 129 1']);
		expect(lines(read([2, 0, 0, 0x10, 0, 0, 1, 0, 0, 9, 1], { is64: false }).map)).toEqual(['f', '0 1000 9 1']);
	});

	test('what cannot be read is told with its place, and what stands before it is kept', () => {
		const told = (map: readonly number[]) => {
			const { map: kept, problems } = read(map);
			return [lines(kept).length, problems.map(({ message, offsetBytes }) => [message, (offsetBytes ?? -1) - program(map).indexOf(Buffer.from(map))])];
		};
		const why = (text: string) => `the map of blocks (.llvm_bb_addr_map) cannot be read on: ${text}`;
		expect(told([2, 0, ...one, 6, 0, ...one])).toEqual([3, [[why('version 6 is not known; versions 1 to 5 are'), 2 + one.length]]]);
		expect(told([5, 0, 1, ...one])).toEqual([0, [[why('features 0x100 are not known'), 0]]]);
		expect(told([2, 8, 0])).toEqual([0, [[why('a function has no range'), 0]]]);
		expect(told([2, 0, ...one, 2, 0, ...one.slice(0, -1)])).toEqual([3, [[why('a function is cut off, or has a number that is too large'), 2 + one.length]]]);
	});

	test('programs without a map have none, objects no addresses', () => {
		expect(readBlockMap(memorySource('app', elfFile({ sections: [TEXT], symbols: [] })))).toEqual({ map: null, problems: [] });
		expect(readBlockMap(memorySource('app', Buffer.from('no ELF')))).toEqual({ map: null, problems: [] });
		expect(read([2, 0, ...one], { type: 1 }).problems.map(({ message }) => message)).toEqual(['is an object file: its map of blocks has no addresses yet']);
		expect(read([2, 0, ...one]).map?.compilers).toEqual(['clang version 19', 'clang version 22']);
	});
});

test('any bytes at all, and a map that is cut anywhere', () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
			const { map } = read([...bytes]);
			return map === null || map.ids.length === map.firstBlock.at(-1);
		}),
	);
	const bytes = unpacked('split22');
	for (let length = 0; length < bytes.length; length += 997) {
		expect(() => readBlockMap(memorySource('cut', bytes.subarray(0, length)))).not.toThrow();
	}
});
