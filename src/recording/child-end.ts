/** The end of a child whose output is read. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

export interface ChildEnd {
	/** Null where a signal ended it. */
	readonly status: number | null;
	readonly signal: NodeJS.Signals | null;
}

const LAST_WORDS_MS = 500;

/**
 * Resolves when it has ended and what it said last was read. What it started may live on (a server, a daemon of a build) and hold its pipes: that is waited for half
 * a second, and does not keep our own process. Rejects where it could not be started.
 */
export function endOf(child: ChildProcess): Promise<ChildEnd> {
	return new Promise((resolve, reject) => {
		child.on('error', (error: NodeJS.ErrnoException) => {
			// One that cannot be killed goes on.
			if (error.syscall !== 'kill') {
				reject(error);
			}
		});
		child.once('exit', (status, signal) => {
			const end = (): void => resolve({ status, signal });
			const timer = setTimeout(() => {
				for (const stream of [child.stdout, child.stderr]) {
					// A pipe of a child is a socket; of one that is null nothing is read.
					(stream as Socket | null)?.unref();
				}
				end();
			}, LAST_WORDS_MS);
			child.once('close', () => {
				clearTimeout(timer);
				end();
			});
		});
	});
}
