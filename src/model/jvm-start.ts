/** Whether two files tell of one start of a JVM. Both are told by the clock of the JVM's machine, which may be set meanwhile. */
const SAME_START_MS = 2000;

/** Milliseconds since 1970. */
export function mayBeSameStart(a: number, b: number): boolean {
	return Math.abs(a - b) <= SAME_START_MS;
}
