/** The page of `assay open`, which may become another one while it is served: when its recording grows, or a file is dropped on it. */
import fs from 'node:fs';
import path from 'node:path';
import { formatProblem, InputError } from '../model/problem.js';
import type { Evidence } from '../recording/evidence.js';
import type { GatheredPage } from './file.js';
import { titleOf } from './file.js';
import type { PageShell } from './html.js';
import type { PageState, ServedPage } from './server.js';

/** A page and what it is read from. */
export interface OpenedPage {
	readonly page: GatheredPage;
	/** Closed when another page takes its place. */
	readonly evidence: readonly Evidence[];
}

/** Between looks at the files. */
const LOOK_MS = 1000;
/** Gathering takes time of the machine that the program runs on: a part of it at most. */
const PAUSE_FACTOR = 3;
const MOST_FILES = 10_000;

export class LivePage implements ServedPage {
	readonly shell: PageShell;
	private current: OpenedPage;
	private revision = 1;
	private problem: string | null = null;
	private following: NodeJS.Timeout | null = null;
	/** One page is made after the other. */
	private last: Promise<unknown> = Promise.resolve();

	constructor(shell: PageShell, first: OpenedPage) {
		this.shell = shell;
		this.current = first;
	}

	get title(): string {
		return titleOf(this.current.page.main);
	}

	get parts(): ReadonlyMap<string, Buffer> {
		return this.current.page.parts.parts;
	}

	get state(): PageState {
		return { revision: this.revision, problem: this.problem };
	}

	async detail(side: number, handle: string): Promise<unknown> {
		return (await this.current.page.sides[side]?.detail(handle)) ?? null;
	}

	/** Puts another page in its place; null: it stays, as when `make` throws, which this throws too. */
	async replace(make: (revision: number) => Promise<OpenedPage | null>): Promise<void> {
		const made = this.last.then(() => make(this.revision + 1));
		this.last = made.catch(() => undefined);
		const next = await made;
		if (next === null) {
			return;
		}
		const before = this.current;
		this.current = next;
		this.revision++;
		this.problem = null;
		for (const evidence of before.evidence) {
			evidence.close();
		}
	}

	/** Makes the page again whenever a file below the paths is another one than before. */
	follow(paths: readonly string[], make: (revision: number) => Promise<OpenedPage>): void {
		let known = fingerprint(paths);
		const look = async (): Promise<void> => {
			const now = fingerprint(paths);
			let pauseMs = LOOK_MS;
			if (now !== known) {
				known = now;
				const started = performance.now();
				await this.replace(async (revision) => (this.following === null ? null : make(revision))).catch((error: unknown) => {
					// A file that is being written, or was removed, may be read the next time.
					this.problem = error instanceof InputError ? formatProblem(error.problem) : String(error);
				});
				pauseMs += PAUSE_FACTOR * (performance.now() - started);
			}
			if (this.following !== null) {
				this.following = setTimeout(look, pauseMs);
			}
		};
		this.following = setTimeout(look, LOOK_MS);
	}

	unfollow(): void {
		clearTimeout(this.following ?? undefined);
		this.following = null;
	}
}

/** Names, sizes and times of the files. What vanishes meanwhile is no file. */
function fingerprint(paths: readonly string[]): string {
	const rows: string[] = [];
	const add = (filePath: string): void => {
		const stat = rows.length < MOST_FILES ? fs.statSync(filePath, { throwIfNoEntry: false }) : undefined;
		if (stat?.isDirectory() === true) {
			for (const name of fs.readdirSync(filePath)) {
				add(path.join(filePath, name));
			}
		} else if (stat !== undefined) {
			rows.push(`${filePath} ${stat.size} ${stat.mtimeMs}`);
		}
	};
	for (const one of paths) {
		try {
			add(one);
		} catch {
			// It was removed while it was looked at.
		}
	}
	return rows.join('\n');
}
