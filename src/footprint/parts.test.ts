/** What a replay is made of: the most expensive, names by number, the timeline and its nesting, chunks at one address, the table at the peak. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TimelineEntry } from '../model/compiler-memory.js';
import { ArenaCounterTable } from './arena-counter-table.js';
import { ChunkStamps } from './chunk-stamps.js';
import { FootprintTimeline } from './footprint-timeline.js';
import { MostExpensive } from './most-expensive.js';
import { Names } from './names.js';
import { nestTimeline } from './nest-timeline.js';

const M = 1 << 20;

test('the most expensive: as sorting all of them, the earlier of equal ones, in the order in which they came', () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 }), fc.integer({ min: 0, max: 6 }), (bytes, limit) => {
			const items = bytes.map((totalBytes, order) => ({ totalBytes, order }));
			const most = new MostExpensive<(typeof items)[number]>(limit);
			for (const item of items) {
				most.add(item);
			}
			const kept = [...items].sort((a, b) => b.totalBytes - a.totalBytes || a.order - b.order).slice(0, Math.max(1, limit));
			expect(most.list()).toEqual(kept.sort((a, b) => a.order - b.order));
			expect(most.omitted).toBe(items.length - kept.length);
		}),
	);
});

test('names have numbers in the order in which they come, up to a bound', () => {
	const names = new Names(['(root)']);
	expect(['a', 'b', 'a'].map((name) => names.number(name))).toEqual([1, 2, 1]);
	expect(names.list).toEqual(['(root)', 'a', 'b']);
	expect(new Names().number('first')).toBe(0);
	for (let i = 0; i < 65_534; i++) {
		names.number(`n${i}`);
	}
	expect(names.number('n65533')).toBe(65_536);
	expect(names.number('one more')).toBe(65_537);
	expect(names.number('yet another')).toBe(65_537);
	expect(names.number('(further names)')).toBe(65_537);
	expect(names.list).toHaveLength(65_538);
	expect(names.list.at(-1)).toBe('(further names)');
});

describe('the timeline', () => {
	test('changes add up; a peak inside is noted when it is more than 1 MiB above both ends', () => {
		const timeline = new FootprintTimeline();
		const add = (start: number, peak: number, end: number): TimelineEntry => {
			timeline.begin(start, 10);
			timeline.footprint(peak);
			timeline.footprint(peak - 1);
			timeline.end(1, 2, 'p', true, end, 7);
			return timeline.list().timeline.at(-1)!;
		};
		expect(add(5, 5 + M, 3)).toEqual({
			sequence: 1,
			depth: 2,
			phase: 'p',
			isContinued: true,
			bytes: 3,
			deltaBytes: -2,
			nodes: 7,
			deltaNodes: -3,
			temporaryPeakBytes: null,
		});
		expect(add(5, 6 + M, 3).temporaryPeakBytes).toBe(6 + M);
		expect(add(3, 6 + M, 5).temporaryPeakBytes).toBe(6 + M);
		expect(add(3, 5 + M, 5).temporaryPeakBytes).toBeNull();
	});

	test('keeps the last entries once there are twice as many, and counts the others', () => {
		const timeline = new FootprintTimeline(3);
		const count = () => [timeline.list().timeline.map(({ sequence }) => sequence), timeline.list().lostEntries];
		for (let sequence = 0; sequence < 5; sequence++) {
			timeline.end(sequence, 0, 'p', false, 0, 0);
		}
		expect(count()).toEqual([[0, 1, 2, 3, 4], 0]);
		timeline.end(5, 0, 'p', false, 0, 0);
		expect(count()).toEqual([[3, 4, 5], 3]);
	});
});

describe('nesting', () => {
	const entry = (sequence: number, depth: number, bytes: number, deltaBytes: number, more: Partial<TimelineEntry> = {}): TimelineEntry => ({
		sequence,
		depth,
		phase: `p${sequence}`,
		isContinued: false,
		bytes,
		deltaBytes,
		nodes: bytes * 10,
		deltaNodes: deltaBytes * 10,
		temporaryPeakBytes: null,
		...more,
	});

	test('phases inside each other and beside each other', () => {
		const instances = nestTimeline([
			entry(0, 0, 2, 2),
			entry(1, 1, 5, 3),
			entry(2, 2, 9, 4, { temporaryPeakBytes: 20 }),
			entry(1, 1, 6, -3, { isContinued: true }),
			entry(3, 1, 8, 2),
			entry(3, 1, 7, -1, { isContinued: true, temporaryPeakBytes: 12 }),
			entry(3, 1, 7, 0, { isContinued: true, temporaryPeakBytes: 11 }),
			entry(0, 0, 1, -6, { isContinued: true }),
		]);
		expect(instances).toEqual([
			{
				sequence: 0,
				depth: 0,
				phase: 'p0',
				startBytes: 0,
				endBytes: 1,
				startNodes: 0,
				endNodes: 10,
				ownDeltaBytes: -4,
				peakBytes: 20,
				temporaryPeakBytes: null,
				firstEntry: 0,
				lastEntry: 7,
			},
			{
				sequence: 1,
				depth: 1,
				phase: 'p1',
				startBytes: 2,
				endBytes: 6,
				startNodes: 20,
				endNodes: 60,
				ownDeltaBytes: 0,
				peakBytes: 20,
				temporaryPeakBytes: null,
				firstEntry: 1,
				lastEntry: 3,
			},
			{
				sequence: 2,
				depth: 2,
				phase: 'p2',
				startBytes: 5,
				endBytes: 9,
				startNodes: 50,
				endNodes: 90,
				ownDeltaBytes: 4,
				peakBytes: 20,
				temporaryPeakBytes: 20,
				firstEntry: 2,
				lastEntry: 2,
			},
			{
				sequence: 3,
				depth: 1,
				phase: 'p3',
				startBytes: 6,
				endBytes: 7,
				startNodes: 60,
				endNodes: 70,
				ownDeltaBytes: 1,
				peakBytes: 12,
				temporaryPeakBytes: 12,
				firstEntry: 4,
				lastEntry: 6,
			},
		]);
	});

	test('a phase that fell: its peak is where it began', () => {
		expect(nestTimeline([entry(1, 1, 3, -7)])).toMatchObject([{ startBytes: 10, endBytes: 3, peakBytes: 10 }]);
	});

	test('of a timeline whose beginning is lost: an entry that goes on stands for its phase', () => {
		const instances = nestTimeline([
			entry(4, 2, 5, 1, { isContinued: true }),
			entry(2, 1, 6, 1, { isContinued: true }),
			entry(5, 1, 7, 1, { isContinued: true }),
			entry(6, 2, 8, 1, { isContinued: true }),
		]);
		expect(instances.map(({ sequence, startBytes, endBytes, firstEntry, lastEntry }) => [sequence, startBytes, endBytes, firstEntry, lastEntry])).toEqual([
			[4, 4, 5, 0, 0],
			[2, 5, 6, 1, 1],
			[5, 6, 8, 2, 3],
			[6, 7, 8, 3, 3],
		]);
	});

	test('the same number without going on is another one', () => {
		expect(nestTimeline([entry(1, 1, 1, 1), entry(1, 1, 2, 1)])).toHaveLength(2);
	});
});

describe('chunks', () => {
	const stamp = (number: number, more: object = {}) => ({ bytes: 100, arena: 1, arenaAddress: 'a', phase: 1, sequence: number, below: null, ...more });
	const freed = (more: object = {}) => ({ bytes: 100, arena: 1, arenaAddress: 'a', phase: 1, ...more });
	const taken = (stamps: readonly ReturnType<typeof stamp>[], ...frees: readonly ReturnType<typeof freed>[]) => {
		const chunks = new ChunkStamps();
		for (const one of stamps) {
			chunks.add('x', one);
		}
		return frees.map((one) => {
			const found = chunks.take('x', one);
			return typeof found === 'string' ? found : found.sequence;
		});
	};

	test('never there, gone already, there again', () => {
		expect(taken([], freed())).toEqual(['unknown']);
		expect(taken([stamp(1)], freed(), freed())).toEqual([1, 'freed']);
		const chunks = new ChunkStamps();
		expect(chunks.add('x', stamp(1))).toBe(false);
		expect(chunks.add('x', stamp(2))).toBe(true);
		expect(chunks.add('y', stamp(3))).toBe(false);
		chunks.take('y', freed());
		expect(chunks.add('y', stamp(4))).toBe(false);
	});

	test('of several at one address: the arena itself counts most, then size, kind of arena, phase; then the younger', () => {
		expect(taken([stamp(1), stamp(2)], freed(), freed(), freed())).toEqual([2, 1, 'freed']);
		const own = stamp(1, { bytes: 1, arena: 2, phase: 2 });
		expect(taken([own, stamp(2, { arenaAddress: 'b' })], freed(), freed())).toEqual([1, 2]);
		const size = stamp(1, { arena: 2, phase: 2 });
		expect(taken([size, stamp(2, { bytes: 1 })], freed(), freed())).toEqual([1, 2]);
		const kind = stamp(1, { phase: 2 });
		expect(taken([kind, stamp(2, { arena: 2 })], freed())).toEqual([1]);
		expect(taken([stamp(1), stamp(2, { phase: 2 })], freed())).toEqual([1]);
		// Unknown sizes and arenas fit all.
		expect(taken([stamp(1), stamp(2, { bytes: 1 })], freed({ bytes: -1 }))).toEqual([2]);
		expect(taken([stamp(1), stamp(2, { arena: 2 })], freed({ arena: -1 }))).toEqual([2]);
		// None of them is of no bytes.
		expect(taken([stamp(1, { bytes: 0 }), stamp(2)], freed({ bytes: 0 }))).toEqual([1]);
		expect(taken([stamp(1, { arena: 0 }), stamp(2)], freed({ arena: 0 }))).toEqual([1]);
	});

	test('one is taken out of the middle, the others stay', () => {
		const three = [stamp(1), stamp(2, { arenaAddress: 'b' }), stamp(3, { arenaAddress: 'c' })];
		expect(taken(three, freed({ arenaAddress: 'b' }), freed({ arenaAddress: 'b' }), freed(), freed())).toEqual([2, 3, 1, 'freed']);
	});
});

test('the table at the peak is that of its first moment, however many changes came after', () => {
	const change = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: -4, max: 4 }));
	fc.assert(
		fc.property(fc.array(change, { maxLength: 60 }), fc.constantFrom(0, 2000), (changes, quiet) => {
			const table = new ArenaCounterTable();
			const cells = new Map<string, number>();
			let sum = 0;
			let peak = 0;
			let atPeak = new Map<string, number>();
			const wrong: number[] = [];
			const all = [...changes, ...Array.from({ length: quiet }, (): [number, number, number] => [1, 1, -1])];
			all.forEach(([phase, arena, bytes], i) => {
				cells.set(`${phase} ${arena}`, (cells.get(`${phase} ${arena}`) ?? 0) + bytes);
				sum += bytes;
				const isPeak = sum > peak;
				const said = table.add(phase, arena, bytes);
				if (isPeak) {
					peak = sum;
					atPeak = new Map(cells);
				}
				if (said !== isPeak || table.currentBytes !== sum || table.peakBytes !== peak) {
					wrong.push(i);
				}
			});
			expect(wrong).toEqual([]);
			table.atPeak().forEach((row, phase) => {
				row?.forEach((bytes, arena) => {
					expect(bytes).toBe(atPeak.get(`${phase} ${arena}`) ?? 0);
				});
			});
		}),
		{ numRuns: 30 },
	);
});
