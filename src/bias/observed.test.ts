/** What another profiler says, by method and line: which samples count, and why the others do not. */
import { expect, test } from 'vitest';
import type { ObservedFile } from '../model/observed-profile.js';
import { StackSamplesBuilder } from '../model/stack-samples.js';
import { type ObservedRequest, observedProfile } from './observed.js';

interface Row {
	readonly thread?: string | null;
	readonly time?: number;
	readonly state?: string;
	readonly weight?: number;
	readonly event?: string;
	readonly isBiased?: boolean;
	readonly isTruncated?: boolean;
	/** `method:line`, the innermost first; null: no stack. */
	readonly frames: readonly string[] | null;
}

function fileOf(rows: readonly Row[]): ObservedFile {
	const builder = new StackSamplesBuilder();
	builder.originEpochNs = 1000n;
	builder.eventNumber('execution');
	for (const { thread = 'main', time = 0, state = 'RUNNABLE', weight = 1, event = 'execution', isBiased = false, isTruncated = false, frames } of rows) {
		const numbers = frames?.map((frame) => {
			const [name = '', line] = frame.split(':');
			return builder.frameNumber(builder.methodNumber(name, null, name), Number(line ?? -1), -1, '');
		});
		builder.add({
			timeNs: time,
			event: builder.eventNumber(event),
			thread: builder.threadNumber(thread, 1),
			stack: numbers === undefined ? -1 : builder.stackNumber(numbers, numbers.length, isTruncated),
			state: builder.stateNumber(state),
			weight,
			isBiased,
		});
	}
	return { format: 'x', kinds: [], stacks: builder.build(), leaves: [], isCounted: true, lostSamples: 0, jvmStartEpochNs: null };
}

const ALL: ObservedRequest = { thread: null, window: null };
const KIND = { kind: 'execution', event: 'execution', number: 0 };
const of = (rows: readonly Row[], request: Partial<ObservedRequest> = {}) => {
	const { blame, stacks, biasedByMethod, ...rest } = observedProfile(fileOf(rows), KIND, { ...ALL, ...request });
	return { ...rest, methods: [...blame.byMethod], lines: [...blame.byLine], biasedByMethod: [...biasedByMethod], stacks: stacks?.() };
};
const NOTHING = { otherThreads: 0, otherTimes: 0, waiting: 0 };

test('samples by method and line, whole stacks without what is no method between', () => {
	expect(
		of([
			{ frames: ['a.B.c:7', 'a.B.main:1'] },
			{ frames: ['a.B.c:7', 'a.B.main:1'], weight: 3, isBiased: true },
			{ frames: ['a.B.c:8', '(native)', 'a.B.main:1'], isTruncated: true, weight: 2 },
			{ frames: ['(native)', 'a.B.main'] },
			{ frames: null, weight: 5, isBiased: true },
			{ frames: [] },
			{ frames: ['a.B.other:1'], event: 'wall' },
		]),
	).toEqual({
		counted: 13,
		isCounted: true,
		leftOut: NOTHING,
		unwalkable: 6,
		truncated: 2,
		biased: 8,
		hasLines: true,
		methods: [
			['a.B.c', 6],
			['(native)', 1],
			['(unknown)', 6],
		],
		lines: [
			['a.B.c:7', 4],
			['a.B.c:8', 2],
			['(native)', 1],
			['(unknown)', 6],
		],
		biasedByMethod: [['a.B.c', 3]],
		stacks: [
			{ names: ['a.B.main', 'a.B.c'], samples: 4 },
			{ names: ['a.B.main', 'a.B.c'], samples: 2 },
			{ names: ['a.B.main', '(native)'], samples: 1 },
			{ names: ['(unknown)'], samples: 1 },
			{ names: ['(unknown)'], samples: 5 },
		],
	});
});

