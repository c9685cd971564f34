/**
 * The notes of compiler threads (inlining, phases). HotSpot writes them to `/tmp/hs_cTHREAD_pidPROCESS.log` and puts them at the end of its
 * log when it ends; a JVM that was killed leaves them lying there. (xmlstream and compileLog of JDK 17 and 25.)
 */
import fs from 'node:fs';
import path from 'node:path';

const HOTSPOT_TEMPORARY_FOLDER = '/tmp';
const COMPILER_LOG = /^hs_c\d+_pid(\d+)\.log$/;

/** Moves those of processes that have ended into the folder. */
export function rescueCompilerLogs(folder: string, processIds: ReadonlySet<number>, from = HOTSPOT_TEMPORARY_FOLDER): void {
	for (const name of listed(from)) {
		const processId = Number(COMPILER_LOG.exec(name)?.[1] ?? Number.NaN);
		const file = path.join(from, name);
		if (processIds.has(processId) && !isAlive(processId) && isOwnFile(file)) {
			fs.copyFileSync(file, path.join(folder, name));
			fs.rmSync(file, { force: true });
		}
	}
}

export function isAlive(processId: number): boolean {
	try {
		process.kill(processId, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

function listed(folder: string): string[] {
	try {
		return fs.readdirSync(folder);
	} catch {
		return [];
	}
}

/** Anybody may put a link of such a name into the temporary folder. */
function isOwnFile(file: string): boolean {
	try {
		const stats = fs.lstatSync(file);
		return stats.isFile() && stats.uid === process.getuid?.();
	} catch {
		return false;
	}
}
