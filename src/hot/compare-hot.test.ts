/** Two recordings beside each other: which regions are one, and by how much their shares differ. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { piece } from '../../test/code.js';
import { at, END, many, ROWS, report } from '../../test/hot-report.js';
import { alignCode } from './align-code.js';
import { alignRegions, compareHot } from './compare-hot.js';
import type { HotReport, Region } from './hot-results.js';
import { inlinedStacks } from './inlined-stacks.js';
import { sampleColumns } from './sample-columns.js';
import { profileOfSamples } from './sample-profile.js';

interface HandRegion {
	readonly method: string;
	readonly samples: number;
	/** A letter a bytecode; null: native code. */
	readonly bytecodes?: string | null;
	readonly signature?: string | null;
	readonly library?: string | null;
}

function regionOf({ method, samples, bytecodes = null, signature = null, library = null }: HandRegion): Region {
	const letters = [...(bytecodes ?? '')];
	const instructions = assemble(
		letters.map(() => 'nop'),
		letters.map((letter) => (letter === '-' ? null : [{ method, bci: letter.charCodeAt(0), line: 1 }])),
	);
	return {
		method,
		library,
		samples,
		lines: letters.map((_, i) => i),
		heat: bytecodes === null ? null : { code: piece(0, 10, { signature }), instructions, seen: new Float64Array(letters.length) },
	} as unknown as Region;
}

const hot = (counted: number, ...regions: HandRegion[]) => ({ attribution: { counted }, regions: regions.map(regionOf) }) as unknown as HotReport;

const pairs = (a: HotReport, b: HotReport) =>
	compareHot(a, b).map(({ a: one, b: other, method, isSure, likeness }) => [
		method,
		one?.samples ?? null,
		other?.samples ?? null,
		isSure,
		Math.round(100 * likeness),
	]);

describe('pairs', () => {
	test('regions of one method by their bytecodes, native functions by name and file', () => {
		const a = hot(
			1000,
			{ method: 'f', samples: 100, bytecodes: 'abcd' },
			{ method: '(memcpy)', samples: 50, library: 'libc' },
			{ method: '(memcpy)', samples: 5, library: 'other' },
		);
		const b = hot(
			1000,
			{ method: 'f', samples: 300, bytecodes: 'abcx' },
			{ method: '(memcpy)', samples: 60, library: 'libc' },
			{ method: 'g', samples: 100, bytecodes: 'abcd' },
		);
		expect(pairs(a, b)).toEqual([
			// Of the instructions' half three quarters, of the samples' nothing.
			['f', 100, 300, true, 38],
			['g', null, 100, true, 0],
			['(memcpy)', 5, null, true, 0],
			['(memcpy)', 50, 60, false, 100],
		]);
	});

	test('a fifth alike is the same code, less is not', () => {
		const half = (bytecodes: string, other: string) =>
			pairs(hot(100, { method: 'f', samples: 9, bytecodes }), hot(100, { method: 'f', samples: 9, bytecodes: other })).length;
		// Two fifths of the instructions, which are half of the likeness.
		expect(half('abcde', 'abxyz')).toBe(1);
		expect(half('abcdef', 'abxyzw')).toBe(2);
		expect(half('', 'a')).toBe(2);
		expect(half('', '')).toBe(1);
		expect(half('--', '-')).toBe(1);
	});

	test('addresses of hidden classes do not tell regions apart, signatures do', () => {
		const method = (name: string, signature: string | null = null) => hot(100, { method: name, samples: 9, bytecodes: 'a', signature });
		// Bytecodes are of the inlined method, whose name differs too: without them.
		const native = (name: string) => hot(100, { method: name, samples: 9 });
		expect(pairs(native('A/0x01234567.f'), native('A/0xffffffff.f'))).toHaveLength(1);
		expect(pairs(native('A+0x01234567.f'), native('A.f'))).toHaveLength(1);
		expect(pairs(method('f', '()V'), method('f', '(I)V'))).toHaveLength(2);
		expect(pairs(method('f', '()V'), method('f', '()V'))).toHaveLength(1);
	});

	test('the hottest find their partner first, of several the likest', () => {
		const a = hot(100, { method: 'f', samples: 10, bytecodes: 'ab' }, { method: 'f', samples: 40, bytecodes: 'abcd' });
		const b = hot(100, { method: 'f', samples: 40, bytecodes: 'abcd' });
		expect(pairs(a, b)).toEqual([
			['f', 10, null, true, 0],
			['f', 40, 40, false, 50],
		]);
		// Many samples in half of the code weigh more than few in all of it.
		const hottest = hot(100, { method: 'f', samples: 60, bytecodes: 'ab' }, { method: 'f', samples: 5, bytecodes: 'abcd' });
		expect(compareHot(b, hottest).find(({ a: one }) => one !== null)?.b).toBe(hottest.regions[0]);
		const c = hot(100, { method: 'f', samples: 40, bytecodes: 'axyz' }, { method: 'f', samples: 40, bytecodes: 'abcz' });
		expect(compareHot(b, c).find(({ a: one }) => one !== null)?.b).toBe(c.regions[1]);
	});

	test('the difference of shares and its interval (Newcombe 1998, tables II: 56 of 70 against 48 of 80)', () => {
		const [pair] = compareHot(hot(80, { method: 'f', samples: 48 }), hot(70, { method: 'f', samples: 56 }));
		expect(pair?.difference.points).toBeCloseTo(20, 10);
		expect(pair?.difference.low).toBeCloseTo(5.24, 2);
		expect(pair?.difference.high).toBeCloseTo(33.39, 2);
		expect(pair?.isSure).toBe(true);
		const [back] = compareHot(hot(70, { method: 'f', samples: 56 }), hot(80, { method: 'f', samples: 48 }));
		expect(back?.difference.low).toBeCloseTo(-33.39, 2);
		expect(back?.isSure).toBe(true);
	});
});

