/** Totals over all compilations: by phase, and of those that ran at the same time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_DETAILS } from '../model/compiler-memory.js';
import { memoryAtOnce } from './memory-at-once.js';
import { phaseTotals } from './phase-totals.js';

function one(handle: string, totalBytes: number, startMs: number, endMs: number): Parameters<typeof memoryAtOnce>[0][number] {
	return { handle, totalBytes, span: { startMs, endMs } };
}

describe('at once', () => {
	test('what ends when another begins is not counted with it', () => {
		const most = memoryAtOnce([one('c1', 10, 0, 5), one('c2', 7, 5, 10), one('c3', 2, 4, 6), { handle: 'c4', totalBytes: 100 }]);
		expect(most).toMatchObject({ bytes: 12, ms: 4, handles: ['c1', 'c3'], compilations: 3, startMs: 0, endMs: 10 });
		expect(most?.parts).toHaveLength(50);
		expect(most?.parts[0]).toBe(10);
		expect(most?.parts[22]).toBe(12);
		expect(most?.parts[49]).toBe(7);
	});

	test('nothing tells when: there is nothing to say', () => {
		expect(memoryAtOnce([{ handle: 'c1', totalBytes: 5 }])).toBeNull();
	});

	test('the most is at least the largest peak and at most all together, and some part has it', () => {
		const spans = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 1000 })), { minLength: 1, maxLength: 30 });
		fc.assert(
			fc.property(spans, (list) => {
				const compilations = list.map(([bytes, start, length], i) => one(`c${i}`, bytes + 1, start, start + length));
				const most = memoryAtOnce(compilations);
				const sum = compilations.reduce((all, { totalBytes }) => all + totalBytes, 0);
				expect(most?.bytes).toBeGreaterThanOrEqual(Math.max(...compilations.map(({ totalBytes }) => totalBytes)));
				expect(most?.bytes).toBeLessThanOrEqual(sum);
				expect(Math.max(...(most?.parts ?? []))).toBe(most?.bytes);
				const then = compilations.filter(({ handle }) => most?.handles.includes(handle));
				expect(then.reduce((all, { totalBytes }) => all + totalBytes, 0)).toBe(most?.bytes);
			}),
		);
	});
});

describe('by phase', () => {
	const row = (totalBytes: number, phases: Record<string, number> | null): Parameters<typeof phaseTotals>[0][number] => ({
		totalBytes,
		details: () => NO_DETAILS,
		...(phases === null ? {} : { byPhase: { phases: Object.keys(phases), bytes: Object.values(phases) } }),
	});

	test('sums are those of all peaks', () => {
		expect(phaseTotals([row(10, { parse: 4, output: 6 }), row(5, { parse: 5 }), row(3, null)])).toEqual([
			{ phase: 'parse', bytes: 9 },
			{ phase: 'output', bytes: 6 },
			{ phase: null, bytes: 3 },
		]);
	});

	test('without any table there are none', () => {
		expect(phaseTotals([row(3, null), row(4, null)])).toEqual([]);
	});
});
