/** Rows side by side of which the equal ones are folded: what differs, what is around it, and a line for each run that is the same on both sides. */

export type FoldedLine = { readonly kind: 'row'; readonly at: number } | { readonly kind: 'fold'; readonly from: number; readonly to: number };

/** Shorter runs are shown. */
const FOLD_FROM = 3;

/** `isKept`: of each row whether it is always shown. `unfolded`: the first rows of folds that are open. Where nothing is kept nothing is folded. */
export function foldedLines(isKept: readonly boolean[], unfolded: ReadonlySet<number> | 'all'): FoldedLine[] {
	const lines: FoldedLine[] = [];
	const hasKept = isKept.includes(true);
	for (let at = 0; at < isKept.length; ) {
		let end = at;
		while (end < isKept.length && isKept[end] === false) {
			end++;
		}
		if (hasKept && unfolded !== 'all' && end - at >= FOLD_FROM && !unfolded.has(at)) {
			lines.push({ kind: 'fold', from: at, to: end - 1 });
			at = end;
			continue;
		}
		for (end = Math.max(end, at + 1); at < end; at++) {
			lines.push({ kind: 'row', at });
		}
	}
	return lines;
}

/** Rows of a tree that differ, and those around them. */
export function withParents(depths: readonly number[], isChanged: readonly boolean[]): boolean[] {
	const isKept = depths.map(() => false);
	const around: number[] = [];
	depths.forEach((depth, i) => {
		around[depth] = i;
		if (isChanged[i]) {
			for (let at = depth; at >= 0 && isKept[around[at]!] === false; at--) {
				isKept[around[at]!] = true;
			}
		}
	});
	return isKept;
}

/** Lines that differ, and so many before and behind each. */
export function withNeighbours(isChanged: readonly boolean[], margin: number): boolean[] {
	const isKept = isChanged.map(() => false);
	isChanged.forEach((is, i) => {
		if (is) {
			isKept.fill(true, Math.max(0, i - margin), i + margin + 1);
		}
	});
	return isKept;
}

/** The next row that differs behind `from`, or the one before it, around the end; -1 where none differs. */
export function nextChange(isChanged: readonly boolean[], from: number, direction: 1 | -1): number {
	const { length } = isChanged;
	for (let step = 1; step <= length; step++) {
		const at = ((((from < 0 && direction < 0 ? 0 : from) + direction * step) % length) + length) % length;
		if (isChanged[at]) {
			return at;
		}
	}
	return -1;
}
