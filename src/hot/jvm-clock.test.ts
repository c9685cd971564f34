import { expect, test } from 'vitest';
import { piece, samplesOf } from '../../test/code.js';
import { numberAddresses } from '../model/address-numbers.js';
import { type CodeMap, codeMap } from '../model/code-map.js';
import type { Samples } from '../model/samples.js';
import { clockFromSamples, clockFromStart, type JvmClock } from './jvm-clock.js';

const all = (): boolean => true;
const clock = (samples: Samples, map: CodeMap, isOfJvm: (i: number) => boolean): JvmClock => clockFromSamples(samples, numberAddresses(samples), map, isOfJvm);

test('the latest start that is possible: no sample lies in code before it was installed', () => {
	const map = codeMap([piece(10, 20, { installedSeconds: 1 }), piece(10, 20, { installedSeconds: 5 }), piece(30, 40, { installedSeconds: 2 })]);
	const samples = samplesOf([
		{ time: 100, at: 5 },
		{ time: 103.5, at: 15 },
		{ time: 103, at: 35 },
		{ time: 104, at: -1 },
	]);
	expect(clock(samples, map, all)).toEqual({ startSeconds: 101, uncertaintySeconds: 1.001, source: 'samples' });
	expect(clock(samples, map, (i) => i !== 2).startSeconds).toBe(102.5);
});

test('a start before the first sample is not uncertain beyond the stamps', () => {
	const map = codeMap([piece(10, 20, { installedSeconds: 50 })]);
	expect(clock(samplesOf([{ time: 1, at: 12 }]), map, all)).toEqual({ startSeconds: -49, uncertaintySeconds: 0.001, source: 'samples' });
});

test('none without stamps, or without samples in code', () => {
	const stub = codeMap([piece(10, 20), piece(10, 20, { installedSeconds: 3 })]);
	expect(clock(samplesOf([{ time: 1, at: 12 }]), stub, all)).toMatchObject({ startSeconds: Number.NaN, source: 'none' });
	expect(clock(samplesOf([]), stub, all).source).toBe('none');
});

test('from the start of the samples: as far as no sample lies in code before it came, and not all before the JVM', () => {
	const map = codeMap([piece(10, 20, { installedSeconds: 1 })]);
	const samples = samplesOf([
		{ time: 0.5, at: 5 },
		{ time: 3, at: 15 },
	]);
	// The JVM began at 2 s of the samples' clock at the latest.
	const startOf = (jvmEpochMs: number): JvmClock | null => clockFromStart(samples, map, 1_700_000_000_000, 1_700_000_000_000 + jvmEpochMs);
	expect(startOf(1500)).toEqual({ startSeconds: 1.5, uncertaintySeconds: 0.1, source: 'recorded' });
	expect(startOf(-4000)).toMatchObject({ startSeconds: -4 });
	expect(startOf(2050)).toMatchObject({ startSeconds: 2 });
	expect(startOf(2150)).toBeNull();
	expect(clockFromStart(samples, codeMap([]), 0, 2150)).toMatchObject({ startSeconds: 2.15 });
	expect(clockFromStart(samples, codeMap([]), 0, 3001)).toBeNull();
});
