/** Stacks of profilers that tell names and no addresses, as the tree of frames that other tools' formats are written from. */
import { describe, expect, test } from 'vitest';
import { type StackSamples, StackSamplesBuilder } from '../model/stack-samples.js';
import { framesOfNode, type StackedSamples } from '../model/stacked-samples.js';
import { type StacksSource, stackedOfStacks } from './stacked-stacks.js';

/** 2023-11-14. */
const ORIGIN = 1_700_000_000_000_000_000n;

interface Sample {
	readonly ms?: number;
	/** Innermost first: `a.B.f:3`, with `@` a bytecode index; `(native) memcpy` names a row and what the profiler calls it; null: no stack. */
	readonly stack: readonly string[] | null;
	readonly isTruncated?: boolean;
	readonly event?: string;
	readonly thread?: string | null;
	readonly state?: string;
	readonly weight?: number;
}

function samplesOf(rows: readonly Sample[]): StackSamples {
	const builder = new StackSamplesBuilder();
	builder.originEpochNs = ORIGIN;
	for (const { ms = 0, stack, isTruncated = false, event = 'cpu', thread = 'main', state = 'RUNNABLE', weight = 1 } of rows) {
		const frames = (stack ?? []).map((text) => {
			const [, row = '', name = '', line = '-1', bci = '-1'] = /^(\(\w+\))? ?(.*?)(?::(\d+))?(?:@(\d+))?$/.exec(text) ?? [];
			return builder.frameNumber(builder.methodNumber(name, null, row === '' ? name : row), Number(line), Number(bci), '');
		});
		builder.add({
			timeNs: ms * 1e6,
			event: builder.eventNumber(event),
			thread: builder.threadNumber(thread, thread === null ? -1 : 7),
			stack: stack === null ? -1 : builder.stackNumber(frames, frames.length, isTruncated),
			state: builder.stateNumber(state),
			weight,
			isBiased: false,
		});
	}
	return builder.build();
}

function stacked(rows: readonly Sample[], more: Partial<StacksSource> = {}): StackedSamples {
	return stackedOfStacks({
		samples: samplesOf(rows),
		event: 0,
		jvmStartEpochNs: null,
		filter: {},
		window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
		...more,
	});
}

/** Names of each sample's frames, the outermost first. */
function names(rows: readonly Sample[], more: Partial<StacksSource> = {}): string[] {
	const result = stacked(rows, more);
	return [...result.node].map((node) =>
		framesOfNode(result, node)
			.map((frame) => result.frames[frame]!.name)
			.join(' '),
	);
}

const F = { stack: ['a.B.f:3@5'] };

describe('frames', () => {
	test('the outermost first; what is no Java method in round brackets', () => {
		expect(
			names([
				{ stack: ['a.C.inner:30@3', 'a.B.f:10@1', 'a.B.main'] },
				{ stack: ['(native) memcpy', 'a.B.f'] },
				{ stack: ['(kernel) schedule', '(native)', 'a.B.f'] },
				{ stack: ['(unknown) odd', 'a.B.f'] },
				{ stack: ['a.B.f'], isTruncated: true },
				{ stack: [] },
				{ stack: null },
			]),
		).toEqual(['a.B.main a.B.f a.C.inner', 'a.B.f (memcpy)', 'a.B.f (native) (schedule)', 'a.B.f (unknown)', '(truncated) a.B.f', '(no stack)', '(no stack)']);
	});

	test('with kind, line and bytecode, where they are told', () => {
		const { frames } = stacked([{ stack: ['(native) memcpy:9@4', 'a.B.f:3@0', 'a.B.g:0', 'a.B.h@7', '(kernel) k', '(unknown)'] }, { stack: null }]);
		expect(frames.map(({ name, kind, line, bci }) => [name, kind, line, bci])).toEqual([
			['(unknown)', 'unknown', null, null],
			['(k)', 'kernel', null, null],
			['a.B.h', 'method', null, 7],
			['a.B.g', 'method', null, null],
			['a.B.f', 'method', 3, 0],
			['(memcpy)', 'native', 9, null],
			['(no stack)', 'unknown', null, null],
		]);
		expect(frames[4]).toEqual({ name: 'a.B.f', kind: 'method', library: null, line: 3, bci: 0, code: null, address: Number.NaN, inlineDepth: 0 });
	});

	test('what is the same is one frame and one node', () => {
		const result = stacked([
			{ stack: ['a.B.f:3', 'a.B.main'] },
			{ stack: ['a.B.f:4', 'a.B.main'] },
			{ stack: ['a.B.f:3', 'a.B.main'] },
			{ stack: ['a.B.f:3'] },
		]);
		expect(result.frames.map(({ name, line }) => [name, line])).toEqual([
			['a.B.main', null],
			['a.B.f', 3],
			['a.B.f', 4],
		]);
		expect([[...result.node], [...result.nodeFrame], [...result.nodeParent]]).toEqual([
			[1, 2, 1, 3],
			[0, 1, 2, 1],
			[-1, 0, 0, -1],
		]);
	});
});

