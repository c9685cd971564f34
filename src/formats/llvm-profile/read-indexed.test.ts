import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexedProfile } from '../../../test/llvm-profile.js';
import { memorySource } from '../../bytes/source.js';
import type { ReadTraces } from '../../model/function-trace.js';
import { InputError } from '../../model/problem.js';
import { isIndexedProfile, readIndexedProfile } from './read-indexed.js';

const NAMES = ['main', 'a.c;helper', 'b.c;helper', '_ZN1A1bEv', 'never', 'naïve'];
const TRACES = [
	{ weight: 1n, names: ['main', 'a.c;helper', '_ZN1A1bEv'] },
	{ weight: 7n, names: ['naïve', 'b.c;helper', 'main'] },
	{ weight: 1n, names: [] },
];
const ORDERS = TRACES.map(({ names }) => names);

const read = (bytes: Uint8Array): ReadTraces => readIndexedProfile(memorySource('a.profdata', bytes));
const orders = ({ functions, traces }: ReadTraces): string[][] =>
	traces.map((trace) =>
		[...trace.order].map((position) => {
			const { symbol = '', module = null } = functions[position] ?? {};
			return module === null ? symbol : `${module};${symbol}`;
		}),
	);

describe('an indexed profile', () => {
	test.each([10, 11, 12, 13] as const)('version %i', (version) => {
		const bytes = indexedProfile(NAMES, TRACES, version);
		expect(isIndexedProfile(Buffer.from(bytes).toString('latin1'))).toBe(true);
		const result = read(bytes);
		expect(result.problems).toEqual([]);
		expect(orders(result)).toEqual(ORDERS);
		expect(result.traces.map(({ name, weight }) => [name, weight])).toEqual([
			['a.profdata trace 0', 1],
			['a.profdata trace 1', 7],
			['a.profdata trace 2', 1],
		]);
	});

	test('functions without a name are left out and counted', () => {
		const result = read(indexedProfile(['main'], [{ weight: 1n, names: ['gone', 'main'] }]));
		expect(orders(result)).toEqual([['main']]);
		expect(result.problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('1 of the 2 functions of trace 0 have no name') }]);
	});

	const good = indexedProfile(NAMES, TRACES);
	test.each<[string, Uint8Array, RegExp]>([
		['of another byte order', Buffer.concat([Buffer.from('\x81iforpl\xff', 'latin1'), good.subarray(8)]), /bytes in the wrong order/],
		['of a newer version', good.with(8, 14), /version 14; known are 10 to 13/],
		['of an older version', good.with(8, 9), /without the order of functions/],
		['without traces', indexedProfile(NAMES, [], 13, 0n), /without the order of functions/],
		['with other hashes', good.with(24, 1), /hashes of kind 1/],
		['with a changed name', good.with(Buffer.from(good).indexOf('_ZN1A1bEv') + 2, 0x4d), /does not fit its hash/],
		['with more at its end', Buffer.concat([good, Buffer.alloc(8)]), /follow its traces/],
	])('%s is refused', (_, bytes, message) => {
		expect(() => read(bytes)).toThrow(InputError);
		expect(() => read(bytes)).toThrow(message);
	});

	test('cut anywhere: refused', () => {
		for (let length = 0; length < good.length; length++) {
			expect(() => read(good.subarray(0, length))).toThrow(InputError);
		}
	});

	test('a bit changed: refused, told, or nothing lost', () => {
		fc.assert(
			fc.property(fc.nat(good.length - 1), fc.nat(7), (at, bit) => {
				try {
					const result = read(good.with(at, good[at]! ^ (1 << bit)));
					if (result.problems.length === 0) {
						expect(orders(result)).toEqual(ORDERS);
					}
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
			{ numRuns: 1000 },
		);
	});
});
