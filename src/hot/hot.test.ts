import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assemble, CODE_START } from '../../test/assemble.js';
import { piece, type SampleRow, samplesOf } from '../../test/code.js';
import { at, END, many, ROWS, report } from '../../test/hot-report.js';
import { once } from '../../test/once.js';
import { codeMap } from '../model/code-map.js';
import type { Frame } from '../model/instructions.js';
import { attributeSamples, onlyThreads } from './attribute.js';
import { CODE_FOLDS, fold } from './fold.js';
import { hotReport, type ReadCode } from './hot.js';

describe('a report', () => {
	const hot = once(() => report(ROWS));

	test('regions of loops, of straight code, of code without text and of native code, hottest first', () => {
		expect(hot().regions.map(({ handle, method, source, samples, lines, loop }) => [handle, method, source, samples, lines.length, loop?.depth ?? 0])).toEqual([
			['r1', 'a.B.f', 'c2, level 4', 64, 4, 1],
			['r2', 'a.B.g', 'c1, level 3', 20, 0, 0],
			['r3', '(memcpy)', 'libc.so.6', 8, 0, 0],
			['r4', 'a.B.f', 'c2, level 4', 5, 2, 0],
			['r5', 'jbyte_arraycopy', 'runtime stub', 3, 0, 0],
			['r6', '(k)', 'kernel', 2, 0, 0],
		]);
		expect(hot().regions.map(({ isRankSure }) => isRankSure)).toEqual([true, true, false, false, false, true]);
		expect(hot().regions[0]).toMatchObject({ start: at(1), end: at(5), owner: { method: 'a.C.inner', samples: 64 } });
		expect(hot().regions[0]?.share.percent).toBeCloseTo((100 * 64) / 102, 10);
	});

	test('methods with their compilations, and sources', () => {
		expect(hot().methods.map(({ handle, method, source, samples, versions }) => [handle, method, source, samples, versions.length])).toEqual([
			['m1', 'a.B.f', 'c2, level 4', 69, 1],
			['m2', 'a.B.g', 'c1, level 3', 20, 1],
			['m3', '(libc.so.6)', 'libc.so.6', 8, 0],
			['m4', '(runtime stub)', 'runtime stub', 3, 0],
			['m5', '(kernel)', 'kernel', 2, 0],
		]);
		expect(hot().sources.map(({ source, samples }) => [source, samples])).toEqual([
			['c2, level 4', 69],
			['c1, level 3', 20],
			['libc.so.6', 8],
			['runtime stub', 3],
			['kernel', 2],
		]);
	});

	test('samples by instruction, those within one too; over time in ten parts', () => {
		expect([...(hot().code[0]?.seen ?? [])]).toEqual([0, 0, 4, 60, 0, 0, 5]);
		expect(hot().code.map(({ samples, outside }) => [samples, outside])).toEqual([
			[69, 0],
			[20, 20],
			[3, 3],
		]);
		expect(hot().code[1]?.timeline).toEqual(new Array(10).fill(2));
		expect(hot().time).toEqual({ from: 0, to: 59 / 60 });
	});

	test('in whatever order the samples come', () => {
		const reversed = report([...ROWS].reverse());
		expect(reversed.code.map(({ samples }) => samples)).toEqual([69, 20, 3]);
		expect(reversed.regions.map(({ handle, method, samples }) => [handle, method, samples])).toEqual(
			hot().regions.map(({ handle, method, samples }) => [handle, method, samples]),
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
		const reason = '6 % of 64 samples lie on slow instructions, the others on the ones right after them';
		const verdict = (skid: 'auto' | 'on' | 'off', rows = ROWS) => report(rows, { skid }).skid;
		expect(verdict('auto')).toEqual({ isShifted: true, share: 4 / 64, samples: 64, reason });
		expect(verdict('on')).toEqual({ isShifted: true, share: 4 / 64, samples: 64, reason: `moved on request; ${reason}` });
		expect(verdict('off')).toEqual({ isShifted: false, share: 4 / 64, samples: 64, reason: 'not moved, on request' });
		const precise = ROWS.map((row) => ({ ...row, event: 'cycles:pp' }));
		expect([verdict('auto', precise).reason, verdict('auto', precise).isShifted, verdict('on', precise).isShifted]).toEqual([
			'not moved: the event is precise',
			false,
			true,
		]);
	});

	test('the window of time is that of what counts; ten equal parts, the last with its end', () => {
		const times = [10, 10.999, 11, 15, 19.9, 20, 3, 99];
		const { time, code } = report(times.map((seconds, i) => ({ at: at(3), time: seconds, event: i < 6 ? 'cpu-clock' : 'cycles' })));
		expect([time, code[0]?.timeline]).toEqual([{ from: 10, to: 20 }, [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]]);
		expect(report(many(3, { at: at(3), time: 7 })).code[0]?.timeline).toEqual([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
	});

	test('equal regions by their place; equal rows by their names', () => {
		const library = (name: string, address: number): SampleRow[] => many(2, { at: address, library: `/usr/lib/${name}`, symbol: 'f' });
		const { regions, methods, sources } = report([...library('b.so', 50), ...library('a.so', 70), ...many(2, { at: at(6) }), ...many(3, { at: END + 1 })]);
		expect(regions.map(({ source, start }) => [source, start])).toEqual([
			['c1, level 3', END],
			['b.so', 50],
			['a.so', 70],
			['c2, level 4', at(5)],
		]);
		expect(methods.map(({ method }) => method)).toEqual(['a.B.g', '(a.so)', '(b.so)', 'a.B.f']);
		expect(sources.map(({ source }) => source)).toEqual(['c1, level 3', 'a.so', 'b.so', 'c2, level 4']);
	});

	test('what the profiler alone names is a method without compilations', () => {
		const { methods } = report([
			...many(3, { at: 5, library: '/tmp/perf-7.map', symbol: 'a.P::one' }),
			...many(2, { at: 6, library: '/tmp/perf-7.map', symbol: 'a.P::two' }),
			{ at: 7, library: '/tmp/perf-7.map', symbol: 'Interpreter' },
		]);
		expect(methods.map(({ method, source, samples, versions }) => [method, source, samples, versions])).toEqual([
			['a.P::one', 'profiler', 3, []],
			['a.P::two', 'profiler', 2, []],
			['(interpreter)', 'interpreter', 1, []],
		]);
	});

	test('of no samples', () => {
		expect(report([])).toMatchObject({ regions: [], methods: [], sources: [], code: [], time: { from: 0, to: 0 } });
	});
});

describe('compilations of one method', () => {
	const compiled = (start: number, compileId: string, more: Parameters<typeof piece>[2] = {}) =>
		piece(start, start + 100, { compileId, name: 'a.B.f', ...more });
	const map = codeMap([
		compiled(1000, '1'),
		compiled(2000, '2'),
		compiled(3000, '3', { compiler: 'c1', level: 3 }),
		compiled(4000, '4', { name: 'a.B.g' }),
		compiled(5000, '5'),
	]);
	const rowsAt = (...counts: readonly (readonly [number, number])[]): SampleRow[] => counts.flatMap(([address, count]) => many(count, { at: address }));
	const hotOf = (rows: readonly SampleRow[], readCode: ReadCode = () => null) =>
		hotReport(
			attributeSamples(samplesOf(rows), map, {
				event: 0,
				processId: null,
				window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
				clock: null,
			}),
			readCode,
			{ gapBytes: 32, byDistance: false, skid: 'off' },
		);

	test('are one row by compiler, with those that have samples, hottest first', () => {
		const { methods, code } = hotOf(rowsAt([1000, 3], [2099, 5], [3000, 4], [4000, 7]));
		expect(
			methods.map(({ handle, method, source, samples, versions }) => [handle, method, source, samples, versions.map((one) => one.code.compileId)]),
		).toEqual([
			['m1', 'a.B.f', 'c2, level 4', 8, ['2', '1']],
			['m2', 'a.B.g', 'c2, level 4', 7, ['4']],
			['m3', 'a.B.f', 'c1, level 3', 4, ['3']],
		]);
		expect(code.map((one) => [one.code.compileId, one.samples])).toEqual([
			['4', 7],
			['2', 5],
			['3', 4],
			['1', 3],
		]);
		expect(hotOf(rowsAt([5000, 2], [1000, 2], [2000, 2])).code.map((one) => one.code.compileId)).toEqual(['1', '2', '5']);
	});

	test('a region is owned by the inlined method with most of its samples, not by what is listed first or has none', () => {
		const frame = (method: string): Frame[] => [
			{ method, bci: 1, line: 1 },
			{ method: 'a.B.f', bci: 1, line: 1 },
		];
		const instructions = assemble(['nop', 'nop', 'nop', 'nop', 'nop'], [frame('a.C.few'), frame('a.C.none'), frame('a.C.most'), null, frame('a.C.few')]);
		const moved = { ...instructions, address: instructions.address.map((_, i) => 1000 + 4 * i), end: instructions.end.map((_, i) => 1004 + 4 * i) };
		const owner = (...counts: number[]) =>
			hotOf(rowsAt(...counts.map((count, i) => [1000 + 4 * i, count] as const)), (position) =>
				position === 0 ? { instructions: moved, labels: new Map() } : null,
			).regions[0]?.owner;
		expect(owner(2, 0, 3, 9, 0)).toEqual({ method: 'a.C.most', samples: 3 });
		expect(owner(2, 0, 3, 0, 2)).toEqual({ method: 'a.C.few', samples: 4 });
		expect(owner(3, 0, 3, 0, 0)).toEqual({ method: 'a.C.few', samples: 3 });
		expect(owner(0, 0, 0, 9, 0)).toBeNull();
	});

	test('of the threads that are meant alone', () => {
		const attribution = attributeSamples(samplesOf(rowsAt([1000, 3], [4000, 2])), map, {
			event: 0,
			processId: null,
			window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
			clock: null,
		});
		const { code, regions, methods, reasons } = hotReport(
			onlyThreads(attribution, (i) => i > 0 && i < 4),
			() => null,
			{ gapBytes: 32, byDistance: false, skid: 'off' },
		);
		expect(code.map((one) => [one.code.compileId, one.samples])).toEqual([
			['1', 2],
			['4', 1],
		]);
		expect(regions.map(({ samples, share }) => [samples, Math.round(share.percent)])).toEqual([
			[2, 67],
			[1, 33],
		]);
		expect(methods.map(({ samples }) => samples)).toEqual([2, 1]);
		expect([...reasons]).toEqual([['other thread', 2]]);
	});

	test('what lies behind the last instruction is a region of the whole code', () => {
		const instructions = assemble(['nop', 'ret']);
		const moved = { ...instructions, address: Float64Array.of(1000, 1004), end: Float64Array.of(1004, 1008) };
		const { regions, code } = hotOf(rowsAt([1007, 2], [1008, 3], [1099, 1]), (position) =>
			position === 0 ? { instructions: moved, labels: new Map() } : null,
		);
		expect(regions.map(({ start, end, samples, lines }) => [start, end, samples, lines])).toEqual([
			[1000, 1100, 4, []],
			[1000, 1008, 2, [0, 1]],
		]);
		expect(code.map(({ samples, outside, seen }) => [samples, outside, [...seen]])).toEqual([[6, 4, [0, 2]]]);
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
