/** When nodes of the three kinds of trees are the same, and when one may have become the other. */
import { callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import { type Optimization, type OptimizationNode, optimizationChildren } from '../model/optimization-tree.js';
import { propertyIdentity } from '../model/property.js';
import { type ContextNode, contextChildren } from './results.js';
import type { DiffPolicy } from './tree-diff.js';

/** Callsites are the same by bytecode index, kind and callee; one whose kind changed is still the same callsite. */
export function inliningPolicy(left: InliningNode, right: InliningNode): DiffPolicy<InliningNode> {
	return {
		children: (node) => node.children,
		identity: (node) => `${callsiteKind(node, node === left || node === right)} ${callsiteIdentity(node)}`,
		relabelIdentity: callsiteIdentity,
	};
}

/** Phases are the same by name; optimizations by name, event, position and properties, whatever their order. */
export const OPTIMIZATION_POLICY: DiffPolicy<OptimizationNode> = {
	children: optimizationChildren,
	identity: (node) => (node.kind === 'phase' ? `phase ${node.name}` : optimizationIdentity(node)),
	relabelIdentity: () => null,
};

export const CONTEXT_POLICY: DiffPolicy<ContextNode> = {
	children: contextChildren,
	identity(node) {
		switch (node.kind) {
			case 'context-root':
				return 'root';
			case 'callsite':
				return `${node.callsiteKind} ${callsiteIdentity(node.node)}`;
			case 'context-optimization':
				return optimizationIdentity(node.optimization);
			case 'info':
				return `info ${node.text}`;
		}
	},
	relabelIdentity: (node) => (node.kind === 'callsite' ? callsiteIdentity(node.node) : null),
};

export function isRemark(node: ContextNode): boolean {
	return node.kind === 'info';
}

function callsiteIdentity(node: InliningNode): string {
	return node.methodName === null ? `${node.bci} unknown` : `${node.bci} =${node.methodName}`;
}

function optimizationIdentity(optimization: Optimization): string {
	const { name, event, position, properties } = optimization;
	const sorted = properties.map(({ key, value }) => `${key.length}:${key}=${propertyIdentity(value)}`).sort();
	return JSON.stringify([name, event, position.methodNames, position.bcis, sorted]);
}
