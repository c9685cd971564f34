import { describe, expect, test } from 'vitest';
import { FRAMES, RUN, STACKED } from '../../test/stacked-samples.js';
import { categoryOfFrame, framesOfNode, isClockEvent, nanosecondsOf, rowsByThread, threadName } from './stacked-samples.js';

test('frames of a node, the outermost first', () => {
	expect([0, 3, 5, 6].map((node) => framesOfNode(STACKED, node))).toEqual([[0], [0, 1, 2, 3], [4, 5], [4, 6]]);
	expect(framesOfNode(STACKED, -1)).toEqual([]);
});

test('what threads are called', () => {
	expect([threadName({ name: 'main', id: 5 }), threadName({ name: '', id: 0 }), threadName({ name: '', id: -1 })]).toEqual(['main', 'thread 0', 'all threads']);
});

test('how frames are coloured: compilations by compiler, all other code by kind', () => {
	expect(FRAMES.map(categoryOfFrame)).toEqual(['Java, compiled by c2', 'Java, compiled by c2', 'Native', 'Kernel', 'Interpreter', 'Stub of the JVM', 'Native']);
	const frame = FRAMES[0]!;
	expect(categoryOfFrame({ ...frame, code: null })).toBe('Java');
	expect(categoryOfFrame({ ...frame, code: { ...RUN, compiler: null } })).toBe('Java');
	expect(categoryOfFrame({ ...frame, kind: 'unknown' })).toBe('Other');
});

describe('what a sample stands for', () => {
	test.each([
		['cpu-clock', true],
		['task-clock', true],
		['cpu_core/cpu-clock', true],
		['profile-997', true],
		['cpu-clocks', false],
		['my-profile', false],
		['cycles', false],
	])('%s is a clock: %s', (event, isClock) => {
		expect(isClockEvent(event)).toBe(isClock);
	});

	test('its period where the event is a clock, else the interval', () => {
		expect([nanosecondsOf(STACKED, 2), nanosecondsOf({ ...STACKED, event: 'cycles' }, 2), nanosecondsOf({ ...STACKED, periods: null }, 2)]).toEqual([
			30, 1_000_000, 1_000_000,
		]);
		expect(nanosecondsOf({ ...STACKED, periods: null, intervalNs: null }, 2)).toBeNull();
	});
});

test('samples by thread, each in order of time; threads without any are left out', () => {
	const rows = (...args: Parameters<typeof rowsByThread>) => rowsByThread(...args).map(({ thread, rows: own }) => [thread.name, [...own]]);
	expect(rows(STACKED)).toEqual([
		['main', [3, 4]],
		['worker', [1, 5, 2, 0]],
		['', [6]],
	]);
	expect(rows({ ...STACKED, timeSeconds: null })).toEqual([
		['main', [3, 4]],
		['worker', [0, 1, 2, 5]],
		['', [6]],
	]);
	expect(rows({ ...STACKED, timeSeconds: new Float64Array(7) })[1]).toEqual(['worker', [0, 1, 2, 5]]);
});
