/** What read.test.ts does not say of single records: pipes, build ids, ids behind records, sizes of records, raw data between them. */
import { describe, expect, test } from 'vitest';
import { comm, finishedRound, fork, halves, mmap2, perfDataFile, record, sample, text, trailer, WITH_STACK, words } from '../../../test/perf-data-file.js';
import { memorySource, type Source } from '../../bytes/source.js';
import type { MappedLibrary } from '../../model/native-symbols.js';
import { pieceOf } from './bytes.js';
import { isPerfData, readEventNames, readHeader, readIds, skipReadFormat, textAt } from './header.js';
import { KnownAddresses } from './known-addresses.js';
import { AddressSpace, type Library, Processes } from './processes.js';
import { type PerfData, readPerfAddresses, readPerfData } from './read.js';
import { RecordQueue } from './record-queue.js';
import { readRecords } from './records.js';

const CLOCK = { name: 'cpu-clock' };
const IP_TID_TIME = 0b111;
const [ADDRESS, ID, CPU, STREAM, IDENTIFIER] = [1 << 3, 1 << 6, 1 << 7, 1 << 9, 1 << 16] as const;

/** The libraries that were asked for; each has a function of its own name everywhere. */
function readWith(bytes: Uint8Array): PerfData & { readonly asked: MappedLibrary[]; readonly found: number[] } {
	const asked: MappedLibrary[] = [];
	const found: number[] = [];
	const symbolsOf = (library: MappedLibrary) => {
		const { name, buildId, inode, kernelText } = library;
		asked.push({ name, buildId, inode, kernelText });
		return {
			find: (start: number) => {
				found.push(start);
				return { start, end: start + 1, name: `of ${name}` };
			},
		};
	};
	return { ...readPerfData(memorySource('perf.data', bytes), 'all', { symbols: { symbolsOf }, openZstd: null }), asked, found };
}

const of = (...records: readonly Uint8Array[]) => readWith(perfDataFile([CLOCK], records));
const messages = ({ problems }: PerfData): string[] => problems.map(({ message }) => message);
const symbols = ({ samples }: PerfData): (string | null | undefined)[] => Array.from(samples.place, (place) => samples.places[place]?.symbol);
const events = ({ samples }: PerfData): (string | undefined)[] => Array.from(samples.event, (event) => samples.events[event]);

describe('a pipe', () => {
	const pipe = (...records: readonly Uint8Array[]): Buffer => Buffer.concat([Buffer.from('PERFILE2'), words(16), ...records]);
	const attributes = (type: number, config: number, sampleType: number, ids: readonly number[] = [], sizeBytes = 64): Buffer => {
		const bytes = Buffer.alloc(sizeBytes);
		bytes.writeUInt32LE(type, 0);
		bytes.writeUInt32LE(sizeBytes, 4);
		bytes.writeUInt32LE(config, 8);
		bytes.writeUInt32LE(sampleType, 24);
		bytes.writeUInt32LE(1 << 18, 40);
		return record(64, 0, Buffer.concat([bytes, words(...ids)]));
	};
	const withId = (id: number): Buffer => record(9, 2, Buffer.concat([words(id, 0x10), halves(7, 7), words(5)]));

	test('its events are told by records, and named by others', () => {
		const data = readWith(
			pipe(
				attributes(1, 0, IP_TID_TIME | IDENTIFIER, [11, 12]),
				attributes(0, 1, IP_TID_TIME | IDENTIFIER, [13]),
				record(78, 0, Buffer.concat([words(2, 13), text('named:u')])),
				record(78, 0, Buffer.concat([words(1, 11), text('a unit')])),
				record(78, 0, Buffer.concat([words(2, 99), text('of nobody')])),
				...[12, 13, 11].map(withId),
			),
		);
		expect([events(data), data.samples.modifiers, messages(data)]).toEqual([['cpu-clock', 'named', 'cpu-clock'], ['', ':u'], []]);
	});

	test('names of all events in one record', () => {
		const name = (value: string): Buffer => Buffer.concat([Buffer.alloc(64), halves(1, 8), Buffer.from(value.padEnd(8, '\0')), words(1)]);
		const names = (feature: number): Buffer => record(80, 0, Buffer.concat([words(feature), halves(2, 64), name('first'), name('second')]));
		const file = (feature: number): Buffer =>
			pipe(attributes(1, 0, IP_TID_TIME | IDENTIFIER, [11]), attributes(1, 1, IP_TID_TIME | IDENTIFIER, [12]), names(feature), withId(11), withId(12));
		expect([events(readWith(file(12))), events(readWith(file(13)))]).toEqual([
			['first', 'second'],
			['cpu-clock', 'task-clock'],
		]);
	});

	test('without events there is nothing to read; attributes that are too short are none', () => {
		expect(messages(readWith(pipe(sample(1, 7, 7, 1))))).toEqual(['tells of no event that was sampled', '1 records are damaged']);
		expect(messages(readWith(pipe(attributes(1, 0, IP_TID_TIME, [], 56))))).toEqual(['tells of no event that was sampled']);
		expect(messages(readWith(pipe(attributes(1, 0, IP_TID_TIME), record(64, 0, Buffer.alloc(0)), sample(1, 7, 7, 1))))).toEqual([]);
		// In a file the header tells.
		expect(events(of(attributes(1, 1, IP_TID_TIME), record(78, 0, Buffer.concat([words(2, 0), text('other')])), sample(1, 7, 7, 1)))).toEqual(['cpu-clock']);
	});
});

