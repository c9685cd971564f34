import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { whyOfAnotherBuild } from '../../model/order-dump.js';
import { combineHashes, type OrderMap } from '../../model/order-map.js';
import { InputError } from '../../model/problem.js';
import { isOrderMap, readOrderMap } from './read.js';
import { writeOrderMap } from './write.js';

const MAP: OrderMap = {
	buildId: combineHashes(['00000000000000ff', 'ffffffffffffff02']),
	bufferEntries: 131_072,
	isRing: false,
	modules: [
		{
			id: 7,
			name: 'a.c',
			source: 'a.c',
			hash: '00000000000000ff',
			functions: [
				{ symbol: 'main', linkage: 'external', comdat: null, file: 'a.c', line: 12 },
				{ symbol: 'hel"per\\\u0001', linkage: 'internal', comdat: null, file: null, line: null },
			],
			omitted: [{ symbol: 'nak', reason: 'naked' }],
		},
		{
			id: 0xfffffff0,
			name: 'b.c',
			source: 'b.c',
			hash: 'ffffffffffffff02',
			functions: [{ symbol: '_ZN1AC2Ev', linkage: 'linkonce_odr', comdat: '_ZN1AC5Ev', file: null, line: null }],
			omitted: [],
		},
	],
};

const text = (map: OrderMap): string => {
	let all = '';
	writeOrderMap(map, (piece) => {
		all += piece;
	});
	return all;
};
const read = (json: string): OrderMap => readOrderMap(memorySource('a.map.json', Buffer.from(json)));

describe('a map', () => {
	test('is read as it was written', () => {
		expect(isOrderMap(text(MAP))).toBe(true);
		expect(read(text(MAP))).toEqual(MAP);
		expect(MAP.buildId).toBe('0000000000000001');
		expect(text(MAP).split('\n')).toHaveLength(12);
	});

	test.each([
		['cut', text(MAP).slice(0, -40), /ends too early/],
		['of another version', text(MAP).replace('"version":1', '"version":2'), /version 2/],
		['of another format', text(MAP).replace('assay-order-map', 'x'), /"format": "assay-order-map"/],
		['with a function moved', text(MAP).replace('"id":1,', '"id":2,'), /functions\[1\]: "id" is expected to be 1/],
		['with a hash changed', text(MAP).replace('00000000000000ff', '00000000000000fe'), /buildId/],
		['with a module twice', text(MAP).replace('4294967280', '7'), /same id/],
		['with an unknown linkage', text(MAP).replace('"internal"', '"appending"'), /linkage/],
	])('is refused when it is %s', (_, json, message) => {
		expect(() => read(json)).toThrow(InputError);
		expect(() => read(json)).toThrow(message);
	});

	test('that is damaged throws nothing but InputError', () => {
		const json = text(MAP);
		fc.assert(
			fc.property(fc.nat(json.length), fc.nat(20), fc.string({ maxLength: 5 }), (at, length, put) => {
				try {
					read(json.slice(0, at) + put + json.slice(at + length));
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	});

	test('fits a dump when all modules of the dump are in it with their hashes', () => {
		const dump = (modules: readonly { id: number; hash: string }[]): Parameters<typeof whyOfAnotherBuild>[0] => ({
			buildId: combineHashes(modules.map(({ hash }) => hash)),
			processId: 1,
			reason: 'exit',
			timeNs: 0n,
			isRing: false,
			capacityEntries: 1,
			loggedEntries: 0,
			lostEntries: 0,
			unwrittenEntries: 0,
			modules: modules.map((module) => ({ ...module, functionCount: 1 })),
			moduleIds: new Uint32Array(),
			functionIds: new Uint32Array(),
		});
		expect(whyOfAnotherBuild(dump(MAP.modules), MAP)).toBeNull();
		expect(whyOfAnotherBuild(dump(MAP.modules.slice(1)), MAP)).toBeNull();
		expect(whyOfAnotherBuild(dump([{ id: 7, hash: '00000000000000fe' }]), MAP)).toMatch(/module a\.c is of another build/);
		expect(whyOfAnotherBuild(dump([...MAP.modules, { id: 9, hash: '0000000000000003' }]), MAP)).toMatch(/does not have 1 of the 3 modules/);
	});
});
