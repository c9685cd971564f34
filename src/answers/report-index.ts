/**
 * The index of a recording: the result of its report, kept beside its files, so that it is not made again. It is taken only if it was made by this program of
 * the same files, told by names, sizes and times, and if it is as this program wrote it: three lines, what it is of, a digest, and the result. Written to a file of its
 * own and then renamed: who reads meanwhile sees the old one or the new one. Where the folder cannot be written there is none.
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Problem } from '../model/problem.js';
import { INDEX_NAME, isIndexFile } from '../recording/index-name.js';
import type { RecordingResult, RefusedCallOf } from './report-result.js';
import { VERSION } from './version.js';

export interface IndexedReport {
	readonly result: RecordingResult;
	readonly refused: RefusedCallOf;
	readonly problems: readonly Problem[];
}

interface InputStamp {
	readonly name: string;
	readonly sizeBytes: number;
	/** In nanoseconds: of its content, and of anything about it, which nobody can set back. */
	readonly modifiedNs: string;
	readonly changedNs: string;
	readonly inode: string;
}

/** Raised when what is kept changes. */
const INDEX_VERSION = 6;
/** A smaller recording is read as fast as its index. */
const LEAST_BYTES = 1 << 20;
const MAX_FILES = 2000;
const MAX_INDEX_BYTES = 1 << 30;

export class ReportIndex {
	private readonly file: string;
	private readonly key: string;

	private constructor(file: string, key: string) {
		this.file = file;
		this.key = key;
	}

	/** null where none is kept: of files, of small recordings, of what cannot be looked at. */
	static of(folder: string, name: string, processId: number | null): ReportIndex | null {
		try {
			if (!fs.statSync(folder).isDirectory()) {
				return null;
			}
			const inputs = stampsOf(folder);
			if (inputs === null || inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) < LEAST_BYTES) {
				return null;
			}
			const key = JSON.stringify({ assayIndex: INDEX_VERSION, program: programStamp(), name, processId, inputs });
			return new ReportIndex(path.join(folder, INDEX_NAME), key);
		} catch {
			return null;
		}
	}

	/** null where there is none, or it is of other files, damaged, or of another version. */
	read(): IndexedReport | null {
		try {
			const [key, digest, ...rest] = gunzipSync(readRegular(this.file), { maxOutputLength: MAX_INDEX_BYTES }).toString().split('\n');
			const report = rest.join('\n');
			return key === this.key && digest === digestOfReport(this.key, report) ? (JSON.parse(report) as IndexedReport) : null;
		} catch {
			return null;
		}
	}

	/** Never fails: without an index the next opening takes as long as this one. */
	write(report: IndexedReport): void {
		const temporary = `${this.file}.${process.pid}.${randomBytes(6).toString('hex')}`;
		try {
			const text = JSON.stringify(report);
			fs.writeFileSync(temporary, gzipSync(`${this.key}\n${digestOfReport(this.key, text)}\n${text}`, { level: 1 }), { flag: 'wx' });
			fs.renameSync(temporary, this.file);
		} catch {
			fs.rmSync(temporary, { force: true });
		}
	}
}

/** Numbers may come out otherwise from another build of the same version. */
function programStamp(): string {
	const here = path.dirname(fileURLToPath(import.meta.url));
	// In the sources this file stands in a room of the house, in the bundle beside the other parts.
	const root = path.basename(here) === 'answers' ? path.dirname(here) : here;
	const files = fs.readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	let size = 0;
	let changedMs = 0;
	for (const entry of files) {
		const stats = fs.statSync(path.join(entry.parentPath, entry.name));
		size += stats.size;
		changedMs = Math.max(changedMs, stats.mtimeMs);
	}
	return `${VERSION} ${files.length} ${size} ${changedMs}`;
}

/** null: too many to be one recording. */
function stampsOf(folder: string): InputStamp[] | null {
	const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory() && !isIndexFile(entry.name));
	if (entries.length > MAX_FILES) {
		return null;
	}
	return entries
		.map((entry) => path.join(entry.parentPath, entry.name))
		.sort()
		.flatMap((file) => {
			// Pipes and devices are no part of a recording.
			const stats = fs.statSync(file, { bigint: true });
			const { size, mtimeNs, ctimeNs, ino } = stats;
			const name = path.relative(folder, file);
			return stats.isFile() ? [{ name, sizeBytes: Number(size), modifiedNs: `${mtimeNs}`, changedNs: `${ctimeNs}`, inode: `${ino}` }] : [];
		});
}

/** What somebody else put there is no index. */
function digestOfReport(key: string, report: string): string {
	return createHash('sha256').update(key).update('\n').update(report).digest('hex');
}

/** Throws for pipes, which would be waited for, and devices. */
function readRegular(file: string): Buffer {
	const descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
	try {
		if (!fs.fstatSync(descriptor).isFile()) {
			throw new Error('no regular file');
		}
		return fs.readFileSync(descriptor);
	} finally {
		fs.closeSync(descriptor);
	}
}
