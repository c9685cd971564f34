import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { codeMap, installationOfStub } from './code-map.js';

describe('what lay at an address', () => {
	test('the end is exclusive', () => {
		const map = codeMap([piece(20, 30), piece(10, 20)]);
		expect([9, 10, 19, 20, 29, 30].map((address) => map.at(address))).toEqual([[], [0], [0], [1], [1], []]);
	});

	test('the first installed first, stubs before', () => {
		const map = codeMap([
			piece(10, 20, { installedSeconds: 3 }),
			piece(5, 30, { installedSeconds: 2 }),
			piece(12, 14, { compileId: null }),
			piece(10, 20, { installedSeconds: 1 }),
		]);
		expect(map.at(12).map((i) => map.code[i]?.installedSeconds)).toEqual([null, 1, 2, 3]);
	});

	test('a long piece around many short ones', () => {
		const map = codeMap([piece(0, 1000), ...Array.from({ length: 50 }, (_, i) => piece(10 * i, 10 * i + 5))]);
		expect(map.at(207)).toHaveLength(1);
		expect(map.at(203)).toHaveLength(2);
		expect(map.at(-1)).toEqual([]);
		expect(codeMap([]).at(5)).toEqual([]);
	});
});

test('any pieces: as many as a look at each of them finds, in order of time', () => {
	const pieces = fc.array(
		fc
			.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 30 }), fc.option(fc.integer({ min: 0, max: 5 })))
			.map(([start, size, installedSeconds]) => piece(start, start + size, { installedSeconds })),
	);
	fc.assert(
		fc.property(pieces, fc.integer({ min: -5, max: 100 }), (code, address) => {
			const map = codeMap(code);
			const found = map.at(address);
			const wanted = map.code.flatMap(({ start, end }, i) => (address >= start && address < end ? [i] : []));
			expect([...found].sort((a, b) => a - b)).toEqual(wanted);
			const times = found.map((i) => map.code[i]?.installedSeconds ?? Number.NEGATIVE_INFINITY);
			expect(times).toEqual([...times].sort((a, b) => a - b));
		}),
	);
});

test('a stub is there from the start, unless code lay at its place before it was told', () => {
	const earlier = codeMap([piece(10, 20, { installedSeconds: 5 }), piece(40, 50, { installedSeconds: null })]);
	const since = (start: number, end: number, toldSeconds: number) => installationOfStub(earlier, { start, end }, toldSeconds);
	expect([since(19, 25, 6), since(5, 11, 5), since(10, 20, 99)]).toEqual([6, 5, 99]);
	expect([since(20, 25, 6), since(5, 10, 6), since(10, 20, 4), since(40, 50, 99)]).toEqual([null, null, null, null]);
});
