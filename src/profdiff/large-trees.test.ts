/** Differences of trees as large as they are compared at all. */
import { describe, expect, test } from 'vitest';
import { pruneIdentities } from './prune-identities.js';
import { type DiffPolicy, diffTrees } from './tree-diff.js';

interface Tree {
	readonly label: string;
	readonly children: readonly Tree[];
}

const POLICY: DiffPolicy<Tree> = { children: (node) => node.children, identity: (node) => node.label, relabelIdentity: () => null };

describe('large trees', () => {
	test('10,000 siblings on each side', () => {
		const flat = (prefix: string, step: number): Tree => ({
			label: 'a1',
			children: Array.from({ length: 9_999 }, (_, index) => ({ label: index % step === 0 ? `p${prefix}` : `p${index % 10}`, children: [] })),
		});
		const left = flat('left', 7);
		const { root, cost } = diffTrees(left, flat('right', 7), POLICY);
		// Every seventh node differs: 1,429 deleted, as many inserted.
		expect(cost).toBe(2 * 1429);
		expect(root.children.length).toBe(9_999 + 1429);
	});

	test('a path of 9,000 nodes with a fan at its end', () => {
		const path = (depth: number, fan: number): Tree => {
			let node: Tree = { label: 'p1', children: Array.from({ length: fan }, (_, index) => ({ label: `p${index % 3}`, children: [] })) };
			for (let i = 0; i < depth; i++) {
				node = { label: 'p1', children: [node] };
			}
			return node;
		};
		expect(diffTrees(path(9_000, 500), path(9_000, 503), POLICY).cost).toBe(3);
	});

	test('paths nested 100,000 deep against a small tree', () => {
		let deep: Tree = { label: 'p1', children: [] };
		for (let i = 0; i < 100_000; i++) {
			deep = { label: 'p1', children: [deep] };
		}
		const { root, cost } = diffTrees(deep, { label: 'p1', children: [] }, POLICY);
		expect(cost).toBe(100_000);
		expect(pruneIdentities(root)?.children.length).toBe(1);
	});
});
