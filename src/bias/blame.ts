/** Who is blamed for how much: sums by method, and by method and line. */
import type { Frame } from '../model/instructions.js';

export interface Blame {
	/** Holder and name with dots, or a row in round brackets. */
	readonly byMethod: Map<string, number>;
	/** `java.util.HashMap.getNode:588`; rows in round brackets as they are. */
	readonly byLine: Map<string, number>;
}

/** What rows of a profile are: methods, or their lines. */
export type BlameKey = 'method' | 'line';

/** What frames are blamed as, the innermost first; `(unknown)` for what nothing describes. */
export function keyOfFrames([leaf]: readonly Frame[], by: BlameKey): string {
	return leaf === undefined ? '(unknown)' : by === 'line' ? lineOf(leaf) : leaf.method;
}

/** Of a profile its rows of that kind. */
export function sharesBy({ byMethod, byLine }: Blame, by: BlameKey): Map<string, number> {
	return by === 'line' ? byLine : byMethod;
}

export function emptyBlame(): Blame {
	return { byMethod: new Map(), byLine: new Map() };
}

function lineOf({ method, line }: Frame): string {
	return `${method}:${line ?? -1}`;
}

/** The frames, innermost first; empty for what nothing describes. */
export function addBlame({ byMethod, byLine }: Blame, frames: readonly Frame[], amount: number): void {
	const [leaf] = frames;
	const method = leaf?.method ?? '(unknown)';
	byMethod.set(method, (byMethod.get(method) ?? 0) + amount);
	const line = leaf === undefined ? method : lineOf(leaf);
	byLine.set(line, (byLine.get(line) ?? 0) + amount);
}

export function addRow({ byMethod, byLine }: Blame, row: string, amount: number): void {
	byMethod.set(row, (byMethod.get(row) ?? 0) + amount);
	byLine.set(row, (byLine.get(row) ?? 0) + amount);
}
