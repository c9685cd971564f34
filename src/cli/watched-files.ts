/** When files below some paths change: their times and sizes are looked at again and again, which every file system allows. */
import fs from 'node:fs';
import path from 'node:path';

/** So many files are looked at. */
const MOST_FILES = 20_000;
const POLL_MS = 300;
/** A compiler writes many files: a change is over when so long nothing changed. */
const QUIET_MS = 600;

/** A text that is another one when a file was changed, added or removed. */
export function stateOf(paths: readonly string[]): string {
	const lines: string[] = [];
	const waiting = [...paths];
	for (const one of waiting) {
		const stats = fs.statSync(one, { throwIfNoEntry: false });
		if (stats?.isDirectory() === true) {
			if (waiting.length < MOST_FILES) {
				waiting.push(...namesIn(one).map((name) => path.join(one, name)));
			}
		} else {
			lines.push(`${one} ${stats?.mtimeMs} ${stats?.size}`);
		}
	}
	return lines.join('\n');
}

/** Waits until the state is another one than `before`, and stays so for a while. */
export async function changed(paths: readonly string[], before: string): Promise<string> {
	let last = before;
	let sinceMs = Date.now();
	for (;;) {
		await new Promise((resolve) => {
			setTimeout(resolve, POLL_MS);
		});
		const now = stateOf(paths);
		if (now !== last) {
			last = now;
			sinceMs = Date.now();
		} else if (last !== before && Date.now() - sinceMs >= QUIET_MS) {
			return last;
		}
	}
}

function namesIn(folder: string): string[] {
	try {
		return fs.readdirSync(folder).toSorted();
	} catch {
		return [];
	}
}

const CLASS_PATH = new Set(['-cp', '-classpath', '--class-path', '-jar', '-p', '--module-path']);

/** What a command line of java runs: its class path and archives; else the program itself. Only what is there. */
export function programFiles(command: readonly string[], folder: string): string[] {
	const named = command.flatMap((word, i) => {
		if (CLASS_PATH.has(command[i - 1] ?? '')) {
			return word.split(path.delimiter);
		}
		const [, value] = /^--(?:class-path|module-path)=(.*)$/.exec(word) ?? [];
		return value === undefined ? [] : value.split(path.delimiter);
	});
	const files = named.map((name) => path.resolve(folder, name.replace(/\*$/, '')));
	const [program = ''] = command;
	return [...files, ...(program.includes(path.sep) && files.length === 0 ? [path.resolve(folder, program)] : [])].filter((file) => fs.existsSync(file));
}
