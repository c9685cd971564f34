import fc from 'fast-check';
import { expect, test } from 'vitest';
import { STACKED } from '../../test/stacked-samples.js';
import { StackSamplesBuilder } from './stack-samples.js';
import { type WholeStacks, WholeStacksBuilder, wholeStacksOf, wholeStacksOfCode } from './whole-stacks.js';

const spelled = ({ names, stacks }: WholeStacks): (readonly [string, number])[] =>
	stacks.map(({ frames, samples }) => [frames.map((frame) => names[frame]).join(' > '), samples]);

test('any stacks: every sample is in a stack or left out, and none that was kept is lighter than one that was not', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.array(fc.nat(3), { maxLength: 3 }), fc.nat(20)), { maxLength: 60 }), fc.integer({ min: 1, max: 50 }), (rows, most) => {
			const builder = new WholeStacksBuilder(most);
			const all = new Map<string, number>();
			for (const [frames, samples] of rows) {
				builder.add(
					frames.map((frame) => builder.name(`m${frame}`)),
					samples,
				);
				const key = frames.map((frame) => `m${frame}`).join(' > ');
				all.set(key, (all.get(key) ?? 0) + samples);
			}
			const whole = builder.build();
			const kept = new Map(spelled(whole));
			const sum = [...kept.values()].reduce((a, b) => a + b, 0);
			expect(whole.samples).toBe(rows.reduce((total, [, samples]) => total + samples, 0));
			expect(sum + whole.leftOutSamples).toBe(whole.samples);
			expect(kept.size).toBe(Math.min(most, all.size));
			// Until the light ones are dropped for the first time nothing is forgotten.
			if (all.size < 4 * most) {
				const lightest = Math.min(...kept.values());
				for (const [key, samples] of all) {
					expect(kept.get(key) ?? Math.min(samples, lightest)).toBe(samples);
				}
			}
		}),
	);
});

test('deep stacks are cut at the outer end, and say so', () => {
	const builder = new WholeStacksBuilder();
	builder.add(
		Array.from({ length: 1500 }, (_, i) => builder.name(`f${i}`)),
		2,
	);
	const { names, stacks } = builder.build();
	expect(stacks[0]?.frames).toHaveLength(1001);
	expect([names[stacks[0]?.frames[0] as number], names[stacks[0]?.frames.at(-1) as number]]).toEqual(['(truncated)', 'f1499']);
});

test('samples of one kind, those of threads that wait apart; lines are no frames of their own', () => {
	const builder = new StackSamplesBuilder();
	const event = builder.eventNumber('jdk.ExecutionSample');
	const other = builder.eventNumber('jdk.CPUTimeSample');
	const frame = (name: string, row: string, line: number): number => builder.frameNumber(builder.methodNumber(name, null, row), line, -1, '');
	const run = frame('A.run', 'A.run', 3);
	const native = frame('libc.so`read', '(native)', -1);
	const one = builder.stackNumber([frame('A.a', 'A.a', 1), run], 2, false);
	const two = builder.stackNumber([frame('A.a', 'A.a', 2), run], 2, false);
	const cut = builder.stackNumber([native, run], 2, true);
	const thread = builder.threadNumber('main', 1);
	const add = (kind: number, stack: number, state: string, weight: number): void =>
		builder.add({ timeNs: Number.NaN, event: kind, thread, stack, state: builder.stateNumber(state), weight, isBiased: false });
	add(event, one, 'RUNNABLE', 1);
	add(event, two, 'RUNNABLE', 2);
	add(event, cut, 'RUNNABLE', 1);
	add(event, -1, 'RUNNABLE', 1);
	add(event, one, 'WAITING', 5);
	add(other, one, 'RUNNABLE', 7);
	const samples = builder.build();
	expect(spelled(wholeStacksOf(samples, event, false))).toEqual([
		['A.run > A.a', 3],
		['(truncated) > A.run > (libc.so`read)', 1],
		['(unknown)', 1],
	]);
	expect(spelled(wholeStacksOf(samples, event, true))).toEqual([['A.run > A.a', 5]]);
	expect(wholeStacksOf(samples, other, true).samples).toBe(0);
});

test('of samples with addresses: by the names of their frames', () => {
	expect(spelled(wholeStacksOfCode(STACKED))).toEqual([
		['a.Main.run > a.Main.step', 3],
		['a.Main.run > a.Main.step > memcpy', 1],
		['a.Main.run > a.Main.step > memcpy > (schedule)', 1],
		['(Interpreter) > (StubRoutines (1))', 1],
		['(Interpreter) > memcpy', 1],
	]);
	expect(wholeStacksOfCode(STACKED)).toMatchObject({ samples: 7, leftOutSamples: 0 });
});
