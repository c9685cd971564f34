/**
 * Fragments: a hot method may be compiled on its own in one experiment and inlined into its caller in the other. To compare
 * the two, the inlined part is cut out of its compilation: the subtree of callsites below it, and the optimizations whose
 * positions lead through it. Rules of Graal's profdiff.
 */

import { appendTo } from '../model/append.js';
import type { CompilationTrees } from '../model/compilation.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { OptimizationNode, OptimizationPhase } from '../model/optimization-tree.js';
import { type Position, UNKNOWN_BCI } from '../model/position.js';
import type { CompilationUnit } from './experiment.js';
import { type InliningPath, isPrefix, isSkippedInPaths, type PathElement, pathOfPosition } from './inlining-path.js';

/**
 * One fragment for each place where `unit` inlined a method for which `isWanted`, in preorder of the inlining tree as logged.
 * `nextNumber` numbers them.
 */
export function createFragments(unit: CompilationUnit, isWanted: (methodName: string) => boolean, nextNumber: () => number): CompilationUnit[] {
	const fragments: CompilationUnit[] = [];
	const work: { node: InliningNode; path: PathElement[] }[] = [{ node: unit.readTrees().inlining, path: [] }];
	let index = -1;
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		index++;
		const { node } = item;
		const isRoot = item.path.length === 0;
		const path = isSkippedInPaths(node) ? item.path : [...item.path, { methodName: node.methodName, bci: node.bci }];
		if (!isRoot && node.inlined && node.methodName !== null && isWanted(node.methodName)) {
			fragments.push(fragment(unit, node.methodName, index, path, nextNumber()));
		}
		for (let i = node.children.length - 1; i >= 0; i--) {
			work.push({ node: node.children[i]!, path });
		}
	}
	return fragments;
}

function fragment(parent: CompilationUnit, methodName: string, index: number, path: InliningPath, number: number): CompilationUnit {
	return {
		experiment: parent.experiment,
		compileId: `${parent.compileId}#${number}`,
		methodName,
		multiMethodKey: null,
		period: parent.period,
		fragment: { parent, path },
		sizeBytes: parent.sizeBytes,
		// Nodes are not kept: the parent's trees are read again when somebody looks at the fragment.
		readTrees: () => cutFragment(parent.readTrees(), index, path),
	};
}

/** The trees of a fragment: the callsites below preorder node `index`, and the optimizations behind `path`. */
function cutFragment(trees: CompilationTrees, index: number, path: InliningPath): CompilationTrees {
	const node = nodeAt(trees.inlining, index);
	return {
		inlining: { ...node, bci: UNKNOWN_BCI, reasons: [] },
		optimization: cutOptimizations(trees.optimization, path),
	};
}

/** Keeps all phases and the optimizations behind `path`, their positions made relative to its end. */
function cutOptimizations(root: OptimizationPhase, path: InliningPath): OptimizationPhase {
	const newRoot = { ...root, children: [] as OptimizationNode[] };
	const work: { from: OptimizationPhase; to: OptimizationNode[] }[] = [{ from: root, to: newRoot.children }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		for (const child of item.from.children) {
			if (child.kind === 'phase') {
				const children: OptimizationNode[] = [];
				item.to.push({ ...child, children });
				work.push({ from: child, to: children });
			} else if (child.position.bcis.length >= path.length && isPrefix(path, pathOfPosition(child.position))) {
				item.to.push({ ...child, position: relativePosition(child.position, path.length) });
			}
		}
	}
	return newRoot;
}

function relativePosition(position: Position, pathLength: number): Position {
	const length = position.bcis.length - pathLength + 1;
	return { methodNames: position.methodNames.slice(0, length), bcis: position.bcis.slice(0, length) };
}

/** What a compilation made of a method that it inlined. */
export interface InlinedPart {
	readonly methodName: string;
	/** As of a compilation of its own; phases without optimizations of it are left out. */
	readonly trees: CompilationTrees;
}

/** The parts of a compilation that came from inlining methods for which `isWanted`: one for each place, as {@link createFragments} finds them, in one pass. */
export function inlinedParts(trees: CompilationTrees, isWanted: (methodName: string) => boolean): InlinedPart[] {
	const parts: (InlinedPart & { readonly path: InliningPath; readonly phases: Map<OptimizationPhase, OptimizationNode[]> })[] = [];
	// By the last step of their paths: most optimizations have no part.
	const byLastStep = new Map<string, typeof parts>();
	const work: { node: InliningNode; path: PathElement[] }[] = [{ node: trees.inlining, path: [] }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { node } = item;
		const path = isSkippedInPaths(node) ? item.path : [...item.path, { methodName: node.methodName, bci: node.bci }];
		if (item.path.length > 0 && node.inlined && node.methodName !== null && isWanted(node.methodName)) {
			const children: OptimizationNode[] = [];
			const optimization = { ...trees.optimization, children };
			const part = {
				methodName: node.methodName,
				trees: { inlining: { ...node, bci: UNKNOWN_BCI, reasons: [] }, optimization },
				path,
				phases: new Map([[trees.optimization, children]]),
			};
			parts.push(part);
			const key = stepKey(path.length, path.at(-1)?.methodName ?? null);
			appendTo(byLastStep, key, part);
		}
		for (let i = node.children.length - 1; i >= 0; i--) {
			work.push({ node: node.children[i]!, path });
		}
	}
	const phases: { phase: OptimizationPhase; around: readonly OptimizationPhase[] }[] = parts.length === 0 ? [] : [{ phase: trees.optimization, around: [] }];
	for (let item = phases.pop(); item !== undefined; item = phases.pop()) {
		const around = [...item.around, item.phase];
		for (const child of item.phase.children) {
			if (child.kind === 'phase') {
				phases.push({ phase: child, around });
				continue;
			}
			const whole = pathOfPosition(child.position);
			for (let length = 1; length <= whole.length; length++) {
				for (const part of byLastStep.get(stepKey(length, whole[length - 1]!.methodName)) ?? []) {
					if (isPrefix(part.path, whole)) {
						childrenOf(part.phases, around).push({ ...child, position: relativePosition(child.position, length) });
					}
				}
			}
		}
	}
	return parts;
}

function stepKey(length: number, methodName: string | null): string {
	return `${length} ${methodName}`;
}

/** Of the copy of the last of the phases, which is made where it is missing. */
function childrenOf(copies: Map<OptimizationPhase, OptimizationNode[]>, around: readonly OptimizationPhase[]): OptimizationNode[] {
	const phase = around.at(-1)!;
	const known = copies.get(phase);
	if (known !== undefined) {
		return known;
	}
	const children: OptimizationNode[] = [];
	copies.set(phase, children);
	childrenOf(copies, around.slice(0, -1)).push({ ...phase, children });
	return children;
}

function nodeAt(root: InliningNode, index: number): InliningNode {
	const work = [root];
	let current = 0;
	for (let node = work.pop(); node !== undefined; node = work.pop()) {
		if (current === index) {
			return node;
		}
		current++;
		for (let i = node.children.length - 1; i >= 0; i--) {
			work.push(node.children[i]!);
		}
	}
	throw new Error(`the tree has no node ${index}: the log changed while it was read`);
}
