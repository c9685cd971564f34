/** Makes trees ready to be shown or compared: sorts what has no meaningful order, leaves out what was not asked for. */
import type { CompilationTrees } from '../model/compilation.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { OptimizationNode, OptimizationPhase } from '../model/optimization-tree.js';
import type { PhaseKnowledge, ProfdiffOptions } from './options.js';
import { compareCallsites, compareOptimizationNodes } from './tree-order.js';

export function preprocess(trees: CompilationTrees, options: ProfdiffOptions, phases: PhaseKnowledge): CompilationTrees {
	return {
		inlining: options.sortInliningTree ? sortInliningTree(trees.inlining) : trees.inlining,
		optimization: preprocessPhases(
			trees.optimization,
			options.removeDetailedPhases ? endsWithAny(phases.detailed) : () => false,
			options.sortUnorderedPhases ? endsWithAny(phases.unordered) : () => false,
		),
	};
}

function sortInliningTree(root: InliningNode): InliningNode {
	type Copy = { from: InliningNode; to: InliningNode[] };
	const newRoot = { ...root, children: [] as InliningNode[] };
	const work: Copy[] = [{ from: root, to: newRoot.children }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const sorted = [...item.from.children].sort(compareCallsites);
		for (const child of sorted) {
			if (child.children.length === 0) {
				item.to.push(child);
			} else {
				const children: InliningNode[] = [];
				item.to.push({ ...child, children });
				work.push({ from: child, to: children });
			}
		}
	}
	return newRoot;
}

function preprocessPhases(root: OptimizationPhase, isRemoved: (name: string) => boolean, isUnordered: (name: string) => boolean): OptimizationPhase {
	type Copy = { from: OptimizationPhase; to: OptimizationNode[] };
	const newRoot: OptimizationPhase & { children: OptimizationNode[] } = { kind: 'phase', name: root.name, children: [] };
	const work: Copy[] = [{ from: root, to: newRoot.children }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { from, to } = item;
		const ordered = from.children.length > 1 && isUnordered(from.name) ? [...from.children].sort(compareOptimizationNodes) : from.children;
		for (const child of ordered) {
			if (child.kind === 'optimization') {
				to.push(child);
			} else if (!isRemoved(child.name)) {
				if (child.children.length === 0) {
					to.push(child);
				} else {
					const children: OptimizationNode[] = [];
					to.push({ kind: 'phase', name: child.name, children });
					work.push({ from: child, to: children });
				}
			}
		}
	}
	return newRoot;
}

/** Phase names are few: each is looked at once. */
function endsWithAny(suffixes: readonly string[]): (name: string) => boolean {
	const known = new Map<string, boolean>();
	return (name) => {
		let answer = known.get(name);
		if (answer === undefined) {
			answer = suffixes.some((suffix) => name.endsWith(suffix));
			known.set(name, answer);
		}
		return answer;
	};
}