describe('the header', () => {
	const whole = perfDataFile([CLOCK], [sample(1, 7, 7, 1)]);
	const header = (bytes: Uint8Array) => readHeader(memorySource('a', bytes));

	test('told by its beginning', () => {
		expect([isPerfData('PERFILE2x'), isPerfData('2ELIFREPx'), isPerfData('xPERFILE2'), isPerfData('x2ELIFREP')]).toEqual([true, true, false, false]);
	});

	test.each([
		[0, 'ends within its header'],
		[15, 'ends within its header'],
		[103, 'ends within its header'],
	])('of %d bytes', (length, unusable) => {
		expect(header(whole.subarray(0, length))).toEqual({ unusable });
	});

	test('of a pipe it has 16 bytes', () => {
		expect(header(Buffer.concat([Buffer.from('PERFILE2'), words(16)]))).toMatchObject({ isPipe: true, dataStart: 16, dataEnd: 16 });
		expect(header(Buffer.from('PERFILE1'.padEnd(200, '\0')))).toEqual({ unusable: 'ends within its header' });
	});

	test('attributes of less than 64 bytes are none', () => {
		const short = Buffer.from(whole);
		short.writeUInt32LE(79, 16);
		expect(header(short)).toMatchObject({ events: [] });
		expect(header(whole)).toMatchObject({
			events: [{ name: 'cpu-clock', ipAt: 8, tidAt: 16, timeAt: 24, restAt: 32, timeFromEnd: 8, idFromEnd: -1 }],
			isCut: false,
		});
	});

	test('where the fields of samples and behind other records are', () => {
		const layout = (sampleType: number, flags = 0) => {
			const read = header(perfDataFile([{ sampleType, flags }], []));
			const [event] = 'events' in read ? read.events : [];
			return event === undefined
				? []
				: [event.idAt, event.ipAt, event.tidAt, event.timeAt, event.addressAt, event.periodAt, event.restAt, event.idFromEnd, event.timeFromEnd];
		};
		expect(layout(0)).toEqual([-1, -1, -1, -1, -1, -1, 8, -1, -1]);
		expect(layout(IP_TID_TIME)).toEqual([-1, 8, 16, 24, -1, -1, 32, -1, 8]);
		expect(layout(IP_TID_TIME | ADDRESS | ID | STREAM | CPU | (1 << 8))).toEqual([40, 8, 16, 24, 32, 64, 72, 24, 32]);
		expect(layout(IP_TID_TIME | IDENTIFIER)).toEqual([8, 16, 24, 32, -1, -1, 40, 8, 16]);
		expect(layout(IP_TID_TIME | IDENTIFIER | ID)).toEqual([8, 16, 24, 32, -1, -1, 48, 8, 24]);
		expect(layout(IP_TID_TIME | ID)).toEqual([32, 8, 16, 24, -1, -1, 40, 8, 16]);
		expect(layout(IP_TID_TIME | ID | CPU)).toEqual([32, 8, 16, 24, -1, -1, 48, 16, 24]);
	});

	test('a period that is fixed, and a frequency that is none', () => {
		const fixed = (flags: number) => header(perfDataFile([{ period: 999, flags }], []));
		expect([fixed(0), fixed(1 << 10)]).toMatchObject([{ events: [{ fixedPeriod: 999 }] }, { events: [{ fixedPeriod: 0 }] }]);
	});

	test('what perf notes behind the samples, whole and cut', () => {
		const built = (sizeBytes: number, misc: number, id: number[], file: string): Buffer => {
			const bytes = Buffer.alloc(sizeBytes);
			bytes.writeUInt16LE(misc, 4);
			bytes.writeUInt16LE(sizeBytes, 6);
			bytes.set(id, 12);
			bytes[32] = id.length;
			bytes.write(file, 36, 'latin1');
			return bytes;
		};
		const id = Array.from({ length: 20 }, (_, i) => i);
		const section = Buffer.concat([built(48, 0, id, '/a'), built(48, 1 << 15, [0xab, 0xcd], '/b'), built(44, 1 << 15, id, '/c'), Buffer.alloc(36)]);
		const plain = perfDataFile([{}], [sample(1, 7, 7, 1)]);
		// Features 1 and 2: of the first only its place is known.
		plain.writeUInt32LE((1 << 1) | (1 << 2), 72);
		const file = Buffer.concat([plain, words(plain.length + 32, 0), words(plain.length + 32, section.length), section]);
		const read = header(file);
		expect('buildIds' in read ? [...read.buildIds] : null).toEqual([
			['/a', '000102030405060708090a0b0c0d0e0f10111213'],
			['/b', 'abcd'],
			['/c', '000102030405060708090a0b0c0d0e0f10111213'],
		]);
		expect(read).toMatchObject({ isCut: false, isUnfinished: false });
		expect([header(file.subarray(0, file.length - 1)), header(file.subarray(0, plain.length + 31)), header(plain)]).toMatchObject([
			{ isCut: true },
			{ isCut: true },
			{ isCut: true },
		]);
		expect(messages(readWith(file.subarray(0, file.length - 1)))).toEqual(['ends within what perf noted behind the samples']);
		expect(messages(readWith(file))).toEqual([]);
	});

	test('names of events as far as they are there', () => {
		const name = (value: string, ids: number): Buffer =>
			Buffer.concat([Buffer.alloc(16), halves(ids, 8), Buffer.from(value.padEnd(8, '\0')), words(...Array<number>(ids).fill(9))]);
		const section = Buffer.concat([halves(3, 16), name('a', 2), name('b', 0), name('12345678', 1)]);
		expect(readEventNames(pieceOf(section))).toEqual(['a', 'b', '12345678']);
		expect(readEventNames(pieceOf(section.subarray(0, 8 + 48)))).toEqual(['a']);
		expect(readEventNames(pieceOf(section.subarray(0, 8 + 48 + 24)))).toEqual(['a', '']);
		expect([readEventNames(undefined), readEventNames(pieceOf(section.subarray(0, 7))), readEventNames(pieceOf(section), section.length - 7)]).toEqual([
			[],
			[],
			[],
		]);
		expect(readEventNames(pieceOf(Buffer.concat([Buffer.alloc(8), section])), 8)).toEqual(['a', 'b', '12345678']);
	});

	test('texts and ids of a piece', () => {
		const bytes = Buffer.from('ab\0cd');
		expect([textAt(bytes, 0, 5), textAt(bytes, 3, 5), textAt(bytes, 0, 1), textAt(bytes, 4, 3), textAt(bytes, 2, 5)]).toEqual(['ab', 'cd', 'a', '', '']);
		const piece = pieceOf(words(1, -2n, 3));
		expect([readIds(piece, 0, 24), readIds(piece, 8, 23), readIds(piece, 0, 99), readIds(piece, 8, 8)]).toEqual([[1, -2, 3], [-2], [1, -2, 3], []]);
	});

	test('what stands before a stack', () => {
		const { view } = pieceOf(words(2, 0, 0, 0, 0, 0, 0, 0));
		const skip = (format: number, end = 64): number => skipReadFormat(view, 0, end, format);
		expect([skip(0), skip(1), skip(1 | 2), skip(4), skip(16), skip(1 | 2 | 4 | 16)]).toEqual([8, 16, 24, 16, 16, 40]);
		expect([skip(8), skip(8 | 1), skip(8 | 4), skip(8 | 4 | 16 | 2), skip(8, 8), skip(8, 7)]).toEqual([24, 32, 40, 64, 24, 15]);
	});
});

