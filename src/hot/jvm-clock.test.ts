import { expect, test } from 'vitest';
import { piece, samplesOf } from '../../test/code.js';
import { numberAddresses } from '../model/address-numbers.js';
import { type CodeMap, codeMap } from '../model/code-map.js';
import type { Samples } from '../model/samples.js';
import { clockFromSamples, type JvmClock } from './jvm-clock.js';

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
