/** What is done with a tree difference: leaving out what is the same, going through it in order, applying it. */
import type { DeltaLine, DeltaNode } from './tree-diff.js';

/**
 * Keeps what changed and its ancestors; null when nothing changed. `isRemark` says which nodes stay with a parent that stays.
 */
export function pruneIdentities<Node>(root: DeltaNode<Node>, isRemark: (node: Node) => boolean = () => false): DeltaNode<Node> | null {
	// In this order every node comes after its parent: going backwards, children are decided before parents.
	const order: DeltaNode<Node>[] = [root];
	for (let i = 0; i < order.length; i++) {
		for (const child of (order[i] as DeltaNode<Node>).children) {
			order.push(child);
		}
	}
	const kept = new Map<DeltaNode<Node>, DeltaNode<Node>>();
	for (let i = order.length - 1; i >= 0; i--) {
		const node = order[i] as DeltaNode<Node>;
		const hasKeptChild = node.children.some((child) => kept.has(child));
		if (node.operation === 'identity' && !hasKeptChild) {
			continue;
		}
		const children: DeltaNode<Node>[] = [];
		for (const child of node.children) {
			const keptChild = kept.get(child);
			if (keptChild !== undefined) {
				children.push(keptChild);
			} else if (isRemark(child.left as Node)) {
				children.push(child);
			}
		}
		kept.set(node, { ...node, children });
	}
	return kept.get(root) ?? null;
}

/** All nodes in preorder; inserted and deleted subtrees node by node, in their own order. */
export function* deltaLines<Node>(root: DeltaNode<Node>, childrenOf: (node: Node) => readonly Node[]): Generator<DeltaLine<Node>> {
	type Item = { depth: number; delta: DeltaNode<Node> };
	const work: Item[] = [{ depth: 0, delta: root }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { depth, delta } = item;
		const { operation, left, right } = delta;
		yield { depth, operation, left, right };
		if (operation === 'insert' || operation === 'delete') {
			yield* subtreeLines(depth, operation, (right ?? left) as Node, childrenOf);
		}
		for (let i = delta.children.length - 1; i >= 0; i--) {
			work.push({ depth: depth + 1, delta: delta.children[i] as DeltaNode<Node> });
		}
	}
}

/** The nodes below the root of an inserted or deleted subtree. */
function* subtreeLines<Node>(depth: number, operation: 'insert' | 'delete', root: Node, childrenOf: (node: Node) => readonly Node[]): Generator<DeltaLine<Node>> {
	const work: { depth: number; node: Node }[] = [];
	const pushChildren = (node: Node, childDepth: number): void => {
		const children = childrenOf(node);
		for (let i = children.length - 1; i >= 0; i--) {
			work.push({ depth: childDepth, node: children[i] as Node });
		}
	};
	pushChildren(root, depth + 1);
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { node } = item;
		yield { depth: item.depth, operation, left: operation === 'delete' ? node : null, right: operation === 'insert' ? node : null };
		pushChildren(node, item.depth + 1);
	}
}
