/** Which samples a question is about: all, or those of threads by name or by class. */
import type { ThreadClass } from './thread-class.js';

export interface ThreadFilter {
	/** Only threads with such names, `*` is any text; null or left out: all. */
	readonly thread?: string | null;
	/** Only samples of this class; null or left out: all. */
	readonly threadClass?: ThreadClass | null;
}

export function isFiltered({ thread = null, threadClass = null }: ThreadFilter): boolean {
	return thread !== null || threadClass !== null;
}

/** The options that say the same on a command line; empty: all samples. */
export function filterOptions({ thread = null, threadClass = null }: ThreadFilter): readonly string[] {
	return [...(threadClass === null ? [] : ['--class', threadClass]), ...(thread === null ? [] : ['--thread', thread])];
}
