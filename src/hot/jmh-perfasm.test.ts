/** JMH's regions at their margins, its windows by format, and its arrows; the reports of JMH itself are compared in cli/perfasm-golden.test.ts. */
import { describe, expect, test } from 'vitest';
import { type SampleRow, samplesOf } from '../../test/code.js';
import type { Assembly, NamedCode } from '../model/assembly.js';
import { inHashMapOrder, javaStringHash } from './java-hash-map.js';
import { countSamples, jmhPerfasm, type SampleWindow } from './jmh-perfasm.js';
import type { PerfasmOptions } from './results.js';

const ALL: SampleWindow = { rule: 'perf', delayMs: 0, lengthMs: null, processId: null };
const OPTIONS: PerfasmOptions = {
	events: ['cpu-clock'],
	hotThreshold: 0.1,
	top: 20,
	tooBigThreshold: 1000,
	printMargin: 1,
	mergeMargin: 4,
	mergeMethods: false,
	drawIntraJumps: true,
	drawInterJumps: true,
};

/** Lines of `[address or null, text]`, with jumps from address to address. */
function assembly(
	lines: readonly (readonly [number | null, string])[],
	code: readonly NamedCode[],
	jumps: readonly (readonly [number, number])[] = [],
): Assembly {
	return {
		lines: lines.map(([, text]) => text),
		addresses: Float64Array.from(lines, ([address]) => address ?? Number.NaN),
		jumpSources: Float64Array.from(jumps, ([source]) => source),
		jumpTargets: Float64Array.from(jumps, ([, target]) => target),
		code,
		processId: null,
	};
}

const at = (...addresses: number[]): SampleRow[] => addresses.map((address) => ({ at: address }));

