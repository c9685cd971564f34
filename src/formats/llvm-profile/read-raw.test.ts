import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ProfiledFunction, type RawProfileForm, rawProfile } from '../../../test/llvm-profile.js';
import { nameHash } from '../../bytes/name-hash.js';
import { memorySource } from '../../bytes/source.js';
import type { ReadTraces } from '../../model/function-trace.js';
import { InputError } from '../../model/problem.js';
import { isRawProfile, readRawProfile } from './read-raw.js';

const FUNCTIONS: readonly ProfiledFunction[] = [
	{ name: 'never', time: 0n, counts: [0, 0] },
	{ name: 'third', time: 3n, counts: [1] },
	{ name: 'src/a.c;local', time: 2n, counts: [5, 0, 7], valueBytes: 24 },
	{ name: '_last', time: 4n, counts: [3] },
	{ name: 'main', time: 1n, counts: [1, 1], valueBytes: 40 },
	{ name: 'unset', time: 0xffffffffffffffffn, counts: [0] },
];
const ORDER = ['main', 'src/a.c;local', 'third', '_last'];
const FORM: RawProfileForm = { version: 10, is64: true, isPacked: true, hasByteCounters: false };
const FORMS: RawProfileForm[] = [8, 9, 10].flatMap((version) =>
	[true, false].flatMap((is64) =>
		[true, false].flatMap((isPacked) => [true, false].map((hasByteCounters) => ({ version: version as 8, is64, isPacked, hasByteCounters }))),
	),
);

const read = (bytes: Uint8Array): ReadTraces => readRawProfile(memorySource('a.profraw', bytes));
const order = ({ functions, traces }: ReadTraces): string[][] =>
	traces.map((trace) =>
		[...trace.order].map((position) => {
			const { symbol = '', module = null } = functions[position] ?? {};
			return module === null ? symbol : `${module};${symbol}`;
		}),
	);

