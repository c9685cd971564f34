/** The lines of the code pane: instructions, a line of frames before each change of them, and folds over code without samples. */
import type { HotCodeJson } from '../../src/answers/hot-result.js';

export type CodeLine =
	| { readonly kind: 'instruction'; readonly instruction: number }
	/** Before the instruction `next`. */
	| { readonly kind: 'frame'; readonly position: number; readonly next: number }
	| { readonly kind: 'fold'; readonly from: number; readonly to: number };

/** Shorter runs without samples are shown. */
const FOLD_FROM = 14;
/** Shown around what has samples. */
const MARGIN = 3;

/** `unfolded`: the first instructions of folds that are open. Without samples nothing is folded. */
export function linesOfCode(
	code: Pick<HotCodeJson, 'text' | 'analysed' | 'position'>,
	seen: readonly number[],
	unfolded: ReadonlySet<number> | 'all',
): CodeLine[] {
	const { length } = code.text;
	const isHot = (i: number): boolean => (seen[i] ?? 0) > 0 || (code.analysed?.[i] ?? 0) > 0;
	const isShown = new Uint8Array(length);
	let hasHeat = false;
	for (let i = 0; i < length; i++) {
		if (isHot(i)) {
			hasHeat = true;
			isShown.fill(1, Math.max(0, i - MARGIN), Math.min(length, i + MARGIN + 1));
		}
	}
	const lines: CodeLine[] = [];
	let position = -1;
	for (let i = 0; i < length; ) {
		let end = i;
		while (end < length && isShown[end] === 0) {
			end++;
		}
		if (hasHeat && unfolded !== 'all' && end - i >= FOLD_FROM && !unfolded.has(i)) {
			lines.push({ kind: 'fold', from: i, to: end - 1 });
			i = end;
			position = -1;
			continue;
		}
		for (end = Math.max(end, i + 1); i < end; i++) {
			const next = code.position[i] ?? -1;
			if (next !== position && next >= 0) {
				lines.push({ kind: 'frame', position: next, next: i });
			}
			position = next;
			lines.push({ kind: 'instruction', instruction: i });
		}
	}
	return lines;
}

export interface JumpLane {
	/** Positions of lines. */
	readonly from: number;
	readonly to: number;
	/** 0 is next to the code. */
	readonly lane: number;
}

const MAX_LANES = 6;
/** Longer jumps have their target in words only. */
const LONGEST = 400;

/** Short jumps lie next to the code; those that find no lane are left out. */
export function jumpLanes(code: Pick<HotCodeJson, 'jump'>, lines: readonly CodeLine[]): JumpLane[] {
	const lineOf = new Map<number, number>();
	lines.forEach((line, i) => {
		if (line.kind === 'instruction') {
			lineOf.set(line.instruction, i);
		}
	});
	const jumps = code.jump.flatMap((target, i) => {
		const from = lineOf.get(i);
		const to = target < 0 ? undefined : lineOf.get(target);
		return from === undefined || to === undefined || Math.abs(to - from) > LONGEST ? [] : [{ from, to }];
	});
	jumps.sort((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from) || a.from - b.from);
	const lanes: { from: number; to: number }[][] = [];
	const result: JumpLane[] = [];
	for (const jump of jumps) {
		const [from, to] = [Math.min(jump.from, jump.to), Math.max(jump.from, jump.to)];
		let lane = lanes.findIndex((taken) => taken.every((other) => other.to < from || other.from > to));
		if (lane < 0 && lanes.length < MAX_LANES) {
			lane = lanes.push([]) - 1;
		}
		if (lane >= 0) {
			lanes[lane]?.push({ from, to });
			result.push({ ...jump, lane });
		}
	}
	return result;
}
