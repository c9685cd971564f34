/** Orders that are chosen by their pages and windows: small programs, of which all orders can be tried. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { called, handLayout, ran } from '../../test/text-layout.js';
import type { TextLayout } from '../model/text-layout.js';
import { balancedPartitioning } from './balanced-partitioning.js';
import { hotCode, scoreOrder } from './hot-code.js';
import { optimizeOrder } from './optimize-order.js';
import { classMembers, orderByClass } from './order-classes.js';
import { countPages } from './page-counts.js';
import { placeOrder } from './place-order.js';
import { layTrace } from './trace-on-layout.js';

const P = 4096;
const W = 65536;
const BASE = 16 * P;

const sizes = fc.array(fc.record({ size: fc.integer({ min: 1, max: 3 * P }), alignment: fc.constantFrom(1, 16, 64) }), { minLength: 1, maxLength: 7 });
const bytesOfRuns = fc.array(fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });

function program(given: readonly { size: number; alignment: number }[]): TextLayout {
	return handLayout(
		BASE + 3 * P,
		given.map((one, i) => ({ name: `f${i}`, ...one })),
	);
}

function tracesOf(layout: TextLayout, runs: readonly (readonly (readonly [number, number])[])[]) {
	return runs.map((bytes, i) => {
		const addresses = bytes.map(([f, offset]) => {
			const section = f % layout.sectionStarts.length;
			return layout.sectionStarts[section]! + (offset % layout.sectionSizes[section]!);
		});
		const distinct = [...new Set(addresses)].map((address): [number, number] => [address, 1]);
		return layTrace({ ...ran(...distinct), name: `${i}`, weight: 1 + (i % 3) }, layout);
	});
}

describe('orders made', () => {
	test('the score of an order is what its pages come to when it is placed', () => {
		fc.assert(
			fc.property(sizes, bytesOfRuns, (given, runs) => {
				const layout = program(given);
				const traces = tracesOf(layout, runs);
				const hot = hotCode(layout, layout.regions[0]!, traces);
				const listed = Int32Array.from(hot.sections, (_section, i) => hot.sections.length - 1 - i);
				const placed = placeOrder(
					layout,
					Array.from(listed, (one) => `f${hot.sections[one]}`),
					'o',
				);
				const counts = traces.map((trace) => ({ weight: trace.weight, ...countPages(placed, trace).counts }));
				expect(scoreOrder(hot, layout, listed)).toEqual({
					pages: counts.reduce((sum, { weight, execPages }) => sum + weight * (execPages ?? 0), 0),
					windows: counts.reduce((sum, { weight, windows64k }) => sum + weight * windows64k, 0),
				});
				expect(hot.isExact).toBe(true);
			}),
			{ numRuns: 40 },
		);
	});

	test('by pages: never more windows than in order of first execution, and never more pages for them; by windows: never more', () => {
		fc.assert(
			fc.property(sizes, bytesOfRuns, fc.constantFrom('pages' as const, 'classes' as const), (given, runs, method) => {
				const layout = program(given);
				const traces = tracesOf(layout, runs);
				for (const objective of ['pages', 'windows'] as const) {
					const { score, unitedScore, symbols } = optimizeOrder(layout, traces, { method, objective });
					const placed = placeOrder(layout, symbols, 'o');
					const windows = traces.reduce((sum, trace) => sum + trace.weight * countPages(placed, trace).counts.windows64k, 0);
					expect(windows).toBe(score.windows);
					expect(score.windows).toBeLessThanOrEqual(unitedScore.windows);
				}
			}),
			{ numRuns: 25 },
		);
	});

	test('packing needs no more pages than the best of all orders of what ran', () => {
		const permutations = (items: readonly number[]): number[][] =>
			items.length === 0 ? [[]] : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
		// Sections of parts of a page that fit together in some orders only; which runs need which is told by letters.
		const programs: readonly (readonly (readonly [size: number, runs: string])[])[] = [
			[
				[3000, 'a'],
				[3000, 'b'],
				[1096, 'a'],
				[1096, 'b'],
				[P, ''],
			],
			[
				[2048, 'ab'],
				[2048, 'a'],
				[2048, 'ab'],
				[2048, 'b'],
				[2048, 'a'],
				[2048, ''],
			],
			[
				[100, 'abc'],
				[4000, 'a'],
				[4000, 'b'],
				[4000, 'c'],
				[96, 'a'],
				[96, 'b'],
			],
			[
				[1500, 'ab'],
				[1500, 'c'],
				[2500, 'ab'],
				[2500, 'c'],
				[600, 'a'],
				[P - 1, ''],
				[10, ''],
			],
		];
		for (const sections of programs) {
			const layout = handLayout(
				16 * W,
				sections.map(([size], i) => ({ name: `f${i}`, size })),
			);
			const traces = ['a', 'b', 'c'].map((letter, i) => {
				const bytes = sections.flatMap(([size, runs], f): [number, number][] => {
					const start = layout.sectionStarts[f]!;
					return !runs.includes(letter)
						? []
						: [
								[start, 1],
								[start + size - 1, 1],
							];
				});
				return layTrace({ ...ran(...bytes), weight: 1 + i }, layout);
			});
			const hot = hotCode(layout, layout.regions[0]!, traces);
			const least = Math.min(
				...permutations(Array.from(hot.sections.keys())).map((order) => {
					const { pages, windows } = scoreOrder(hot, layout, Int32Array.from(order));
					return windows <= optimizeOrder(layout, traces, { method: 'first-execution', objective: 'pages' }).score.windows ? pages : Number.POSITIVE_INFINITY;
				}),
			);
			const packed = optimizeOrder(layout, traces, { method: 'pages', objective: 'pages' });
			expect(packed.score.pages).toBeLessThanOrEqual(least);
			const placed = placeOrder(layout, packed.symbols, 'o');
			expect(traces.reduce((sum, trace) => sum + trace.weight * (countPages(placed, trace).counts.execPages ?? 0), 0)).toBe(packed.score.pages);
			expect(packed.fillers).toBe(packed.symbols.length - hot.sections.length);
		}
	});

	test('fewer pages are not bought with more windows', () => {
		// Two runs: one of `long`, the other of `a` and `b`. Pages are saved by putting a and b together; a window must not be lost by it.
		const layout = handLayout(W, [
			{ name: 'a', size: 100 },
			{ name: 'long', size: W - 200 },
			{ name: 'b', size: 100 },
		]);
		const first = layTrace({ ...ran([W, 1], [2 * W - 100, 1]), weight: 1 }, layout);
		const second = layTrace({ ...ran([W + 100, 1], [2 * W - 101, 1]), weight: 1 }, layout);
		const order = optimizeOrder(layout, [first, second], { method: 'classes', objective: 'pages' });
		expect(order.unitedScore).toEqual({ pages: 3, windows: 2 });
		expect(order.score).toEqual({ pages: 3, windows: 2 });
		expect(order).toMatchObject({ sections: 3, classes: 2, fillers: 0 });
	});

	test('functions without executed bytes count half with their bodies, half with their first bytes', () => {
		const layout = handLayout(BASE, [{ name: 'f', size: 3 * P }]);
		const hot = hotCode(layout, layout.regions[0]!, [layTrace({ ...called('f'), weight: 4 }, layout)]);
		expect([...hot.weights]).toEqual([2, 2]);
		expect(hot.isExact).toBe(false);
		// 3 pages by half of 4, 1 page by the other half; a window each.
		expect(scoreOrder(hot, layout, Int32Array.of(0))).toEqual({ pages: 8, windows: 4 });
	});

	test('functions of one section are one interval a run, whole or by their first bytes', () => {
		const layout = handLayout(BASE, [
			{ name: 'a', size: 10 },
			{ name: 'b', size: 10, sharesSection: true },
			{ name: 'other', size: 10 },
		]);
		const second = { ...layout.regions[0]!, firstSection: 1, start: BASE + 20 };
		const regions = [{ ...layout.regions[0]!, endSection: 1 }, second];
		const traces = [called('a', 'b'), called('b', 'other', 'a')].map((trace) => layTrace(trace, layout));
		const columns = regions.map((region) => {
			const hot = hotCode({ ...layout, regions }, region, traces);
			expect(hot.classes.map(({ traces: own }) => own)).toEqual([region === second ? [1] : [0, 1]]);
			return [[...hot.sections], [...hot.intervalTraces], [...hot.intervalStarts], [...hot.intervalEnds]];
		});
		expect(columns).toEqual([
			[[0], [0, 1, 2, 3], [0, 0, 0, 0], [20, 20, 11, 11]],
			[[1], [1, 3], [0, 0], [10, 1]],
		]);
	});

	test('executed bytes are one interval unless a page lies between them', () => {
		const layout = handLayout(BASE, [{ name: 'f', size: 4 * P }]);
		const intervals = (...bytes: readonly (readonly [number, number])[]) => {
			const hot = hotCode(layout, layout.regions[0]!, [layTrace(ran(...bytes), layout)]);
			return [[...hot.intervalStarts], [...hot.intervalEnds]];
		};
		expect(intervals([BASE, 1], [BASE + P, 1])).toEqual([[0], [P + 1]]);
		expect(intervals([BASE, 1], [BASE + P + 1, 1])).toEqual([
			[0, P + 1],
			[1, P + 2],
		]);
	});

	test('a filler takes its place and its alignment', () => {
		const layout = handLayout(BASE, [
			{ name: 'f', size: 10 },
			{ name: 'g', size: P - 64, alignment: 64 },
			{ name: 'h', size: 2, alignment: 1 },
		]);
		const hot = hotCode(layout, layout.regions[0]!, [layTrace(ran([BASE, 10], [layout.sectionStarts[2]!, 2]), layout)]);
		// f to 10, g from 64 to P, h on the next page.
		expect(scoreOrder(hot, layout, Int32Array.of(0, -2, 1))).toEqual({ pages: 2, windows: 1 });
		expect(scoreOrder(hot, layout, Int32Array.of(0, 1))).toEqual({ pages: 1, windows: 1 });
		expect(hot.classes).toEqual([{ traces: [0], weight: 1 }]);
	});

	test('classes: functions of the same runs stay together, in the best order of the classes', () => {
		const layout = handLayout(
			BASE,
			Array.from({ length: 6 }, (_, i) => ({ name: `f${i}`, size: P / 2 })),
		);
		const at = (f: number): [number, number] => [BASE + (f * P) / 2, 1];
		const traces = [ran(at(0), at(1), at(2), at(3)), ran(at(0), at(2), at(4)), ran(at(5))].map((trace) => layTrace(trace, layout));
		const hot = hotCode(layout, layout.regions[0]!, traces);
		expect(classMembers(hot)).toEqual([[0, 2], [1, 3], [4], [5]]);
		expect(hot.classes).toEqual([
			{ traces: [0, 1], weight: 2 },
			{ traces: [0], weight: 1 },
			{ traces: [1], weight: 1 },
			{ traces: [2], weight: 1 },
		]);
		const { listed, classOrder } = orderByClass(hot, layout, (a, b) => a.pages < b.pages);
		expect([...listed].sort()).toEqual([0, 1, 2, 3, 4, 5]);
		// Of all 24 orders of the classes none needs fewer pages.
		const members = classMembers(hot);
		const permutations = (items: readonly number[]): number[][] =>
			items.length === 0 ? [[]] : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
		const least = Math.min(...permutations([0, 1, 2, 3]).map((order) => scoreOrder(hot, layout, Int32Array.from(order.flatMap((one) => members[one]!))).pages));
		expect(scoreOrder(hot, layout, listed).pages).toBe(least);
		expect([...classOrder].sort()).toEqual([0, 1, 2, 3]);
	});

	test('balanced partitioning lists everything that ran, functions of one run side by side', () => {
		const layout = handLayout(
			BASE,
			Array.from({ length: 8 }, (_, i) => ({ name: `f${i}`, size: 16 })),
		);
		const at = (f: number): [number, number] => [BASE + f * 16, 1];
		// Even ones run in one trace, odd ones in the other.
		const traces = [ran(at(0), at(2), at(4), at(6)), ran(at(1), at(3), at(5), at(7))].map((trace) => layTrace(trace, layout));
		const hot = hotCode(layout, layout.regions[0]!, traces);
		const listed = [...balancedPartitioning(hot)].map((one) => hot.sections[one]!);
		expect([...listed].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
		expect(new Set(listed.slice(0, 4).map((f) => f % 2)).size).toBe(1);
		expect(listed.slice(0, 4).every((f) => f % 2 === 0)).toBe(true);
	});

	test('a name that the section has alone, global before local', () => {
		const layout = handLayout(BASE, [
			{ name: 'twin', size: 16, aliases: ['own'] },
			{ name: 'twin', size: 16 },
			{ name: 'local', size: 16, isLocal: true },
			{ name: 'both', size: 16, aliases: ['both2'] },
		]);
		const { symbols } = optimizeOrder(layout, [layTrace(ran([BASE, 1], [BASE + 16, 1], [BASE + 32, 1], [BASE + 48, 1]), layout)], {
			method: 'first-execution',
			objective: 'pages',
		});
		expect(symbols).toEqual(['own', 'twin', 'local', 'both']);
		const named = { ...handLayout(BASE, [{ name: 'hidden', size: 16, aliases: ['shown'] }]), symbolIsLocal: Uint8Array.of(1, 0) };
		expect(optimizeOrder(named, [layTrace(ran([BASE, 1]), named)], { method: 'first-execution', objective: 'pages' }).symbols).toEqual(['shown']);
	});

	test('packing is tried where executed bytes are known: a hot head at the end of the page that the others fill', () => {
		const layout = handLayout(16 * W, [
			{ name: 'large', size: 2 * P, alignment: 64 },
			{ name: 'small', size: P - 64, alignment: 64 },
		]);
		const trace = layTrace(ran([16 * W, 64], [16 * W + 2 * P, 64], [16 * W + 3 * P - 128, 64]), layout);
		const pages = (method: 'pages' | 'classes', traces = [trace]) => {
			const { score, unitedScore, symbols } = optimizeOrder(layout, traces, { method, objective: 'pages' });
			return [unitedScore.pages, score.pages, symbols.join(' ')];
		};
		expect(pages('classes')).toEqual([2, 2, 'large small']);
		expect(pages('pages')).toEqual([2, 1, 'small large']);
		expect(pages('pages', [layTrace(called('large', 'small'), layout)])[2]).toBe('large small');
	});

	test('what never ran is listed first where it saves a window', () => {
		const layout = handLayout(16 * W - P, [
			{ name: 'a', size: P, alignment: 16 },
			{ name: 'b', size: P, alignment: 16 },
			{ name: 'cold', size: P, alignment: 16 },
		]);
		const start = 16 * W - P;
		const trace = layTrace(ran([start, 1], [start + P - 1, 1], [start + P, 1], [start + 2 * P - 1, 1]), layout);
		expect(optimizeOrder(layout, [trace], { method: 'pages', objective: 'pages' })).toMatchObject({
			symbols: ['cold', 'a', 'b'],
			fillers: 1,
			sections: 2,
			method: 'packed',
			score: { pages: 2, windows: 1 },
			unitedScore: { pages: 2, windows: 2 },
		});
	});
});
