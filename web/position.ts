/**
 * A bytecode position in an inlining context: the bytecode indices of the calls from the compiled method inwards, the position's own last.
 * In addresses `150.44`; every pane marks what lies at it or inside the call that stands there.
 */

import type { InliningRowJson, OptimizationRowJson } from '../src/answers/profdiff-result.js';
import type { Frame } from '../src/model/instructions.js';

export type Position = readonly number[];

/** The compiled method itself. */
const ROOT = 'root';

export function parsePosition(text: string | undefined): Position | null {
	if (text === ROOT) {
		return [];
	}
	return text === undefined || !/^-?\d+(?:\.-?\d+)*$/.test(text) ? null : text.split('.').map(Number);
}

export function formatPosition(position: Position): string {
	return position.length === 0 ? ROOT : position.join('.');
}

/** Frames stand with the innermost first. */
export function positionOfFrames(frames: readonly Pick<Frame, 'bci'>[]): Position {
	return frames.map(({ bci }) => bci).reverse();
}

/** Whether `inner` is `outer` or lies inside the call that stands there. */
export function isInside(inner: Position, outer: Position): boolean {
	return outer.length <= inner.length && outer.every((bci, i) => bci === inner[i]);
}

/** Positions of the rows of an inlining tree; the root has none. A dispatched call's receivers share the position of the call. */
export function positionsOfTree(rows: readonly InliningRowJson[]): Position[] {
	const result: Position[] = [];
	const around: { depth: number; position: Position; isDispatch: boolean; bci: number }[] = [];
	for (const { depth, bci, kind } of rows) {
		while ((around.at(-1)?.depth ?? -1) >= depth) {
			around.pop();
		}
		const parent = around.at(-1);
		const isReceiver = parent?.isDispatch && parent.bci === bci;
		const position = parent === undefined ? [] : isReceiver ? parent.position : [...parent.position, bci];
		result.push(position);
		around.push({ depth, position, isDispatch: kind === 'devirtualized' || kind === 'indirect', bci });
	}
	return result;
}

/** The deepest call of the tree that a position lies in or is, 0 (the compiled method) where none does. */
export function rowOfPosition(positions: readonly Position[], position: Position): number {
	let best = 0;
	for (let i = 1; i < positions.length; i++) {
		const candidate = positions[i]!;
		if (candidate.length > positions[best]!.length && isInside(position, candidate)) {
			best = i;
		}
	}
	return best;
}

/** The call of the tree that executes code at a position: at the bytecode index of a call itself the caller does, which checks, moves arguments and calls. */
export function rowOfCode(positions: readonly Position[], position: Position): number {
	return rowOfPosition(positions, position.slice(0, -1));
}

export function positionOfOptimization(row: OptimizationRowJson): Position | null {
	return row.kind === 'phase' || row.position.length === 0 ? null : row.position.map(({ bci }) => bci ?? -1).reverse();
}
