/** How sections of a linked program are aligned, as far as their addresses and the gaps before them tell. */

interface AlignedSections {
	readonly starts: readonly number[];
	readonly alignments: number[];
}

const LARGEST_COMMON_ALIGNMENT = 64;
/** So many cold parts show what alignment such parts have. */
const ENOUGH_COLD_PARTS = 8;

/** Cold parts are aligned less than functions; one that lies at a multiple of what functions have is aligned as the other cold parts are. */
export function lowerColdAlignments({ starts, alignments }: AlignedSections, gaps: readonly number[], isCold: Uint8Array): void {
	const cold = starts.filter((_start, i) => isCold[i] === 1);
	if (cold.length < ENOUGH_COLD_PARTS) {
		return;
	}
	const common = commonAlignment(cold);
	starts.forEach((_start, i) => {
		if (isCold[i] === 1) {
			alignments[i] = Math.min(alignments[i]!, Math.max(common, neededBy(gaps[i]!)));
		}
	});
}

/** What most have. */
function commonAlignment(starts: readonly number[]): number {
	let common = LARGEST_COMMON_ALIGNMENT;
	while (common > 1 && starts.filter((start) => start % common === 0).length < 0.75 * starts.length) {
		common /= 2;
	}
	return common;
}

/**
 * What most sections have; for those whose address allows less, the least that any of these shows where nothing stands before them; for those behind a gap,
 * what the gap needs. Few alignments are in use: a gap that 32 would explain is taken for 64 where only 64 is proved.
 */
export function inferAlignments({ starts, alignments }: AlignedSections, gaps: readonly number[], insideNeeds: readonly number[]): void {
	const common = commonAlignment(starts);
	let least = common;
	/** Alignments above the common one that some gap proves and whose address allows no more, or nothing smaller explains. */
	const proved = new Set<number>();
	starts.forEach((start, i) => {
		least = Math.min(least, powerOfTwoIn(start));
		const needed = neededBy(gaps[i]!);
		if (needed > common && powerOfTwoIn(start) >= needed) {
			proved.add(Math.min(needed, powerOfTwoIn(start)));
		}
	});
	const largest = Math.max(common, ...proved);
	/** Alignments that some section has for certain: its address allows no more, its gap no less. */
	const certain = new Set(starts.map((start, i) => (neededBy(gaps[i]!) === powerOfTwoIn(start) ? powerOfTwoIn(start) : 0)));
	starts.forEach((start, i) => {
		const allowed = powerOfTwoIn(start);
		const needed = Math.max(neededBy(gaps[i]!), insideNeeds[i]!);
		let alignment = allowed < common ? Math.max(least, Math.min(needed, allowed)) : Math.max(common, Math.min(needed, allowed));
		if (alignment > common && alignment < largest && allowed >= largest && !certain.has(alignment)) {
			alignment = largest;
		}
		alignments.push(alignment);
	});
}

/** The least alignment that leaves such a gap. */
export function neededBy(gapBytes: number): number {
	let alignment = 1;
	while (alignment <= gapBytes && alignment < 4096) {
		alignment *= 2;
	}
	return alignment;
}

/** The largest power of two, up to a page, that divides an address. */
function powerOfTwoIn(address: number): number {
	let power = 1;
	while (power < 4096 && address % (power * 2) === 0) {
		power *= 2;
	}
	return power;
}
