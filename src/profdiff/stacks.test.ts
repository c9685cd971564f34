/** Shares of methods in two profiles: each sample once for a method, also where it calls itself. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StackedSamples } from '../model/stacked-samples.js';
import { compareStacks } from './stacks.js';

/** Methods by name; each sample is the node of its innermost frame. */
function profile(nodes: readonly (readonly [method: string, parent: number])[], samples: readonly number[]): StackedSamples {
	const names = [...new Set(nodes.map(([method]) => method))];
	return {
		length: samples.length,
		node: Int32Array.from(samples),
		nodeFrame: Int32Array.from(nodes, ([method]) => names.indexOf(method)),
		nodeParent: Int32Array.from(nodes, ([, parent]) => parent),
		frames: names.map((name) => ({ name })),
		periods: null,
	} as unknown as StackedSamples;
}

const NONE = profile([], []);
const totals = (stacks: StackedSamples) => new Map(compareStacks(NONE, stacks).map(({ method, b }) => [method, b]));

test('a method that calls itself has each sample once', () => {
	const stacks = profile(
		[
			['main', -1],
			['f', 0],
			['g', 1],
			['f', 2],
			['f', -1],
		],
		[0, 1, 2, 3, 3, 4],
	);
	expect(Object.fromEntries(totals(stacks))).toEqual({ main: { own: 1, total: 5 }, f: { own: 4, total: 5 }, g: { own: 1, total: 3 } });
});

test('however deep the recursion is', () => {
	const depth = 300_000;
	const stacks = profile(
		Array.from({ length: depth }, (_, i) => [i % 2 === 0 ? 'even' : 'odd', i - 1] as const),
		[depth - 1],
	);
	expect(Object.fromEntries(totals(stacks))).toEqual({ even: { own: 0, total: 1 }, odd: { own: 1, total: 1 } });
});

test('the same as asking each sample for the methods on its stack', () => {
	const node = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20));
	fc.assert(
		fc.property(fc.array(node, { minLength: 1, maxLength: 20 }), fc.array(fc.nat(19), { maxLength: 12 }), (drawn, picked) => {
			const nodes = drawn.map(([method, parent], i) => [method, (parent % (i + 1)) - 1] as const);
			const samples = picked.map((at) => at % nodes.length);
			const expected = new Map<string, { own: number; total: number }>(nodes.map(([method]) => [method, { own: 0, total: 0 }]));
			for (const sample of samples) {
				const onStack = new Set<string>();
				for (let at = sample; at >= 0; at = nodes[at]![1]) {
					onStack.add(nodes[at]![0]);
				}
				expected.get(nodes[sample]![0])!.own++;
				for (const method of onStack) {
					expected.get(method)!.total++;
				}
			}
			expect(totals(profile(nodes, samples))).toEqual(expected);
		}),
	);
});
