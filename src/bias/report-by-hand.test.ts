/** Intervals where every draw says the same, and the rows of a report: code of a few instructions, counted by hand. */
import { describe, expect, test } from 'vitest';
import { call, type PrintedLine, printedMethod, vmCall } from '../../test/code.js';
import { coldCode } from '../../test/cold-code.js';
import { biasReport } from './bias-report.js';
import type { BlameKey } from './blame.js';
import { addRow, emptyBlame } from './blame.js';
import { bootstrap } from './bootstrap.js';
import type { PredictionInput } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { Walks } from './walks.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const at = (name: string, bci: number): string => `- a.B::${name}@${bci} (line ${10 * bci})`;
const RETURN: readonly PrintedLine[] = [['cmp (%r15),%rsp', '{poll_return}'], ['ret']];
const row = (method: PrintedMethod, ...counts: number[]) => ({
	method,
	counts: Float64Array.from({ length: method.instructions.length }, (_, i) => counts[i] ?? 0),
	...ALWAYS,
});

describe('intervals', () => {
	const intervals = (input: Partial<PredictionInput>, by: BlameKey = 'method') =>
		Object.fromEntries(
			[...bootstrap(new Walks({ sampled: [], methods: [], native: [], cold: [], ...input }), 5, by)].map(([name, { low, high }]) => [
				name.replace('a.B.', ''),
				low === high ? Math.round(1000 * low) / 1000 : [low, high],
			]),
		);
	const leaf = printedMethod('a.B.h', [['inc %eax', at('h', 1)], ...RETURN], 0x500);
	const calling = (name: string, start: number) => printedMethod(`a.B.${name}`, [call('h', at(name, 2)), ['ret']], start);
	const native = (activity: string | null) => [{ symbol: 'memcpy', library: 'libc.so', activity, count: 8 }];

	test('what returns lands on its callers, by how often they call', () => {
		expect(intervals({ sampled: [row(leaf, 8)], methods: [leaf, calling('f', 0x100)] })).toEqual({ f: 100 });
		expect(intervals({ sampled: [row(leaf, 8)], methods: [leaf, calling('f', 0x100), calling('g', 0x200)] })).toEqual({ f: 50, g: 50 });
		const thrice = printedMethod('a.B.g', [call('h', at('g', 2)), call('h', at('g', 3)), call('h', at('g', 3)), ['ret']], 0x200);
		expect(intervals({ sampled: [row(leaf, 8)], methods: [leaf, thrice] }, 'line')).toEqual({ 'g:20': 33.333, 'g:30': 66.667 });
		expect(intervals({ sampled: [row(leaf, 8)], methods: [leaf] })).toEqual({});
	});

	test('what calls lands where the callee stops, or on the call', () => {
		const caller = calling('f', 0x100);
		const stopping = printedMethod('a.B.h', [vmCall(at('x', 4), at('h', 1)), ['ret']], 0x500);
		expect(intervals({ sampled: [row(caller, 8)], methods: [caller, stopping] })).toEqual({ x: 100 });
		expect(intervals({ sampled: [row(caller, 8)], methods: [caller, leaf] })).toEqual({ f: 100 });
		expect(intervals({ sampled: [row(caller, 8)], methods: [caller] }, 'line')).toEqual({ 'f:20': 100 });
	});

	test('native code lands on the call into the VM, or behind the call of a function', () => {
		const vm = printedMethod('a.B.f', [vmCall(at('f', 3)), ['ret']]);
		expect(intervals({ sampled: [row(vm)], methods: [vm], native: native('allocation') })).toEqual({ f: 100 });
		const copying = printedMethod('a.B.f', [['call 0x9000', '{runtime_call memcpy}', at('f', 3)], vmCall(at('x', 4), at('f', 4)), ['ret']]);
		expect(intervals({ sampled: [row(copying)], methods: [copying], native: native(null) })).toEqual({ x: 100 });
		const last = printedMethod('a.B.f', [['call 0x9000', '{runtime_call memcpy}', at('f', 3)]]);
		expect(intervals({ sampled: [row(last)], methods: [last], native: native(null) })).toEqual({ f: 100 });
		expect(intervals({ sampled: [row(vm)], methods: [vm], native: native('classes') })).toEqual({});
	});

	test('code with few samples keeps them', () => {
		expect(intervals({ cold: [coldCode(row(leaf, 8))] }, 'line')).toEqual({ 'h:10': 100 });
	});
});

describe('rows', () => {
	const blame = (of: Record<string, number>) => {
		const result = emptyBlame();
		for (const [name, amount] of Object.entries(of)) {
			addRow(result, name, amount);
		}
		return result;
	};

	test('the largest in any profile first, equal ones by name', () => {
		const none = { sampled: [], methods: [], native: [], cold: [] };
		const report = (by: BlameKey, of: Record<string, number>) => biasReport(none, blame(of), 10, new Map(), 0, () => [], by);
		expect(report('method', { c: 2, a: 1, d: 5, b: 2 }).methods.map(({ method }) => method)).toEqual(['d', 'b', 'c', 'a']);
		expect(report('method', { c: 2, a: 1, d: 5, b: 2 }).lines.map(({ line }) => line)).toEqual(['d', 'b', 'c', 'a']);
		expect(report('line', { b: 2, c: 2, a: 1, d: 5 }).lines.map(({ line }) => line)).toEqual(['d', 'b', 'c', 'a']);
		expect(report('method', { d: 5 }).methods[0]).toMatchObject({ unbiasedPercent: 50, unbiasedSamples: 5, predictedPercent: 0, predictedInterval: null });
	});

	test('loops have the samples of their own instructions, most first', () => {
		const two = printedMethod('a.B.f', [
			['inc %ecx', at('f', 1)],
			['cmp %edx,%ecx'],
			['jl 0x100'],
			['inc %ebx', at('f', 9)],
			['cmp %edx,%ebx'],
			['jl 0x10c'],
			['ret'],
		]);
		const report = (...counts: number[]) =>
			biasReport({ sampled: [row(two, ...counts)], methods: [two], native: [], cold: [] }, blame({ 'a.B.f': 10 }), 10, new Map(), 0).loops.map(
				({ told, samples }) => [told().header, samples],
			);
		expect(report(1, 1, 2, 1, 0, 1, 4)).toEqual([
			[0x100, 4],
			[0x10c, 2],
		]);
		expect(report(1, 0, 0, 1, 1, 1, 6)).toEqual([
			[0x10c, 3],
			[0x100, 1],
		]);
	});
});
