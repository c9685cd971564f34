/**
 * What Ctrl-C and the like do while something is recorded. The first Ctrl-C is the program's (the terminal sends it to all of our
 * process group), the second kills it, the third ends us at once. Without a terminal the signal came to us alone and is handed on.
 */
import fs from 'node:fs';

export interface InterruptActions {
	/** First: the program was asked to end. */
	interrupt(): void;
	/** Second. */
	kill(): void;
	/** Ended from outside: SIGTERM, SIGHUP. */
	terminate(signal: NodeJS.Signals): void;
}

const INTERRUPTED = 130;

/** Takes the signals over; the result gives them back. */
export function watchInterrupts(actions: InterruptActions): () => void {
	let count = 0;
	const onInterrupt = (): void => {
		count++;
		if (count === 1) {
			actions.interrupt();
		} else if (count === 2) {
			actions.kill();
		} else {
			process.exit(INTERRUPTED);
		}
	};
	process.on('SIGINT', onInterrupt);
	process.on('SIGTERM', actions.terminate);
	process.on('SIGHUP', actions.terminate);
	return () => {
		process.off('SIGINT', onInterrupt);
		process.off('SIGTERM', actions.terminate);
		process.off('SIGHUP', actions.terminate);
	};
}

/** Whether Ctrl-C on a terminal reaches the program without us. */
export function hasControllingTerminal(): boolean {
	try {
		fs.closeSync(fs.openSync('/dev/tty', 'r'));
		return true;
	} catch {
		return false;
	}
}
