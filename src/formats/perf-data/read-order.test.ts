/** perf.data for the order of functions; against what perf script prints in live/order-decode.test.ts. */
import { expect, test } from 'vitest';
import { comm, mmap2, perfDataFile, sample, WITH_STACK, words } from '../../../test/perf-data-file.js';
import { memorySource } from '../../bytes/source.js';
import { readPerfDataOrder } from './read-order.js';

const IP_TID_TIME = 0b111;
const WITH_ADDRESS = 1 << 3;
const SOFTWARE = 1;
const PAGE_FAULTS = 2;
const read = (file: Uint8Array): ReturnType<typeof readPerfDataOrder> => readPerfDataOrder(memorySource('perf.data', file));
const app = mmap2(7, 0x401000, 0x2000, 0x1000, '/app');

test('samples in the order of their times, the callers first; nothing of the kernel', () => {
	const stack = words(4, -512, 0x401010, 0x402004, 0xffffffff81000000n);
	const file = perfDataFile(
		[{ sampleType: IP_TID_TIME | WITH_STACK }],
		[comm(7, 7, 'app'), app, sample(0x401010, 7, 7, 20, stack), sample(0xffffffff81000000n, 7, 7, 30, words(0), 1), sample(0x401020, 7, 7, 10, words(0))],
	);
	const { rows, mappings, problems } = read(file);
	expect(rows.map(({ address }) => address)).toEqual([0x401020, 0x402004, 0x401010]);
	expect(new Set(rows.map(({ module, symbol }) => `${module} ${symbol}`))).toEqual(new Set(['/app null']));
	expect([mappings, problems]).toEqual([[{ processId: 7, start: 0x401000, sizeBytes: 0x2000, fileOffset: 0x1000, isExecutable: true, file: '/app' }], []]);
});

test('page faults at the instruction itself, also of one that crosses a page; not what it touched', () => {
	const fault = (touched: number, instruction: number | bigint, time: number, misc = 2): Buffer => sample(instruction, 7, 7, time, words(touched), misc);
	const event = { type: SOFTWARE, config: PAGE_FAULTS, sampleType: IP_TID_TIME | WITH_ADDRESS };
	const faults = [fault(0x401010, 0x401010, 1), fault(0x402000, 0x401ffb, 2), fault(0x7f0000, 0x401020, 3), fault(0x401030, 0xffffffff81000000n, 4, 1)];
	expect(read(perfDataFile([event], [app, ...faults])).rows.map(({ address }) => address)).toEqual([0x401010, 0x402000]);
	// Another event's address says nothing of code.
	expect(read(perfDataFile([{ ...event, config: 0 }], [app, fault(0, 0x401040, 1)])).rows.map(({ address }) => address)).toEqual([0x401040]);
});

test("records of Android's simpleperf are passed over, those of more than 64 KiB too", () => {
	const own = (type: number, bytes: number): Buffer => {
		const record = Buffer.alloc(bytes);
		record.writeUInt32LE(type, 0);
		record.writeUInt16LE(bytes >> 16, 4);
		record.writeUInt16LE(bytes & 0xffff, 6);
		return record;
	};
	const samples = [sample(0x401010, 7, 7, 10), sample(0x401020, 7, 7, 20)];
	const file = perfDataFile([{ sampleType: IP_TID_TIME }], [own(32769, 0x25008), app, own(32774, 24), samples[0]!, own(32775, 0x10000), samples[1]!]);
	const { rows, problems } = read(file);
	expect([rows.map(({ address }) => address), problems]).toEqual([[0x401010, 0x401020], []]);
	const cut = perfDataFile([{ sampleType: IP_TID_TIME }], [app, samples[0]!, own(32769, 0x25008).subarray(0, 16)]);
	expect(read(cut)).toMatchObject({ rows: [{ address: 0x401010 }], problems: [{ message: expect.stringContaining('ends within a record') }] });
});
