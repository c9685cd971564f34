/**
 * Finds the first of ordered revisions that is bad, as `git bisect` does: the one in the middle is judged, and half of them are left. One that cannot be judged is
 * skipped, and its nearest neighbour is judged in its place; where only such are left between the last good and the first bad one, the answer is several.
 */

export type Verdict = 'good' | 'bad' | 'unclear';

export interface Found {
	/** Positions. The first is known to be good, the second to be bad. */
	readonly lastGood: number;
	readonly firstBad: number;
	/** Unclear ones between them: any of these may be the first bad one. */
	readonly skipped: readonly number[];
}

/** The first revision (0) is good and the last one (`count - 1`) is bad: both were judged before. */
export async function findFirstBad(count: number, judge: (position: number) => Promise<Verdict>): Promise<Found> {
	let lastGood = 0;
	let firstBad = count - 1;
	const unclear = new Set<number>();
	for (;;) {
		const next = nearestToMiddle(lastGood, firstBad, unclear);
		if (next === null) {
			const skipped = [...unclear].filter((position) => position > lastGood && position < firstBad).toSorted((a, b) => a - b);
			return { lastGood, firstBad, skipped };
		}
		const verdict = await judge(next);
		if (verdict === 'unclear') {
			unclear.add(next);
		} else if (verdict === 'good') {
			lastGood = next;
		} else {
			firstBad = next;
		}
	}
}

function nearestToMiddle(lastGood: number, firstBad: number, unclear: ReadonlySet<number>): number | null {
	const middle = Math.floor((lastGood + firstBad) / 2);
	for (let distance = 0; distance <= firstBad - lastGood; distance++) {
		for (const position of [middle - distance, middle + distance]) {
			if (position > lastGood && position < firstBad && !unclear.has(position)) {
				return position;
			}
		}
	}
	return null;
}