describe('which samples count', () => {
	const times = (window: Partial<SampleWindow>, ...seconds: number[]) => {
		const { counts } = countSamples(samplesOf(seconds.map((time, i) => ({ time, at: 100 + i }))), { ...ALL, ...window }, ['cpu-clock']);
		return [...(counts.get('cpu-clock')?.keys() ?? [])].map((address) => seconds[Number(address) - 100]);
	};

	test('perf: from its first sample on, both ends inclusive, the first always', () => {
		expect(times({ delayMs: 1000, lengthMs: 500 }, 7, 7.999, 8, 8.5, 8.501)).toEqual([7, 8, 8.5]);
		expect(times({ delayMs: 1000 }, 7, 8, 99)).toEqual([7, 8, 99]);
	});

	test('dtrace: whole milliseconds, never the first', () => {
		expect(times({ rule: 'dtrace', delayMs: 1000, lengthMs: 500 }, 7, 7.999, 8, 8.5009, 8.501)).toEqual([8, 8.5009]);
		expect(times({ rule: 'dtrace' }, 7, 7, 99)).toEqual([7, 99]);
	});

	test('xperf: from zero, both ends inclusive; addresses of the kernel are lost', () => {
		expect(times({ rule: 'xperf', delayMs: 1000, lengthMs: 500 }, 0.999, 1, 1.5, 1.501)).toEqual([1, 1.5]);
		const rows: SampleRow[] = [
			{ at: -7, symbol: 'k', library: 'ntoskrnl.exe' },
			{ at: 0x10, symbol: 'Node<int,0>::find', library: 'jvm.dll' },
			{ at: 0x20, symbol: 'Node<int', library: 'jvm.dll' },
			{ at: 0x1f2a0b01c20 },
			{ at: 0x30, symbol: null, library: 'ntdll.dll' },
		];
		const { counts, natives } = countSamples(samplesOf(rows), { ...ALL, rule: 'xperf' }, ['cpu-clock']);
		expect([...(counts.get('cpu-clock') ?? [])].sort()).toEqual([
			[0n, 1],
			[0x10n, 1],
			[0x1f2a0b01c20n, 1],
			[0x20n, 1],
			[0x30n, 1],
		]);
		expect(natives.map(({ name, source, start, end }) => `${source} ${name} ${start} ${end}`).sort()).toEqual([
			`Unknown 0x000001f2a0b01c20 ${0x1f2a0b01c20} ${0x1f2a0b01c20}`,
			'jvm.dll Node<int 16 32',
			'ntdll.dll 0x00000030 48 48',
		]);
	});

	test('xctrace: from zero, the end exclusive', () => {
		expect(times({ rule: 'xctrace', delayMs: 1000, lengthMs: 500 }, 0.999, 1, 1.499, 1.5)).toEqual([1, 1.499]);
		expect(times({ rule: 'xctrace' }, 0, 99)).toEqual([0, 99]);
	});

	test('of the process and the events that are asked for; the window begins with the process', () => {
		const rows: SampleRow[] = [
			{ time: 1, at: 1, processId: 1 },
			{ time: 5, at: 2, processId: 2 },
			{ time: 6, at: 3, processId: 2, event: 'cycles' },
			{ time: 6, at: 4, processId: 2 },
			{ time: 6, at: 4, processId: 2 },
		];
		const { counts } = countSamples(samplesOf(rows), { ...ALL, processId: 2, lengthMs: 1000 }, ['cpu-clock', 'none']);
		expect([...(counts.get('cpu-clock') ?? [])]).toEqual([
			[2n, 1],
			[4n, 2],
		]);
		expect(counts.get('none')?.size).toBe(0);
	});

	test('symbols reach from their lowest to their highest sample', () => {
		const lib = (address: number, symbol: string | null, library: string | null): SampleRow => ({ at: address, symbol, library });
		const natives = (rule: SampleWindow['rule'], ...rows: SampleRow[]) =>
			countSamples(samplesOf(rows), { ...ALL, rule, delayMs: rule === 'dtrace' ? -1 : 0 }, ['cpu-clock'])
				.natives.map(({ name, source, start, end }) => `${source} ${name} ${start} ${end}`)
				.sort();
		expect(
			natives(
				'perf',
				lib(50, 'f', '/usr/libc.so'),
				lib(70, 'f', '/usr/libc.so'),
				lib(20, 'f', '/usr/libc.so'),
				lib(60, 'f', '/usr/libc.so'),
				lib(9, null, '(a)b'),
			),
		).toEqual([' ab [unknown] 9 9', 'libc.so f 20 70']);
		expect(natives('perf', lib(5, null, null), lib(-7, 'k', '[unknown]'), lib(7, 'k', '[unknown]'), lib(-3, 'k', '[kernel]'))).toEqual([
			' [kernel] k -3 -3',
			' [unknown] k 7 7',
			'[unknown] [unknown] 5 5',
			'kernel k -7 -7',
		]);
		expect(natives('xctrace', lib(5, null, null), lib(7, 'k', '/usr/x'))).toEqual(['/usr/x k 7 7']);
	});
});

