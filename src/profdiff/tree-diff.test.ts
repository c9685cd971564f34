import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inliningTree, optimizationTree } from '../../test/arbitraries.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { OptimizationNode } from '../model/optimization-tree.js';
import { inliningPolicy, OPTIMIZATION_POLICY } from './policies.js';
import { pruneIdentities } from './prune-identities.js';
import { type DeltaNode, deltaLines } from './results.js';
import { countNodes, type DiffPolicy, diffTrees, FORCED_PAIR_COST } from './tree-diff.js';

interface Tree {
	/** Equal labels are equal nodes; `a1` and `a2` may be relabelled into each other. */
	readonly label: string;
	readonly children: readonly Tree[];
}

const POLICY: DiffPolicy<Tree> = {
	children: (node) => node.children,
	identity: (node) => node.label,
	relabelIdentity: (node) => (node.label.startsWith('p') ? null : node.label[0]!),
};

function tree(maxChildren: number): fc.Arbitrary<Tree> {
	return fc.letrec<{ tree: Tree }>((tie) => ({
		tree: fc.record({
			label: fc.constantFrom('a1', 'a2', 'b1', 'p1', 'p2'),
			children: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant([]), fc.array(tie('tree'), { maxLength: maxChildren })),
		}),
	})).tree;
}

