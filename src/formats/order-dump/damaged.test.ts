/** Dumps with one field changed, their checksum made anew: what each is refused for, and where the limits are. */
import { describe, expect, test } from 'vitest';
import { encodeOrderDump } from '../../../test/order-dump.js';
import { memorySource } from '../../bytes/source.js';
import { InputError, type Problem } from '../../model/problem.js';
import { crc32 } from './crc32.js';
import { FIELD, HEADER_BYTES } from './layout.js';
import { isOrderDump, readOrderDumps } from './read.js';

const MODULES = [{ id: 7, functionCount: 4, hash: '00000000000000ff' }];
const ENTRIES = [
	[7, 0],
	[7, 1],
	[7, 2],
] as const;
const read = (bytes: Uint8Array) => readOrderDumps(memorySource('a.order', bytes));

type Parts = Omit<Parameters<typeof encodeOrderDump>[0], 'modules' | 'entries'> & { readonly entries?: readonly (readonly [number, number])[] };

function made(parts: Parts, change: (view: DataView, bytes: Uint8Array) => void = () => {}): Uint8Array {
	const bytes = encodeOrderDump({ modules: MODULES, entries: ENTRIES, ...parts });
	const view = new DataView(bytes.buffer);
	change(view, bytes);
	if ((view.getUint32(FIELD.flags, true) & 2) === 0) {
		view.setUint32(FIELD.checksum, 0, true);
		view.setUint32(FIELD.checksum, crc32(bytes), true);
	}
	return bytes;
}

/** The problem for which nothing is read. */
function refusal(bytes: Uint8Array): Problem | null {
	try {
		read(bytes);
		return null;
	} catch (error) {
		return error instanceof InputError ? error.problem : null;
	}
}

const field = (at: number, value: number) => made({}, (view) => view.setUint32(at, value, true));

test('told by its first eight bytes', () => {
	const is = (text: string): boolean => isOrderDump(Buffer.from(text));
	expect([is('ASSAYORD'), is('ASSAYORDx'), is('ASSAYOR'), is('ASSAYORX'), is('xASSAYORD')]).toEqual([true, true, false, false, false]);
});

test.each<[string, Uint8Array, RegExp]>([
	['another byte order mark', field(FIELD.byteOrder, 0x01020305), /byte order mark of the dump is damaged/],
	['another length of the header', field(FIELD.headerBytes, HEADER_BYTES + 1), /tables do not lie inside it/],
	['modules in the header', field(FIELD.modulesOffset, HEADER_BYTES - 1), /tables do not lie inside it/],
	['entries in the header', field(FIELD.entriesOffset, HEADER_BYTES - 1), /tables do not lie inside it/],
	['modules behind the end', field(FIELD.moduleCount, 4), /tables do not lie inside it/],
	['entries behind the end', field(FIELD.entryCount, 4), /tables do not lie inside it/],
	['more bytes than there are', field(FIELD.sizeBytes, 9999), /is truncated: it has 9999 bytes, 168 are there/],
	['another build', field(FIELD.buildId, 1), /do not make its build id/],
	['another module', field(HEADER_BYTES + 8, 1), /do not make its build id/],
	['more entries than were logged', field(FIELD.logged, 2), /has 3 entries, its header says 2/],
	['more entries than it has room for', field(FIELD.capacity, 2), /has 3 entries, its header says 2/],
	['a header that is cut', made({}).subarray(0, HEADER_BYTES - 1), /its header has 128 bytes, 127 are there/],
])('%s is refused', (_, bytes, message) => {
	expect(refusal(bytes)).toEqual({
		severity: 'error',
		file: 'a.order',
		offsetBytes: 0,
		message: expect.stringMatching(message),
		action: expect.stringContaining('not used'),
	});
});

test('what is no dump, at the beginning and behind one', () => {
	expect(refusal(Buffer.from('other'))).toMatchObject({ offsetBytes: 0, action: 'nothing was read' });
	expect(refusal(new Uint8Array(0))).toEqual({ severity: 'error', file: 'a.order', message: expect.stringContaining('empty'), action: 'nothing was read' });
	const { dumps, problems } = read(Buffer.concat([made({}), Buffer.from('other')]));
	expect([dumps.length, problems]).toEqual([
		1,
		[{ severity: 'error', file: 'a.order', offsetBytes: 168, message: expect.any(String), action: 'the rest of the file is not read' }],
	]);
});

