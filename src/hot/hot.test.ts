import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CODE_START } from '../../test/assemble.js';
import type { SampleRow } from '../../test/code.js';
import { at, END, ROWS, report } from '../../test/hot-report.js';
import { CODE_FOLDS, fold } from './fold.js';

describe('a report', () => {
	const { regions, methods, sources, code, time } = report(ROWS);

	test('regions of loops, of straight code, of code without text and of native code, hottest first', () => {
		expect(regions.map(({ handle, method, source, samples, lines, loop }) => [handle, method, source, samples, lines.length, loop?.depth ?? 0])).toEqual([
			['r1', 'a.B.f', 'c2, level 4', 64, 4, 1],
			['r2', 'a.B.g', 'c1, level 3', 20, 0, 0],
			['r3', '(memcpy)', 'libc.so.6', 8, 0, 0],
			['r4', 'a.B.f', 'c2, level 4', 5, 2, 0],
			['r5', 'jbyte_arraycopy', 'runtime stub', 3, 0, 0],
			['r6', '(k)', 'kernel', 2, 0, 0],
		]);
		expect(regions.map(({ isRankSure }) => isRankSure)).toEqual([true, true, false, false, false, true]);
		expect(regions[0]).toMatchObject({ start: at(1), end: at(5), owner: { method: 'a.C.inner', samples: 64 } });
		expect(regions[0]?.share.percent).toBeCloseTo((100 * 64) / 102, 10);
	});

	test('methods with their compilations, and sources', () => {
		expect(methods.map(({ handle, method, source, samples, versions }) => [handle, method, source, samples, versions.length])).toEqual([
			['m1', 'a.B.f', 'c2, level 4', 69, 1],
			['m2', 'a.B.g', 'c1, level 3', 20, 1],
			['m3', '(libc.so.6)', 'libc.so.6', 8, 0],
			['m4', '(runtime stub)', 'runtime stub', 3, 0],
			['m5', '(kernel)', 'kernel', 2, 0],
		]);
		expect(sources.map(({ source, samples }) => [source, samples])).toEqual([
			['c2, level 4', 69],
			['c1, level 3', 20],
			['libc.so.6', 8],
			['runtime stub', 3],
			['kernel', 2],
		]);
	});

	test('samples by instruction, those within one too; over time in ten parts', () => {
		expect([...(code[0]?.seen ?? [])]).toEqual([0, 0, 4, 60, 0, 0, 5]);
		expect(code.map(({ samples, outside }) => [samples, outside])).toEqual([
			[69, 0],
			[20, 20],
			[3, 3],
		]);
		expect(code[1]?.timeline).toEqual(new Array(10).fill(2));
		expect(time).toEqual({ from: 0, to: 59 / 60 });
	});

	test('in whatever order the samples come', () => {
		const reversed = report([...ROWS].reverse());
		expect(reversed.code.map(({ samples }) => samples)).toEqual([69, 20, 3]);
		expect(reversed.regions.map(({ handle, method, samples }) => [handle, method, samples])).toEqual(
			regions.map(({ handle, method, samples }) => [handle, method, samples]),
		);
	});

	test('by distance alone', () => {
		expect(
			report(ROWS, { byDistance: true, gapBytes: 8 })
				.regions.filter(({ heat }) => heat?.instructions != null)
				.map(({ lines, samples }) => [lines, samples]),
		).toEqual([
			[[2, 3], 64],
			[[6], 5],
		]);
	});

	test('skid: moved where the recording shows it, or on request', () => {
		expect(report(ROWS, { skid: 'off' }).code[0]?.analysed).toBeNull();
		const moved = report(ROWS, { skid: 'auto' });
		expect(moved.skid).toMatchObject({ isShifted: true, share: 4 / 64, samples: 64 });
		expect([...(moved.code[0]?.analysed ?? [])]).toEqual([0, 4, 60, 0, 0, 5, 0]);
	});

	test('of no samples', () => {
		expect(report([])).toMatchObject({ regions: [], methods: [], sources: [], code: [], time: { from: 0, to: 0 } });
	});
});

test('any samples and options: regions, methods, sources and every fold add up to what is counted', () => {
	const row: fc.Arbitrary<SampleRow> = fc.record({
		time: fc.double({ min: 0, max: 10, noNaN: true }),
		at: fc.oneof(fc.integer({ min: CODE_START - 2, max: END + 310 }), fc.integer({ min: -3, max: 90 })),
		event: fc.constantFrom('cpu-clock', 'cpu-clock', 'cycles'),
		library: fc.constantFrom(null, '/lib/libjvm.so', '/tmp/perf-7.map', '/usr/bin/bash'),
		symbol: fc.constantFrom(null, 'f', 'a.B::f', '[unknown]'),
	});
	const options = fc.record({
		gapBytes: fc.constantFrom(0, 8, 32),
		byDistance: fc.boolean(),
		skid: fc.constantFrom('auto' as const, 'on' as const, 'off' as const),
	});
	fc.assert(
		fc.property(fc.array(row, { maxLength: 40 }), options, (rows, chosen) => {
			const result = report(rows, chosen);
			const { counted } = result.attribution;
			const sum = (of: readonly { readonly samples: number }[]): number => of.reduce((total, { samples }) => total + samples, 0);
			expect(sum(result.regions)).toBe(counted);
			expect(sum(result.methods)).toBe(counted);
			expect(sum(result.sources)).toBe(counted);
			for (const kind of CODE_FOLDS) {
				const folded = fold(result, kind);
				expect(sum(folded)).toBe(counted);
				if (result.skid.isShifted) {
					expect(folded.reduce((total, { analysed }) => total + (analysed ?? 0), 0)).toBeCloseTo(counted, 6);
				}
			}
			for (const { samples, timeline, seen, outside } of result.code) {
				expect(timeline.reduce((total, count) => total + count, 0)).toBe(samples);
				expect(seen.reduce((total, count) => total + count, 0) + outside).toBe(samples);
			}
		}),
	);
});
