/**
 * What the analyses of profdiff result in, and how to go through it. Reports and pages may import this file; the analyses
 * themselves they may not.
 */
import type { CompilationTrees } from '../model/compilation.js';
import type { CallsiteKind, InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode } from '../model/optimization-tree.js';
import type { ProfileEntry } from '../model/profile.js';
import type { Change, ChangeCategory } from './changes.js';
import type { CompilationUnit, Experiment } from './experiment.js';

export interface ExperimentSummary {
	readonly experiment: Experiment;
	readonly hotUnitCount: number;
	readonly hotPeriod: number;
	/** The profile's entries with the highest periods, at most ten. */
	readonly topEntries: readonly ProfileEntry[];
}

/** A method's compilations in one experiment. */
export interface MethodSide {
	readonly experiment: Experiment;
	/** All compilations and fragments of the method, highest period first. */
	readonly units: readonly CompilationUnit[];
	/** The hot ones among them, in order of creation: as logged, then fragments. */
	readonly hotUnits: readonly CompilationUnit[];
}

/** A method that is hot in an experiment, with its compilations on both sides. */
export interface MethodSection {
	readonly methodName: string;
	/** One side of a report, two of a comparison. */
	readonly sides: readonly MethodSide[];
	/** The only experiment in which it is hot; null when that is not the question. */
	readonly hotOnlyIn: Experiment | null;
}

/** A compilation's trees as they are shown. */
export type UnitTrees = { readonly kind: 'separate'; readonly trees: CompilationTrees } | { readonly kind: 'context'; readonly tree: ContextRoot };

/** What became of comparing two trees. */
export type TreeComparison<Node> =
	| { readonly kind: 'too-big' }
	| { readonly kind: 'no-difference' }
	| { readonly kind: 'difference'; readonly root: DeltaNode<Node> };

/** Two compilations of a method, compared. */
export type PairComparison =
	| { readonly kind: 'separate'; readonly inlining: TreeComparison<InliningNode>; readonly optimization: TreeComparison<OptimizationNode> }
	| { readonly kind: 'context'; readonly context: TreeComparison<ContextNode> };

/** Takes the results in their order. */
export interface ProfdiffSink {
	methodSection(section: MethodSection): void;
	/** A compilation whose trees come next. */
	unit(unit: CompilationUnit, experiment: Experiment): void;
	unitTrees(trees: UnitTrees): void;
	/** A pair of compilations whose comparison comes next. */
	pair(left: CompilationUnit, right: CompilationUnit): void;
	pairComparison(comparison: PairComparison): void;
}

/** The optimization-context tree: see context-tree.ts. */
export interface ContextRoot {
	readonly kind: 'context-root';
	readonly children: readonly ContextNode[];
}

/** A call in a tree of contexts. */
export interface ContextCallsite {
	readonly kind: 'callsite';
	readonly callsiteKind: CallsiteKind;
	readonly node: InliningNode;
	readonly children: readonly ContextNode[];
}

/** An optimization in the context of the call that it happened in. */
export interface ContextOptimization {
	readonly kind: 'context-optimization';
	readonly optimization: Optimization;
	/** The bytecode index in the method it hangs under; null when its position is unknown. */
	readonly bci: number | null;
}

/** A remark on the callsite it hangs under: several inlined callsites have the same path, and optimizations fit all of them. */
export interface ContextInfo {
	readonly kind: 'info';
	readonly text: 'duplicate-path';
}

/** A node of a tree of contexts: a call, an optimization, or what hangs together. */
export type ContextNode = ContextRoot | ContextCallsite | ContextOptimization | ContextInfo;

const NO_CHILDREN: readonly ContextNode[] = [];

/** The children of a node of any kind, in order. */
export function contextChildren(node: ContextNode): readonly ContextNode[] {
	return node.kind === 'context-root' || node.kind === 'callsite' ? node.children : NO_CHILDREN;
}

/** What became of a node: the same, another value, only right, only left. */
export type DeltaOperation = 'identity' | 'relabel' | 'insert' | 'delete';

