/** The call tree of the samples, the one that is predicted of a profiler at safepoints, and those of other profilers, as one. */
import { type CallTree, CallTreeBuilder } from './call-tree.js';
import { isMethod } from './method-shares.js';
import type { ObservedProfile } from './observed.js';
import { predictedStacks, type StackInput } from './predicted-stacks.js';
import type { Walks } from './walks.js';

export interface BiasTree {
	/** `inlining`: the samples have no stacks, and of callers only those are known that a frame is inlined into. */
	readonly frames: 'stacks' | 'inlining';
	/** Columns: unbiased, predicted, then the profiles that have stacks. */
	readonly tree: CallTree;
	readonly distances: readonly { readonly a: string; readonly b: string; readonly totalVariation: number; readonly expectedFromSampling: number | null }[];
}

/** `counted`: samples in all. */
export function biasTree(input: StackInput, walks: Walks, counted: number, observed: ReadonlyMap<string, ObservedProfile>): BiasTree {
	const builder = new CallTreeBuilder();
	const unbiased = builder.profile('unbiased', counted);
	for (const { names, samples } of input.stacks) {
		builder.add(unbiased, names, samples);
	}
	const shown: { names: readonly string[]; amount: number }[] = [];
	if (walks.input.sampled.length > 0) {
		predictedStacks(input, walks, (names, amount) => {
			shown.push({ names, amount });
		});
	}
	const described = shown.filter(({ names }) => names.length > 0);
	const predicted = builder.profile('predicted', null);
	for (const { names, amount } of described) {
		builder.add(predicted, names.toReversed(), amount);
	}
	for (const [name, { stacks, counted: of }] of observed) {
		if (stacks === null) {
			continue;
		}
		// What other profiles have is laid on what these two know, not on each other.
		const whole = stacks().map(({ names, samples }) => ({ names: laid(names, input.hasStacks, builder), samples }));
		const profile = builder.profile(name, of);
		for (const { names, samples } of whole) {
			builder.add(profile, names, samples);
		}
	}
	const tree = builder.build();
	const uncounted = new Set([...observed].flatMap(([name, { isCounted }]) => (isCounted ? [] : [name])));
	const distances = tree.profiles.flatMap((a, i) =>
		tree.profiles.slice(i + 1).map((b, j) => {
			const distance = tree.distance(i, i + 1 + j);
			return { a, b, ...distance, expectedFromSampling: uncounted.has(a) || uncounted.has(b) ? null : distance.expectedFromSampling };
		}),
	);
	return { frames: input.hasStacks ? 'stacks' : 'inlining', tree, distances };
}

/** A stack as far as the tree knows its callers. */
function laid(names: readonly string[], hasStacks: boolean, builder: CallTreeBuilder): readonly string[] {
	const leaf = names.at(-1)!;
	if (!hasStacks && !isMethod(leaf)) {
		return [leaf];
	}
	const from = builder.beginning(names);
	return from >= 0 ? names.slice(from) : hasStacks ? names : [leaf];
}
