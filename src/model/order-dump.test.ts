/** Whether a dump is of the build that a map describes. */
import { expect, test } from 'vitest';
import { type OrderDump, whyOfAnotherBuild } from './order-dump.js';
import { combineHashes, isLocalLinkage, type OrderMap } from './order-map.js';

const why = (dumpId: string, modules: readonly (readonly [id: number, hash: string])[], known: readonly (readonly [id: number, hash: string])[]) =>
	whyOfAnotherBuild(
		{ buildId: dumpId, modules: modules.map(([id, hash]) => ({ id, hash, functionCount: 1 })) } as unknown as OrderDump,
		{ buildId: 'all', modules: known.map(([id, hash]) => ({ id, hash, name: `m${id}.c` })) } as unknown as OrderMap,
	);

test('of the same build, or of some of its modules', () => {
	expect(why('all', [[1, 'x']], [[1, 'y']])).toBeNull();
	expect(
		why(
			'part',
			[[2, 'b']],
			[
				[1, 'a'],
				[2, 'b'],
			],
		),
	).toBeNull();
});

test('of another build: the first module that differs, or how many the map has not', () => {
	const known = [
		[1, 'a'],
		[2, 'b'],
	] as const;
	expect(
		why(
			'x',
			[
				[9, 'z'],
				[1, 'a'],
				[2, 'c'],
			],
			known,
		),
	).toBe('module m2.c is of another build (c in the dump, b in the map)');
	expect(
		why(
			'x',
			[
				[9, 'z'],
				[1, 'a'],
				[8, 'z'],
			],
			known,
		),
	).toBe('the map does not have 2 of the 3 modules of the program');
});

test('the identity of a build: the sum of the hashes, whatever their order', () => {
	expect(combineHashes([])).toBe('0000000000000000');
	expect(combineHashes(['0000000000000001', '00000000000000ff'])).toBe('0000000000000100');
	expect(combineHashes(['ffffffffffffffff', '0000000000000003'])).toBe('0000000000000002');
	expect(combineHashes(['0000000000000003', 'ffffffffffffffff'])).toBe('0000000000000002');
});

test('linkages that are local to a module', () => {
	expect((['external', 'internal', 'private', 'weak', 'linkonce_odr', 'common'] as const).filter(isLocalLinkage)).toEqual(['internal', 'private']);
});
