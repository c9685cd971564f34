/** What `assay order simulate --json` left beside a recording: the pages that start-up touches under several layouts. */
import fs from 'node:fs';
import path from 'node:path';
import type { PageStartup } from './data.js';

const HEAD_BYTES = 512;
const MAX_BYTES = 64 << 20;

/** The first such file among the named ones, or directly in the named folders; null: there is none. */
export function findStartup(files: readonly string[]): PageStartup | null {
	for (const file of files.flatMap(jsonFiles)) {
		const result = readStartup(file);
		if (result !== null) {
			return result;
		}
	}
	return null;
}

function jsonFiles(file: string): string[] {
	const stat = fs.statSync(file, { throwIfNoEntry: false });
	if (stat?.isDirectory()) {
		return fs
			.readdirSync(file)
			.filter((name) => name.endsWith('.json'))
			.sort()
			.map((name) => path.join(file, name));
	}
	return stat?.isFile() && file.endsWith('.json') ? [file] : [];
}

function readStartup(file: string): PageStartup | null {
	try {
		const head = Buffer.alloc(HEAD_BYTES);
		const descriptor = fs.openSync(file, 'r');
		const length = fs.readSync(descriptor, head);
		fs.closeSync(descriptor);
		if (!/"command":\s*"order simulate"/.test(head.toString('utf8', 0, length)) || fs.statSync(file).size > MAX_BYTES) {
			return null;
		}
		const { result } = JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly result?: PageStartup };
		return Array.isArray(result?.layouts) && Array.isArray(result.traces) ? result : null;
	} catch {
		// A file that is none of ours, or changes while it is read, is no start-up result.
		return null;
	}
}
