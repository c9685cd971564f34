/**
 * What Flight Recorder tells of a compilation, of what a log tells: calls that were inlined or refused. It has no events of optimizations, nor of calls that
 * stayed virtual, nor of all that C2 replaces by code of its own: missing there, they did not change.
 */
import type { CompilationTrees } from '../model/compilation.js';
import { callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import type { Experiment } from './experiment.js';

/** The same experiment without the rest. */
export function withInliningOnly(experiment: Experiment): Experiment {
	const methods = new Map(
		[...experiment.methods].map(([name, method]) => [
			name,
			{ ...method, units: method.units.map((unit) => ({ ...unit, readTrees: () => inliningOnly(unit.readTrees()) })) },
		]),
	);
	return { ...experiment, methods };
}

function inliningOnly({ inlining, optimization }: CompilationTrees): CompilationTrees {
	return { inlining: { ...inlining, children: inlining.children.flatMap(told) }, optimization: { ...optimization, children: [] } };
}

/** C2 replaces calls by code of its own without an event of all; to native methods, which are mostly such, it tells no more than that they are native. */
const INTRINSIC = /^(?:\(intrinsic\)|intrinsic|native method)$/;

/** Where a virtual call was replaced by its targets, these stand in its place. */
function told(node: InliningNode): InliningNode[] {
	if (INTRINSIC.test(node.reasons.at(-1) ?? '')) {
		return [];
	}
	const children = node.children.flatMap(told);
	switch (callsiteKind(node, false)) {
		case 'indirect':
		case 'devirtualized':
			return children;
		case 'deleted':
			return [];
		default:
			return [{ ...node, children, receiverTypes: null }];
	}
}
