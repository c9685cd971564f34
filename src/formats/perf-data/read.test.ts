/** perf.data made up record by record: order, processes, mappings, layouts of samples, and what is damaged. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	comm,
	finishedRound,
	fork,
	halves,
	type MadeEvent,
	mmap2,
	perfDataFile,
	record,
	sample,
	text,
	trailer,
	WITH_ID,
	WITH_PERIOD,
	WITH_STACK,
	words,
} from '../../../test/perf-data-file.js';
import { memorySource } from '../../bytes/source.js';
import type { ZstdStream } from '../../bytes/zstd-stream.js';
import type { MappedLibrary, NativeSymbols } from '../../model/native-symbols.js';
import type { DetailsWanted } from '../../model/samples.js';
import { isPerfData } from './header.js';
import { type PerfData, readPerfData } from './read.js';

const CLOCK: MadeEvent = { name: 'cpu-clock' };
/** Whatever lies in a file is called by its offset. */
const BY_OFFSET: NativeSymbols = {
	symbolsOf: ({ name }) => (name.startsWith('/tmp/') ? null : { find: (start) => ({ start, end: start + 1, name: `f${start.toString(16)}` }) }),
};

function read(bytes: Uint8Array, wanted: DetailsWanted = 'all', symbols = BY_OFFSET, openZstd: (() => ZstdStream) | null = null): PerfData {
	return readPerfData(memorySource('perf.data', bytes), wanted, { symbols, openZstd });
}

const of = (...records: readonly Uint8Array[]): PerfData => read(perfDataFile([CLOCK], records));

/** `name/thread symbol (library)` of each sample. */
function rows({ samples, threads }: PerfData): string[] {
	return Array.from(samples.place, (place, i) => {
		const thread = threads?.threads[threads.of[i]!];
		const { symbol, library } = samples.places[place]!;
		return `${thread?.name}/${thread?.id} ${symbol} (${library})`;
	});
}

const messages = ({ problems }: PerfData): string[] => problems.map(({ message }) => message);

test('a sample with its time, process, event and place', () => {
	const { samples, problems, periods, stacks } = of(comm(7, 8, 'java'), mmap2(7, 0x1000, 0x1000, 0x400, '/lib/a.so'), sample(0x1010, 7, 8, 1_234_567_891n));
	expect(problems).toEqual([]);
	expect([samples.timeSeconds[0], samples.address[0], samples.processId[0], samples.events, samples.modifiers]).toEqual([
		1.234567891,
		0x1010n,
		7,
		['cpu-clock'],
		[''],
	]);
	expect(samples.places).toEqual([{ symbol: 'f410', library: '/lib/a.so' }]);
	expect([periods, stacks]).toEqual([null, null]);
});

test('times since 1970 are the nearest numbers', () => {
	expect(of(sample(1, 7, 7, 1_789_012_345_123_456_789n)).samples.timeSeconds[0]).toBe(Number('1789012345.123456789'));
});

describe('in the order of their times', () => {
	const times = (data: PerfData): number[] => Array.from(data.samples.timeSeconds, (seconds) => Math.round(seconds * 1e9));
	const at = (...all: readonly number[]): Buffer[] => all.map((time) => sample(1, 7, 7, time));

	test('over processors and rounds', () => {
		expect(times(of(...at(10, 30, 50), ...at(20, 40), finishedRound, ...at(60, 45), finishedRound, ...at(55, 70), finishedRound))).toEqual([
			10, 20, 30, 40, 45, 50, 55, 60, 70,
		]);
	});

	test('as they came where times are equal', () => {
		const data = of(sample(1, 7, 1, 20), sample(2, 7, 2, 10), sample(3, 7, 3, 20), sample(4, 7, 4, 10));
		expect([...data.samples.address]).toEqual([2n, 4n, 1n, 3n]);
	});

	test('whatever runs there are', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 1000 })), (all) => {
				expect(times(of(...at(...all)))).toEqual([...all].sort((a, b) => a - b));
			}),
		);
	});

	test('what lies where counts at the time of the sample, not in the order of the file', () => {
		const data = of(
			sample(0x1001, 7, 7, 10),
			sample(0x1001, 7, 7, 30),
			mmap2(7, 0x1000, 0x100, 0, '/b', 20),
			mmap2(7, 0x1000, 0x100, 0, '/a', 5),
			comm(7, 7, 'b', 25),
			comm(7, 7, 'a', 1),
		);
		expect(rows(data)).toEqual(['a/7 f1 (/a)', 'b/7 f1 (/b)']);
	});
});