describe('the difference of two trees', () => {
	test('of a tree and itself is nothing', () => {
		fc.assert(
			fc.property(tree(4), (one) => {
				const { root, cost } = diffTrees(one, structuredClone(one), POLICY);
				expect(cost).toBe(0);
				expect(pruneIdentities(root)).toBeNull();
			}),
		);
	});

	test('applied to the left tree gives the right one', () => {
		fc.assert(
			fc.property(tree(4), tree(4), (left, right) => {
				const { root } = diffTrees(left, right, POLICY);
				expect(side(root, 'right')).toEqual(right);
				expect(side(root, 'left')).toEqual(left);
			}),
		);
	});

	test('costs what its operations cost', () => {
		fc.assert(
			fc.property(tree(4), tree(4), (left, right) => {
				const { root, cost } = diffTrees(left, right, POLICY);
				let sum = 0;
				for (const line of deltaLines(root, POLICY.children)) {
					sum +=
						line.operation === 'identity'
							? 0
							: line.operation === 'relabel' && line.left !== null && line.right !== null
								? relabelCost(line.left, line.right)
								: 1;
				}
				expect(cost).toBe(sum);
			}),
		);
	});

	test('costs as little as the best of all matchings', () => {
		fc.assert(
			fc.property(tree(3), tree(3), (left, right) => {
				fc.pre(countNodes(left, POLICY.children) + countNodes(right, POLICY.children) <= 16);
				expect(diffTrees(left, right, POLICY).cost).toBe(bruteForceCost(left, right));
			}),
			{ numRuns: 500 },
		);
	});

	test('is the same whether costs of pairs are kept or computed again', () => {
		// Large enough that pairs of subtrees are kept, small enough for the plain recursion.
		const wide = (labels: string): Tree => ({
			label: 'a1',
			children: [...labels].map((letter) => ({
				label: 'b1',
				children: [...labels].map((other) => ({ label: letter + (other === letter ? '1' : '2'), children: [{ label: other, children: [] }] })),
			})),
		});
		const left = wide('abcabcabca');
		const right = wide('abccbabcab');
		expect(diffTrees(left, right, POLICY).cost).toBe(memoizedCost(left, right));
	});

	test('holds for the trees of compilers', () => {
		fc.assert(
			fc.property(inliningTree, inliningTree, (left, right) => {
				const { root } = diffTrees(left, right, inliningPolicy(left, right));
				expect(side(root, 'right')).toEqual(right);
				const same = structuredClone(left);
				expect(pruneIdentities(diffTrees(left, same, inliningPolicy(left, same)).root)).toBeNull();
			}),
		);
		fc.assert(
			fc.property(optimizationTree, optimizationTree, (left, right) => {
				expect(side(diffTrees<OptimizationNode>(left, right, OPTIMIZATION_POLICY).root, 'right')).toEqual(right);
				expect(pruneIdentities(diffTrees<OptimizationNode>(left, structuredClone(left), OPTIMIZATION_POLICY).root)).toBeNull();
			}),
		);
	});

	/** `a1(b1 c1(d1))`: a label, and its children. */
	function parse(text: string): Tree {
		const open: { label: string; children: Tree[] }[] = [{ label: '', children: [] }];
		for (const [token] of text.matchAll(/\w+|[()]/g)) {
			if (token === '(') {
				open.push(open.at(-1)!.children.at(-1) as { label: string; children: Tree[] });
			} else if (token === ')') {
				open.pop();
			} else {
				open.at(-1)!.children.push({ label: token, children: [] });
			}
		}
		return open[0]!.children[0]!;
	}
	const write = ({ label, children }: Tree): string => (children.length === 0 ? label : `${label}(${children.map(write).join(' ')})`);
	function script({ operation, left, right, children }: DeltaNode<Tree>): string {
		const inner = children.length === 0 ? '' : `(${children.map(script).join(' ')})`;
		const [from, to] = [left, right].map((node) => (node === null ? '' : left === null || right === null ? write(node) : node.label));
		return operation === 'insert' ? `+${to}` : operation === 'delete' ? `-${from}` : `${operation === 'identity' ? from : `${from}~${to}`}${inner}`;
	}

	test.each([
		// The same, whatever is below.
		['a1(b1(c1) p1)', 'a1(b1(c1) p1)', 'a1(b1(c1) p1)', 0],
		// One node went, came, or became another.
		['a1(b1 c1 d1)', 'a1(b1 d1)', 'a1(b1 -c1 d1)', 1],
		['a1(b1 d1)', 'a1(b1 c1 d1)', 'a1(b1 +c1 d1)', 1],
		['a1(b1 c1 d1)', 'a1(b1 c2 d1)', 'a1(b1 c1~c2 d1)', 1],
		['a1(b1 p1 d1)', 'a1(b1 p2 d1)', 'a1(b1 -p1 +p2 d1)', 2],
		// A whole subtree counts by its nodes.
		['a1(b1(x1 y1(z1)) c1)', 'a1(c1)', 'a1(-b1(x1 y1(z1)) c1)', 4],
		['a1(c1)', 'a1(c1 b1(x1 y1(z1)))', 'a1(c1 +b1(x1 y1(z1)))', 4],
		// Deep below.
		['a1(b1(c1(d1 e1)))', 'a1(b1(c1(d1 e1 f1)))', 'a1(b1(c1(d1 e1 +f1)))', 1],
		['a1(b1(c1(d1 e1)))', 'a1(b1(c2(d1 e2)))', 'a1(b1(c1~c2(d1 e1~e2)))', 2],
		// A pair with much below it, or another one: the cheaper one.
		['a1(b1(x1 y1 z1) b1(u1))', 'a1(b1(u1))', 'a1(-b1(x1 y1 z1) b1(u1))', 4],
		['a1(b1(x1 y1 z1) b2(u1))', 'a1(b2(x1 y1 z1))', 'a1(b1~b2(x1 y1 z1) -b2(u1))', 3],
		['a1(b1(x1 y1 z1))', 'a1(b1(u1) b1(x1 y1 z2))', 'a1(+b1(u1) b1(x1 y1 z1~z2))', 3],
		// To pair costs as much as to delete and to insert: the two are taken.
		['a1(b1(p1))', 'a1(b2(p2 p2))', 'a1(b1~b2(-p1 +p2 +p2))', 4],
		['a1(b1(p1 p1))', 'a1(b2(p2 p2))', 'a1(b1~b2(-p1 -p1 +p2 +p2))', 5],
		['a1(p1(x1))', 'a1(p2(x1))', 'a1(-p1(x1) +p2(x1))', 4],
		// Children may change their order only by going and coming.
		['a1(b1 c1)', 'a1(c1 b1)', 'a1(-b1 c1 +b1)', 2],
		['a1(b1(m1) c1(n1))', 'a1(c1(n1) b1(m1))', 'a1(-b1(m1) c1(n1) +b1(m1))', 4],
		// The roots are paired in any case.
		['a1(b1)', 'a2(b1)', 'a1~a2(b1)', 1],
		['a1(b1)', 'p1(b1)', 'a1~p1(b1)', FORCED_PAIR_COST],
		['a1', 'a1(b1(c1))', 'a1(+b1(c1))', 2],
		['a1(b1(c1))', 'a1', 'a1(-b1(c1))', 2],
	])('from %s to %s', (left, right, wanted, wantedCost) => {
		const { root, cost } = diffTrees(parse(left), parse(right), POLICY);
		expect([script(root), cost]).toEqual([wanted, wantedCost]);
		expect(cost).toBe(bruteForceCost(parse(left), parse(right)));
	});

	test('prefers to insert, then to delete, going back from the end', () => {
		const list = (...labels: string[]): Tree => ({ label: 'a1', children: labels.map((label) => ({ label, children: [] })) });
		const script = (left: Tree, right: Tree): string =>
			[...deltaLines(diffTrees(left, right, POLICY).root, POLICY.children)].map((line) => line.operation[0]).join('');
		// One of two equal nodes is new: the last one.
		expect(script(list('p1'), list('p1', 'p1'))).toBe('iii');
		expect(diffTrees(list('p1'), list('p1', 'p1'), POLICY).root.children.map((child) => child.operation)).toEqual(['identity', 'insert']);
		expect(diffTrees(list('p1', 'p1'), list('p1'), POLICY).root.children.map((child) => child.operation)).toEqual(['identity', 'delete']);
		// Nothing in common: everything on the left goes before everything on the right comes.
		expect(diffTrees(list('p1'), list('p2'), POLICY).root.children.map((child) => child.operation)).toEqual(['delete', 'insert']);
	});
});

