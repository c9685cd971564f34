/** The file that a process runs. */
import fs from 'node:fs';

/** null where the system does not tell: not Linux, another user's process, or one that has ended. */
export function executableOf(processId: number): string | null {
	try {
		return fs.readlinkSync(`/proc/${processId}/exe`);
	} catch {
		return null;
	}
}
