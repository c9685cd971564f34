/** What a compiler did to a compilation unit, in its own order: phases that contain phases and optimizations. */
import type { Position } from './position.js';
import type { Property } from './property.js';

/** A phase of the compiler with what happened in it. */
export interface OptimizationPhase {
	readonly kind: 'phase';
	readonly name: string;
	readonly children: readonly OptimizationNode[];
}

/** One transformation: `name` the optimization, `event` what exactly it did. */
export interface Optimization {
	readonly kind: 'optimization';
	readonly name: string;
	readonly event: string;
	readonly position: Position;
	/** Of a native program: its line of source, `btree.c:4013`. */
	readonly source?: string;
	readonly properties: readonly Property[];
}

/** An optimization, or a phase with those in it. */
export type OptimizationNode = OptimizationPhase | Optimization;

const NO_CHILDREN: readonly OptimizationNode[] = [];

export function optimizationChildren(node: OptimizationNode): readonly OptimizationNode[] {
	return node.kind === 'phase' ? node.children : NO_CHILDREN;
}
