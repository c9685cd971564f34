/** Samples with stacks, collected row by row: names, threads, frames and stacks once. */
import { expect, test } from 'vitest';
import { isWaitingState, StackSamplesBuilder } from './stack-samples.js';

test('states of threads that do not execute', () => {
	const waiting = ['STATE_SLEEPING', 'STATE_IN_OBJECT_WAIT', 'STATE_PARKED', 'BLOCKED', 'TIMED_WAITING', 'TERMINATED', 'NEW', 'new'];
	expect(waiting.map(isWaitingState)).toEqual(waiting.map(() => true));
	expect(['STATE_RUNNABLE', 'RUNNABLE', '', 'RENEWED', 'NEWER'].map(isWaitingState)).toEqual([false, false, false, false, false]);
});

test('names, threads, methods, frames and stacks once each', () => {
	const builder = new StackSamplesBuilder();
	expect([builder.eventNumber('cpu'), builder.eventNumber('wall'), builder.eventNumber('cpu'), builder.stateNumber('RUNNABLE')]).toEqual([0, 1, 0, 0]);
	const threads = [builder.threadNumber('main', 7), builder.threadNumber('main', 8), builder.threadNumber(null, 7), builder.threadNumber('main', 7)];
	expect(threads).toEqual([0, 1, 2, 0]);
	const methods = [
		builder.methodNumber('a.B.f', '()V', 'a.B.f'),
		builder.methodNumber('a.B.f', '(I)V', 'a.B.f'),
		builder.methodNumber('a.B.f', null, '(native)'),
	];
	expect([...methods, builder.methodNumber('a.B.f', '()V', 'a.B.f')]).toEqual([0, 1, 2, 0]);
	const frames = [builder.frameNumber(0, 10, 3, 'Inlined'), builder.frameNumber(0, 11, 3, 'Inlined'), builder.frameNumber(2, -1, -1, 'Native')];
	expect([...frames, builder.frameNumber(0, 10, 3, 'Inlined'), builder.frameNumber(0, 10, 3, 'Native')]).toEqual([0, 1, 2, 0, 3]);
	expect([builder.methodOfFrame(0), builder.methodOfFrame(2)]).toEqual(['a.B.f', '(native)']);
	const stacks = [builder.stackNumber([0, 1], 2, false), builder.stackNumber([0, 1, 2], 2, true), builder.stackNumber(Int32Array.of(2, 0), 2, false)];
	expect([...stacks, builder.stackNumber([0, 1, 9], 2, false), builder.stackNumber([], 0, false)]).toEqual([0, 1, 2, 0, 3]);
	const built = builder.build();
	expect([built.events, built.states, built.frames.kinds]).toEqual([['cpu', 'wall'], ['RUNNABLE'], ['Inlined', 'Native']]);
	expect(built.threads).toEqual([
		{ name: 'main', id: 7 },
		{ name: 'main', id: 8 },
		{ name: null, id: 7 },
	]);
	expect(built.frames.methods[1]).toEqual({ name: 'a.B.f', descriptor: '(I)V', row: 'a.B.f' });
	expect([[...built.frames.method], [...built.frames.line], [...built.frames.bci], [...built.frames.kind]]).toEqual([
		[0, 0, 2, 0],
		[10, 11, -1, 10],
		[3, 3, -1, 3],
		[0, 0, 1, 1],
	]);
	expect([[...built.stacks.frame], [...built.stacks.starts], [...built.stacks.isTruncated], built.stacks.length]).toEqual([
		[0, 1, 0, 1, 2, 0],
		[0, 2, 4, 6, 6],
		[0, 1, 0, 0],
		4,
	]);
});

test('as many samples as there are, each with all that is told of it; times only where some are', () => {
	const add = (count: number, timeNs: (i: number) => number) => {
		const builder = new StackSamplesBuilder();
		builder.originEpochNs = 5n;
		for (let i = 0; i < count; i++) {
			builder.add({ timeNs: timeNs(i), event: i % 3, thread: i % 5, stack: i % 7, state: i % 2, weight: i / 2, isBiased: i % 4 === 0 });
		}
		expect(builder.size).toBe(count);
		return builder.build();
	};
	const built = add(2500, (i) => (i === 7 ? 70 : Number.NaN));
	expect([built.length, built.originEpochNs, built.timeNs?.[7], built.timeNs?.[8]]).toEqual([2500, 5n, 70, Number.NaN]);
	for (const i of [0, 1023, 1024, 2047, 2048, 2499]) {
		expect([built.event[i], built.thread[i], built.stack[i], built.state[i], built.weight[i], built.isBiased[i]]).toEqual([
			i % 3,
			i % 5,
			i % 7,
			i % 2,
			i / 2,
			i % 4 === 0 ? 1 : 0,
		]);
	}
	expect(add(3, () => Number.NaN)).toMatchObject({ timeNs: null, originEpochNs: 0n });
});

test('stacks as deep as they are; no more than 255 events and states are told apart', () => {
	const builder = new StackSamplesBuilder();
	const deep = Array.from({ length: 1000 }, (_, i) => i);
	expect([builder.stackNumber(deep, 1000, true), builder.stackNumber(deep, 999, true), builder.stackNumber(deep, 1000, true)]).toEqual([0, 1, 0]);
	expect([...builder.build().stacks.starts]).toEqual([0, 1000, 1999]);
	const numbers = Array.from({ length: 300 }, (_, i) => [builder.eventNumber(`e${i}`), builder.stateNumber(`s${i}`)]);
	expect([numbers[254], numbers[255], numbers[299]]).toEqual([
		[254, 254],
		[255, 255],
		[255, 255],
	]);
});