describe('processes', () => {
	test('names of threads: told, from the one that started them, by number', () => {
		const data = of(
			comm(7, 7, 'sh', 1),
			fork(7, 9, 7, 7, 2),
			fork(8, 8, 7, 7, 2),
			comm(8, 8, 'ls', 4, true),
			...[3, 5].flatMap((time) => [7, 8].map((pid) => sample(1, pid, pid, time))),
			sample(1, 7, 9, 6),
			sample(1, 5, 5, 6),
			sample(1, 0, 0, 6),
		);
		expect(rows(data).map((row) => row.split(' ')[0])).toEqual(['sh/7', 'sh/8', 'sh/7', 'ls/8', 'sh/9', ':5/5', 'swapper/0']);
	});

	test('a process begins with what its parent had, and keeps it while it begins another program', () => {
		const data = of(
			mmap2(7, 0x1000, 0x1000, 0, '/a', 1),
			fork(8, 8, 7, 7, 2),
			mmap2(7, 0x1000, 0x1000, 0, '/b', 3),
			sample(0x1001, 8, 8, 4),
			sample(0x1001, 7, 7, 4),
			comm(8, 8, 'x', 5, true),
			sample(0x1001, 8, 8, 6),
		);
		expect(rows(data).map((row) => row.split(' ').slice(1).join(' '))).toEqual(['f1 (/a)', 'f1 (/b)', 'f1 (/a)']);
	});

	test('files in the memory of a process at the end, and where in the file each begins', () => {
		const { mappedCode } = of(
			mmap2(7, 0x1000, 0x3000, 0x500, '/a'),
			mmap2(7, 0x2000, 0x1000, 0, '/b', 2),
			mmap2(7, 0x9000, 0x100, 0, '//anon', 3),
			sample(0x2001, 7, 7, 9),
		);
		expect(mappedCode?.get(7)?.map(({ name, start, end, offset, buildId }) => [name, start, end, offset, buildId])).toEqual([
			['/a', 0x1000, 0x2000, 0x500, null],
			['/b', 0x2000, 0x3000, 0, null],
			['/a', 0x3000, 0x4000, 0x2500, null],
		]);
	});

	test('files in the memory of a process that runs another program are those of that program', () => {
		const { mappedCode } = of(
			mmap2(7, 0x1000, 0x1000, 0, '/usr/bin/node', 1),
			fork(8, 8, 7, 7, 2),
			comm(8, 8, 'tsc', 3, true),
			mmap2(8, 0x9000, 0x1000, 0, '/opt/tsc', 4),
			fork(9, 9, 8, 8, 5),
			comm(9, 9, 'thread', 6),
			sample(0x9001, 8, 8, 9),
		);
		const names = (processId: number): string[] => mappedCode?.get(processId)?.map(({ name }) => name) ?? [];
		expect([names(7), names(8), names(9)]).toEqual([['/usr/bin/node'], ['/opt/tsc'], ['/opt/tsc']]);
	});

	test('what is mapped over something cuts it', () => {
		const at = (address: number): Buffer => sample(address, 7, 7, 9);
		const data = of(mmap2(7, 0x1000, 0x3000, 0, '/a'), mmap2(7, 0x2000, 0x1000, 0, '/b'), at(0x1fff), at(0x2000), at(0x3000), at(0x4000), at(0xfff));
		expect(data.samples.places.map(({ symbol, library }) => `${symbol} ${library}`)).toEqual(['ffff /a', 'f0 /b', 'f2000 /a', '[unknown] [unknown]']);
	});

	test('generated code is of the map of its process, the vdso by its beginning', () => {
		const seen: MappedLibrary[] = [];
		const bytes = perfDataFile(
			[CLOCK],
			[
				mmap2(7, 0x1000, 0x100, 0, '//anon'),
				mmap2(7, 0x2000, 0x100, 0, '[anon:code]'),
				mmap2(7, 0x3000, 0x100, 0, '[vdso]'),
				sample(0x1001, 7, 7, 1),
				sample(0x2001, 7, 7, 2),
				sample(0x3001, 7, 7, 3),
			],
		);
		const data = read(bytes, 'none', {
			symbolsOf: (library) => {
				seen.push(library);
				return BY_OFFSET.symbolsOf(library);
			},
		});
		expect(data.samples.places.map(({ library }) => library)).toEqual(['/tmp/perf-7.map', '[vdso]']);
		expect(data.samples.places[1]?.symbol).toBe('f1');
		expect(seen.map(({ name }) => name)).toEqual(['/tmp/perf-7.map', '[vdso]']);
	});

	test('the kernel, its modules, and programs in it', () => {
		const kernel = (start: bigint, length: number, file: string): Buffer =>
			record(
				1,
				1,
				Buffer.concat([
					halves(-1, 0),
					words(start, length, 0xffffffff81000000n),
					text(file),
					Buffer.alloc((8 - ((file.length + 1) % 8)) % 8),
					trailer(0, 0, 0),
				]),
			);
		const at = (address: bigint): Buffer => sample(address, 7, 7, 9, Buffer.alloc(0), 1);
		const program = record(17, 0, Buffer.concat([words(0xffffffffc0200000n), halves(64, 1), text('bpf_prog_1'), Buffer.alloc(5), trailer(0, 0, 0)]));
		const data = of(
			kernel(0xffffffff81000000n, 0x1000000, '[kernel.kallsyms]_text'),
			kernel(0xffffffffc0000000n, 0x1000, '/lib/modules/6.1/kernel/fs/my-fs.ko.xz'),
			program,
			at(0xffffffff81000010n),
			at(0xffffffffc0000010n),
			at(0xffffffffc0200010n),
			at(0x10n),
		);
		expect(data.samples.places.map(({ library }) => library)).toEqual(['[kernel.kallsyms]', '[my_fs]', 'bpf_prog_1', '[kernel.kallsyms]']);
		expect(data.samples.places[2]?.symbol).toBe('bpf_prog_1');
	});
});

