/** What `assay order simulate --json` left beside a recording: the pages that start-up touches under several layouts. */
import path from 'node:path';
import { readRange, type Source } from '../bytes/source.js';
import type { Evidence } from '../recording/evidence.js';
import type { PageStartup } from './data.js';

const HEAD_BYTES = 512;
const MAX_BYTES = 64 << 20;

/** The first such file among the named ones, or directly in the named folders; null: there is none. */
export function findStartup({ all, paths }: Evidence): PageStartup | null {
	const folders = new Set(paths.map(({ filePath }) => filePath));
	const candidates = all.filter(
		({ filePath, isNamed, formats }) => formats.length === 0 && filePath.endsWith('.json') && (isNamed || folders.has(path.dirname(filePath))),
	);
	for (const { source } of candidates) {
		const result = source === undefined ? null : readStartup(source);
		if (result !== null) {
			return result;
		}
	}
	return null;
}

function readStartup(source: Source): PageStartup | null {
	try {
		if (source.sizeBytes > MAX_BYTES || !/"command":\s*"order simulate"/.test(textOf(source, HEAD_BYTES))) {
			return null;
		}
		const { result } = JSON.parse(textOf(source, source.sizeBytes)) as { readonly result?: PageStartup };
		return Array.isArray(result?.layouts) && Array.isArray(result.traces) ? result : null;
	} catch {
		// A file that is none of ours, or changes while it is read, is no start-up result.
		return null;
	} finally {
		source.close();
	}
}

function textOf(source: Source, lengthBytes: number): string {
	return Buffer.from(readRange(source, 0, lengthBytes)).toString('utf8');
}