describe('mappings', () => {
	const first = (misc: number, file: string): Buffer =>
		record(1, misc, Buffer.concat([halves(7, 7), words(0x1000, 0x100, 0x400), text(file), Buffer.alloc(-(file.length + 1) & 7), trailer(7, 7, 1)]));
	const second = (misc: number, at: Uint8Array, file: string, protection = 5): Buffer =>
		record(
			10,
			misc,
			Buffer.concat([halves(7, 7), words(0x1000, 0x100, 0x400), at, halves(protection, 0), text(file), Buffer.alloc(-(file.length + 1) & 7), trailer(7, 7, 1)]),
		);
	const id = (...bytes: number[]): Buffer => Buffer.concat([Buffer.from([bytes.length, 0, 0, 0]), Buffer.from(bytes), Buffer.alloc(20 - bytes.length)]);
	const inode = (number: number): Buffer => Buffer.concat([halves(0, 0), words(number, 0)]);
	const at = sample(0x1010, 7, 7, 9);

	test.each<[string, Buffer, MappedLibrary, number]>([
		['of the first form', first(2, '/a'), { name: '/a', buildId: null, inode: null, kernelText: null }, 0x410],
		['with an inode', second(2, inode(77), '/a'), { name: '/a', buildId: null, inode: 77, kernelText: null }, 0x410],
		['with a build id', second(2 | (1 << 14), id(0xab, 0x01), '/a'), { name: '/a', buildId: 'ab01', inode: null, kernelText: null }, 0x410],
		['the vdso', second(2, inode(0), '[vdso]'), { name: '[vdso]', buildId: null, inode: 0, kernelText: null }, 0x10],
		['a heap', second(2, inode(0), '[heap]', 3), { name: '[heap]', buildId: null, inode: 0, kernelText: null }, 0x1010],
		['of no file', second(2, inode(0), '//anon'), { name: '/tmp/perf-7.map', buildId: null, inode: 0, kernelText: null }, 0x1010],
		...['[heap]', '[stack]', '[stack:77]', '/SYSV00000000 (deleted)', '[anon:v8]'].map((file): [string, Buffer, MappedLibrary, number] => [
			`code in ${file}`,
			second(2, inode(0), file),
			{ name: '/tmp/perf-7.map', buildId: null, inode: 0, kernelText: null },
			0x1010,
		]),
		['memory of no file, not code', second(2, inode(0), '//anon', 3), { name: '//anon', buildId: null, inode: 0, kernelText: null }, 0x1010],
		['of a file that is gone', second(2, inode(5), '/a (deleted)'), { name: '/a', buildId: null, inode: 5, kernelText: null }, 0x410],
		['a file called like a bracket', second(2, inode(5), 'a['), { name: 'a[', buildId: null, inode: 5, kernelText: null }, 0x410],
	])('%s: what is asked for, and at which offset', (_, mapping, library, offset) => {
		const data = of(mapping, at);
		expect([data.asked, data.found, messages(data)]).toEqual([[library], [offset], []]);
		expect(symbols(data)).toEqual([`of ${library.name}`]);
	});

	test('of guests and hypervisors, of no size, and too short ones are none', () => {
		const empty = record(10, 2, Buffer.concat([halves(7, 7), words(0x1000, 0, 0), inode(1), halves(5, 0), text('/a'), Buffer.alloc(5), trailer(7, 7, 1)]));
		expect(
			symbols(of(second(3, inode(1), '/a'), second(4, inode(1), '/a'), empty, record(1, 2, Buffer.alloc(32)), record(10, 2, Buffer.alloc(64)), at)),
		).toEqual(['[unknown]']);
	});

	test('those of code are told, to readers of addresses', () => {
		const mappings = (...records: Uint8Array[]) => readPerfAddresses(memorySource('a', perfDataFile([CLOCK], records))).mappings.map(({ file }) => file);
		expect(
			mappings(
				first(2, '/a'),
				first(2 | (1 << 13), '/data'),
				second(2, inode(1), '/b'),
				second(2, inode(1), '/read', 1),
				second(2, inode(1), '//anon'),
				second(1, inode(1), '/kernel'),
			),
		).toEqual(['/a', '/b']);
	});

	test('touched addresses of events that have them', () => {
		const touched = (sampleType: number, more: Uint8Array) =>
			readPerfAddresses(memorySource('a', perfDataFile([{ sampleType }], [sample(1, 7, 7, 1, more)]))).touched;
		expect([touched(IP_TID_TIME, Buffer.alloc(0)), touched(IP_TID_TIME | ADDRESS, words(-5n))]).toEqual([[Number.NaN], [-5]]);
	});

	test('of the kernel: its text, its modules, and what came and went', () => {
		const kernel = (start: bigint, length: number | bigint, offset: bigint, file: string): Buffer =>
			record(1, 1, Buffer.concat([halves(-1, 0), words(start, length, offset), text(file), Buffer.alloc(-(file.length + 1) & 7), trailer(0, 0, 0)]));
		const program = (start: bigint, sizeBytes: number, flags: number, name: string): Buffer =>
			record(17, 0, Buffer.concat([words(start), halves(sizeBytes, flags << 16), text(name), Buffer.alloc(-(name.length + 1) & 7), trailer(0, 0, 0)]));
		const from = (address: bigint): Buffer => sample(address, 7, 7, 9, Buffer.alloc(0), 1);
		const data = of(
			// It says that it reaches up to the greatest address.
			kernel(0xffffffff81000000n, 0x3fffffn, 0xffffffff81000000n, '[kernel.kallsyms]_text'),
			kernel(0xffffffffc0000000n, 0x1000, 0n, '/lib/modules/6.1/nf-tables.ko'),
			kernel(0xffffffffc0010000n, 0x1000, 0n, '/lib/modules/other'),
			kernel(0xffffffffc0020000n, 0x1000, 0n, '[guest]x'),
			program(0xffffffffc0030000n, 64, 0, 'bpf_prog'),
			program(0xffffffffc0040000n, 64, 1, 'gone'),
			program(0xffffffffc0050000n, 0, 0, 'empty'),
			...[
				0xffffffff81000010n,
				0xffffffffc0000010n,
				0xffffffffc0010010n,
				0xffffffffc0020010n,
				0xffffffffc003003fn,
				0xffffffffc0030040n,
				0xffffffffc0040010n,
				0xffffffffc0050000n,
			].map(from),
		);
		expect(symbols(data)).toEqual([
			...['of [kernel.kallsyms]', 'of [nf_tables]', 'of /lib/modules/other', 'of [guest]', 'bpf_prog'],
			...['of [kernel.kallsyms]', 'of [kernel.kallsyms]', 'of [kernel.kallsyms]'],
		]);
		expect(data.asked.map(({ name, kernelText }) => [name, kernelText === null ? null : kernelText + 0x7f000000])).toEqual([
			['[kernel.kallsyms]', 0],
			['[nf_tables]', 0],
			['/lib/modules/other', 0],
			['[guest]', 0],
		]);
	});
});

