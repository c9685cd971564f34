/**
 * The optimization-context tree: the inlining tree with every optimization hung under the callsite that encloses it. Shows
 * what inlining a method made possible. Rules of Graal's profdiff.
 */
import type { CompilationTrees } from '../model/compilation.js';
import { callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode } from '../model/optimization-tree.js';
import { elementsMatch, type InliningPath, isSkippedInPaths, type PathElement, pathOfPosition } from './inlining-path.js';
import type { ContextCallsite, ContextNode, ContextRoot } from './results.js';
import { compareCallsites, compareOptimizations } from './tree-order.js';

interface MutableCallsite extends ContextCallsite {
	readonly children: ContextNode[];
	readonly parent: MutableCallsite | null;
	readonly callsites: MutableCallsite[];
	readonly path: PathElement;
}

/** `trees` are preprocessed; callsites are sorted in any case. */
export function createContextTree(trees: CompilationTrees): ContextRoot {
	const all = createCallsites(trees.inlining);
	const root = all[0]!;
	const rootChildren: ContextNode[] = [root];
	for (const callsite of all) {
		if (callsite.node.inlined && findLongestPrefix(root, pathTo(callsite)).matches.length > 1) {
			callsite.children.push({ kind: 'info', text: 'duplicate-path' });
		}
	}
	for (const optimization of optimizations(trees.optimization)) {
		const { bcis } = optimization.position;
		const { length, matches } = findLongestPrefix(root, pathOfPosition(optimization.position));
		const bci = bcis[bcis.length - Math.max(length, 1)] ?? null;
		for (const children of length === 0 ? [rootChildren] : matches.map((match) => match.children)) {
			children.push({ kind: 'context-optimization', optimization, bci });
		}
	}
	rootChildren.sort(compareContextNodes);
	for (const callsite of all) {
		callsite.children.sort(compareContextNodes);
	}
	return { kind: 'context-root', children: rootChildren };
}

/** All callsites, each before its children. */
function createCallsites(root: InliningNode): MutableCallsite[] {
	const create = (node: InliningNode, parent: MutableCallsite | null): MutableCallsite => ({
		kind: 'callsite',
		callsiteKind: callsiteKind(node, parent === null),
		node,
		children: [],
		parent,
		callsites: [],
		path: { methodName: node.methodName, bci: node.bci },
	});
	const all = [create(root, null)];
	for (let i = 0; i < all.length; i++) {
		const callsite = all[i]!;
		for (const child of callsite.node.children) {
			const created = create(child, callsite);
			callsite.children.push(created);
			callsite.callsites.push(created);
			all.push(created);
		}
	}
	return all;
}

function pathTo(callsite: MutableCallsite): InliningPath {
	const path: PathElement[] = [];
	for (let current: MutableCallsite | null = callsite; current !== null; current = current.parent) {
		if (!isSkippedInPaths(current.node)) {
			path.push(current.path);
		}
	}
	return path.reverse();
}

/**
 * The longest prefix of `path` that leads from the root to some callsite, and all callsites that it leads to. Dispatched
 * calls are skipped, as if their children hung at their parents.
 */
function findLongestPrefix(root: MutableCallsite, path: InliningPath): { length: number; matches: MutableCallsite[] } {
	let length = 0;
	let matches: MutableCallsite[] = [];
	const work: { callsite: MutableCallsite; index: number }[] = [{ callsite: root, index: 0 }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { callsite } = item;
		let { index } = item;
		if (!isSkippedInPaths(callsite.node)) {
			const element = path[index];
			if (element === undefined || !elementsMatch(element, callsite.path)) {
				continue;
			}
			index++;
			if (index > length) {
				length = index;
				matches = [];
			}
			if (index === length) {
				matches.push(callsite);
			}
		}
		if (index < path.length) {
			for (const child of callsite.callsites) {
				work.push({ callsite: child, index });
			}
		}
	}
	return { length, matches };
}

/** All optimizations, in preorder. */
function* optimizations(root: OptimizationNode): Generator<Optimization> {
	const work = [root];
	for (let node = work.pop(); node !== undefined; node = work.pop()) {
		if (node.kind === 'optimization') {
			yield node;
			continue;
		}
		for (let i = node.children.length - 1; i >= 0; i--) {
			work.push(node.children[i]!);
		}
	}
}

const ORDER: Record<ContextNode['kind'], number> = { 'context-root': 0, info: 1, 'context-optimization': 2, callsite: 3 };

function compareContextNodes(a: ContextNode, b: ContextNode): number {
	if (a.kind === 'context-optimization' && b.kind === 'context-optimization') {
		return compareOptimizations(a.optimization, b.optimization);
	}
	if (a.kind === 'callsite' && b.kind === 'callsite') {
		return compareCallsites(a.node, b.node);
	}
	return ORDER[a.kind] - ORDER[b.kind];
}
