import { expect, test } from 'vitest';
import { piece, type SampleRow, samplesOf } from '../../test/code.js';
import { codeMap } from '../model/code-map.js';
import { attributeSamples } from './attribute.js';
import { nativeRegions } from './native-regions.js';

function regions(rows: readonly SampleRow[], gapBytes = 32): (readonly [string, string, string | null, number, number, number])[] {
	const attribution = attributeSamples(samplesOf(rows), codeMap([piece(10, 20)]), {
		event: 0,
		processId: 7,
		window: { from: Number.NEGATIVE_INFINITY, to: 50 },
		clock: null,
	});
	return nativeRegions(attribution, gapBytes).map(({ method, source, library, start, end, samples }) => [method, source, library, start, end, samples]);
}

const LIBC = '/usr/lib/libc.so.6';

test('one function is one region; one of the same name far away another', () => {
	expect(
		regions([
			{ at: 1000, library: LIBC, symbol: 'memcpy+0x10' },
			{ at: 1500, library: LIBC, symbol: 'memcpy+0x204' },
			{ at: 1500, library: LIBC, symbol: 'memcpy' },
			{ at: 900_000, library: LIBC, symbol: 'memcpy' },
			{ at: 1200, library: '/opt/libother.so', symbol: 'memcpy' },
		]),
	).toEqual([
		['(memcpy)', 'libc.so.6', 'libc.so.6', 1000, 1501, 3],
		['(memcpy)', 'libc.so.6', 'libc.so.6', 900_000, 900_001, 1],
		['(memcpy)', 'libother.so', 'libother.so', 1200, 1201, 1],
	]);
});

test('addresses without a name are joined as far as the gap goes', () => {
	const at = (address: number): SampleRow => ({ at: address, library: LIBC, symbol: '[unknown]' });
	expect(regions([at(1000), at(1032), at(1065)])).toEqual([
		['(no symbol)', 'libc.so.6', 'libc.so.6', 1000, 1033, 2],
		['(no symbol)', 'libc.so.6', 'libc.so.6', 1065, 1066, 1],
	]);
});

test('the kernel, code that only the profiler names, stubs and what nobody knows; nothing of compilations and other processes', () => {
	expect(
		regions([
			{ at: 15 },
			{ at: -500, library: '[kernel.kallsyms]', symbol: 'do_syscall' },
			{ at: 100, library: '/tmp/perf-7.map', symbol: 'a.B::f' },
			{ at: 300, library: '/tmp/perf-7.map', symbol: 'SafepointBlob' },
			{ at: 400, library: '/tmp/perf-8.map', symbol: 'x.Y::z' },
			{ at: 500 },
			{ at: 600, time: 99, library: LIBC },
		]),
	).toEqual([
		['(do_syscall)', 'kernel', null, -500, -499, 1],
		['a.B::f', 'profiler', 'perf-7.map', 100, 101, 1],
		['(SafepointBlob)', 'runtime stub', 'perf-7.map', 300, 301, 1],
		['(no symbol)', 'unknown', null, 500, 501, 1],
	]);
});
