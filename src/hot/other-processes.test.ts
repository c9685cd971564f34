import { expect, test } from 'vitest';
import { codeMap } from '../model/code-map.js';
import { SamplesBuilder } from '../model/samples.js';
import { attributeSamples } from './attribute.js';
import { foldThreads } from './fold.js';
import { otherProcesses } from './other-processes.js';
import { nativeThreadTime } from './thread-time.js';

const NAMES = ['node', 'tsc', 'worker', ''];

/** Samples of the process 7, which is looked at, and of others. */
function sampled(rows: readonly (readonly [processId: number, thread: string])[]) {
	const builder = new SamplesBuilder();
	for (const [processId] of rows) {
		const place = builder.placeNumber('/opt/x', () => ({ symbol: null, library: '/opt/x' }));
		builder.add(1, 4096n, builder.eventNumber('cpu-clock'), place, processId);
	}
	const threads = { of: Int32Array.from(rows, ([, name]) => NAMES.indexOf(name)), threads: NAMES.map((name, id) => ({ name, id })) };
	const window = { from: 0, to: Number.POSITIVE_INFINITY };
	return { attribution: attributeSamples(builder.build(), codeMap([]), { event: 0, processId: 7, window, clock: null }), threads };
}

test('processes that are not looked at, by their threads with most samples', () => {
	const { attribution, threads } = sampled([
		[7, 'node'],
		[8, 'tsc'],
		[8, 'tsc'],
		[8, 'worker'],
		[9, ''],
	]);
	expect(otherProcesses(attribution, threads)).toEqual([
		{ processId: 8, name: 'tsc (8)', samples: 3, isJvm: false },
		{ processId: 9, name: 'process 9', samples: 1, isJvm: false },
	]);
	expect(otherProcesses(attribution, null).map(({ name }) => name)).toEqual(['process 8', 'process 9']);
});

test("a JVM that the program started, by its first thread's last name", () => {
	const named = (order: readonly number[]): string | undefined => {
		const builder = new SamplesBuilder();
		const place = builder.placeNumber('/opt/libjvm.so', () => ({ symbol: null, library: '/opt/libjvm.so' }));
		for (const [i, thread] of order.entries()) {
			builder.add(1 + i / 1000, 4096n, builder.eventNumber('cpu-clock'), place, thread === 0 ? 7 : 8);
		}
		const window = { from: 0, to: Number.POSITIVE_INFINITY };
		const attribution = attributeSamples(builder.build(), codeMap([]), { event: 0, processId: 7, window, clock: null });
		const threads = [
			{ name: 'java', id: 7 },
			{ name: 'pool-1-thread-1', id: 9 },
			{ name: 'jspawnhelper', id: 8 },
			{ name: 'java', id: 8 },
		];
		const [process] = otherProcesses(attribution, { of: Int32Array.from(order), threads });
		expect(process).toMatchObject({ processId: 8, samples: order.length - 1, isJvm: true });
		return process?.name;
	};
	expect(named([0, 1, 1, 2, 3])).toBe('java (8)');
	// Sampled between fork and exec too, when it had the name of the JVM that started it.
	expect(named([0, 3, 2, 3, 1])).toBe('java (8)');
	expect(named([0, 3, 2])).toBe('jspawnhelper (8)');
});

test('threads of a program that is no JVM, and that they are of none', () => {
	const { attribution, threads } = sampled([
		[7, 'node'],
		[7, 'node'],
		[7, 'worker'],
		[8, 'tsc'],
	]);
	const time = nativeThreadTime(attribution, threads);
	expect(foldThreads(time, 'thread').map(({ name, samples }) => [name, samples])).toEqual([
		['node 0 (native)', 2],
		['worker 2 (native)', 1],
	]);
	expect(foldThreads(time, 'class').map(({ name, share }) => [name, share.percent])).toEqual([['native', 100]]);
});
