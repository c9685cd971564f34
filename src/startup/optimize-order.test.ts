/** Orders for the recorded runs of sqlite, counted as the linked programs were; and orders of programs made up by a generator. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource, type Source } from '../bytes/source.js';
import { readInstructionList } from '../formats/executed-instructions/read.js';
import { readFunctionList } from '../formats/function-list/read.js';
import { readNmListing } from '../formats/nm-listing/read.js';
import { readSymbolOrder } from '../formats/order-file/read.js';
import { inferLayout } from './infer-layout.js';
import { optimizeOrder } from './optimize-order.js';
import { countPages } from './page-counts.js';
import { placeOrder } from './place-order.js';
import type { OptimizeMethod, OptimizeObjective } from './results.js';
import { withStartUpCode } from './start-up-code.js';
import { carryTrace, type LaidTrace, layTrace } from './trace-on-layout.js';

const fixtures = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'orderfile');
const open = (name: string): Source => {
	const bytes = fs.readFileSync(path.join(fixtures, name));
	return memorySource(name, name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
};

const base = inferLayout(readNmListing(open('symtab/base.nm.txt.gz')).table, 'base');
const workloads = ['startup', 'workload_a', 'workload_b'];
const executed = workloads.map((name) =>
	layTrace({ name, weight: 1, instructions: readInstructionList(open(`groundtruth/${name}.exec_insns.txt.gz`)).instructions, functions: null }, base),
);
const firstExecutions = workloads.map((name) =>
	layTrace({ name, weight: 1, instructions: null, functions: readFunctionList(open(`groundtruth/${name}.firstexec.txt`)).rows }, base),
);
const decoded = workloads.map((name) =>
	layTrace({ name, weight: 1, instructions: null, functions: readFunctionList(open(`orderfile/${name}.decoded.txt.gz`)).rows }, base),
);

function counted(symbols: readonly string[], traces: readonly LaidTrace[] = executed): { pages: number; windows: number } {
	const placed = placeOrder(base, symbols, 'order');
	const counts = traces.map((trace) => countPages(placed, carryTrace(trace, base, placed)).counts);
	return { pages: counts.reduce((sum, { execPages }) => sum + (execPages ?? 0), 0), windows: counts.reduce((sum, { windows64k }) => sum + windows64k, 0) };
}

const united = counted([...new Set(firstExecutions.flatMap(({ functions }) => Array.from(functions, (f) => base.functionNames[f]!)))]);

describe('sqlite', () => {
	test.each<[OptimizeObjective]>([['pages'], ['windows']])('three runs with executed instructions, by %s', (objective) => {
		const order = optimizeOrder(base, executed, { method: 'pages', objective });
		const { pages, windows } = counted(order.symbols);
		expect({ pages, windows }).toEqual(order.score);
		expect(pages).toBeLessThanOrEqual(248);
		expect(windows).toBeLessThanOrEqual(21);
		expect(united).toEqual(order.unitedScore);
	});

	test('first executions alone, whole or as clang recorded them', () => {
		for (const traces of [firstExecutions, decoded]) {
			const completed = withStartUpCode(traces, base);
			const order = optimizeOrder(base, completed.traces, { method: 'pages', objective: 'pages' });
			expect(counted(order.symbols).pages).toBeLessThanOrEqual(262);
			expect(completed.added).toEqual(traces === decoded ? ['_start', 'frame_dummy'] : []);
		}
	});

	test('one run', () => {
		for (const [traces, most] of [
			[executed, 38],
			[firstExecutions, 42],
		] as const) {
			const order = optimizeOrder(base, traces.slice(0, 1), { method: 'pages', objective: 'pages' });
			expect(counted(order.symbols, executed.slice(0, 1)).pages).toBeLessThanOrEqual(most);
		}
	});

	test('runs that were not traced touch about as few pages as in the order of first execution', () => {
		for (const left of [0, 1, 2]) {
			const traced = executed.filter((_trace, i) => i !== left);
			const other = executed.filter((_trace, i) => i === left);
			const order = optimizeOrder(base, traced, { method: 'pages', objective: 'pages' });
			const plain = optimizeOrder(base, traced, { method: 'first-execution', objective: 'pages' });
			expect(counted(order.symbols, other).pages).toBeLessThanOrEqual(counted(plain.symbols, other).pages + 1);
			expect(counted(order.symbols, traced).pages).toBeLessThanOrEqual(counted(plain.symbols, traced).pages);
		}
	});

	test('an order that does not serve the runs that are left out is not taken', () => {
		const two = executed.slice(0, 2);
		const options = { method: 'pages', objective: 'pages' } as const;
		const kept = optimizeOrder(base, two, options);
		expect(kept).toMatchObject({ method: 'first execution', score: kept.unitedScore });
		expect(kept.refused).toBeGreaterThan(0);
		expect(kept.refused).toBeLessThan(kept.tried);
		expect(optimizeOrder(base, two.slice(0, 1), options)).toMatchObject({ method: 'packed', refused: 0 });
		expect(optimizeOrder(base, executed, options).method).toBe('packed');
	});

	test.each<[OptimizeMethod, number]>([
		['classes', 260],
		['bp', 264],
		['first-execution', 262],
	])('method %s', (method, most) => {
		const order = optimizeOrder(base, executed, { method, objective: 'pages' });
		expect(counted(order.symbols).pages).toBeLessThanOrEqual(most);
		expect(order.fillers).toBe(0);
		expect(order.symbols).toHaveLength(order.sections);
	});

	test('weights', () => {
		const weighted = executed.map((trace, i) => ({ ...trace, weight: i === 0 ? 5 : 1 }));
		const order = optimizeOrder(base, weighted, { method: 'pages', objective: 'pages' });
		expect(counted(order.symbols, executed.slice(0, 1)).pages).toBeLessThanOrEqual(37);
		expect(order.score.pages).toBeLessThanOrEqual(395);
	});

	test('the fixtures can be told apart from it', () => {
		expect(counted(readSymbolOrder(open('orders/orderfile_union3.txt')).order.names)).toEqual({ pages: 265, windows: 23 });
	});
});

/** Programs as listings of nm, with functions of all sizes and names that come twice. */
const program = fc
	.record({ sizes: fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 60 }), alignment: fc.constantFrom(1, 4, 16, 32), twins: fc.nat(3) })
	.map(({ sizes, alignment, twins }) => {
		let position = 0x401040;
		const lines = sizes.map((size, i) => {
			position = Math.ceil(position / alignment) * alignment;
			const line = `${position.toString(16).padStart(16, '0')} ${size.toString(16).padStart(16, '0')} t ${i < twins ? 'twin' : `f${i}`}`;
			position += size;
			return line;
		});
		return inferLayout(readNmListing(memorySource('nm', Buffer.from(lines.join('\n')))).table, 'program');
	});

