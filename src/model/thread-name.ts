/** Names of threads as the system has them: Linux cuts them after 15 bytes. */
import { nameMatches } from './name-pattern.js';

const THREAD_NAME_BYTES = 15;

/** Only what the system keeps of a name can be compared; a pattern with stars is taken as it is. */
export function threadMatcher(pattern: string): (name: string) => boolean {
	const kept = pattern.includes('*') ? pattern : Buffer.from(pattern).subarray(0, THREAD_NAME_BYTES).toString();
	return (name) => nameMatches(kept, name);
}