describe('regions', () => {
	const regionsOf = (rows: readonly SampleRow[], printed: Assembly | null = null, more: Partial<PerfasmOptions> = {}) =>
		jmhPerfasm(samplesOf(rows), printed, ALL, { ...OPTIONS, ...more }).regions;

	test('a gap of the margin holds together, a wider one does not; a last run of one address is lost', () => {
		const ends = (...addresses: number[]) => regionsOf(at(...addresses)).map(({ begin, end, counts }) => [Number(begin), Number(end), counts[0]]);
		expect(ends(100, 104, 108)).toEqual([[100, 108, 3]]);
		expect(ends(100, 105, 106)).toEqual([
			[105, 106, 2],
			[100, 100, 1],
		]);
		expect(ends(100, 104, 109)).toEqual([[100, 104, 2]]);
		expect(ends(100)).toEqual([]);
		expect(ends(100, 100, 101)).toEqual([[100, 101, 3]]);
	});

	const CODE: NamedCode[] = [
		{ name: 'f', source: 'c2', start: 100, end: 120 },
		{ name: 'g', source: 'c2', start: 120, end: 140 },
		{ name: 'f', source: 'c2', start: 200, end: 220 },
	];
	const LINES = assembly(
		[100, 104, 108, 120, 124, 200, 204].map((address) => [address, `at ${address}`] as const),
		CODE,
	);

	test('are named by what lies at their begin: an exact start, else what reaches beyond it', () => {
		const names = (...addresses: number[]) => regionsOf(at(...addresses, 300, 400), LINES).map(({ name, begin }) => [Number(begin), name]);
		expect(names(100, 101)).toContainEqual([100, 'f']);
		expect(names(119, 120)).toContainEqual([119, 'f']);
		expect(names(120, 121)).toContainEqual([120, 'g']);
		expect(names(139, 141)).toContainEqual([139, 'g']);
		// Behind the end, before the begin; beyond all lines the native code says.
		expect(names(140, 204)).toContainEqual([140, '[unknown]']);
		expect(names(99, 101)).toContainEqual([99, '[unknown]']);
	});

	test('of two pieces with one start the last gives the name, the first the end', () => {
		const twice = assembly(
			[
				[100, 'a'],
				[130, 'b'],
			],
			[
				{ name: 'first', source: 's', start: 100, end: 110 },
				{ name: 'last', source: 's', start: 100, end: 200 },
			],
		);
		expect(regionsOf(at(105, 106, 300), twice).at(0)?.name).toBe('last');
		expect(regionsOf(at(128, 131, 300), twice).at(0)?.name).toBe('<unknown>');
	});

	test('of one method are merged on request', () => {
		const merged = (mergeMethods: boolean) =>
			regionsOf(at(100, 101, 110, 111, 125, 126, 300), LINES, { mergeMethods }).map(({ begin, end }) => [Number(begin), Number(end)]);
		expect(merged(false)).toEqual([
			[100, 101],
			[110, 111],
			[125, 126],
		]);
		expect(merged(true)).toEqual([
			[100, 111],
			[125, 126],
		]);
		// Unknown code is not one method.
		expect(regionsOf(at(500, 501, 510, 511), null, { mergeMethods: true })).toHaveLength(2);
	});

	test('the lines from the first at or after the begin to the last below the end, and the margin of their own code', () => {
		const range = (begin: number, end: number, printMargin = 1) => regionsOf(at(begin, end), LINES, { printMargin, mergeMargin: 1000 })[0]?.lineRange;
		// Lines 1 to 2, a line before, and as JMH counts three behind; g is other code.
		expect(range(104, 109)).toEqual({ from: 0, to: 3 });
		expect(range(104, 108)).toEqual({ from: 0, to: 3 });
		expect(range(104, 108, 0)).toEqual({ from: 1, to: 3 });
		expect(range(100, 104, 0)).toEqual({ from: 0, to: 2 });
		expect(range(101, 104, 0)).toEqual({ from: 1, to: 2 });
		// Without a line in between JMH starts at the next one.
		expect(range(120, 124, 5)).toEqual({ from: 3, to: 5 });
		expect(range(300, 310)).toBeNull();
		expect(range(10, 20)).toBeNull();
	});

	test('lines are found by their addresses, in whatever order methods were printed', () => {
		const printed = assembly(
			[
				[120, 'g'],
				[124, 'g'],
				[null, ''],
				[9, 'h'],
				[100, 'f'],
				[104, 'f'],
				[1000, 'i'],
				[108, 'f'],
			],
			CODE,
		);
		const range = (begin: number, end: number) => regionsOf(at(begin, end), printed, { printMargin: 0, mergeMargin: 1000 })[0]?.lineRange;
		expect([range(100, 105), range(120, 125), range(9, 10)]).toEqual([
			// A line of no known code belongs to any: the one behind is taken along.
			{ from: 4, to: 7 },
			{ from: 0, to: 3 },
			{ from: 3, to: 4 },
		]);
		expect(regionsOf(at(100, 105, 300), printed)[0]?.name).toBe('f');
	});

	test('tables: regions of a name and source together, most first; what has none of the first event is left out', () => {
		const rows: SampleRow[] = [...at(100, 101, 200, 201, 202, 125, 126), { at: 300, event: 'cycles' }, { at: 301, event: 'cycles' }];
		const report = jmhPerfasm(samplesOf(rows), LINES, ALL, { ...OPTIONS, events: ['cpu-clock', 'cycles'] });
		expect(report.totals).toEqual([7, 2]);
		expect(report.addressLines).toBe(7);
		expect(report.methods).toEqual([
			{ name: 'f', source: 'c2', counts: [5, 0] },
			{ name: 'g', source: 'c2', counts: [2, 0] },
		]);
		expect(report.sources).toEqual([{ name: '', source: 'c2', counts: [7, 0] }]);
		expect(report.regions.map(({ counts }) => counts)).toEqual([
			[3, 0],
			[2, 0],
			[2, 0],
			[0, 2],
		]);
	});
});

