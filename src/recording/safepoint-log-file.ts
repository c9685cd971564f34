/** The file that `assay record` lets the JVM log its safepoints into. */
import path from 'node:path';
import { isSafepointLog } from '../formats/hotspot-safepoint-log/read.js';

export const SAFEPOINT_LOG_NAME = /^safepoint(?:-(?:pid)?\d+)?\.log$/;

/** Whether a file tells of safepoints. That of a program that had none is empty: its name says what it is. */
export function tellsOfSafepoints(name: string, head: string): boolean {
	return isSafepointLog(head) || (head === '' && SAFEPOINT_LOG_NAME.test(path.basename(name)));
}
