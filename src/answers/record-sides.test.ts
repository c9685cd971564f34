/** Sides that are recorded in turns: the order of runs, when it ends, how sure that is. */
import { describe, expect, test } from 'vitest';
import { otherSplits } from '../statistics/splits.js';
import { type RecordedSides, recordSides } from './record-sides.js';

/** `ranks`: what the test says after so many runs a side. */
async function recorded(
	runs: number,
	ranks: Readonly<Record<number, number>>,
	confirm = true,
): Promise<RecordedSides & { readonly order: string; readonly looks: readonly number[] }> {
	const order: string[] = [];
	const looks: number[] = [];
	const sides = await recordSides({
		runs,
		confirm,
		record: async (side, run) => {
			order.push(`${side}${run}`);
			return `${side}${run}`;
		},
		test: async (a, b) => {
			looks.push(a.length);
			const rank = ranks[a.length] ?? 5;
			return { verdict: rank === 1 ? 'changed' : 'within chance', rank, splits: otherSplits(a.length, b.length).total };
		},
	});
	return { ...sides, order: order.join(' '), looks };
}

describe('sides in turns', () => {
	test('the first of a pair changes', async () => {
		expect((await recorded(3, {})).order).toBe('a1 b1 b2 a2 a3 b3');
	});

	test('three runs a side that do not differ are the end', async () => {
		expect(await recorded(3, {})).toMatchObject({ looks: [3], end: 'as asked', falseAlarms: 0.01 });
	});

	test('three that differ are confirmed by five, of which one in a hundred is chance', async () => {
		const sides = await recorded(3, { 3: 1 });
		expect(sides).toMatchObject({ end: 'confirmed', level: 0.01, falseAlarms: 0.01, looks: [3] });
		expect([sides.a.length, sides.b.length]).toEqual([5, 5]);
		expect(1 / otherSplits(5, 5).total).toBeLessThan(0.01);
	});

	test('so are three of which one other split differs as much', async () => {
		expect(await recorded(3, { 3: 2 })).toMatchObject({ end: 'confirmed', level: 0.01, looks: [3] });
		expect(await recorded(3, { 3: 3 })).toMatchObject({ end: 'as asked', looks: [3] });
	});

	test('without that, three are one in ten', async () => {
		expect(await recorded(3, { 3: 1 }, false)).toMatchObject({ end: 'as asked', falseAlarms: 0.1, a: ['a1', 'a2', 'a3'], looks: [] });
	});

	test('of many it ends early when it is clear, and each look is counted', async () => {
		const sides = await recorded(10, { 6: 1 });
		expect(sides).toMatchObject({ end: 'early', looks: [5, 6] });
		expect(sides.a).toHaveLength(6);
		expect(sides.falseAlarms).toBeCloseTo(1 / 126 + 1 / 462, 10);
		const all = await recorded(7, {});
		expect(all.looks).toEqual([5, 6]);
		expect(all.falseAlarms).toBeCloseTo(0.01 + 1 / 126 + 1 / 462, 10);
	});

	test('fewer than three call nothing', async () => {
		expect(await recorded(2, {})).toMatchObject({ falseAlarms: null, a: ['a1', 'a2'] });
	});
});
