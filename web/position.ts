/**
 * A bytecode position in an inlining context: the bytecode indices of the calls from the compiled method inwards, the position's own last.
 * In addresses `150.44`; where several receivers were inlined at one call, `150~2.44` is in the second of them, and `150` is the call with all of them.
 * Every pane marks what lies at it or inside the call that stands there.
 */

import type { InliningRowJson, OptimizationRowJson } from '../src/answers/profdiff-result.js';
import type { Frame } from '../src/model/instructions.js';

/** Steps as in addresses. */
export type Position = readonly string[];

/** The compiled method itself. */
const ROOT = 'root';

export function parsePosition(text: string | undefined): Position | null {
	if (text === ROOT) {
		return [];
	}
	return text === undefined || !/^-?\d+(?:~\d+)?(?:\.-?\d+(?:~\d+)?)*$/.test(text) ? null : text.split('.');
}

export function formatPosition(position: Position): string {
	return position.length === 0 ? ROOT : position.join('.');
}

/** The bytecode index of a step, whichever receiver. */
export function bciOf(step: string): number {
	return Number(step.split('~')[0]);
}

/** Whether `inner` is `outer` or lies inside the call that stands there. */
export function isInside(inner: Position, outer: Position): boolean {
	return outer.length <= inner.length && outer.every((step, i) => isStepIn(inner[i]!, step));
}

/** A call holds each of its receivers. */
function isStepIn(inner: string, outer: string): boolean {
	return inner === outer || inner.startsWith(`${outer}~`);
}

export interface TreePositions {
	/** Of the rows of an inlining tree; the root has none. */
	readonly ofRows: readonly Position[];
	/** Of frames, the innermost first: which receiver a call went to is told by the method of the frame inside. */
	ofFrames(frames: readonly FramePlace[]): Position;
}

type FramePlace = Pick<Frame, 'bci'> & { readonly method: string | null };

/** A dispatched call's receivers stand at the call, below it; so do calls of several methods at one bytecode index. */
export function positionsOfTree(rows: readonly InliningRowJson[]): TreePositions {
	const ofRows: Position[] = [];
	const steps = new Map<string, string>();
	const numbered = receiverNumbers(rows);
	const around: { depth: number; position: Position; dispatch: Position | null; bci: number }[] = [];
	rows.forEach(({ depth, bci, kind, method }, i) => {
		while ((around.at(-1)?.depth ?? -1) >= depth) {
			around.pop();
		}
		const parent = around.at(-1);
		const call = parent?.bci === bci ? parent.dispatch : null;
		const outer = call ?? parent?.position ?? [];
		const number = numbered[i]!;
		const step = number === 0 ? String(bci) : `${bci}~${number}`;
		const position = parent === undefined ? [] : [...outer, step];
		if (number > 0) {
			steps.set(stepKey(outer, bci, method), step);
		}
		ofRows.push(position);
		around.push({ depth, position, dispatch: kind === 'devirtualized' || kind === 'indirect' ? outer : null, bci });
	});
	return {
		ofRows,
		ofFrames(frames) {
			const position: string[] = [];
			for (let i = frames.length - 1; i >= 0; i--) {
				const { bci } = frames[i]!;
				const callee = frames[i - 1]?.method ?? null;
				position.push((callee === null ? undefined : steps.get(stepKey(position, bci, callee))) ?? String(bci));
			}
			return position;
		},
	};
}

function stepKey(outer: Position, bci: number, method: string | null): string {
	return `${formatPosition(outer)}\0${bci}\0${method}`;
}

/** Of each row: which of the receivers of its call it is, from 1; 0 where the call has only this one. */
function receiverNumbers(rows: readonly InliningRowJson[]): number[] {
	const around: number[] = [];
	/** Methods by the row around, and the bytecode index. */
	const methods = new Map<string, (string | null)[]>();
	const keys = rows.map(({ depth, bci, method }, i) => {
		around[depth] = i;
		const key = `${around[depth - 1] ?? -1} ${bci}`;
		const own = methods.get(key) ?? [];
		methods.set(key, own);
		if (!own.includes(method)) {
			own.push(method);
		}
		return { key, parent: around[depth - 1] ?? -1 };
	});
	return rows.map(({ bci, method }, i) => {
		const { key, parent } = keys[i]!;
		const own = methods.get(key)!;
		const call = rows[parent];
		const isReceiver = call !== undefined && (call.kind === 'devirtualized' || call.kind === 'indirect') && call.bci === bci;
		return i > 0 && (isReceiver || own.length > 1) ? own.indexOf(method) + 1 : 0;
	});
}

/** The deepest call of the tree that a position lies in or is, 0 (the compiled method) where none does. A call without a receiver is the first one's where no row is the call's own. */
export function rowOfPosition(positions: readonly Position[], position: Position): number {
	let best = 0;
	let bestExact = 0;
	for (let i = 1; i < positions.length; i++) {
		const candidate = positions[i]!;
		if (candidate.length > position.length || candidate.length < positions[best]!.length) {
			continue;
		}
		if (!candidate.every((step, at) => isStepIn(position[at]!, step) || isStepIn(step, position[at]!))) {
			continue;
		}
		const exact = candidate.reduce((sum, step, at) => sum + (step === position[at] ? 1 : 0), 0);
		if (candidate.length > positions[best]!.length || exact > bestExact) {
			best = i;
			bestExact = exact;
		}
	}
	return best;
}

/** The call of the tree that executes code at a position: at the bytecode index of a call itself the caller does, which checks, moves arguments and calls. */
export function rowOfCode(positions: readonly Position[], position: Position): number {
	return rowOfPosition(positions, position.slice(0, -1));
}

export function positionOfOptimization(row: OptimizationRowJson, tree: TreePositions): Position | null {
	return row.kind === 'phase' || row.position.length === 0 ? null : tree.ofFrames(row.position.map(({ method, bci }) => ({ method, bci: bci ?? -1 })));
}
