/** Nodes of inlining trees that are made from decisions told one after the other. */
import type { InliningNode } from '../model/inlining-tree.js';

export interface DraftNode extends InliningNode {
	readonly children: DraftNode[];
	inlined: boolean;
	indirect: boolean;
	alive: boolean;
	readonly reasons: string[];
}

export function draftNode(methodName: string, bci: number, inlined: boolean, source: string | null = null): DraftNode {
	return { methodName, bci, ...(source === null ? {} : { source }), inlined, indirect: false, alive: true, reasons: [], receiverTypes: null, children: [] };
}

/** Of several decisions about one call the last counts, and all reasons are kept. */
export function decide(node: DraftNode, isInlined: boolean, reason: string): void {
	node.inlined = isInlined;
	node.alive = !isInlined;
	node.indirect = !isInlined && (reason === 'virtual call' || reason === 'no static binding');
	node.reasons.push(reason);
}
