/** Which samples a question is about: all, or those of threads by name or by class. */
import type { ThreadClasses } from '../hot/thread-classes.js';
import { UsageError } from '../model/problem.js';
import { THREAD_CLASSES, type ThreadClass } from '../model/thread-class.js';
import { threadMatcher } from '../model/thread-name.js';
import type { Recording } from '../recording/open-recording.js';

/** The evidence has to be opened with threads. */
export interface ThreadFilter {
	/** Only threads with such names, `*` is any text; null or left out: all. */
	readonly thread?: string | null;
	/** Only samples of this class; null or left out: all. */
	readonly threadClass?: ThreadClass | null;
}

export function isFiltered({ thread = null, threadClass = null }: ThreadFilter): boolean {
	return thread !== null || threadClass !== null;
}

/** Which samples are meant; null: all. Throws a UsageError where the samples do not tell. */
export function wantedSamples(
	{ threads, samplesFile }: Recording,
	classes: ThreadClasses | null,
	{ thread = null, threadClass = null }: ThreadFilter,
): ((sample: number) => boolean) | null {
	if (thread === null && threadClass === null) {
		return null;
	}
	if (threads === null || (threadClass !== null && classes === null)) {
		throw new UsageError(`${samplesFile} does not tell ${threads === null ? 'threads' : 'threads of a JVM'}`);
	}
	const matches = thread === null ? null : threadMatcher(thread);
	const isNamed = threads.threads.map(({ name }) => matches === null || matches(name));
	return (i) => isNamed[threads.of[i]!] === true && (threadClass === null || THREAD_CLASSES[classes?.ofSample[i] ?? -1] === threadClass);
}

/** The options that say the same on a command line; empty: all samples. */
export function filterOptions({ thread = null, threadClass = null }: ThreadFilter): readonly string[] {
	return [...(threadClass === null ? [] : ['--class', threadClass]), ...(thread === null ? [] : ['--thread', thread])];
}