const runs = fc.array(fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 40 }), {
	minLength: 1,
	maxLength: 9,
});

test('any program: what ran is listed once, and the score is that of the placed program', () => {
	fc.assert(
		fc.property(
			program,
			runs,
			fc.constantFrom<OptimizeMethod>('pages', 'classes', 'bp'),
			fc.constantFrom<OptimizeObjective>('pages', 'windows'),
			(layout, run, method, objective) => {
				const traces = run.map((instructions, i) => {
					const addresses = instructions.map(([f, offset]) => {
						const section = f % layout.sectionStarts.length;
						return layout.sectionStarts[section]! + (offset % layout.sectionSizes[section]!);
					});
					const distinct = [...new Set(addresses)];
					return layTrace(
						{
							name: `${i}`,
							weight: 1 + (i % 3),
							instructions: { addresses: Float64Array.from(distinct), sizes: new Uint8Array(distinct.length).fill(1) },
							functions: null,
						},
						layout,
					);
				});
				const order = optimizeOrder(layout, traces, { method, objective });
				expect(new Set(order.symbols).size).toBe(order.symbols.length);
				const ran = new Set(traces.flatMap(({ functions }) => Array.from(functions, (f) => layout.functionNames[f]!)));
				expect(new Set(order.symbols)).toEqual(new Set([...order.symbols, ...ran]));
				if (!layout.symbolNames.includes('twin')) {
					const placed = placeOrder(layout, order.symbols, 'order');
					const counts = traces.map((trace) => ({ weight: trace.weight, counts: countPages(placed, trace).counts }));
					expect(counts.reduce((sum, { weight, counts: { execPages } }) => sum + weight * (execPages ?? 0), 0)).toBe(order.score.pages);
					expect(counts.reduce((sum, { weight, counts: { windows64k } }) => sum + weight * windows64k, 0)).toBe(order.score.windows);
				}
				if (method !== 'bp' && objective === 'pages') {
					expect(order.score.windows).toBeLessThanOrEqual(order.unitedScore.windows);
					expect(order.score.pages).toBeLessThanOrEqual(order.unitedScore.pages + 0.3 * order.unitedScore.windows);
				}
			},
		),
		{ numRuns: 60 },
	);
});
