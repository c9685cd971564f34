/** Orders in which siblings are shown and compared, so that what has no meaningful order of its own does not look different. */
import type { InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode } from '../model/optimization-tree.js';
import type { Position } from '../model/position.js';
import { type Property, propertyText } from '../model/property.js';

/** By bytecode index, name (unknown first), inlined first, alive first, more decisions first. */
export function compareCallsites(a: InliningNode, b: InliningNode): number {
	if (a.bci !== b.bci) {
		return a.bci < b.bci ? -1 : 1;
	}
	if (a.methodName !== b.methodName) {
		return a.methodName === null ? -1 : b.methodName === null ? 1 : compareText(a.methodName, b.methodName);
	}
	return Number(b.inlined) - Number(a.inlined) || Number(b.alive) - Number(a.alive) || b.reasons.length - a.reasons.length;
}

/** Optimizations before phases; phases by name; optimizations by name, event, position, properties. */
export function compareOptimizationNodes(a: OptimizationNode, b: OptimizationNode): number {
	if (a.kind === 'phase') {
		return b.kind === 'phase' ? compareText(a.name, b.name) : 1;
	}
	return b.kind === 'phase' ? -1 : compareOptimizations(a, b);
}

export function compareOptimizations(a: Optimization, b: Optimization): number {
	return (
		compareText(a.name, b.name) || compareText(a.event, b.event) || comparePositions(a.position, b.position) || compareProperties(a.properties, b.properties)
	);
}

/** From the compiled root inwards, method name before bytecode index; a position that is the outer part of another comes first. */
function comparePositions(a: Position, b: Position): number {
	let i = a.bcis.length - 1;
	let j = b.bcis.length - 1;
	for (; i >= 0 && j >= 0; i--, j--) {
		const order = compareText(a.methodNames[i]!, b.methodNames[j]!) || a.bcis[i]! - b.bcis[j]!;
		if (order !== 0) {
			return order;
		}
	}
	return i - j;
}

function compareProperties(a: readonly Property[], b: readonly Property[]): number {
	const length = Math.min(a.length, b.length);
	for (let i = 0; i < length; i++) {
		const left = a[i]!;
		const right = b[i]!;
		const order = compareText(left.key, right.key) || compareText(propertyText(left.value), propertyText(right.value));
		if (order !== 0) {
			return order;
		}
	}
	return a.length - b.length;
}

/** By UTF-16 code units. */
function compareText(a: string, b: string): number {
	return a === b ? 0 : a < b ? -1 : 1;
}