describe('alignment', () => {
	const code = (lines: readonly string[]) => assemble(lines);
	const align = (a: readonly string[], b: readonly string[]) =>
		alignCode(
			code(a),
			a.map((_, i) => i),
			code(b),
			b.map((_, i) => i),
		);
	const letters = fc.array(fc.constantFrom('inc', 'dec', 'neg'), { maxLength: 7 });

	function longest(a: readonly string[], b: readonly string[]): number {
		if (a.length === 0 || b.length === 0) {
			return 0;
		}
		return a[0] === b[0] ? 1 + longest(a.slice(1), b.slice(1)) : Math.max(longest(a.slice(1), b), longest(a, b.slice(1)));
	}

	test('lists all of both in order, and as many pairs as the longest common subsequence has', () => {
		fc.assert(
			fc.property(letters, letters, (a, b) => {
				const rows = align(a, b)!;
				expect(rows.map(([i]) => i).filter((i) => i >= 0)).toEqual(a.map((_, i) => i));
				expect(rows.map(([, j]) => j).filter((j) => j >= 0)).toEqual(b.map((_, j) => j));
				const both = rows.filter(([i, j]) => i >= 0 && j >= 0);
				expect(both.every(([i, j]) => a[i] === b[j])).toBe(true);
				expect(both).toHaveLength(longest(a, b));
			}),
		);
	});

	test('registers, addresses and frames may differ, small constants not', () => {
		const same = (a: string, b: string) => align([a], [b])?.length === 1;
		expect(same('mov 0x10(%r14,%rcx,4),%edx', 'mov 0x10(%rax,%r9,4),%esi')).toBe(true);
		expect(same('call 0x7f0000123456', 'call 0x7f0000999999')).toBe(true);
		expect(same('mov 0x12345,%eax', 'mov 0x12346,%eax')).toBe(false);
		expect(same('mov 0x18(%rsp),%eax', 'mov 0x20(%rbp),%ebx')).toBe(true);
		expect(same('ldr x0, [sp, #16]', 'ldr x9, [sp, #32]')).toBe(true);
		expect(same('mov $0x10,%eax', 'mov $0x11,%eax')).toBe(false);
		expect(same('inc %eax', 'dec %eax')).toBe(false);
	});

	test('a side that is left over: what is on the first side stands first', () => {
		expect(align(['inc', 'dec'], ['inc', 'neg'])).toEqual([
			[0, 0],
			[1, -1],
			[-1, 1],
		]);
	});

	test('of regions with text on both sides', () => {
		const one = regionOf({ method: 'f', samples: 1, bytecodes: 'ab' });
		const native = regionOf({ method: 'f', samples: 1 });
		const pair = (a: Region | null, b: Region | null) => alignRegions({ a, b } as Parameters<typeof alignRegions>[0]);
		expect(pair(one, one)).toEqual([
			[0, 0],
			[1, 1],
		]);
		expect([
			pair(one, null),
			pair(null, one),
			pair(one, native),
			pair(native, one),
			pair(one, { ...one, lines: [] }),
			pair({ ...one, lines: [] }, one),
		]).toEqual(Array(6).fill(null));
	});
});

