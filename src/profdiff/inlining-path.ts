/**
 * Paths from a compiled method to a method that was inlined into it, as both trees tell them: the inlining tree by its
 * ancestors, an optimization by its position. An element is a method and the bytecode index of its call in the element before;
 * an unknown index matches any.
 */
import type { InliningNode } from '../model/inlining-tree.js';
import { type Position, UNKNOWN_BCI } from '../model/position.js';

export interface PathElement {
	readonly methodName: string | null;
	/** Of the call in the caller; unknown for the root. */
	readonly bci: number;
}

/** Root first. */
export type InliningPath = readonly PathElement[];

/** Whether two elements can mean the same inlined method. Not transitive, because an unknown index matches any. */
export function elementsMatch(a: PathElement, b: PathElement): boolean {
	return a.methodName === b.methodName && (a.bci === b.bci || a.bci === UNKNOWN_BCI || b.bci === UNKNOWN_BCI);
}

export function isPrefix(prefix: InliningPath, path: InliningPath): boolean {
	return prefix.length <= path.length && prefix.every((element, index) => elementsMatch(element, path[index]!));
}

/** The path to the method that a position lies in; empty when the position is unknown. */
export function pathOfPosition(position: Position): InliningPath {
	const { methodNames, bcis } = position;
	const path: PathElement[] = [];
	for (let i = methodNames.length - 1; i >= 0; i--) {
		path.push({ methodName: methodNames[i]!, bci: bcis[i + 1] ?? UNKNOWN_BCI });
	}
	return path;
}

/** Calls that were still dispatched at run time are no step of a path: what was inlined behind them hangs at their parent. */
export function isSkippedInPaths(node: InliningNode): boolean {
	return node.indirect;
}
