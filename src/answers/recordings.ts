/** Which recordings lie below folders: those of `assay record` by their manifest, others by files of known formats. Nothing but heads of files is read. */
import fs from 'node:fs';
import path from 'node:path';
import { FORMATS } from '../formats/registry.js';
import { MANIFEST_NAME } from '../model/recording-manifest.js';
import { readHead } from '../recording/read-head.js';
import { HEAD_BYTES, tellFormats } from '../recording/tell-format.js';

interface ListedRecording {
	/** Relative to its root; a root itself is `.`. */
	readonly path: string;
	/** Which of the roots. */
	readonly root: number;
	/** Formats of the files. */
	readonly formats: readonly string[];
	readonly files: number;
	readonly sizeBytes: number;
	/** When the newest of the files was written. */
	readonly changed: string;
	/** Of `assay record`: what ran. */
	readonly command: readonly string[] | null;
	/** Of `assay record`: complete or running. */
	readonly state: string | null;
	readonly jdk: string | null;
}

export interface Listing {
	/** Those of assay record first, then by time, newest first. */
	readonly recordings: readonly ListedRecording[];
	/** Whether there was more than is looked at. */
	readonly isPart: boolean;
}

const MOST_FOLDERS = 2000;
const MOST_FILES = 5000;
const DEEPEST = 8;
const NO_RECORDINGS = new Set(['node_modules', '.git', '.svn', '.hg', '.cache']);

export async function listRecordings(roots: readonly string[]): Promise<Listing> {
	const recordings: ListedRecording[] = [];
	const left = { folders: MOST_FOLDERS, files: MOST_FILES };
	for (const [root, folder] of roots.entries()) {
		const waiting = [{ folder, depth: 0 }];
		for (const { folder: one, depth } of waiting) {
			if (left.folders-- <= 0 || left.files <= 0) {
				break;
			}
			const entries = entriesOf(one);
			const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
			const found = await recordingOf(one, files.slice(0, left.files));
			left.files -= files.length;
			if (found !== null) {
				recordings.push({ path: path.relative(folder, one) || '.', root, ...found });
			}
			if (found?.state == null && depth < DEEPEST) {
				const below = entries.filter((entry) => entry.isDirectory() && !NO_RECORDINGS.has(entry.name));
				waiting.push(...below.map(({ name }) => ({ folder: path.join(one, name), depth: depth + 1 })));
			}
		}
	}
	recordings.sort(
		(a, b) => Number(a.command === null) - Number(b.command === null) || (a.changed < b.changed ? 1 : a.changed > b.changed ? -1 : a.path < b.path ? -1 : 1),
	);
	return { recordings, isPart: left.folders < 0 || left.files <= 0 };
}

async function recordingOf(folder: string, files: readonly string[]): Promise<Omit<ListedRecording, 'path' | 'root'> | null> {
	const formats = new Set<string>();
	let sizeBytes = 0;
	let changedMs = 0;
	for (const name of files) {
		const filePath = path.join(folder, name);
		const told = await formatsOf(filePath);
		if (told.length > 0) {
			const { size, mtimeMs } = fs.statSync(filePath);
			sizeBytes += size;
			changedMs = Math.max(changedMs, mtimeMs);
		}
		for (const format of told) {
			formats.add(format);
		}
	}
	if (formats.size === 0) {
		return null;
	}
	const { command, state, jdk } = files.includes(MANIFEST_NAME) ? manifestOf(path.join(folder, MANIFEST_NAME)) : { command: null, state: null, jdk: null };
	return { formats: [...formats], files: files.length, sizeBytes, changed: new Date(changedMs).toISOString(), command, state, jdk };
}

/** Any text may hold weak formats: it is no recording for that. */
async function formatsOf(filePath: string): Promise<string[]> {
	try {
		const head = await readHead(filePath, HEAD_BYTES);
		const { formats } = tellFormats(FORMATS, path.basename(filePath), head, null);
		return formats.some(({ place }) => place !== 'anywhere' && place !== 'weak') ? formats.map(({ name }) => name) : [];
	} catch {
		return [];
	}
}

/** It may have been written by anybody. */
function manifestOf(filePath: string): Pick<ListedRecording, 'command' | 'state' | 'jdk'> {
	try {
		const manifest: unknown = JSON.parse(fs.readFileSync(filePath, 'utf8'));
		const { command, state, jdk } = Object(manifest) as Record<string, unknown>;
		const { version } = Object(jdk) as Record<string, unknown>;
		return {
			command: Array.isArray(command) ? command.filter((word): word is string => typeof word === 'string') : null,
			state: typeof state === 'string' ? state : null,
			jdk: typeof version === 'string' ? version : null,
		};
	} catch {
		return { command: null, state: null, jdk: null };
	}
}

function entriesOf(folder: string): fs.Dirent[] {
	try {
		return fs.readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
	} catch {
		return [];
	}
}