test('what a dump says of its process', () => {
	const reasons = [0, 1, 2, 3, 4, 5, 6].map((reason) => read(made({ reason })).dumps[0]?.reason);
	expect(reasons).toEqual(['unknown', 'exit', 'signal', 'request', 'timer', 'file-backed', 'unknown']);
	expect(read(made({})).dumps[0]).toMatchObject({
		processId: 4711,
		timeNs: 1_700_000_000_000_000_000n,
		capacityEntries: 131_072,
		loggedEntries: 3,
		lostEntries: 0,
		unwrittenEntries: 0,
	});
});

describe('a ring', () => {
	const ring = (capacity: number, logged: number) => {
		const [dump] = read(made({ capacity, logged, flags: 1 })).dumps;
		return [...(dump?.functionIds ?? []), dump?.lostEntries, dump?.isRing];
	};

	test('begins with its oldest entry, once it went around', () => {
		expect([ring(3, 3), ring(3, 4), ring(3, 5), ring(3, 6), ring(9, 3)]).toEqual([
			[0, 1, 2, 0, true],
			[1, 2, 0, 1, true],
			[2, 0, 1, 2, true],
			[0, 1, 2, 3, true],
			[0, 1, 2, 0, true],
		]);
	});

	test('without any room holds nothing', () => {
		const [dump] = read(made({ capacity: 0, logged: 5, flags: 1, entries: [] })).dumps;
		expect(dump).toMatchObject({ lostEntries: 5, loggedEntries: 5, capacityEntries: 0 });
	});
});

describe('of a file that the program wrote into', () => {
	const logged = (change: (view: DataView) => void) => {
		const [dump] = read(made({ flags: 2 }, change)).dumps;
		return [dump?.loggedEntries, dump?.functionIds.length, dump?.lostEntries];
	};

	test('as many entries as lie before the next slot', () => {
		expect(logged(() => {})).toEqual([3, 3, 0]);
		expect(logged((view) => view.setBigUint64(FIELD.next, 0x7000_0000n + 15n, true))).toEqual([1, 1, 0]);
		expect(logged((view) => view.setBigUint64(FIELD.next, 0x6fff_ffffn, true))).toEqual([0, 0, 0]);
		expect(logged((view) => view.setBigUint64(FIELD.next, 0x7000_0000n + 72n, true))).toEqual([9, 3, 6]);
		expect(logged((view) => view.setBigUint64(FIELD.next, 0xffff_ffff_ffff_ffffn, true))).toEqual([0xffff_ffff, 3, 0xffff_fffc]);
	});

	test('of 32 bits the slot is a word', () => {
		const next = (pointerBytes: number) =>
			logged((view) => {
				view.setUint32(FIELD.pointerBytes, pointerBytes, true);
				view.setUint32(FIELD.next, 0x7000_0010, true);
				view.setUint32(FIELD.next + 4, 1, true);
			});
		expect([next(4), next(8)]).toEqual([
			[2, 2, 0],
			[2 + 2 ** 29, 3, 2 ** 29 - 1],
		]);
	});
});

test('entries of other modules, and of functions that a module does not have', () => {
	const { dumps, problems } = read(
		made({
			entries: [
				[7, 3],
				[7, 4],
				[8, 0],
				[0, 0],
				[7, 0],
			],
		}),
	);
	expect([[...(dumps[0]?.moduleIds ?? [])], [...(dumps[0]?.functionIds ?? [])], dumps[0]?.unwrittenEntries]).toEqual([[7, 7], [3, 0], 1]);
	expect(problems).toEqual([
		{
			severity: 'warning',
			file: 'a.order',
			offsetBytes: 0,
			message: '2 of 5 entries of the dump name no function of its modules',
			action: 'they are left out',
		},
	]);
});
