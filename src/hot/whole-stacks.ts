/**
 * Whether the stacks of native samples lead back to where threads begin: walked by frame pointers that compilers left out, they end after a step or two; of those that
 * were unwound from copies the outermost frames may lie beyond.
 */
import type { SampleDetails, Samples } from '../model/samples.js';
import { startsThread } from '../model/thread-start.js';

export interface WholeStackCounts {
	readonly whole: number;
	readonly all: number;
	/** How much was copied of each where they were unwound; null of those that the profiler walked. */
	readonly copiedBytes: number | null;
}

/** Of samples outside of the kernel with a stack; null where the profile has none. */
export function wholeStacks(
	{ length, address, processId: ids, places }: Samples,
	{ stacks, unwound }: SampleDetails,
	processId: number,
): WholeStackCounts | null {
	if (stacks === null) {
		return null;
	}
	const { of, parent, place } = stacks;
	const isWhole = new Map<number, boolean>();
	let all = 0;
	let whole = 0;
	for (let i = 0; i < length; i++) {
		const innermost = of[i]!;
		if (innermost < 0 || ids[i] !== processId || address[i]! < 0n) {
			continue;
		}
		let is = isWhole.get(innermost);
		if (is === undefined) {
			let outermost = innermost;
			while (parent[outermost]! >= 0) {
				outermost = parent[outermost]!;
			}
			is = startsThread(places[place[outermost]!]?.symbol ?? null);
			isWhole.set(innermost, is);
		}
		all++;
		whole += is ? 1 : 0;
	}
	return { whole, all, copiedBytes: unwound?.copiedBytes ?? null };
}