describe('layouts', () => {
	test('several events are told by their ids', () => {
		const sampleType = 0b111 | WITH_ID | WITH_PERIOD;
		const events: MadeEvent[] = [
			{ name: 'cpu-clock', sampleType, ids: [5n] },
			{ name: 'cycles:u', sampleType, ids: [6n, 7n] },
		];
		const one = (id: number, period: number): Buffer => record(9, 2, Buffer.concat([words(id, 0x10), halves(7, 7), words(id, period)]));
		const { samples, periods, problems } = read(perfDataFile(events, [one(7, 70), one(5, 50), one(6, 60), one(99, 1)]));
		expect([...samples.event].map((event) => samples.events[event])).toEqual(['cpu-clock', 'cycles', 'cycles']);
		expect([samples.modifiers, [...(periods ?? [])]]).toEqual([
			['', ':u'],
			[50, 60, 70],
		]);
		expect(problems.map(({ message }) => message)).toEqual(['1 records are damaged']);
	});

	test('the period of all where a sample has none', () => {
		expect([...(read(perfDataFile([{ ...CLOCK, period: 1000 }], [sample(1, 7, 7, 1)])).periods ?? [])]).toEqual([1000]);
	});

	test.each([
		['value', 0, words(1)],
		['value, times, id', 1 | 2 | 4, words(1, 2, 3, 4)],
		['group', 8 | 4, words(2, 11, 1, 12, 2)],
		['group with times and lost', 8 | 1 | 2 | 4 | 16, words(2, 9, 9, 11, 1, 0, 12, 2, 0)],
	])('the stack stands behind what was read: %s', (_name, readFormat, values) => {
		const event = { ...CLOCK, sampleType: 0b111 | (1 << 4) | WITH_STACK, readFormat };
		const stack = words(5, -128n, 0xffffffff81000010n, -512n, 0x1010, 0x1020);
		const data = read(perfDataFile([event], [mmap2(7, 0x1000, 0x100, 0, '/a'), sample(0xffffffff81000010n, 7, 7, 9, Buffer.concat([values, stack]), 1)]));
		const frames: string[] = [];
		const { stacks, samples } = data;
		for (let node = stacks?.of[0] ?? -1; node >= 0; node = stacks?.parent[node] ?? -1) {
			const place = samples.places[stacks?.place[node] ?? -1];
			frames.push(`${stacks?.address[node]} ${place?.symbol} ${place?.library}`);
		}
		expect(frames).toEqual([`${-0x7efffff0} [unknown] [kernel.kallsyms]`, `${0x1010} f10 /a`, `${0x1020} f20 /a`]);
		expect(data.problems).toEqual([]);
	});

	test('names of events that perf did not note', () => {
		const name = (type: number, config: number, flags = 0): string => {
			const { events, modifiers } = read(perfDataFile([{ type, config, flags }], [sample(1, 7, 7, 1)])).samples;
			return `${events[0]}${modifiers[0]}`;
		};
		expect([name(1, 0), name(0, 0, 1 << 5), name(0, 0, (1 << 4) | (1 << 6)), name(0, 1, 2 << 15), name(4, 0x3c), name(9, 1), name(0, 99)]).toEqual([
			'cpu-clock',
			'cycles:uh',
			'cycles:k',
			'instructions:pp',
			'raw 0x3c',
			'type-9-0x1',
			'type-0-0x63',
		]);
	});

	test('details only for those who ask', () => {
		const { threads, stacks, periods } = read(perfDataFile([{ ...CLOCK, period: 5 }], [sample(1, 7, 7, 1)]), 'none');
		expect([threads, stacks, periods]).toEqual([null, null, null]);
	});
});

