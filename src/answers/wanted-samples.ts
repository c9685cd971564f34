/** Samples of threads that are chosen by name or by class. */
import type { ThreadClasses } from '../hot/thread-classes.js';
import { UsageError } from '../model/problem.js';
import type { SampleFilter } from '../model/sample-filter.js';
import { THREAD_CLASSES } from '../model/thread-class.js';
import { threadMatcher } from '../model/thread-name.js';
import type { Recording } from '../recording/open-recording.js';

/** Which samples are meant; null: all. The evidence has to be opened with threads; throws a UsageError where the samples do not tell. */
export function wantedSamples(
	{ threads, samplesFile }: Recording,
	classes: ThreadClasses | null,
	{ thread = null, threadClass = null }: SampleFilter,
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
