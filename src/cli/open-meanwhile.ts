/** The page of a recording while it is made: `assay open --follow` in a process of its own, which ends with this one. */
import { spawn } from 'node:child_process';
import { InputError } from '../model/problem.js';

export interface OpenedMeanwhile {
	/** Until Ctrl-C, or until the page ended by itself. */
	untilInterrupted(): Promise<void>;
	close(): void;
}

/** Standard output belongs to the program: the address goes to standard error. */
export function openMeanwhile(folder: string, workingDirectory: string): OpenedMeanwhile {
	const [, script] = process.argv;
	if (script === undefined) {
		throw new InputError({ severity: 'error', file: folder, message: 'cannot be shown: this program does not know its own file', action: 'leave --open out' });
	}
	// A process group of its own: Ctrl-C is the program's. The channel is what tells it that this process ended, however it did.
	const child = spawn(process.execPath, [script, 'open', folder, '--follow'], { cwd: workingDirectory, stdio: ['ignore', 2, 2, 'ipc'], detached: true });
	const ended = new Promise<void>((resolve) => {
		child.once('error', () => resolve());
		child.once('exit', () => resolve());
	});
	return {
		async untilInterrupted() {
			const interrupted = new Promise<void>((resolve) => {
				for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
					process.once(signal, () => resolve());
				}
			});
			await Promise.race([ended, interrupted]);
		},
		close() {
			if (child.connected) {
				child.disconnect();
			}
			child.unref();
		},
	};
}
