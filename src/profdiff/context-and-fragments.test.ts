import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilationTrees } from '../../test/arbitraries.js';
import { inliningNode, optimization, phase } from '../../test/experiments.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode } from '../model/optimization-tree.js';
import { createContextTree } from './context-tree.js';
import type { CompilationUnit } from './experiment.js';
import { createFragments } from './fragments.js';
import { type ContextNode, contextChildren, treeRows } from './results.js';

describe('the optimization-context tree', () => {
	const call = (bci: number, methodName: string, more: Partial<InliningNode> = {}): InliningNode => inliningNode({ bci, methodName, ...more });
	const inlined = (bci: number, methodName: string, ...children: InliningNode[]) => call(bci, methodName, { inlined: true, children });
	const made = (name: string, ...place: readonly (readonly [string, number])[]) =>
		optimization({ name, position: { methodNames: place.map(([method]) => method), bcis: place.map(([, bci]) => bci) } });
	const rows = (inlining: InliningNode, ...optimizations: OptimizationNode[]) =>
		[...treeRows<ContextNode>(createContextTree({ inlining, optimization: phase('RootPhase', ...optimizations) }), contextChildren)].map(({ depth, node }) => {
			switch (node.kind) {
				case 'callsite':
					return `${depth} ${node.node.bci} ${node.node.methodName} ${node.callsiteKind}`;
				case 'context-optimization':
					return `${depth} ${node.optimization.name} at ${node.bci}`;
				default:
					return `${depth} ${node.kind === 'info' ? node.text : node.kind}`;
			}
		});

	test('has each optimization where its position leads, before the calls, both in their order', () => {
		expect(
			rows(
				inlined(-1, 'M.m()', call(9, 'Z.z()'), inlined(1, 'X.x()', call(2, 'Y.y()')), inlined(1, 'A.a()')),
				phase('P', made('Unroll', ['M.m()', 7]), phase('Q', made('Peel', ['X.x()', 5], ['M.m()', 1]))),
				made('Fold', ['M.m()', 3]),
				made('Fold', ['M.m()', 2]),
				made('Deep', ['Q.q()', 8], ['X.x()', 5], ['M.m()', 1]),
				made('Nowhere'),
				made('Foreign', ['N.n()', 4]),
			),
		).toEqual([
			'0 context-root',
			'1 Foreign at 4',
			'1 Nowhere at null',
			'1 -1 M.m() root',
			'2 Fold at 2',
			'2 Fold at 3',
			'2 Unroll at 7',
			'2 1 A.a() inlined',
			'2 1 X.x() inlined',
			'3 Deep at 5',
			'3 Peel at 5',
			'3 2 Y.y() direct',
			'2 9 Z.z() direct',
		]);
	});

	test('a call that was dispatched is no step; an unknown index fits any', () => {
		const dispatched = call(1, 'I.i()', { indirect: true, alive: false, children: [inlined(1, 'X.x()'), inlined(1, 'Y.y()')] });
		expect(
			rows(
				inlined(-1, 'M.m()', dispatched),
				made('Peel', ['Y.y()', 5], ['M.m()', 1]),
				made('Unroll', ['X.x()', 6], ['M.m()', -1]),
				made('Fold', ['I.i()', 7], ['M.m()', 1]),
			),
		).toEqual([
			'0 context-root',
			'1 -1 M.m() root',
			'2 Fold at 1',
			'2 1 I.i() devirtualized',
			'3 1 X.x() inlined',
			'4 Unroll at 6',
			'3 1 Y.y() inlined',
			'4 Peel at 5',
		]);
	});

	test('calls with the same path have the optimizations of both, and a remark; where nothing is inlined there is none', () => {
		expect(rows(inlined(-1, 'M.m()', inlined(1, 'X.x()'), inlined(1, 'X.x()'), call(2, 'X.x()')), made('Peel', ['X.x()', 5], ['M.m()', 1]))).toEqual([
			'0 context-root',
			'1 -1 M.m() root',
			'2 1 X.x() inlined',
			'3 duplicate-path',
			'3 Peel at 5',
			'2 1 X.x() inlined',
			'3 duplicate-path',
			'3 Peel at 5',
			'2 2 X.x() direct',
		]);
		expect(rows(inlined(-1, 'M.m()', call(1, 'X.x()'), call(1, 'X.x()')))).not.toContain('3 duplicate-path');
	});

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
				for (const one of optimizationsOf(trees.optimization)) {
					const found = places.get(one) ?? [];
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