describe('one report in other forms', () => {
	test('by compilation, as proftool sums it: all counted samples, native code without a compile id', () => {
		const profile = profileOfSamples(report(ROWS), '77', 10);
		expect(profile).toMatchObject({ kind: 'JIT', executionId: '77', totalPeriod: 1020 });
		expect(profile.entries.map(({ compileId, name, level, period }) => [compileId, name, level, period])).toEqual([
			['1', 'a.B.f', 4, 690],
			['2', 'a.B.g', 3, 200],
			[null, 'memcpy', null, 80],
			[null, 'jbyte_arraycopy', null, 30],
			[null, 'k', null, 20],
		]);
		expect(profile.entries.reduce((sum, { period }) => sum + period, 0)).toBe(profile.totalPeriod);
	});

	test('as stacks: the compiled method, then what is inlined at the instruction; reasons in brackets, native code by library and function', () => {
		const { names, stacks, ofSample } = inlinedStacks(report(ROWS));
		expect(stacks.map((_, stack) => ofSample.filter((one) => one === stack).length)).toEqual(stacks.map(({ samples }) => samples));
		expect(stacks.map(({ frames, samples }) => [frames.map((frame) => names[frame]).join(' '), samples]).sort()).toEqual([
			['(kernel) (k)', 2],
			['(native) (libc.so.6) (memcpy)', 8],
			['(stub) (jbyte_arraycopy)', 3],
			['a.B.f a.C.inner', 69],
			['a.B.g', 20],
		]);
	});

	test('as columns by time: what each sample is in, microseconds between them', () => {
		const rows = [
			{ time: 2, at: at(3) },
			{ time: 1, at: END + 7 },
			{ time: 1.5, at: at(2) + 1 },
			{ time: 9, at: 77, library: '/usr/lib/libc.so.6', symbol: 'memcpy' },
			{ time: 9, at: at(3) },
		];
		const columns = sampleColumns(report(rows), null);
		expect(columns.startSeconds).toBe(1);
		expect(columns.deltaUs).toEqual([0, 500_000, 500_000, 7_000_000, 0]);
		expect(columns.place.map((place) => columns.places[place]?.compileId ?? columns.places[place]?.reason)).toEqual(['2%', '1', '1', 'native library', '1']);
		expect(columns.instruction).toEqual([-1, 2, 3, -1, 3]);
		expect(columns.thread).toEqual([-1, -1, -1, -1, -1]);
		const threads = {
			of: Int32Array.of(0, 1, 0, 1, 0),
			threads: [
				{ name: 'a', id: 5 },
				{ name: 'b', id: 6 },
			],
		};
		expect(sampleColumns(report(rows), threads).thread).toEqual([1, 0, 0, 1, 0]);
		expect(sampleColumns(report([]), null)).toMatchObject({ startSeconds: 0, deltaUs: [], threads: [] });
		expect(many(2, { at: 1 })).toHaveLength(2);
	});
});