describe('times and places in the file', () => {
	test('records without a time count at once', () => {
		const late = (time: bigint): PerfData => of(sample(0x1010, 7, 7, 5), mmap2(7, 0x1000, 0x100, 0, '/a', time));
		expect([0n, -1n, 5n, 6n, 0xffffffffn, 0xffffffff00000000n].map((time) => symbols(late(time))[0])).toEqual([
			'of /a',
			'of /a',
			'[unknown]',
			'[unknown]',
			'[unknown]',
			'[unknown]',
		]);
		expect(symbols(of(sample(0x1010, 7, 7, 5), mmap2(7, 0x1000, 0x100, 0, '/a', 4)))).toEqual(['of /a']);
		// Over the end of a word.
		expect(symbols(of(sample(0x1010, 7, 7, 0x1_0000_0001n), mmap2(7, 0x1000, 0x100, 0, '/a', 0xffff_ffffn)))).toEqual(['of /a']);
		expect(symbols(of(mmap2(7, 0x1000, 0x100, 0, '/a', 0x2_0000_0001n), sample(0x1010, 7, 7, 0x1_0000_0002n)))).toEqual(['[unknown]']);
	});

	test('the event of other records stands behind them', () => {
		const sampleType = IP_TID_TIME | IDENTIFIER;
		const late = (id: number): Buffer => {
			const body = Buffer.concat([halves(7, 7), words(0x1000, 0x100, 0, 0, 7, 0, 5), text('/a'), Buffer.alloc(5), halves(7, 7), words(5, id)]);
			return record(10, 2, body);
		};
		const one = (time: number): Buffer => record(9, 2, Buffer.concat([words(1, 0x1010), halves(7, 7), words(time)]));
		const data = (id: number) =>
			readWith(
				perfDataFile(
					[
						{ sampleType, ids: [1n] },
						{ sampleType, ids: [2n] },
					],
					[one(4), one(6), late(id)],
				),
			);
		expect([symbols(data(1)), symbols(data(2)), symbols(data(0))]).toEqual(Array(3).fill(['[unknown]', 'of /a']));
		// Of an event that is not known there is no time.
		expect(symbols(data(9))).toEqual(['of /a', 'of /a']);
	});

	test('lost records, and records that are too short to say how many', () => {
		const lost = (...bodies: [number, number][]) => messages(of(...bodies.map(([type, length]) => record(type, 0, words(1, 1, 5, 5).subarray(0, length)))));
		expect([lost([2, 16]), lost([13, 8]), lost([2, 8], [13, 0])]).toEqual([
			['perf lost 1 records while it recorded'],
			['perf lost 1 records while it recorded'],
			[],
		]);
	});

	test('names and forks that are too short are none', () => {
		const data = of(
			comm(7, 7, 'a', 1),
			record(3, 0, halves(7, 7)),
			record(7, 0, halves(7, 7, 8, 7).subarray(0, 8)),
			sample(1, 7, 7, 2),
			sample(1, 7, 8, 3),
			sample(1, 7, 0, 4),
		);
		expect(data.threads?.threads).toEqual([
			{ name: 'a', id: 7 },
			{ name: ':8', id: 8 },
			{ name: 'swapper', id: 0 },
		]);
		expect(of(comm(7, 7, 'a', 1), fork(9, 9, 7, 7, 2), sample(1, 9, 9, 3)).threads?.threads).toEqual([{ name: 'a', id: 9 }]);
	});

	test('a sample that does not hold its fields, or its stack, is damaged', () => {
		const stack = (...values: number[]) => readWith(perfDataFile([{ sampleType: IP_TID_TIME | WITH_STACK }], [sample(1, 7, 7, 1, words(...values))]));
		expect([messages(stack(0)), messages(stack(1, 5)), messages(stack(1)), messages(stack(2, 5)), messages(stack())]).toEqual([
			[],
			[],
			...Array(3).fill(['1 records are damaged']),
		]);
		expect(messages(of(record(9, 2, Buffer.concat([words(1), halves(7, 7)]))))).toEqual(['1 records are damaged']);
	});

	test('marks in stacks: of hypervisors nothing is known, an unknown one ends it', () => {
		const frames = (...values: (bigint | number)[]) => {
			const { stacks, samples } = readWith(
				perfDataFile([{ sampleType: IP_TID_TIME | WITH_STACK }], [mmap2(7, 0x1000, 0x1000, 0, '/a'), sample(0x1010, 7, 7, 9, words(values.length, ...values))]),
			);
			return Array.from(stacks?.place ?? [], (place, i) => [samples.places[place]?.library, stacks?.address[i]]);
		};
		// The outermost first.
		expect(frames(0x1010, 0x1020)).toEqual([
			['/a', 0x1020],
			['/a', 0x1010],
		]);
		expect(frames(-32n, 0x1010, -512n, 0x1020)).toEqual([
			['/a', 0x1020],
			['[unknown]', 0x1010],
		]);
		expect(frames(-128n, 0x1010, -512n, 0x1020)).toEqual([
			['/a', 0x1020],
			['[kernel.kallsyms]', 0x1010],
		]);
		expect(frames(0x1010, -4095n, 0x1020)).toEqual([]);
		expect(frames(0x1010, -4096n)).toEqual([
			['[unknown]', -4096],
			['/a', 0x1010],
		]);
	});
});