describe('code', () => {
	const CODE: NamedCode[] = [{ name: 'f', source: 'c2', start: 100, end: 200 }];
	const lines = (jumps: readonly (readonly [number, number])[], more: Partial<PerfasmOptions> = {}) => {
		const printed = assembly(
			[
				[100, 'a'],
				[104, 'b'],
				[null, '  note'],
				[108, 'c'],
				[112, 'd'],
				[116, 'e'],
			],
			CODE,
			jumps,
		);
		const report = jmhPerfasm(samplesOf(at(100, 104, 104, 108, 112, 116)), printed, ALL, { ...OPTIONS, ...more });
		return report.codeOf(report.regions[0]!).map(({ counts, arrows, text }) => [counts[0], arrows, text.trim()]);
	};

	test('counts stand at lines with an address', () => {
		expect(lines([])).toEqual([
			[1, '', 'a'],
			[2, '', 'b'],
			[0, '', 'note'],
			[1, '', 'c'],
			[1, '', 'd'],
			[1, '', 'e'],
		]);
	});

	test('arrows down and up, of jumps inside', () => {
		expect(lines([[104, 112]]).map(([, arrows]) => arrows)).toEqual([' ', '╭', '│', '│', '↘', ' ']);
		expect(lines([[112, 104]]).map(([, arrows]) => arrows)).toEqual([' ', '↗', '│', '│', '╰', ' ']);
		expect(lines([[104, 112]], { drawIntraJumps: false }).map(([, arrows]) => arrows)).toEqual(['', '', '', '', '', '']);
	});

	test('of jumps that leave, which stand first; each once, by source and target', () => {
		expect(lines([[108, 150]]).map(([, arrows]) => arrows)).toEqual([' ', ' ', ' ', '╭', '╵', '╵']);
		expect(lines([[90, 108]]).map(([, arrows]) => arrows)).toEqual(['╵', '╵', '╵', '↘', ' ', ' ']);
		expect(lines([[108, 150]], { drawInterJumps: false }).map(([, arrows]) => arrows)[3]).toBe('');
		// The ends of the region are outside of it.
		expect(lines([[100, 108]]).map(([, arrows]) => arrows)[0]).toBe('╭');
		expect(lines([[100, 116]]).map(([, arrows]) => arrows)[0]).toBe('');
		expect(lines([[116, 100]]).map(([, arrows]) => arrows)[0]).toBe('');
		expect(
			lines([
				[104, 112],
				[104, 108],
				[104, 112],
				[112, 150],
			]).map(([, arrows]) => arrows),
		).toEqual(['   ', ' ╭╭', ' ││', ' ↘│', '╭ ↘', '╵  ']);
	});

	test('without assembly, and of native code, there is none', () => {
		const report = jmhPerfasm(samplesOf(at(100, 101)), null, ALL, OPTIONS);
		expect(report.codeOf(report.regions[0]!)).toEqual([]);
		const printed = assembly([[100, 'a']], []);
		const native = jmhPerfasm(samplesOf(at(500, 501)), printed, ALL, OPTIONS);
		expect(native.codeOf(native.regions[0]!)).toEqual([]);
	});
});

test("the order of Java's HashMap", () => {
	// As Java says: "hashCode".hashCode(), and that of the empty text.
	expect([javaStringHash(''), javaStringHash('a'), javaStringHash('hashCode')]).toEqual([0, 97, 147696667]);
	const order = (...hashes: number[]) => inHashMapOrder(hashes, (hash) => hash);
	expect(order(17, 3, 1, 16)).toEqual([16, 17, 1, 3]);
	expect(order(0x10000, 0)).toEqual([0, 0x10000]);
	// Twelve fit into sixteen buckets, thirteen need thirty-two.
	const twelve = [16, ...Array.from({ length: 11 }, (_, i) => i + 1)];
	expect(order(...twelve)[0]).toBe(16);
	expect(order(...twelve, 12).at(-1)).toBe(16);
});
