/** Call trees of profiles laid over each other: sums of a few stacks. */
import { expect, test } from 'vitest';
import { CallTreeBuilder } from './call-tree.js';

/** Stacks as `outermost inner`, with their samples, of profiles with that total. */
type Given = readonly [total: number | null, stacks: Readonly<Record<string, number>>];

function built(...profiles: readonly Given[]) {
	const builder = new CallTreeBuilder();
	profiles.forEach(([total, stacks], i) => {
		const number = builder.profile(`p${i}`, total);
		for (const [names, amount] of Object.entries(stacks)) {
			builder.add(number, names.split(' '), amount);
		}
	});
	return builder;
}

const nodes = (...profiles: readonly Given[]) =>
	built(...profiles)
		.build()
		.nodes.map(({ depth, method, percent, selfPercent }) => `${depth} ${method} ${percent.join(' ')} / ${selfPercent.join(' ')}`);

test('each node with what it calls, and alone, in percent of its own profile', () => {
	expect(nodes([null, { a: 1, 'a b': 2, 'a b c': 1 }])).toEqual(['0 a 100 / 25', '1 b 75 / 50', '2 c 25 / 25']);
	expect(nodes([8, { a: 1, 'a b': 2, 'a b c': 1 }])).toEqual(['0 a 50 / 12.5', '1 b 37.5 / 25', '2 c 12.5 / 12.5']);
	expect(nodes([null, { a: 1, 'a b': 3 }], [null, { 'a c': 5 }])).toEqual(['0 a 100 100 / 25 0', '1 c 0 100 / 0 100', '1 b 75 0 / 75 0']);
	expect(nodes([null, {}], [null, { a: 1 }])).toEqual(['0 a 0 100 / 0 100']);
	expect(nodes([0, { a: 1 }])).toEqual([]);
	// The same name at two places is two nodes.
	expect(nodes([null, { 'a b': 1, b: 3 }])).toEqual(['0 b 75 / 75', '0 a 25 / 0', '1 b 25 / 25']);
});

test('the largest in any profile first, equal ones by name', () => {
	expect(nodes([10, { b: 2, c: 2, a: 1, d: 5 }]).map((text) => text[2])).toEqual(['d', 'b', 'c', 'a']);
	expect(nodes([10, { a: 4, b: 1 }], [10, { a: 1, b: 5 }]).map((text) => text[2])).toEqual(['b', 'a']);
});

test('a ten-thousandth of any profile is shown, less is not', () => {
	expect(nodes([10_000, { a: 1, b: 0.99 }], [10_000, { b: 0.5 }]).map((text) => text[2])).toEqual(['a']);
	expect(nodes([10_000, { a: 0.5 }], [10_000, { a: 1 }]).map((text) => text[2])).toEqual(['a']);
});

test('distances are of whole stacks that end in a method', () => {
	const distance = (a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) =>
		built([null, a], [null, b]).build().distance(0, 1).totalVariation;
	expect(distance({ 'a b': 3, c: 1 }, { 'a b': 3, c: 1 })).toBe(0);
	expect(distance({ 'a b': 3, c: 1 }, { 'a b': 1, c: 1 })).toBe(0.25);
	expect(distance({ 'a b': 1 }, { 'c b': 1 })).toBe(1);
	expect(distance({ a: 1 }, { 'a b': 1 })).toBe(1);
	expect(distance({ a: 1, '(native)': 7 }, { a: 4, 'a (kernel)': 9 })).toBe(0);
});

test('where a stack that knows more callers begins', () => {
	const tree = built([null, { 'a b c': 1, b: 1 }]);
	expect(['a b c', 'a b', 'main a b', 'x b', 'x a c', 'x', 'c'].map((names) => tree.beginning(names.split(' ')))).toEqual([0, 0, 1, 1, -1, -1, -1]);
});