describe('records as they lie', () => {
	/** Types, and what is told of the rest. */
	const cut = (bytes: Uint8Array, end = bytes.length, source: Source = memorySource('a', bytes)) => {
		const types: number[] = [];
		let rounds = 0;
		const read = readRecords(source, 0, end, null, { take: (_piece, _at, type) => void types.push(type), endRound: () => void rounds++ });
		return { ...read, types, rounds };
	};
	const plain = { traces: 0, notUnpacked: 0, stopped: null, rounds: 0 };
	const torn = 'the file ends within a record, or before its data end';

	test('whole, torn, of an impossible size', () => {
		const bytes = Buffer.concat([record(3, 0, words(1)), finishedRound, record(9, 0, words(1, 2))]);
		expect(cut(bytes)).toEqual({ ...plain, types: [3, 9], rounds: 1 });
		expect(cut(bytes.subarray(0, bytes.length - 1))).toMatchObject({ types: [3], stopped: { offsetBytes: 24, message: torn } });
		expect(cut(bytes.subarray(0, 24), 48)).toMatchObject({ types: [3], stopped: { offsetBytes: 24, message: torn } });
		expect(cut(bytes, 16)).toEqual({ ...plain, types: [3] });
		const impossible = Buffer.concat([record(3, 0, words(1)), Buffer.from([3, 0, 0, 0, 0, 0, 7, 0]), record(9, 0, words(1))]);
		expect(cut(impossible)).toMatchObject({ types: [3], stopped: { offsetBytes: 16, message: 'a record has an impossible size' } });
	});

	test('raw data behind records are passed over, also where they are longer than what is read at once', () => {
		const trace = (length: number): Buffer => Buffer.concat([record(71, 0, words(length, 0)), Buffer.alloc(length, 0xff)]);
		const tracing = (length: number): Buffer => Buffer.concat([record(66, 0, halves(length, 0)), Buffer.alloc((length + 7) & ~7, 0xff)]);
		const bytes = Buffer.concat([
			trace(16),
			record(9, 0, words(1)),
			trace(5 << 19),
			tracing(13),
			record(3, 0, words(1)),
			record(71, 0, Buffer.alloc(0)),
			record(66, 0, Buffer.alloc(0)),
		]);
		expect(cut(bytes)).toEqual({ ...plain, traces: 3, types: [9, 3] });
		const open = Buffer.concat([record(9, 0, words(1)), trace(3 << 20).subarray(0, 2 << 20)]);
		expect(cut(open)).toMatchObject({ types: [9], traces: 1, stopped: { message: torn } });
	});

	test('reads that give a part only, and none', () => {
		const bytes = Buffer.concat(Array.from({ length: 30 }, (_, i) => record(i + 1, 0, words(i))));
		const whole = memorySource('a', bytes);
		const slow: Source = { ...whole, read: (target, offset, length, position) => whole.read(target, offset, Math.min(length, 7), position) };
		expect(cut(bytes, bytes.length, slow)).toEqual({ ...plain, types: Array.from({ length: 30 }, (_, i) => i + 1) });
		const broken: Source = {
			...whole,
			read: (target, offset, length, position) => (position >= 32 ? 0 : whole.read(target, offset, Math.min(length, 32), position)),
		};
		expect(cut(bytes, bytes.length, broken)).toMatchObject({ types: [1, 2] });
	});

	test('compressed records without a decoder', () => {
		expect(cut(Buffer.concat([record(81, 0, words(5)), record(83, 0, words(8, 5)), record(83, 0, Buffer.alloc(0))]))).toEqual({
			...plain,
			types: [],
			notUnpacked: 2,
		});
	});
});