describe('what is not whole', () => {
	const whole = perfDataFile(
		[CLOCK],
		[comm(7, 7, 'java'), mmap2(7, 0x1000, 0x1000, 0, '/a'), finishedRound, sample(0x1001, 7, 7, 10), sample(0x1002, 7, 7, 20)],
	);

	test('a file that perf did not complete', () => {
		const data = read(perfDataFile([{}], [sample(1, 7, 7, 1), sample(2, 7, 7, 2).subarray(0, 20)], true));
		expect(data.samples.length).toBe(1);
		expect(messages(data)).toEqual(['was not completed: perf was killed, or still runs', 'the file ends within a record, or before its data end']);
	});

	test('lost, compressed without a decoder, copied stacks, traces, samples without addresses', () => {
		const lost = record(2, 0, Buffer.concat([words(1, 12), trailer(0, 0, 5)]));
		const lostSamples = record(13, 0, Buffer.concat([words(30), trailer(0, 0, 5)]));
		expect(messages(of(lost, lostSamples, record(81, 0, words(1))))).toEqual([
			'1 compressed records could not be unpacked',
			'perf lost 42 records while it recorded',
		]);
		expect(messages(read(perfDataFile([{ ...CLOCK, sampleType: 0b111 | WITH_STACK | (1 << 13) }], [sample(1, 7, 7, 1, words(0, 0))])))[0]).toContain(
			'copies of stacks',
		);
		const trace = Buffer.concat([record(71, 0, words(16, 0, 0, 0, 0)), Buffer.alloc(16, 0xff)]);
		const behind = of(trace, sample(1, 7, 7, 1));
		expect([behind.samples.length, messages(behind)]).toEqual([1, ['1 records hold the trace of a processor']]);
		expect(messages(read(perfDataFile([{ ...CLOCK, sampleType: 0b110 }], [record(9, 2, Buffer.concat([halves(7, 7), words(1)]))])))).toEqual([
			'1 samples have no address',
		]);
	});

	test('another byte order', () => {
		const swapped = Buffer.from(whole);
		swapped.write('2ELIFREP', 0, 'latin1');
		expect(isPerfData(swapped.toString('latin1', 0, 8))).toBe(true);
		expect(messages(read(swapped))).toEqual(['was recorded on a big-endian machine']);
	});

	test('cut at any byte: the samples before are there', () => {
		for (let length = 0; length < whole.length; length++) {
			const data = read(whole.subarray(0, length));
			expect(data.samples.length).toBeLessThanOrEqual(2);
			expect(data.problems.length).toBeGreaterThan(0);
		}
	});

	test('damaged anywhere, it is read without an error', () => {
		const stack = { ...CLOCK, sampleType: 0b111 | (1 << 4) | WITH_STACK, readFormat: 12 };
		const rich = perfDataFile(
			[stack, { ...stack, ids: [3n] }],
			[
				comm(7, 7, 'java'),
				fork(8, 8, 7, 7),
				mmap2(7, 0x1000, 0x1000, 0, '/a'),
				finishedRound,
				sample(1, 7, 7, 10, words(1, 2, 3, 2, 5, 6)),
				record(81, 0, words(5)),
				record(71, 0, words(0, 0)),
			],
		);
		fc.assert(
			fc.property(fc.constantFrom(whole, rich), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }), (bytes, changes) => {
				const damaged = Buffer.from(bytes);
				for (const [at, value] of changes) {
					damaged[at % damaged.length] = value;
				}
				const { samples, threads, stacks } = read(damaged);
				expect(threads?.of.length ?? samples.length).toBe(samples.length);
				expect(stacks?.of.length ?? samples.length).toBe(samples.length);
			}),
			{ numRuns: 2000 },
		);
	});

	test('endless forks and mappings do not fill the memory', () => {
		const records: Buffer[] = [];
		for (let pid = 1; pid < 3000; pid++) {
			records.push(mmap2(pid, 0x1000 * pid, 0x1000, 0, '/a'), fork(pid + 1, pid + 1, pid, pid));
		}
		expect(messages(of(...records))).toEqual([expect.stringContaining('mappings are more than processes have')]);
	});
});