describe('samples', () => {
	test('that count: of the event, of the threads that are meant, not of those that wait', () => {
		const rows: Sample[] = [
			{ stack: ['a.B.one'] },
			{ stack: ['a.B.two'], event: 'wall' },
			{ stack: ['a.B.three'], state: 'SLEEPING' },
			{ stack: ['a.B.four'], thread: 'worker' },
		];
		expect(names(rows)).toEqual(['a.B.one', 'a.B.four']);
		expect(names(rows, { event: 1 })).toEqual(['a.B.two']);
		expect(names(rows, { filter: { thread: 'work*' } })).toEqual(['a.B.four']);
		expect([stacked(rows).event, stacked(rows, { event: 1 }).event, stacked(rows, { event: 5 }).event]).toEqual(['cpu', 'wall', '']);
		expect(stacked(rows, { event: 5 }).length).toBe(0);
	});

	test('that stand for a few are so many rows, with their thread; others keep their weights', () => {
		const length = (weight: number) => stacked([{ ...F, weight }]).length;
		expect([0, 1, 3, 1000].map(length)).toEqual([0, 1, 3, 1000]);
		const weights = (...given: number[]) => stacked(given.map((weight) => ({ ...F, weight }))).weights;
		expect([weights(1, 3), weights(1, 1001), weights(0.5, 2)]).toEqual([undefined, Float64Array.of(1, 1001), Float64Array.of(0.5, 2)]);
		expect(stacked([{ ...F, weight: 3 }], { unit: 'nanoseconds' })).toMatchObject({ length: 1, weights: Float64Array.of(3), unit: 'nanoseconds' });
		const result = stacked([
			{ ...F, weight: 2 },
			{ stack: ['a.B.g'], thread: null },
			{ ...F, thread: 'worker', ms: 3 },
		]);
		expect([[...result.node], [...result.thread], result.length]).toEqual([[0, 0, 1, 0], [0, 0, 1, 2], 4]);
		expect(result.threads).toEqual([
			{ name: 'main', id: 7 },
			{ name: '', id: -1 },
			{ name: 'worker', id: 7 },
		]);
		expect(result).toMatchObject({ processId: null, periods: null, intervalNs: null });
	});

	test('of a window after the first sample of the event, whatever their order; both ends count', () => {
		const rows: Sample[] = [
			{ stack: ['a.B.late'], ms: 3001 },
			{ stack: ['a.B.end'], ms: 3000 },
			{ stack: ['a.B.other'], ms: 0, event: 'wall' },
			{ stack: ['a.B.first'], ms: 1000, thread: 'worker' },
			{ stack: ['a.B.begin'], ms: 1500 },
			{ stack: ['a.B.early'], ms: 1499 },
		];
		expect(names(rows, { window: { from: 0.5, to: 2 } })).toEqual(['a.B.end', 'a.B.begin']);
		// The first of all threads, though only some are meant.
		expect(names(rows, { window: { from: 0.5, to: 2 }, filter: { thread: 'main' } })).toEqual(['a.B.end', 'a.B.begin']);
		expect(names(rows, { window: { from: 0, to: 0 } })).toEqual(['a.B.first']);
	});
});

describe('times', () => {
	const rows: Sample[] = [
		{ ...F, ms: 2500 },
		{ ...F, ms: 1250 },
		{ ...F, ms: 10, event: 'wall' },
	];

	test('are seconds; they count from the start of the JVM, or from the first sample where that is earlier or all that is known', () => {
		const origin = (jvmStartEpochNs: bigint | null) => {
			const { originSeconds, originEpochMs } = stacked(rows, { jvmStartEpochNs });
			return [originSeconds, originEpochMs];
		};
		expect([...(stacked(rows).timeSeconds ?? [])]).toEqual([2.5, 1.25]);
		expect(origin(null)).toEqual([1.25, 1_700_000_001_250]);
		expect(origin(ORIGIN + 500_000_000n)).toEqual([0.5, 1_700_000_000_500]);
		expect(origin(ORIGIN - 500_000_000n)).toEqual([-0.5, 1_699_999_999_500]);
		expect(origin(ORIGIN + 2_000_000_000n)).toEqual([1.25, 1_700_000_001_250]);
	});

	test('are not there where the profile has none', () => {
		const result = stacked([{ ...F, ms: Number.NaN }], { jvmStartEpochNs: ORIGIN });
		expect(result).toMatchObject({ length: 1, timeSeconds: null, originSeconds: 0, originEpochMs: null });
		expect(names([{ ...F, ms: Number.NaN }], { window: { from: 1, to: 2 } })).toEqual([]);
		expect(names([{ ...F, ms: Number.NaN }], { window: { from: 0, to: 2 } })).toEqual(['a.B.f']);
	});

	test('of no sample of the event: those of the profile', () => {
		expect(stacked(rows, { event: 5 })).toMatchObject({ length: 0, originSeconds: 0, originEpochMs: 1_700_000_000_000 });
	});
});