test('what is the same is left out, but what leads to a change, and remarks beside it', () => {
	const leaf = (operation: 'identity' | 'insert', label: string, ...children: DeltaNode<string>[]): DeltaNode<string> => ({
		operation,
		left: operation === 'insert' ? null : label,
		right: label,
		children,
	});
	const root = leaf(
		'identity',
		'root',
		leaf('identity', 'remark 1'),
		leaf('identity', 'a', leaf('identity', 'remark 2'), leaf('identity', 'b')),
		leaf('identity', 'c', leaf('identity', 'remark 3'), leaf('identity', 'd'), leaf('insert', 'e')),
		leaf('insert', 'remark 4'),
	);
	const labels = (node: DeltaNode<string>): unknown => (node.children.length === 0 ? node.right : [node.right, ...node.children.map(labels)]);
	expect(labels(pruneIdentities(root, (label) => label.startsWith('remark'))!)).toEqual(['root', 'remark 1', ['c', 'remark 3', 'e'], 'remark 4']);
	expect(labels(pruneIdentities(root)!)).toEqual(['root', ['c', 'e'], 'remark 4']);
	expect(pruneIdentities(leaf('identity', 'root', leaf('identity', 'remark 1')), () => true)).toBeNull();
});

/** One side of a difference, put together again: what applying it to the other side gives. */
function side(delta: DeltaNode<Tree>, which: 'left' | 'right'): Tree;
function side(delta: DeltaNode<InliningNode>, which: 'left' | 'right'): InliningNode;
function side(delta: DeltaNode<OptimizationNode>, which: 'left' | 'right'): OptimizationNode;
function side(delta: DeltaNode<unknown>, which: 'left' | 'right'): unknown;
function side(delta: DeltaNode<unknown>, which: 'left' | 'right'): unknown {
	const node = delta[which] as { children?: readonly unknown[] };
	if (delta.operation === 'insert' || delta.operation === 'delete' || node.children === undefined) {
		return node;
	}
	return { ...node, children: delta.children.filter((child) => child[which] !== null).map((child) => side(child, which)) };
}

function relabelCost(left: Tree, right: Tree): number {
	return POLICY.relabelIdentity(left) !== null && POLICY.relabelIdentity(left) === POLICY.relabelIdentity(right) ? 1 : FORCED_PAIR_COST;
}

function pairCost(left: Tree, right: Tree): number {
	return left.label === right.label ? 0 : relabelCost(left, right);
}

/** The definition, tried out in full: no table, no shortcut. */
function bruteForceCost(left: Tree, right: Tree): number {
	return pairCost(left, right) + bruteForceLists(left.children, right.children);
}

function bruteForceLists(left: readonly Tree[], right: readonly Tree[]): number {
	const [x, ...restX] = left;
	const [y, ...restY] = right;
	if (x === undefined || y === undefined) {
		return [...left, ...right].reduce((sum, node) => sum + countNodes(node, POLICY.children), 0);
	}
	return Math.min(
		countNodes(x, POLICY.children) + bruteForceLists(restX, right),
		countNodes(y, POLICY.children) + bruteForceLists(left, restY),
		pairCost(x, y) >= FORCED_PAIR_COST ? Number.POSITIVE_INFINITY : bruteForceCost(x, y) + bruteForceLists(restX, restY),
	);
}

/** The same with a table for each pair of lists, and no other shortcut. */
function memoizedCost(left: Tree, right: Tree): number {
	const size = (node: Tree): number => countNodes(node, POLICY.children);
	const table: number[][] = [[0]];
	left.children.forEach((x, i) => {
		table[i + 1] = [(table[i]?.[0] as number) + size(x)];
	});
	right.children.forEach((y, j) => {
		table[0]![j + 1] = (table[0]?.[j] as number) + size(y);
	});
	left.children.forEach((x, i) => {
		right.children.forEach((y, j) => {
			table[i + 1]![j + 1] = Math.min(
				(table[i]?.[j + 1] as number) + size(x),
				(table[i + 1]?.[j] as number) + size(y),
				(table[i]?.[j] as number) + (pairCost(x, y) >= FORCED_PAIR_COST ? FORCED_PAIR_COST : memoizedCost(x, y)),
			);
		});
	});
	return pairCost(left, right) + (table[left.children.length]?.[right.children.length] as number);
}
