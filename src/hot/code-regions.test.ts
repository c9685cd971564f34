import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assemble, INSTRUCTION_BYTES } from '../../test/assemble.js';
import { completeInstructions } from '../formats/shared/hotspot/instruction-comments.js';
import { jumpsInside, regionsByControlFlow, regionsByDistance } from './code-regions.js';
import { linesIn } from './line-ranges.js';

const LINES = ['push %rbp', 'inc %ebx', 'dec %eax', 'jne @2', 'dec %ecx', 'jne @1', 'mov %eax,%ebx', 'je @10', 'nop', 'nop', 'ret'];

function weights(of: Record<number, number>, length = LINES.length): Float64Array {
	return Float64Array.from({ length }, (_, i) => of[i] ?? 0);
}

describe('by control flow', () => {
	test('each loop without its inner loops, and runs of what is outside', () => {
		const regions = regionsByControlFlow(assemble(LINES), weights({ 0: 1, 2: 50, 4: 5, 6: 2, 10: 3 }), 32);
		expect(regions.map(({ ranges, weight, loop }) => [linesIn(ranges), weight, loop?.depth ?? 0])).toEqual([
			[[0], 1, 0],
			[[6, 7, 8, 9, 10], 5, 0],
			[[1, 4, 5], 5, 1],
			[[2, 3], 50, 2],
		]);
		expect(regions[3]?.loop).toEqual({ depth: 2, instructions: 2, header: 2, backEdge: 3, hasPoll: false, outerHeader: 1 });
		expect(regions[2]?.loop).toMatchObject({ instructions: 5, header: 1, backEdge: 5, outerHeader: -1 });
	});

	test('a wide gap parts what is outside of loops', () => {
		const regions = regionsByControlFlow(assemble(LINES), weights({ 6: 2, 10: 3 }), 2 * INSTRUCTION_BYTES - 1);
		expect(regions.map(({ ranges }) => linesIn(ranges))).toEqual([[6, 7], [10]]);
	});

	test('a poll of the loop itself, not of an inner one', () => {
		const code = assemble(LINES);
		const comments = code.comments.map((_, i) => (i === 2 ? ['{poll}'] : []));
		const regions = regionsByControlFlow(completeInstructions({ ...code, comments }), weights({ 2: 1, 4: 1 }), 32);
		expect(regions.map(({ loop }) => loop?.hasPoll)).toEqual([false, true]);
	});
});

describe('by distance', () => {
	test('one instruction is a region; the gap is between sampled addresses', () => {
		const at = (gap: number): unknown =>
			regionsByDistance(assemble(LINES), weights({ 0: 1, 3: 2, 9: 4 }), gap).map(({ ranges, weight }) => [linesIn(ranges), weight]);
		expect(at(12)).toEqual([
			[[0, 1, 2, 3], 3],
			[[9], 4],
		]);
		expect(at(11)).toEqual([
			[[0], 1],
			[[3], 2],
			[[9], 4],
		]);
		expect(at(24)).toEqual([[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 7]]);
	});
});

test('jumps inside of a region, by position', () => {
	expect(jumpsInside(assemble([...LINES, 'call @2']), [1, 2, 3, 5, 7, 11])).toEqual([
		[2, 1],
		[3, 0],
	]);
});

test('any code and weights: every instruction with weight is in exactly one region, and the weights add up', () => {
	const line = fc.oneof(
		fc.constantFrom('nop', 'ret', '…', 'call @0'),
		fc.integer({ min: 0, max: 12 }).map((to) => `jne @${to}`),
	);
	fc.assert(
		fc.property(fc.array(fc.tuple(line, fc.integer({ min: 0, max: 2 })), { maxLength: 12 }), fc.integer({ min: 0, max: 20 }), (drafts, gap) => {
			const code = assemble(drafts.map(([text]) => text));
			const seen = Float64Array.from(drafts.filter(([text]) => text !== '…').map(([, weight]) => weight));
			const heavy = [...seen.keys()].filter((i) => seen[i]! > 0);
			for (const regions of [regionsByControlFlow(code, seen, gap), regionsByDistance(code, seen, gap)]) {
				const inRegions = regions.flatMap(({ ranges }) => linesIn(ranges));
				expect(new Set(inRegions).size).toBe(inRegions.length);
				expect(heavy.every((i) => inRegions.includes(i))).toBe(true);
				for (const { ranges, weight } of regions) {
					const instructions = linesIn(ranges);
					expect(weight).toBe(instructions.reduce((sum, i) => sum + seen[i]!, 0));
					expect(weight).toBeGreaterThan(0);
					expect(instructions).toEqual([...instructions].sort((a, b) => a - b));
				}
			}
		}),
	);
});
