/** Leaves out of a tree difference what is the same on both sides. */
import type { DeltaNode } from './results.js';

/**
 * Keeps what changed and its ancestors; null when nothing changed. `isRemark` says which nodes stay with a parent that stays.
 */
export function pruneIdentities<Node>(root: DeltaNode<Node>, isRemark: (node: Node) => boolean = () => false): DeltaNode<Node> | null {
	// In this order every node comes after its parent: going backwards, children are decided before parents.
	const order: DeltaNode<Node>[] = [root];
	for (let i = 0; i < order.length; i++) {
		for (const child of order[i]!.children) {
			order.push(child);
		}
	}
	const kept = new Map<DeltaNode<Node>, DeltaNode<Node>>();
	for (let i = order.length - 1; i >= 0; i--) {
		const node = order[i]!;
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