describe('a raw profile', () => {
	test.each(FORMS)('version $version, 64 bits $is64, packed $isPacked, counters of a byte $hasByteCounters', (form) => {
		const bytes = rawProfile(FUNCTIONS, form);
		expect(isRawProfile(Buffer.from(bytes).toString('latin1'))).toBe(true);
		const result = read(bytes);
		expect(result.problems).toEqual([]);
		expect(order(result)).toEqual([ORDER]);
	});

	test('a local function has its file as module, up to LLVM 17 before a colon', () => {
		const names = ['dir/b.cpp;_ZL1fv', 'main.m:-[Main run:with:]', '-[Main run:]', '<unknown>:g', 'x.c:h'];
		const result = read(
			rawProfile(
				names.map((name, i) => ({ name, time: BigInt(i + 1), counts: [1] })),
				{ ...FORM, version: 8 },
			),
		);
		expect(result.functions).toMatchObject([
			{ symbol: '_ZL1fv', module: 'dir/b.cpp', isLocal: true },
			{ symbol: '-[Main run:with:]', module: 'main.m', isLocal: true },
			{ symbol: '-[Main run:]', module: null, isLocal: false },
			{ symbol: 'g', module: '<unknown>', isLocal: true },
			{ symbol: 'h', module: 'x.c', isLocal: true },
		]);
	});

	test('several in a file, as of a program and its libraries', () => {
		const two = Buffer.concat([rawProfile(FUNCTIONS, FORM), rawProfile([{ name: 'lib', time: 1n, counts: [1] }], FORM)]);
		expect(order(read(two))).toEqual([ORDER, ['lib']]);
		expect(read(two).traces.map(({ name }) => name)).toEqual(['a.profraw profile 0', 'a.profraw profile 1']);
		expect(() => read(Buffer.concat([two, Buffer.from('12345678')]))).toThrow(/expected the header of another raw profile/);
	});

	test('numbers of threads that started functions at once', () => {
		const raced = [...FUNCTIONS, { name: 'racer', time: 3n, counts: [1] }, { name: 'late', time: 7n, counts: [1] }];
		const { problems } = read(rawProfile(raced, FORM));
		expect(problems).toMatchObject([{ severity: 'warning', message: expect.stringContaining('1 are given twice and 2 are given to no function') }]);
	});

	test('each of these alone', () => {
		const message = (...times: bigint[]): unknown =>
			read(
				rawProfile(
					times.map((time, i) => ({ name: `f${i}`, time, counts: [1] })),
					FORM,
				),
			).problems.map((problem) => problem.message.replace(/: .*/, ''));
		expect(message(1n, 1n)).toEqual(['of the numbers of first executions 1 are given twice']);
		expect(message(1n, 3n)).toEqual(['of the numbers of first executions 1 are given to no function']);
		expect(message(1n, 2n)).toEqual([]);
	});

	test('functions of one number stand by the hashes of their names', () => {
		const names = ['p', 'q', 'r', 's'];
		const sorted = [...names].sort((a, b) => (nameHash(Buffer.from(a)) < nameHash(Buffer.from(b)) ? -1 : 1));
		for (const given of [names, names.toReversed()]) {
			expect(
				order(
					read(
						rawProfile(
							given.map((name) => ({ name, time: 1n, counts: [1] })),
							FORM,
						),
					),
				),
			).toEqual([sorted]);
		}
	});

	test('zeros between two profiles, however many', () => {
		for (const zeros of [8, 64, 1 << 16, 200_000]) {
			const two = Buffer.concat([rawProfile(FUNCTIONS, FORM), Buffer.alloc(zeros), rawProfile([{ name: 'lib', time: 1n, counts: [1] }], FORM)]);
			expect(order(read(two))).toEqual([ORDER, ['lib']]);
		}
	});

	test('nothing ran', () => {
		const { traces, problems } = read(rawProfile([{ name: 'main', time: 0n, counts: [0] }], FORM));
		expect(traces.map((trace) => trace.order.length)).toEqual([0]);
		expect(problems).toMatchObject([{ severity: 'warning', message: 'no function ran, says the profile' }]);
	});

	const changed = (offset: number, value: bigint): Uint8Array => {
		const bytes = rawProfile(FUNCTIONS, FORM);
		new DataView(bytes.buffer).setBigUint64(offset, value, true);
		return bytes;
	};
	test.each<[string, Uint8Array, RegExp]>([
		['of another byte order', rawProfile(FUNCTIONS, FORM).reverse(), /expected the header/],
		['of a big-endian machine', changed(0, 0x8172666f72706cffn), /big-endian/],
		['of a newer version', changed(8, 11n | (1n << 63n)), /version 11; known are 8 to 10/],
		['of version 9 that says it is 10', rawProfile(FUNCTIONS, { ...FORM, version: 9 }).with(8, 10), /damaged|ends within/],
		['of version 10 that says it is 9', rawProfile(FUNCTIONS, FORM).with(8, 9), /damaged|ends within/],
		['of version 10 that says it is 8', rawProfile(FUNCTIONS, FORM).with(8, 8), /damaged|ends within/],
		['of an unknown variant', changed(8, 10n | (1n << 63n) | (1n << 40n)), /features of an unknown LLVM/],
		['without times', rawProfile(FUNCTIONS, { ...FORM, variant: 0n }), /without the order of functions/],
		['of version 7', changed(8, 7n | (1n << 63n)), /without the order of functions/],
		['of counters only', rawProfile(FUNCTIONS, { ...FORM, variant: (1n << 63n) | (1n << 59n) }), /--debug-info/],
		['of other counters', changed(16 * 8 + 16 + 16, 0x4008n), /share counters|outside/],
		['of a function too many', changed(24, 7n), /damaged|ends within/],
		['of another kind of values', changed(15 * 8, 3n), /last kind of values is 3/],
		['of functions that are counters only', changed(24, 0n), /--debug-info/],
		['with ids of a part of a word', changed(16, 12n), /binary ids of 12 bytes/],
		['of values that are no whole words', rawProfile([{ name: 'a', time: 1n, counts: [1], valueBytes: 12 }], FORM), /found 12 bytes of them/],
		['of covered code that never ran', rawProfile([{ name: 'a', time: 0n, counts: [0, 1] }], { ...FORM, hasByteCounters: true }), /no time of their first/],
		['of more than there is', changed(9 * 8, 1n << 40n), /in a file of/],
		['of a function that has counts and never ran', rawProfile([{ name: 'a', time: 0n, counts: [1] }], FORM), /no time of their first execution/],
		['of a time out of the row', rawProfile([{ name: 'a', time: 200n, counts: [1] }], FORM), /no function ran as number 1 to 199/],
	])('%s is refused', (_, bytes, message) => {
		expect(() => read(bytes)).toThrow(InputError);
		expect(() => read(bytes)).toThrow(message);
	});

	test.each(FORMS)('cut anywhere: refused, or whole (version $version, 64 bits $is64, packed $isPacked, bytes $hasByteCounters)', (form) => {
		const bytes = rawProfile(FUNCTIONS, form);
		for (let length = 1; length < bytes.length; length++) {
			expect(() => read(bytes.subarray(0, length))).toThrow(InputError);
		}
	});

	test.each(FORMS)('a bit changed: refused, told, or nothing lost (version $version, 64 bits $is64, packed $isPacked, bytes $hasByteCounters)', (form) => {
		const good = rawProfile(FUNCTIONS, form);
		fc.assert(
			fc.property(fc.nat(good.length - 1), fc.nat(7), (at, bit) => {
				const bytes = good.with(at, good[at]! ^ (1 << bit));
				try {
					const result = read(bytes);
					if (result.problems.length === 0) {
						expect(order(result)).toEqual([ORDER]);
					}
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
			{ numRuns: 300 },
		);
	});

	test('other bytes never throw anything else', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (rest, is64) => {
				const head = rawProfile([], { ...FORM, is64 }).subarray(0, 16);
				try {
					read(Buffer.concat([head, rest]));
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	});
});
