import { expect, test } from 'vitest';
import { samplesOfProfile, weightsByStack } from '../../../test/profile-stacks.js';
import { ORIGIN, STACKED } from '../../../test/stacked-samples.js';
import { forEachField } from '../../bytes/protobuf.js';
import { memorySource } from '../../bytes/source.js';
import type { StackedSamples } from '../../model/stacked-samples.js';
import type { ReadProfile } from '../format.js';
import { isOtlpProfiles, readOtlpProfiles } from './read.js';
import { otlpProfiles } from './write.js';

function readBack(stacked: StackedSamples): ReadProfile {
	return readOtlpProfiles(memorySource('a.otlp', otlpProfiles(stacked, ORIGIN)));
}

/** Contents of a field of messages, as Latin-1. */
function fields(bytes: Uint8Array, ...path: readonly number[]): Uint8Array[] {
	const [wanted, ...rest] = path;
	const found: Uint8Array[] = [];
	forEachField(bytes, 0, bytes.length, (field, _, start, end) => {
		if (field === wanted && start >= 0) {
			found.push(bytes.subarray(start, end));
		}
	});
	return rest.length === 0 ? found : found.flatMap((inner) => fields(inner, ...rest));
}

test('a profile for each type, read back with the same stacks, threads, lines and times', () => {
	const read = readBack(STACKED);
	expect(read.problems).toEqual([]);
	expect(read.file.kinds.map(({ event, unit }) => [event, unit])).toEqual([
		['samples', undefined],
		['cpu', 'nanoseconds'],
	]);
	expect([...weightsByStack(read, 'samples')]).toEqual([
		['worker a.Main.run;a.Main.step', 3],
		['worker a.Main.run;a.Main.step;(memcpy)', 1],
		['main a.Main.run;a.Main.step;(memcpy);(schedule)', 1],
		['main (Interpreter);(StubRoutines (1))', 1],
		['null (Interpreter);(memcpy)', 1],
	]);
	expect([...weightsByStack(read, 'cpu').values()]).toEqual([90, 30, 40, 50, 70]);
	const [first] = samplesOfProfile(read);
	expect(first).toMatchObject({ method: 'a.Main.step', line: 20 });
	expect(read.file.stacks?.threads).toEqual([
		{ name: 'worker', id: 51 },
		{ name: 'main', id: 50 },
		{ name: null, id: -1 },
	]);
	// Doubles have 53 bits.
	const times = [...(read.file.stacks?.timeNs ?? [])].slice(0, 7).map((ns) => Math.round(ns / 1e6) - 1_700_000_000_000);
	expect(times).toEqual([500, 1, 2, 250, 12, 13, 42]);
});

test('every table of the dictionary begins with an empty entry', () => {
	const bytes = otlpProfiles(STACKED, ORIGIN);
	expect(isOtlpProfiles(Buffer.from(bytes).toString('latin1'))).toBe(true);
	for (const table of [1, 2, 3, 4, 5, 6, 7]) {
		expect(fields(bytes, 2, table)[0], String(table)).toHaveLength(0);
	}
	const strings = fields(bytes, 2, 5).map((text) => Buffer.from(text).toString());
	expect(strings).toEqual(expect.arrayContaining(['a.Main.step', 'a/Main::step', 'a/Main.java', '[code cache]', 'thread.name', 'profile.frame.type']));
	expect(new Set(strings).size).toBe(strings.length);
});

test('without times a sample has its value alone; nothing of a clock where nothing tells of it', () => {
	const bare = { ...STACKED, timeSeconds: null, periods: null, intervalNs: null, originEpochMs: null, processId: null };
	const read = readBack(bare);
	expect(read.file.kinds.map(({ event }) => event)).toEqual(['samples']);
	expect(read.file.stacks).toMatchObject({ length: 5, timeNs: null });
	expect([...weightsByStack(read, 'samples').values()]).toEqual([3, 1, 1, 1, 1]);
	expect(readBack({ ...STACKED, length: 0 }).file.kinds).toEqual([]);
});

test('weights of another unit; periods of an event that is no clock', () => {
	const weights = Float64Array.of(1, 2, 3, 4, 5, 6, 7);
	const read = readBack({ ...STACKED, event: 'alloc', periods: null, intervalNs: null, weights, unit: 'bytes' });
	expect(read.file.kinds).toMatchObject([{ event: 'alloc', unit: 'bytes' }]);
	expect([...weightsByStack(read, 'alloc').values()]).toEqual([9, 3, 4, 5, 7]);
	expect(readBack({ ...STACKED, event: 'cycles' }).file.kinds.map(({ event }) => event)).toEqual(['samples', 'cpu', 'cycles']);
});

test('cut and damaged: a problem with the place, and the samples before it', () => {
	const bytes = otlpProfiles(STACKED, ORIGIN);
	for (let length = 1; length < bytes.length; length += 7) {
		const { problems } = readOtlpProfiles(memorySource('a', bytes.subarray(0, length)));
		expect(problems[0], String(length)).toMatchObject({ severity: 'error', offsetBytes: expect.any(Number) });
	}
	for (let at = 0; at < bytes.length; at += 5) {
		const damaged = Uint8Array.from(bytes);
		damaged[at] = damaged[at]! ^ 0x55;
		readOtlpProfiles(memorySource('a', damaged));
	}
});