test('records in the order of their times, over rounds that are large enough to be sorted', () => {
	const times: number[] = [];
	const count = 40_000;
	const bytes = Buffer.alloc(8 * count);
	for (let i = 0; i < count; i++) {
		bytes.writeUInt32LE(i, 8 * i);
		bytes.writeUInt16LE(8, 8 * i + 6);
	}
	const pieces = [pieceOf(bytes), pieceOf(Buffer.from(bytes))] as const;
	const queue = new RecordQueue((_piece, _at, type, size) => void times.push(type, size));
	// Two processors, one after the other in each round of 1,000 times.
	const taken: number[] = [];
	for (let round = 0; round < count / 1000; round++) {
		for (const [processor, piece] of pieces.entries()) {
			for (let i = processor; i < 1000; i += 2) {
				const time = 1000 * round + i;
				queue.add(time, piece, 8 * time);
			}
		}
		queue.endRound();
		taken.push(times.length / 2);
	}
	queue.end();
	expect(times.length).toBe(2 * count);
	expect(times.every((value, i) => value === (i % 2 === 0 ? i / 2 : 8))).toBe(true);
	// The first time with 16,384 records or more, of all but the last two rounds.
	expect(taken.slice(0, 18)).toEqual([...Array(16).fill(0), 15_000, 15_000]);
});

