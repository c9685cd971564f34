/** Which frames of a flame graph are drawn, and where: the widest ones, when there are more than a browser can hold. */
import type { FlameNode } from './stacks.js';

export type FlameMode = 'seen' | 'predicted' | 'difference';

export interface FlameBox {
	readonly node: FlameNode;
	/** From the root: which child, and of that which. */
	readonly path: readonly number[];
	readonly x: number;
	readonly width: number;
	readonly depth: number;
}

/** Pixels: narrower ones cannot be seen. */
const NARROWEST = 1.2;
/** Many narrow ones beside each other are seen as a texture. */
const NARROWEST_IN_TIME = 0.4;
export const MAX_BOXES = 6000;

function weight({ seen, predicted }: FlameNode, mode: FlameMode): number {
	return mode === 'seen' ? seen : mode === 'predicted' ? predicted : Math.max(seen, predicted);
}

/** In the order in which they are drawn. */
export function childrenOf(node: FlameNode, mode: FlameMode): FlameNode[] {
	if (node.isInTime) {
		return [...node.children.values()];
	}
	return [...node.children.values()].sort((a, b) => weight(b, mode) - weight(a, mode) || (a.name < b.name ? -1 : 1));
}

export function nodeAt(root: FlameNode, path: readonly number[], mode: FlameMode): FlameNode | null {
	let node: FlameNode | undefined = root;
	for (const i of path) {
		node = node === undefined ? undefined : childrenOf(node, mode)[i];
	}
	return node ?? null;
}

/** The frames around the zoomed one, it and those inside. A frame is never drawn without the one around it, which is no narrower. */
export function flameBoxes(root: FlameNode, zoom: readonly number[], width: number, mode: FlameMode): { boxes: FlameBox[]; leftOut: number } {
	const start = nodeAt(root, zoom, mode) ?? root;
	const around: FlameBox[] = zoom.map((_, i) => ({ node: nodeAt(root, zoom.slice(0, i), mode) ?? root, path: zoom.slice(0, i), x: 0, width, depth: i }));
	const inside: FlameBox[] = [{ node: start, path: zoom, x: 0, width, depth: zoom.length }];
	for (let i = 0; i < inside.length; i++) {
		const box = inside[i]!;
		const children = childrenOf(box.node, mode);
		const sum = Math.max(
			weight(box.node, mode),
			children.reduce((all, child) => all + weight(child, mode), 0),
		);
		let { x } = box;
		for (const [number, child] of children.entries()) {
			const share = sum === 0 ? 0 : (weight(child, mode) / sum) * box.width;
			if (share < NARROWEST && !box.node.isInTime) {
				break;
			}
			if (share >= (box.node.isInTime ? NARROWEST_IN_TIME : NARROWEST)) {
				inside.push({ node: child, path: [...box.path, number], x, width: share, depth: box.depth + 1 });
			}
			x += share;
		}
	}
	inside.sort((a, b) => b.width - a.width || a.depth - b.depth);
	const boxes = [...around, ...inside.slice(0, MAX_BOXES)];
	return { boxes, leftOut: inside.length + around.length - boxes.length };
}