/**
 * A node of the difference. `identity` and `relabel` have both sides, and children in the order of the script; `insert` has
 * the right side, `delete` the left side: they stand for whole subtrees and have no children here.
 */
export interface DeltaNode<Node> {
	readonly operation: DeltaOperation;
	readonly left: Node | null;
	readonly right: Node | null;
	readonly children: readonly DeltaNode<Node>[];
}

/** A node of a difference as a line of a report. */
export interface DeltaLine<Node> {
	readonly depth: number;
	readonly operation: DeltaOperation;
	readonly left: Node | null;
	readonly right: Node | null;
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
			work.push({ depth: depth + 1, delta: delta.children[i]! });
		}
	}
}

/** The nodes below the root of an inserted or deleted subtree. */
function* subtreeLines<Node>(
	depth: number,
	operation: 'insert' | 'delete',
	root: Node,
	childrenOf: (node: Node) => readonly Node[],
): Generator<DeltaLine<Node>> {
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

/** A node of a tree and how deep it is. */
export interface TreeRow<Node> {
	readonly depth: number;
	readonly node: Node;
}

/** All nodes of a tree in preorder, without recursion: trees of a damaged or hostile log are as deep as they like. */
export function* treeRows<Node>(root: Node, childrenOf: (node: Node) => readonly Node[]): Generator<TreeRow<Node>> {
	const work: TreeRow<Node>[] = [{ depth: 0, node: root }];
	for (let row = work.pop(); row !== undefined; row = work.pop()) {
		yield row;
		const children = childrenOf(row.node);
		for (let i = children.length - 1; i >= 0; i--) {
			work.push({ depth: row.depth + 1, node: children[i] as Node });
		}
	}
}

interface HotOnSides {
	readonly hotInA: boolean | null;
	readonly hotInB: boolean | null;
	/** Of the samples, 0 to 1; null without them. */
	readonly shareA: number | null;
	readonly shareB: number | null;
}

/**
 * The only side on which a method is among the hottest; null when both, neither, or nobody knows. Which methods are the hottest depends on the others of the run: where
 * one has a smaller share than on the other side, it did not become hot.
 */
export function hotOnlyIn({ hotInA, hotInB, shareA, shareB }: HotOnSides): 'A' | 'B' | null {
	if (hotInA === null || hotInB === null || hotInA === hotInB) {
		return null;
	}
	const side = hotInA ? 'A' : 'B';
	const [own, other] = side === 'A' ? [shareA, shareB] : [shareB, shareA];
	return (own ?? 0) > (other ?? 0) ? side : null;
}

/** What two sides differ in, counted. */
export interface ChangeCounts {
	/** All that is not noise. */
	readonly changed: number;
	/** Those among them that no other change took along. */
	readonly inTheirOwnRight: number;
	readonly noise: number;
	/** Those in their own right by their first category, largest first. */
	readonly byCategory: readonly (readonly [ChangeCategory, number])[];
}

export function countChanges(changes: readonly Change[]): ChangeCounts {
	const real = changes.filter((change) => change.noise !== true);
	const own = real.filter((change) => change.cause === null);
	const counts = new Map<ChangeCategory, number>();
	for (const [category] of own.map(({ categories }) => categories)) {
		if (category !== undefined) {
			counts.set(category, (counts.get(category) ?? 0) + 1);
		}
	}
	return {
		changed: real.length,
		inTheirOwnRight: own.length,
		noise: changes.length - real.length,
		byCategory: [...counts].sort((a, b) => b[1] - a[1]),
	};
}

/** What a decision was on the two sides, in words; null where it was not there. */
export function beforeAfter(change: Change): { before: string | null; after: string | null } {
	switch (change.kind) {
		case 'callsite':
			return { before: change.before, after: change.after };
		case 'optimization': {
			const text = `${change.name} ${change.event}`;
			return change.isInA ? { before: text, after: null } : { before: null, after: text };
		}
		case 'compilation':
			return change.isInA ? { before: 'compiled', after: null } : { before: null, after: 'compiled' };
	}
}
