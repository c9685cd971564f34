/** Which samples a question is about: all that were measured, or those of threads by name or by class. */
import type { ThreadClass } from './thread-class.js';

export interface SampleFilter {
	/** Only threads with such names, `*` is any text; null or left out: all. */
	readonly thread?: string | null;
	/** Only samples of this class; null or left out: all. */
	readonly threadClass?: ThreadClass | null;
	/** Also what lies outside the window that the recording says was measured, such as the warm-up of a benchmark. */
	readonly wholeRun?: boolean;
}

/** Whether threads were chosen: then shares are those of a part. */
export function isOfThreads({ thread = null, threadClass = null }: SampleFilter): boolean {
	return thread !== null || threadClass !== null;
}

/** The options that say the same on a command line; empty: what is taken where nothing is asked for. */
export function filterOptions({ thread = null, threadClass = null, wholeRun = false }: SampleFilter): readonly string[] {
	return [
		...(threadClass === null ? [] : ['--class', threadClass]),
		...(thread === null ? [] : ['--thread', thread]),
		...(wholeRun ? ['--window', 'all'] : []),
	];
}
