/** Processes that a command leaves behind: a server goes on, or ends a moment after the client that started it. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_MS = 10_000;
const LOOK_MS = 50;

/** Waits for them. After one that does not end nothing is waited for again: a server that stays is there in all runs. */
export class LeftBehind {
	private readonly signal: AbortSignal;
	private readonly longestMs: number;
	private stays = false;

	constructor(signal: AbortSignal, longestMs = LONGEST_MS) {
		this.signal = signal;
		this.longestMs = longestMs;
	}

	/** The processes of these files that still run in the end. */
	async wait(programs: readonly string[]): Promise<number[]> {
		const files = new Set(programs.filter((file) => fs.existsSync(file)).map((file) => fs.realpathSync(file)));
		let left = processesOf(files);
		for (const end = Date.now() + this.longestMs; left.length > 0 && !this.stays && Date.now() < end; left = processesOf(files)) {
			await sleep(LOOK_MS, undefined, { signal: this.signal });
		}
		this.stays ||= left.length > 0;
		return left;
	}
}

/** None where the system does not tell. */
function processesOf(files: ReadonlySet<string>): number[] {
	const processes = fs.existsSync('/proc') ? fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
	return processes.filter((id) => files.has(executableOf(id))).map(Number);
}

function executableOf(id: string): string {
	try {
		return fs.readlinkSync(`/proc/${id}/exe`);
	} catch {
		// Another user's, or gone.
		return '';
	}
}
