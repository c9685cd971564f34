import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROWS, report } from '../../test/hot-report.js';
import { compareHot } from './compare-hot.js';
import type { HotReport, Region } from './hot-results.js';

/** A report of regions without text, by name and samples, hottest first. */
function regions(...rows: readonly (readonly [string, number])[]): HotReport {
	const whole = report(ROWS);
	const [first] = whole.regions as [Region];
	const total = rows.reduce((sum, [, samples]) => sum + samples, 0);
	return {
		...whole,
		attribution: { ...whole.attribution, counted: total },
		regions: rows.map(([method, samples], i) => ({ ...first, handle: `r${i + 1}`, heat: null, lines: [], library: 'app', method, samples })),
	};
}

const paired = (a: HotReport, b: HotReport): string[] => compareHot(a, b).map((pair) => `${pair.a?.handle ?? '-'} ${pair.b?.handle ?? '-'}`);

const lambda = (number: number, address: number): string => `app.Mix$$Lambda$${number}/0x${address.toString(16).padStart(16, '0')}.apply`;

describe('several lambdas of one class', () => {
	test('are paired by rank', () => {
		const a = regions([lambda(12, 0x1000), 100], [lambda(13, 0x2000), 50]);
		const b = regions([lambda(7, 0x3000), 90], [lambda(5, 0x4000), 60]);
		expect(paired(a, b).sort()).toEqual(['r1 r1', 'r2 r2']);
	});

	test('are paired by rank where the hotter ones have as many samples as the other side', () => {
		const a = regions([lambda(1, 0x1000), 50], [lambda(2, 0x2000), 40]);
		const b = regions([lambda(3, 0x3000), 100], [lambda(4, 0x4000), 50]);
		expect(paired(a, b).sort()).toEqual(['r1 r1', 'r2 r2']);
		expect(paired(b, a).sort()).toEqual(['r1 r1', 'r2 r2']);
	});

	test('none is lost: what has no partner appeared or vanished', () => {
		const a = regions([lambda(1, 0x1000), 100], [lambda(2, 0x2000), 50], ['app.Mix.run', 7]);
		const b = regions([lambda(9, 0x3000), 70]);
		expect(paired(a, b).sort()).toEqual(['r1 r1', 'r2 -', 'r3 -']);
		expect(paired(b, a).sort()).toEqual(['- r2', '- r3', 'r1 r1']);
	});

	test('of any numbers: each region once', () => {
		const rows = fc
			.array(fc.nat(100), { maxLength: 6 })
			.map((samples) => regions(...samples.sort((x, y) => y - x).map((count, i): [string, number] => [lambda(i, 16 * i), count])));
		fc.assert(
			fc.property(rows, rows, (a, b) => {
				const pairs = compareHot(a, b);
				expect(pairs.flatMap((pair) => pair.a?.handle ?? []).sort()).toEqual(a.regions.map(({ handle }) => handle));
				expect(pairs.flatMap((pair) => pair.b?.handle ?? []).sort()).toEqual(b.regions.map(({ handle }) => handle));
				expect(pairs.filter((pair) => pair.a !== null && pair.b !== null)).toHaveLength(Math.min(a.regions.length, b.regions.length));
				expect(pairs.every((pair) => pair.a === null || pair.b === null || pair.a.handle === pair.b.handle)).toBe(true);
			}),
		);
	});
});

test('lambdas of other classes, and methods of other names, are other code', () => {
	expect(paired(regions(['a.A$$Lambda$1/0x0000000800c03000.run', 9]), regions(['a.B$$Lambda$1/0x0000000800c03000.run', 9])).sort()).toEqual(['- r1', 'r1 -']);
});
