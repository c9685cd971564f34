import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilationTrees } from '../../test/arbitraries.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode } from '../model/optimization-tree.js';
import { createContextTree } from './context-tree.js';
import type { CompilationUnit } from './experiment.js';
import { createFragments } from './fragments.js';
import { type ContextNode, contextChildren, treeRows } from './results.js';

describe('the optimization-context tree', () => {
	test('loses no optimization, and shows one several times only at callsites with the same path', () => {
		fc.assert(
			fc.property(compilationTrees, (trees) => {
				const tree = createContextTree(trees);
				const places = new Map<Optimization, ContextNode[]>();
				for (const { node } of treeRows<ContextNode>(tree, contextChildren)) {
					for (const child of contextChildren(node)) {
						if (child.kind === 'context-optimization') {
							places.set(child.optimization, [...(places.get(child.optimization) ?? []), node]);
						}
					}
				}
				for (const optimization of optimizationsOf(trees.optimization)) {
					const found = places.get(optimization) ?? [];
					expect(found.length).toBeGreaterThan(0);
					expect(new Set(found).size).toBe(found.length);
					if (found.length > 1) {
						expect(found.every((node) => node.kind === 'callsite')).toBe(true);
					}
				}
			}),
		);
	});

	test('has exactly the callsites of the inlining tree', () => {
		fc.assert(
			fc.property(compilationTrees, (trees) => {
				const shown = [...treeRows<ContextNode>(createContextTree(trees), contextChildren)].flatMap(({ node }) =>
					node.kind === 'callsite' ? [node.node] : [],
				);
				const logged = [...treeRows(trees.inlining, (node) => node.children)].map(({ node }) => node);
				expect(new Set(shown)).toEqual(new Set(logged));
				expect(shown.length).toBe(logged.length);
			}),
		);
	});

	test('places an optimization as deep as its position leads', () => {
		fc.assert(
			fc.property(compilationTrees, (trees) => {
				for (const { node } of treeRows<ContextNode>(createContextTree(trees), contextChildren)) {
					for (const child of contextChildren(node)) {
						if (child.kind === 'context-optimization') {
							const deepest = longestMatch(trees.inlining, child.optimization);
							expect(node.kind === 'context-root' ? 0 : depthOf(trees.inlining, (node as { node: InliningNode }).node)).toBe(deepest);
						}
					}
				}
			}),
		);
	});
});

describe('fragments', () => {
	const unit = (trees: ReturnType<CompilationUnit['readTrees']>): CompilationUnit => ({
		experiment: 1,
		compileId: '7',
		methodName: 'A.a()',
		multiMethodKey: null,
		period: 1,
		fragment: null,
		sizeBytes: 1,
		readTrees: () => trees,
	});

	test('keep exactly the optimizations whose position leads through them', () => {
		fc.assert(
			fc.property(compilationTrees, (trees) => {
				let count = 0;
				for (const fragment of createFragments(
					unit(trees),
					() => true,
					() => ++count,
				)) {
					const path = fragment.fragment?.path ?? [];
					const kept = optimizationsOf(fragment.readTrees().optimization);
					const expected = optimizationsOf(trees.optimization).filter(({ position }) => {
						const { methodNames, bcis } = position;
						// The path element k levels below the root: method k from the end, called at the bytecode index before it.
						return (
							methodNames.length >= path.length &&
							path.every(({ methodName, bci }, k) => {
								const index = methodNames.length - 1 - k;
								const callsite = k === 0 ? -1 : bcis[index + 1]!;
								return methodNames[index] === methodName && (bci === -1 || callsite === -1 || bci === callsite);
							})
						);
					});
					expect(kept.map(({ name, event, properties }) => ({ name, event, properties }))).toEqual(
						expected.map(({ name, event, properties }) => ({ name, event, properties })),
					);
					expect(kept.map(({ position }) => position.bcis)).toEqual(
						expected.map(({ position }) => position.bcis.slice(0, position.bcis.length - path.length + 1)),
					);
				}
			}),
		);
	});

	test('there is one for each inlined callsite with a name, with its own subtree', () => {
		fc.assert(
			fc.property(compilationTrees, (trees) => {
				let count = 0;
				const fragments = createFragments(
					unit(trees),
					() => true,
					() => ++count,
				);
				const inlined = [...treeRows(trees.inlining, (node) => node.children)].filter(
					({ depth, node }) => depth > 0 && node.inlined && node.methodName !== null,
				);
				// A callsite below dispatched calls only has an empty path of its own: the root's.
				expect(fragments.map((fragment) => fragment.methodName)).toEqual(inlined.map(({ node }) => node.methodName));
				expect(fragments.map((fragment) => fragment.readTrees().inlining.children)).toEqual(inlined.map(({ node }) => node.children));
				expect(fragments.map((fragment) => fragment.compileId)).toEqual(inlined.map((_, index) => `7#${index + 1}`));
			}),
		);
	});
});

function optimizationsOf(root: OptimizationNode): Optimization[] {
	return root.kind === 'optimization' ? [root] : root.children.flatMap(optimizationsOf);
}

/** How many elements of its path lead from the root down, by plain recursion. */
function longestMatch(root: InliningNode, { position }: Optimization): number {
	const { methodNames, bcis } = position;
	const last = methodNames.length - 1;
	const walk = (node: InliningNode, k: number): number => {
		if (node.indirect) {
			return Math.max(0, ...node.children.map((child) => walk(child, k)));
		}
		const callsite = k === 0 ? -1 : bcis[last - k + 1]!;
		if (k > last || methodNames[last - k] !== node.methodName || (node.bci !== -1 && callsite !== -1 && node.bci !== callsite)) {
			return 0;
		}
		return 1 + Math.max(0, ...node.children.map((child) => walk(child, k + 1)));
	};
	return walk(root, 0);
}

/** Callsites from the root to the node, dispatched ones not counted. */
function depthOf(root: InliningNode, wanted: InliningNode): number {
	const walk = (node: InliningNode, depth: number): number => {
		const own = depth + (node.indirect ? 0 : 1);
		return node === wanted ? own : Math.max(-1, ...node.children.map((child) => walk(child, own)));
	};
	return walk(root, 0);
}
