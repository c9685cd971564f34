/** Threads that were seen by Flight Recorder while a safepoint was not reached. */
import { expect, test } from 'vitest';
import type { Safepoint } from '../model/safepoint.js';
import { StackSamplesBuilder } from '../model/stack-samples.js';
import { withRecordedCulprits } from './recorded-culprits.js';
import type { SafepointDelay } from './safepoint-delay.js';

const SAFEPOINT: Safepoint = {
	...{ operation: 'G1', sinceLastNs: null, reachingNs: 100, cleanupNs: null, atSafepointNs: null, leavingNs: null, totalNs: 200 },
	...{ runningThreads: null, totalThreads: null, end: { uptimeNs: 1200, monotonicNs: null, epochNs: null }, unfinished: null, timeout: null, line: 1 },
};
/** It began at 1000 ns, and was reached at 1100 ns. */
const DELAY: SafepointDelay = { safepoint: SAFEPOINT, startedNs: 1000, clock: 'uptime', isSlow: true, samples: 0, culprits: [] };

type Row = readonly [time: number, thread: string, frame: string | null, kind?: string, event?: string];

/** Times are those of the JVM, the samples' origin is at 500 ns. */
function culprits(rows: readonly Row[], delay: SafepointDelay = DELAY) {
	const builder = new StackSamplesBuilder();
	for (const [time, thread, frame, kind = 'JIT compiled', event = 'jdk.ExecutionSample'] of rows) {
		const [name = '', line = '-1'] = frame?.split(':') ?? [];
		const number = builder.frameNumber(builder.methodNumber(name, null, name), Number(line), -1, kind);
		builder.add({
			timeNs: time - 500,
			event: builder.eventNumber(event),
			thread: builder.threadNumber(thread, thread === 'main' ? -1 : 7),
			stack: frame === null ? -1 : builder.stackNumber([number], 1, false),
			state: builder.stateNumber(''),
			weight: 1,
			isBiased: false,
		});
	}
	const [found] = withRecordedCulprits([delay], builder.build(), 500);
	return {
		samples: found?.samples,
		rows: found?.culprits.map(({ thread, method, line, samples, percent, why }) => [thread, method, line, samples, percent, why.split(' ')[0]]),
	};
}

test('who ran while it was not reached, and still in the second half of that time', () => {
	expect(
		culprits([
			[999, 'a', 'x.Y.before:1'],
			[1000, 'a', 'x.Y.loop:7'],
			[1049, 'b', 'x.Y.stopped:1'],
			[1050, 'a', 'x.Y.loop:8'],
			[1100, 'a', 'x.Y.loop:8'],
			[1101, 'a', 'x.Y.after:1'],
		]),
	).toEqual({ samples: 4, rows: [['a', 'x.Y.loop', 8, 3, 75, 'compiled']] });
});

test('where nobody ran in the second half, all that were seen', () => {
	expect(
		culprits([
			[1000, 'a', 'x.Y.f:7'],
			[1010, 'b', 'x.Y.g'],
			[1020, 'b', 'x.Y.g'],
		]).rows,
	).toEqual([
		['b', 'x.Y.g', null, 2, (100 * 2) / 3, 'compiled'],
		['a', 'x.Y.f', 7, 1, 100 / 3, 'compiled'],
	]);
});

test('samples of one kind count: of processor time where there are any', () => {
	const rows: Row[] = [
		[1060, 'a', 'x.Y.f:7'],
		[1060, 'b', 'x.Y.g:7', 'JIT compiled', 'jdk.CPUTimeSample'],
		[1060, 'c', 'x.Y.h:7', 'Native', 'jdk.NativeMethodSample'],
	];
	expect(culprits(rows)).toMatchObject({ samples: 1, rows: [['b', 'x.Y.g', 7, 1, 100, 'compiled']] });
	expect(culprits(rows.slice(0, 1))).toMatchObject({ samples: 1, rows: [['a', 'x.Y.f', 7, 1, 100, 'compiled']] });
	expect(culprits(rows.slice(2))).toEqual({ samples: 0, rows: [] });
});

test('where a thread was: the interpreter, native code, nowhere that is known', () => {
	const why = (frame: string | null, kind: string): unknown => culprits([[1060, 'main', frame, kind]]).rows?.[0];
	expect([why('x.Y.f:7', 'Interpreted'), why('x.Y.f', 'Native'), why('x.Y.f:7', 'Inlined'), why(null, '')]).toEqual([
		['main', 'x.Y.f', 7, 1, 100, 'the'],
		['main', 'x.Y.f', null, 1, 100, expect.not.stringMatching(/^(?:the|compiled)$/)],
		['main', 'x.Y.f', 7, 1, 100, 'compiled'],
		['main', '(unknown)', null, 1, 100, expect.any(String)],
	]);
});

test('rows of less than one percent are noise, but for the first', () => {
	const rows: Row[] = [...Array.from({ length: 100 }, (): Row => [1060, 'a', 'x.Y.f:7']), [1060, 'b', 'x.Y.g:7']];
	expect(culprits(rows).rows).toHaveLength(1);
	expect(culprits(rows.slice(1)).rows).toHaveLength(2);
});

test('a safepoint that was not slow, without times, or whose culprit is known stays as it is', () => {
	const rows: Row[] = [[1060, 'a', 'x.Y.f:7']];
	const [known] = withRecordedCulprits([DELAY], new StackSamplesBuilder().build(), 500);
	expect(known).toBe(DELAY);
	expect(culprits(rows, { ...DELAY, isSlow: false })).toEqual({ samples: 0, rows: [] });
	expect(culprits(rows, { ...DELAY, safepoint: { ...SAFEPOINT, reachingNs: null } }).rows).toEqual([]);
	expect(culprits(rows, { ...DELAY, safepoint: { ...SAFEPOINT, end: { ...SAFEPOINT.end, uptimeNs: null } } }).rows).toEqual([]);
});

test('rows are of a thread and a method, and say what it executed', () => {
	const { rows } = culprits([
		[1060, 'a', 'x.Y.f:7'],
		[1061, 'a', 'x.Y.f:7'],
		[1062, 'a', 'x.Y.f:7'],
		[1063, 'a', 'x.Y.g:9', 'Interpreted'],
		[1064, 'a', 'x.Y.g:9', 'Interpreted'],
		[1065, 'b', 'x.Y.f:8', 'Native'],
	]);
	expect(rows).toEqual([
		['a', 'x.Y.f', 7, 3, 50, 'compiled'],
		['a', 'x.Y.g', 9, 2, (100 * 2) / 6, 'the'],
		['b', 'x.Y.f', 7, 1, 100 / 6, 'native'],
	]);
});
