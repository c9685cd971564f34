import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assemble, CODE_START, INSTRUCTION_BYTES } from '../../test/assemble.js';
import { piece, type SampleRow, samplesOf } from '../../test/code.js';
import { codeMap } from '../model/code-map.js';
import type { Frame, Instructions } from '../model/instructions.js';
import { attributeSamples } from './attribute.js';
import { FOLDS, fold } from './fold.js';
import { type HotOptions, hotReport } from './hot.js';
import type { HotReport } from './hot-results.js';

const LINES = ['push %rbp', 'inc %ebx', 'idiv %ecx', 'add %eax,%ebx', 'jne @1', 'nop', 'ret'];
const FRAME: Frame = { method: 'a.C.inner', bci: 3, line: 30 };
const CODE = assemble(
	LINES,
	LINES.map((_, i) => (i < 2 ? null : [i < 5 ? FRAME : { ...FRAME, line: null, bci: 9 }, { method: 'a.B.f', bci: 1, line: 10 }])),
);
const END = CODE_START + INSTRUCTION_BYTES * LINES.length;
const at = (line: number): number => CODE_START + INSTRUCTION_BYTES * line;
const OPTIONS: HotOptions = { gapBytes: 32, byDistance: false, skid: 'off' };
const MAP = codeMap([
	piece(CODE_START, END, { name: 'a.B.f', installedSeconds: 0 }),
	piece(END, END + 100, { name: 'a.B.g', compileId: '2%', compiler: 'c1', level: 3, installedSeconds: 0 }),
	piece(END + 200, END + 300, { kind: 'stub', name: 'jbyte_arraycopy', compileId: null, compiler: null, level: null }),
]);

function report(rows: readonly SampleRow[], options: Partial<HotOptions> = {}, code: Instructions = CODE): HotReport {
	const attribution = attributeSamples(samplesOf(rows), MAP, {
		event: 0,
		processId: null,
		window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
		clock: null,
	});
	return hotReport(attribution, (position) => (position === 0 ? { instructions: code, labels: new Map([[0, 'Verified Entry Point']]) } : null), {
		...OPTIONS,
		...options,
	});
}

const many = (count: number, row: SampleRow): SampleRow[] => Array.from({ length: count }, (_, i) => ({ time: i / count, ...row }));
const ROWS = [
	...many(60, { at: at(3) }),
	...many(4, { at: at(2) + 1 }),
	...many(5, { at: at(6) }),
	...many(20, { at: END + 7 }),
	...many(3, { at: END + 210 }),
	...many(8, { at: 77, library: '/usr/lib/libc.so.6', symbol: 'memcpy' }),
	...many(2, { at: -9, library: '[kernel.kallsyms]', symbol: 'k' }),
];

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

describe('folds', () => {
	const rows = (kind: (typeof FOLDS)[number]): [string, number][] => fold(report(ROWS), kind).map(({ name, samples }) => [name, samples]);

	test('by line, bytecode and method', () => {
		expect(rows('line').slice(0, 3)).toEqual([
			['a.C.inner:30', 64],
			['(a.B.g, no code)', 20],
			['(libc.so.6)', 8],
		]);
		expect(rows('line')).toContainEqual(['a.C.inner (no line)', 5]);
		expect(rows('bytecode')).toContainEqual(['a.C.inner@9', 5]);
		expect(rows('method').slice(0, 2)).toEqual([
			['a.C.inner', 69],
			['a.B.g', 20],
		]);
		expect(fold(report(ROWS), 'line')[0]).toMatchObject({ method: 'a.C.inner', line: 30, bci: null, analysed: null, compileIds: ['1'] });
	});

	test('by instruction, library and region', () => {
		expect(rows('instruction')[0]).toEqual([`c1 0x${at(3).toString(16)} add %eax,%ebx`, 60]);
		expect(rows('library')).toEqual([
			['c2, level 4', 69],
			['c1, level 3', 20],
			['libc.so.6', 8],
			['runtime stub', 3],
			['kernel', 2],
		]);
		expect(rows('region')[0]).toEqual(['r1 a.B.f', 64]);
	});

	test('by region with what skid moved', () => {
		const straight = assemble(['push %rbp', 'idiv %ecx', 'je @4', 'add %eax,%ebx', 'ret']);
		const moved = report([...many(60, { at: at(2) }), ...many(10, { at: at(3) })], { skid: 'on' }, straight);
		expect(fold(moved, 'region').map(({ name, samples, analysed }) => [name, samples, analysed])).toEqual([['r1 a.B.f', 70, 70]]);
		const outside = report(many(60, { at: at(3) }), { skid: 'on' }, straight);
		expect(fold(outside, 'region').map(({ name, samples, analysed }) => [name, samples, analysed])).toEqual([
			['r1 a.B.f', 60, 0],
			['(no region)', 0, 60],
		]);
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
			for (const kind of FOLDS) {
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
