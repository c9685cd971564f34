import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeOrderDump } from '../../../test/order-dump.js';
import { memorySource } from '../../bytes/source.js';
import type { OrderDump } from '../../model/order-dump.js';
import { InputError } from '../../model/problem.js';
import { crc32 } from './crc32.js';
import { isOrderDump, readOrderDumps } from './read.js';

const MODULES = [
	{ id: 7, functionCount: 3, hash: '00000000000000ff' },
	{ id: 0xfffffff0, functionCount: 2, hash: 'ffffffffffffff02' },
];
const read = (bytes: Uint8Array): ReturnType<typeof readOrderDumps> => readOrderDumps(memorySource('a.order', bytes));
const pairs = ({ moduleIds, functionIds }: OrderDump): number[][] => [...moduleIds].map((id, i) => [id, functionIds[i]!]);

describe('a dump', () => {
	test.each([true, false])('is read in either byte order (little: %s)', (isLittle) => {
		const bytes = encodeOrderDump({
			modules: MODULES,
			entries: [
				[7, 2],
				[0xfffffff0, 1],
				[7, 0],
			],
			isLittle,
		});
		const { dumps, problems } = read(bytes);
		expect(problems).toEqual([]);
		expect(dumps).toHaveLength(1);
		const [dump] = dumps as [OrderDump];
		expect(pairs(dump)).toEqual([
			[7, 2],
			[0xfffffff0, 1],
			[7, 0],
		]);
		expect(dump).toMatchObject({
			buildId: '0000000000000001',
			processId: 4711,
			reason: 'exit',
			isRing: false,
			loggedEntries: 3,
			lostEntries: 0,
			modules: MODULES,
		});
	});

	test('says what the buffer did not keep', () => {
		const [dump] = read(
			encodeOrderDump({
				modules: MODULES,
				entries: [
					[7, 0],
					[7, 1],
				],
				capacity: 2,
				logged: 9,
			}),
		).dumps as [OrderDump];
		expect(dump).toMatchObject({ capacityEntries: 2, loggedEntries: 9, lostEntries: 7 });
	});

	test('of a ring that went around begins with the oldest entry', () => {
		const entries = [
			[7, 0],
			[7, 1],
			[7, 2],
		] as const;
		const [dump] = read(encodeOrderDump({ modules: MODULES, entries, capacity: 3, logged: 4, flags: 1 })).dumps as [OrderDump];
		expect(pairs(dump)).toEqual([
			[7, 1],
			[7, 2],
			[7, 0],
		]);
		expect(dump.lostEntries).toBe(1);
	});

	test('of a process that was killed has slots without an entry', () => {
		const entries = [
			[7, 0],
			[0, 0],
			[7, 2],
			[0, 0],
			[0, 0],
		] as const;
		const [dump] = read(encodeOrderDump({ modules: MODULES, entries, logged: 3, flags: 2, reason: 5 })).dumps as [OrderDump];
		expect(pairs(dump)).toEqual([
			[7, 0],
			[7, 2],
		]);
		expect(dump).toMatchObject({ reason: 'file-backed', unwrittenEntries: 1 });
	});

	test('of several images comes one after the other; a damaged one is left out', () => {
		const first = encodeOrderDump({ modules: MODULES, entries: [[7, 0]] });
		const second = encodeOrderDump({ modules: MODULES, entries: [[7, 1]] });
		expect(read(Buffer.concat([first, second])).dumps.map(pairs)).toEqual([[[7, 0]], [[7, 1]]]);
		first[first.length - 1] = 1;
		const { dumps, problems } = read(Buffer.concat([first, second]));
		expect(dumps.map(pairs)).toEqual([[[7, 1]]]);
		expect(problems).toMatchObject([{ severity: 'error', offsetBytes: 0, message: 'the checksum of the dump is wrong: it was damaged' }]);
		expect(read(Buffer.concat([second, Buffer.from('rest')])).problems).toHaveLength(1);
	});

	test('with an entry that names no function tells so', () => {
		const { dumps, problems } = read(
			encodeOrderDump({
				modules: MODULES,
				entries: [
					[7, 3],
					[8, 0],
					[7, 2],
				],
			}),
		);
		expect(dumps.map(pairs)).toEqual([[[7, 2]]]);
		expect(problems).toMatchObject([{ severity: 'warning', message: '2 of 3 entries of the dump name no function of its modules' }]);
	});

	test.each([
		['an empty file', () => new Uint8Array(0), /empty/],
		['another file', () => new TextEncoder().encode('hello, world'), /ASSAYORD/],
		['another version', () => encodeOrderDump({ modules: MODULES, entries: [], version: 2 }), /version 2/],
		['a header cut', () => encodeOrderDump({ modules: MODULES, entries: [] }).subarray(0, 60), /truncated/],
		['entries cut', () => encodeOrderDump({ modules: MODULES, entries: [[7, 0]] }).subarray(0, -1), /truncated/],
	])('refuses %s', (_, bytes, message) => {
		expect(() => read(bytes())).toThrow(InputError);
		expect(() => read(bytes())).toThrow(message);
	});

	test('with one byte changed is refused, or says the same', () => {
		const bytes = encodeOrderDump({
			modules: MODULES,
			entries: [
				[7, 2],
				[7, 1],
			],
		});
		const whole = read(bytes).dumps.map(pairs);
		fc.assert(
			fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
				const damaged = bytes.slice();
				damaged[at] = damaged[at]! ^ change;
				// Flag 2 takes the checksum away: then only the tables can tell.
				fc.pre(at !== 20);
				expect(() => read(damaged)).toThrow(InputError);
			}),
		);
		expect(whole).toHaveLength(1);
	});

	test('of arbitrary bytes throws nothing but InputError', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(200), (noise, at) => {
				const bytes = encodeOrderDump({ modules: MODULES, entries: [[7, 2]], flags: 2 });
				bytes.set(noise.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length));
				try {
					read(bytes);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	});
});

test('CRC-32 is the usual one', () => {
	expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
	expect(isOrderDump(new TextEncoder().encode('ASSAYOR'))).toBe(false);
});