test('threads that wait, other threads and other times do not count', () => {
	const rows: Row[] = [
		{ frames: ['a.B.c'], time: 10 },
		{ frames: ['a.B.c'], time: 19, weight: 2 },
		{ frames: ['a.B.c'], time: 21, weight: 4 },
		{ frames: ['a.B.c'], time: 9, weight: 8 },
		{ frames: ['a.B.c'], time: 15, state: 'STATE_SLEEPING', weight: 16 },
		{ frames: ['a.B.c'], thread: 'other', weight: 32, time: 15 },
		{ frames: ['a.B.c'], thread: null, weight: 64, time: 15 },
		{ frames: ['a.B.c'], time: 20, weight: 128 },
	];
	expect(of(rows)).toMatchObject({ counted: 255 - 16, leftOut: { ...NOTHING, waiting: 16 }, hasLines: false, lines: [] });
	expect(of(rows, { thread: 'main' })).toMatchObject({ counted: 143, leftOut: { otherThreads: 96, otherTimes: 0, waiting: 16 } });
	// The times of samples count from 1000 ns since 1970.
	expect(of(rows, { thread: 'main', window: { from: 10, to: 20, originEpochNs: 1000n } })).toMatchObject({
		counted: 131,
		leftOut: { otherThreads: 96, otherTimes: 12, waiting: 16 },
	});
	expect(of(rows, { thread: 'main', window: { from: 110, to: 120, originEpochNs: 900n } }).counted).toBe(131);
});

test('threads by a part of their name, by a pattern, and as the system cuts names', () => {
	const thread = 'ein sehr lan\u00e4ger Name';
	const counted = (wanted: string): number => of([{ thread, frames: ['a.B.c'] }], { thread: wanted }).counted;
	expect(['ein sehr lan\u00e4g', 'sehr', 'ein*Name', '*lang', 'other', thread].map(counted)).toEqual([1, 1, 1, 0, 0, 1]);
	// The system cuts after fifteen bytes, within a letter too.
	const cut = 'abcdefghijklmn\u00e4z';
	expect(['abcdefghijklmn\ufffd', 'abcdefghijklm\ufffd'].map((wanted) => of([{ thread: cut, frames: ['a.B.c'] }], { thread: wanted }).counted)).toEqual([1, 0]);
});

test('profiles of innermost methods alone', () => {
	const file: ObservedFile = {
		...{ format: 'x', kinds: [], stacks: null, isCounted: false, lostSamples: 0, jvmStartEpochNs: null },
		leaves: [
			{ thread: 'main', method: 'a.B.c', line: 7, samples: 1 },
			{ thread: 'main', method: 'a.B.c', line: 0, samples: 2 },
			{ thread: 'other', method: 'a.B.c', line: null, samples: 4 },
			{ thread: null, method: '(unknown)', line: null, samples: 8 },
			{ thread: 'main', method: 'a.B.d', line: 9, samples: 16, kind: 'other' },
			{ thread: 'main', method: 'a.B.d', line: -1, samples: 32, kind: 'execution' },
		],
		calls: [
			{ thread: 'main', names: ['a.B.main', '(native)', 'a.B.c'], samples: 1 },
			{ thread: 'other', names: ['a.B.main', '(native)'], samples: 2 },
			{ thread: null, names: [], samples: 3 },
		],
	};
	const { blame, stacks, ...rest } = observedProfile(file, { ...KIND, number: -1 }, { ...ALL, thread: 'main' });
	expect(rest).toEqual({
		...{
			counted: 43,
			isCounted: false,
			leftOut: { ...NOTHING, otherThreads: 4 },
			unwalkable: 8,
			truncated: 0,
			biased: 0,
			biasedByMethod: new Map(),
			hasLines: true,
		},
	});
	expect([...blame.byLine]).toEqual([
		['a.B.c:7', 1],
		['a.B.c:-1', 2],
		['(unknown)', 8],
		['a.B.d:-1', 32],
	]);
	expect(stacks?.()).toEqual([
		{ names: ['a.B.main', 'a.B.c'], samples: 1 },
		{ names: ['(unknown)'], samples: 3 },
	]);
	const plain = observedProfile({ ...file, leaves: file.leaves.slice(2, 3), calls: undefined as never }, { ...KIND, number: -1 }, ALL);
	expect([plain.hasLines, plain.blame.byLine.size, plain.stacks, plain.counted]).toEqual([false, 0, null, 4]);
});