test('addresses that are known, however many', () => {
	const known = new KnownAddresses();
	expect(known.find(0, 0)).toBe(-1);
	for (let i = 0; i < 1000; i++) {
		expect(known.find(i, -i)).toBe(-1);
		const at = known.add(i, -i, i);
		known.frame[at] = 2 * i;
	}
	for (let i = 0; i < 1000; i++) {
		const at = known.find(i, -i);
		expect([known.place[at], known.frame[at]]).toEqual([i, 2 * i]);
	}
	expect([known.find(1, 1), known.find(1000, -1000)]).toEqual([-1, -1]);
	known.clear();
	expect(known.find(1, -1)).toBe(-1);
	const at = known.add(1, -1, 7);
	expect([known.find(1, -1), known.place[at], known.frame[at]]).toEqual([at, 7, -1]);
});

describe('mappings of a process', () => {
	const library = { name: '/a', buildId: null, inode: null, kernelText: null, symbols: null, places: new Map<string, number>() } satisfies Library;
	const mapping = (start: number, end: number, shift = 0) => ({ start, end, shift, library, isExecutable: true });
	const space = (...all: (readonly [number, number, number])[]): AddressSpace => {
		const made = new AddressSpace();
		for (const [start, end, shift] of all) {
			made.add(mapping(start, end, shift));
		}
		return made;
	};
	const shiftsAt = (of: AddressSpace, ...addresses: number[]): (number | null)[] => addresses.map((address) => of.find(address)?.shift ?? null);

	test('what is mapped later lies above', () => {
		expect(shiftsAt(space([10, 20, 1], [30, 40, 2]), 9, 10, 19, 20, 29, 30, 39, 40)).toEqual([null, 1, 1, null, null, 2, 2, null]);
		expect(shiftsAt(space([10, 40, 1], [20, 30, 2]), 19, 20, 29, 30, 39)).toEqual([1, 2, 2, 1, 1]);
		expect(shiftsAt(space([10, 20, 1], [10, 20, 2]), 9, 10, 19, 20)).toEqual([null, 2, 2, null]);
		expect(shiftsAt(space([10, 20, 1], [20, 30, 2], [15, 25, 3]), 14, 15, 24, 25)).toEqual([1, 3, 3, 2]);
		expect([space([10, 20, 1], [20, 30, 2], [5, 35, 3]).size, space([10, 40, 1], [20, 30, 2]).size, space([10, 20, 1], [10, 15, 2]).size]).toEqual([1, 3, 2]);
	});

	test('parent and child have their own after a fork', () => {
		const parent = space([10, 20, 1]);
		const child = parent.fork();
		parent.add(mapping(10, 20, 2));
		child.add(mapping(30, 40, 3));
		expect([shiftsAt(parent, 10, 30), shiftsAt(child, 10, 30)]).toEqual([
			[2, null],
			[1, 3],
		]);
	});

	test('processes: forks of threads, of processes, of perf itself', () => {
		const processes = new Processes();
		processes.map(processes.spaceOf(7), mapping(10, 20, 1));
		processes.name(7, 7, 'a', false);
		processes.fork(7, 8, 7, 7, false);
		processes.fork(9, 9, 7, 7, false);
		processes.fork(10, 10, 7, 7, true);
		processes.fork(12, 12, 11, 11, false);
		const names = [7, 8].map((thread) => processes.task(7, thread).name);
		expect([...names, processes.task(9, 9).name, processes.task(10, 10).name, processes.task(12, 12).name]).toEqual(['a', 'a', 'a', 'a', ':12']);
		expect([7, 9, 10, 12].map((process) => processes.spaceOf(process).find(10)?.shift ?? null)).toEqual([1, 1, null, null]);
		// A number that is of another process now.
		expect([processes.task(20, 8).name, processes.task(-1, 8).name]).toEqual([':8', ':8']);
	});
});
