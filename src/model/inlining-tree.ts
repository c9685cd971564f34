/** What a compiler did at each call of a compiled method: the tree of callsites, the compiled method at its root. */

/** A class seen at a virtual call. */
export interface ReceiverType {
	readonly typeName: string;
	/** 0 to 1. */
	readonly probability: number;
	/** The method a call on this type resolves to, if known. */
	readonly methodName: string | null;
}

/** What the interpreter or a lower tier saw as receivers of an indirect call. */
export interface ReceiverTypeProfile {
	readonly mature: boolean;
	readonly types: readonly ReceiverType[];
}

/** A call, with those in the method that it calls. */
export interface InliningNode {
	/** The callee; null when the compiler did not know it. */
	readonly methodName: string | null;
	/** Bytecode index of the call in the parent's method, {@link UNKNOWN_BCI} for the root or when unknown. */
	readonly bci: number;
	/** Of a native program: the line of source that the call stands at, `btree.c:4013`. */
	readonly source?: string;
	readonly inlined: boolean;
	/** The call is, or was last known to be, dispatched at run time. */
	readonly indirect: boolean;
	/** The call is still there in the generated code. */
	readonly alive: boolean;
	/** All inlining decisions for this callsite, in order. */
	readonly reasons: readonly string[];
	readonly receiverTypes: ReceiverTypeProfile | null;
	readonly children: readonly InliningNode[];
}

/**
 * What became of a call: `root` the compiled method itself; `inlined`; still a call: `indirect` or `direct`;
 * gone: `devirtualized` (replaced by its children) or `deleted`.
 */
export type CallsiteKind = 'root' | 'inlined' | 'indirect' | 'direct' | 'devirtualized' | 'deleted';

/** What became of a call in the end. */
export function callsiteKind(node: InliningNode, isRoot: boolean): CallsiteKind {
	if (isRoot) {
		return 'root';
	}
	if (node.inlined) {
		return 'inlined';
	}
	if (node.alive) {
		return node.indirect ? 'indirect' : 'direct';
	}
	return node.indirect && node.children.length > 0 ? 'devirtualized' : 'deleted';
}

export function inliningChildren(node: InliningNode): readonly InliningNode[] {
	return node.children;
}
