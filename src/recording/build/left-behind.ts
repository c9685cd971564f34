/** Processes that a command leaves behind: a server goes on, or ends a moment after the client that started it. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { executableOf } from '../executable-of.js';

const LONGEST_MS = 10_000;
const LOOK_MS = 50;

/** Waits for them. After one that does not end nothing is waited for again: a server that stays is there in all runs after it. */
export class LeftBehind {
	private readonly signal: AbortSignal;
	private readonly longestMs: number;
	/** Those that did not end, and are told. */
	private readonly staying = new Set<number>();

	constructor(signal: AbortSignal, longestMs = LONGEST_MS) {
		this.signal = signal;
		this.longestMs = longestMs;
	}

	/** The processes of these files that still run in the end, of those that it was not said of before. */
	async wait(programs: readonly string[]): Promise<number[]> {
		const files = new Set(programs.filter((file) => fs.existsSync(file)).map((file) => fs.realpathSync(file)));
		const isWaiting = this.staying.size === 0;
		const running = (): number[] => processesOf(files).filter((id) => !this.staying.has(id));
		let left = running();
		for (const end = Date.now() + this.longestMs; isWaiting && left.length > 0 && Date.now() < end; left = running()) {
			await sleep(LOOK_MS, undefined, { signal: this.signal });
		}
		for (const id of left) {
			this.staying.add(id);
		}
		return left;
	}
}

/** None where the system does not tell. */
function processesOf(files: ReadonlySet<string>): number[] {
	const processes = fs.existsSync('/proc') ? fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
	return processes.map(Number).filter((id) => files.has(executableOf(id) ?? ''));
}
