import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { StackSamples } from '../../model/stack-samples.js';
import { readJfrPrintJson } from '../jfr-print/json.js';
import { isJfr, type JfrRecording, readJfr } from './read.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'jfr');

function bytesOf(name: string): Buffer {
	return zlib.gunzipSync(fs.readFileSync(path.join(folder, `${name}.gz`)));
}

function read(bytes: Uint8Array): JfrRecording {
	return readJfr(memorySource('a.jfr', bytes));
}

/** All that a sample says, a text each. */
function described(samples: StackSamples): string[] {
	const { frames, stacks } = samples;
	return Array.from({ length: samples.length }, (_, i) => {
		const stack = samples.stack[i]!;
		const thread = samples.threads[samples.thread[i]!];
		const trace = Array.from(stack < 0 ? [] : stacks.frame.subarray(stacks.starts[stack], stacks.starts[stack + 1]), (frame) => {
			const method = frames.methods[frames.method[frame]!];
			return `${method?.name}${method?.descriptor ?? ''} ${method?.row} ${frames.line[frame]} ${frames.bci[frame]} ${frames.kinds[frames.kind[frame]!]}`;
		});
		const time = samples.originEpochNs + BigInt(Math.round(samples.timeNs?.[i] as number));
		return [
			`${samples.events[samples.event[i]!]} ${time} ${thread?.name} ${thread?.id} ${samples.states[samples.state[i]!]}`,
			`${samples.weight[i]} ${samples.isBiased[i]} ${stack < 0 ? 'none' : stacks.isTruncated[stack]}`,
			...trace,
		].join('\n');
	});
}

describe.each(['jdk17', 'jdk25', 'async-profiler'])('%s', (name) => {
	test('every sample is as the JDK prints it', () => {
		const { samples, problems, lostCpuTimeSamples } = read(bytesOf(`${name}.jfr`));
		const printed = readJfrPrintJson(memorySource('a.json', bytesOf(`${name}.print.json`)));
		expect(problems).toEqual([]);
		expect(printed.problems).toEqual([]);
		expect(samples.length).toBeGreaterThan(90);
		// The JDK sorts events by time.
		const own = described(samples).sort();
		const expected = described(printed.samples).sort();
		expect(own.map(withoutTime)).toEqual(expected.map(withoutTime));
		// It counts the ticks of later chunks from the start of the first, so that the clocks drift apart.
		const apart = own.map((sample, i) => Math.abs(Number(timeOf(sample) - timeOf(expected[i]!))));
		expect(Math.max(...apart)).toBeLessThan(1000);
		expect(lostCpuTimeSamples).toBe(printed.lostCpuTimeSamples);
	});
});

const TIME = /^\S+ (\d+) /;

function withoutTime(sample: string): string {
	return sample.replace(TIME, '');
}

function timeOf(sample: string): bigint {
	return BigInt(TIME.exec(sample)?.[1] ?? 0);
}

test('chunks, counts and times', () => {
	const { chunks, events, samples } = read(bytesOf('jdk17.jfr'));
	expect(chunks.map(({ version, isWhole, ticksPerSecond }) => [version, isWhole, ticksPerSecond])).toEqual([
		['2.1', true, 1e9],
		['2.1', true, 1e9],
	]);
	expect(events.get('jdk.ExecutionSample')).toBe(97);
	expect(events.get('jdk.Metadata')).toBe(2);
	expect(samples.timeNs?.every((time) => time >= 0 && time < 3e9)).toBe(true);
	expect(isJfr(bytesOf('jdk17.jfr').toString('latin1', 0, 100))).toBe(true);
	expect(isJfr('FLR ')).toBe(false);
});

describe('damage', () => {
	const whole = bytesOf('jdk17.jfr');
	const all = read(whole);
	const [first, second] = all.chunks as [(typeof all.chunks)[0], (typeof all.chunks)[0]];
	const ofFirst = countBefore(all, second.startEpochNs);

	test('a cut file gives its whole chunks, and what is readable of the last', () => {
		const { samples, problems, chunks } = read(whole.subarray(0, first.sizeBytes + Math.floor(second.sizeBytes * 0.4)));
		expect(samples.length).toBeGreaterThanOrEqual(ofFirst);
		expect(chunks.map(({ isWhole }) => isWhole)).toEqual([true, false]);
		expect(problems[0]?.message).toContain('does not end where its header says');
	});

	test('a chunk that was never finished: sizes and places are 0', () => {
		const unfinished = Buffer.from(whole);
		unfinished.fill(0, first.sizeBytes + 8, first.sizeBytes + 32);
		unfinished[first.sizeBytes + 64] = 1;
		const { samples, problems } = read(unfinished);
		expect(samples.length).toBe(all.samples.length);
		expect(problems.map(({ message }) => message).join('\n')).toContain('unfinished');
	});

	test('bytes of zero in the middle: it goes on at the next checkpoint', () => {
		const holed = Buffer.from(bytesOf('jdk25.jfr'));
		holed.fill(0, 200, 260);
		const { samples, problems } = read(holed);
		expect(problems.length).toBeGreaterThan(0);
		expect(samples.length).toBeGreaterThan(100);
		expect(samples.length).toBeLessThan(read(bytesOf('jdk25.jfr')).samples.length + 1);
	});

	test('something else before, between and after the chunks', () => {
		const noise = Buffer.alloc(100, 'FLR ');
		const mixed = Buffer.concat([noise, whole.subarray(0, first.sizeBytes), noise, whole.subarray(first.sizeBytes), noise]);
		const { samples, problems } = read(mixed);
		expect(samples.length).toBe(all.samples.length);
		expect(problems.length).toBeGreaterThanOrEqual(3);
	});

	test('no chunk at all', () => {
		expect(read(new Uint8Array(0))).toMatchObject({ chunks: [], problems: [] });
		expect(read(Buffer.from('FLR\0 and nothing')).problems).toHaveLength(1);
	});

	test.each(['jdk17', 'jdk25', 'async-profiler'])('%s: anything may be changed or cut', (name) => {
		const bytes = bytesOf(`${name}.jfr`);
		fc.assert(
			fc.property(
				fc.array(fc.record({ at: fc.nat(), value: fc.nat(255) }), { maxLength: 60 }),
				fc.option(fc.nat(), { nil: undefined }),
				fc.boolean(),
				(changes, cut, isInHead) => {
					const copy = Buffer.from(bytes);
					for (const { at, value } of changes) {
						copy[at % (isInHead ? 2000 : copy.length)] = value;
					}
					const { samples, chunks } = read(cut === undefined ? copy : copy.subarray(0, cut % copy.length));
					expect(samples.length).toBeLessThan(20_000);
					expect(chunks.length).toBeLessThan(100);
					expect(samples.stack.every((stack) => stack < samples.stacks.length)).toBe(true);
					expect(samples.stacks.frame.every((frame) => frame >= 0 && frame < samples.frames.length)).toBe(true);
				},
			),
			{ numRuns: 60 },
		);
	});
});

function countBefore({ samples }: JfrRecording, epochNs: bigint): number {
	const limit = Number(epochNs - samples.originEpochNs);
	return samples.timeNs?.filter((time) => time < limit).length ?? 0;
}
