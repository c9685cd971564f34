/** Whether two files tell of one start of a JVM. Both are told by the clock of the JVM's machine, which may be set meanwhile. */
const SAME_START_MS = 2000;

/** Milliseconds since 1970; null: a file does not tell, and nothing speaks against it. */
export function mayBeSameStart(a: number | null, b: number | null): boolean {
	return a === null || b === null || Math.abs(a - b) <= SAME_START_MS;
}
