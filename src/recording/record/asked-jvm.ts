/** Whether a process can be asked by jcmd: that of JDK 17 sends SIGQUIT to whatever has the number (that of 25 looks first), which ends what does not expect it. */
import fs from 'node:fs';
import { InputError } from '../../model/problem.js';

/** `deaf`: a JVM that does not listen, with `-Xrs` or at its very start. */
export type AskedProcess = 'jvm' | 'deaf' | 'no JVM';

/** The bit of SIGQUIT among the signals that a process catches. */
const QUIT = 1n << 2n;
const JVM_LIBRARY = /\/libjvm\.so(?: \(deleted\))?$/m;
/** A JVM that has just been started catches its signals soon. */
const STARTING_MS = 2000;
const POLL_MS = 50;

/** As it is now; of a system without /proc, and of processes of others, nothing tells that it is none. */
export function askedProcess(processId: number): AskedProcess {
	const maps = readOf(processId, 'maps');
	if (maps !== null && !JVM_LIBRARY.test(maps)) {
		return 'no JVM';
	}
	const [, caught] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readOf(processId, 'status') ?? '') ?? [];
	return caught === undefined || (BigInt(`0x${caught}`) & QUIT) !== 0n ? 'jvm' : 'deaf';
}

/** False also where nothing tells. */
export function isJvm(processId: number): boolean {
	return JVM_LIBRARY.test(readOf(processId, 'maps') ?? '');
}

/** The same as {@link askedProcess} when it had time to start. */
export async function settledProcess(processId: number): Promise<AskedProcess> {
	let found = askedProcess(processId);
	for (const begun = Date.now(); found === 'deaf' && Date.now() - begun < STARTING_MS; found = askedProcess(processId)) {
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
	return found;
}

/** Throws an {@link InputError} for a process that would be ended by being asked. */
export function refuseOther(processId: number, process: AskedProcess): void {
	if (process !== 'jvm') {
		const [message, action] = WHY[process];
		throw new InputError({ severity: 'error', file: `process ${processId}`, message, action });
	}
}

export const WHY: Readonly<Record<Exclude<AskedProcess, 'jvm'>, readonly [message: string, action: string]>> = {
	'no JVM': ['is no JVM', 'jcmd without arguments lists running JVMs'],
	deaf: ['listens to no command: jcmd would end it', 'start it without -Xrs'],
};

function readOf(processId: number, name: string): string | null {
	try {
		return fs.readFileSync(`/proc/${processId}/${name}`, 'latin1');
	} catch {
		return null;
	}
}
