/**
 * The one finder: which files of a recording hold what. Every file below the folders that were named, members of tar archives too, each told by what it holds
 * (`formats/registry.ts`), opened and unpacked once for all readers that look at it.
 */

import fs from 'node:fs';
import path from 'node:path';
import { readRange, type Source } from '../bytes/source.js';
import { processOfAgentLog } from '../formats/agent-log/read.js';
import type { Format } from '../formats/format.js';
import { processOfLog } from '../formats/hotspot-log/detect.js';
import { FORMATS } from '../formats/registry.js';
import { isTar, readTar } from '../formats/tar/read.js';
import { isUftraceFolder } from '../formats/uftrace/read-data.js';
import { append } from '../model/append.js';
import { byFileKind, type FileKind } from '../model/evidence.js';
import { InputError, type Problem } from '../model/problem.js';
import { compressionOf } from './compression.js';
import { asInputError, openFile, STANDARD_INPUT, type UnpackOptions, UnreadableError, unpackSource } from './file-source.js';
import { isIndexFile } from './index-name.js';
import type { LogFile } from './log-file.js';
import { HEAD_BYTES, tellFormats } from './tell-format.js';

/** A file, and what it holds. Its source is open until the finder's result is closed; folders that a reader takes as a whole (uftrace) have none. */
export interface EvidenceFile extends LogFile {
	/** Several where output of a JVM holds several; empty: nothing known. */
	readonly formats: readonly Format[];
	/** As it lies on the disk or in the archive. */
	readonly sizeBytes: number;
	/** Named by the user itself, not found in a folder. */
	readonly isNamed: boolean;
	/** Of a JVM's log that says so. */
	readonly processId: number | null;
}

export interface FoundEvidence {
	/** The paths as the user named them. */
	readonly name: string;
	readonly paths: readonly LogFile[];
	/** Standard output may hold several kinds: a file may be in several lists. All in the order of their names. */
	readonly files: Readonly<Record<FileKind, readonly EvidenceFile[]>>;
	/** Every file that was looked at. */
	readonly all: readonly EvidenceFile[];
	/** Processes whose logs are among them. */
	readonly processIds: readonly number[];
	readonly problems: readonly Problem[];
	/** Those of them that say that the system does not give a file. */
	readonly unreadable: readonly Problem[];
	/** Closes all of them. */
	close(): void;
}

/** A folder with more is no recording: looking into each would take minutes. */
const MAX_FILES = 20_000;
const PROCESS_BYTES = 4 << 10;

/** Throws an {@link InputError} when a path that was named cannot be read; what is in the files never makes it throw. */
export async function findEvidence(paths: readonly LogFile[], formats: readonly Format[] = FORMATS): Promise<FoundEvidence> {
	const name = paths.map((one) => one.name).join(', ');
	const leftOut: LeftOut = { problems: [], unreadable: [] };
	const { problems } = leftOut;
	const all: EvidenceFile[] = [];
	const named = new Set(paths.map(({ filePath }) => filePath));
	const look: Look = { formats, problems, archives: [] };
	const close = (): void => {
		for (const source of [...all.map((file) => file.source), ...look.archives]) {
			source?.close();
		}
	};
	try {
		for (const file of listFiles(paths, leftOut)) {
			const isNamed = named.has(file.filePath);
			try {
				append(all, await lookInto(file, isNamed, look));
			} catch (error) {
				leaveOut(error, file.name, isNamed, leftOut);
			}
		}
	} catch (error) {
		close();
		throw error;
	}
	const byKind = byFileKind((kind) => all.filter((file) => file.formats.some(({ kinds }) => kinds.includes(kind))));
	const isBeside = byKind.graalLog.some(({ isArchived }) => !isArchived);
	return {
		name,
		paths,
		// An archive may lie beside what was unpacked from it.
		files: { ...byKind, graalLog: byKind.graalLog.filter(({ isArchived }) => !isBeside || !isArchived), samples: withoutTwins(byKind.samples) },
		all,
		processIds: [...new Set(all.flatMap(({ processId }) => processId ?? []))],
		...leftOut,
		close,
	};
}

/** What is said of files that are left out. */
interface LeftOut {
	readonly problems: Problem[];
	readonly unreadable: Problem[];
}

/** Tells that a file below a folder is left out; the error of one that was named itself, and every other error, is thrown. */
function leaveOut(error: unknown, name: string, isNamed: boolean, { problems, unreadable }: LeftOut): void {
	const inputError = asInputError(error, name);
	if (!(inputError instanceof InputError) || isNamed) {
		throw inputError;
	}
	const problem: Problem = { ...inputError.problem, severity: 'warning', action: 'it is left out' };
	problems.push(problem);
	if (inputError instanceof UnreadableError) {
		unreadable.push(problem);
	}
}

/** What perf wrote, and the text that perf script made of it beside it, are the same samples: the text has the symbols of its time. */
function withoutTwins(samples: readonly EvidenceFile[]): readonly EvidenceFile[] {
	const is = (file: EvidenceFile, format: string): boolean => file.formats.some(({ name }) => name === format);
	const texts = new Set(samples.filter((file) => is(file, 'perf-script')).map(({ name }) => path.dirname(name)));
	return samples.filter((file) => !is(file, 'perf-data') || !texts.has(path.dirname(file.name)));
}

/** Without the files that lie where only other JVMs left their logs: nothing in such a file has to say whose it is. */
export function withoutOtherProcesses(found: FoundEvidence, processId: number): FoundEvidence {
	const logs = found.all.filter((file) => file.processId !== null);
	const own = new Set(logs.filter((file) => file.processId === processId).map(({ name }) => path.dirname(name)));
	const others = new Set(logs.map(({ name }) => path.dirname(name)));
	// What lies below a folder, or in an archive in it, is of the nearest one above that holds a log.
	const isOwn = ({ name }: LogFile): boolean => {
		for (let folder = path.dirname(name); ; folder = path.dirname(folder)) {
			if (others.has(folder)) {
				return own.has(folder);
			}
			if (folder === path.dirname(folder)) {
				return true;
			}
		}
	};
	return { ...found, files: byFileKind((kind) => (OF_PROGRAMS.includes(kind) ? found.files[kind] : found.files[kind].filter(isOwn))) };
}

/** The same of a process of which no JVM's log is: without all that is of JVMs, with the jitdump that its compiler left. */
export function withoutJvms(found: FoundEvidence, processId: number): FoundEvidence {
	const own = found.files.jitdump.filter(({ name }) => path.basename(name).startsWith(`jit-${processId}.dump`));
	const files = byFileKind((kind) => (kind === 'jitdump' ? own : OF_PROGRAMS.includes(kind) || OF_SAMPLES.includes(kind) ? found.files[kind] : []));
	return { ...found, files, processIds: [] };
}

const OF_SAMPLES: readonly FileKind[] = ['samples', 'samplesStart', 'nativeSymbols', 'manifest'];

/** What is of native programs is of no JVM. */
const OF_PROGRAMS: readonly FileKind[] = ['orderTraces', 'instructionList', 'program', 'orderMap', 'functionList', 'orderBuffer', 'faultScript'];

/** What is looked for, and what was found on the way. */
interface Look {
	readonly formats: readonly Format[];
	readonly problems: Problem[];
	/** Open as long as their members are read. */
	readonly archives: Source[];
}

/** The file, or the members of an archive. */
async function lookInto(file: LogFile, isNamed: boolean, look: Look): Promise<EvidenceFile[]> {
	const stats = fs.statSync(file.filePath);
	const known = { ...file, isNamed, sizeBytes: stats.size, processId: null };
	if (stats.isDirectory()) {
		return [
			{
				...known,
				formats: look.formats.filter(({ kinds, place, traces }) => kinds.includes('orderTraces') && place === 'file' && traces === undefined).slice(0, 1),
			},
		];
	}
	if (!stats.isFile() && file.filePath !== STANDARD_INPUT) {
		throw new InputError({ severity: 'error', file: file.name, message: 'is no regular file', action: 'give files and folders' });
	}
	const { source, problems: found } = await openFile(file.filePath, file.name, wantedBy(look.formats, path.basename(file.name)));
	look.problems.push(...found);
	return lookIntoSource({ ...known, source }, look, 0);
}

/** Of a packed file that is of no use only the beginning is unpacked. */
function wantedBy(rows: readonly Format[], baseName: string): UnpackOptions {
	return {
		headBytes: HEAD_BYTES,
		isWanted: (head) => {
			const text = head.toString('latin1');
			return isTar(text) || !text.includes('\0') || tellFormats(rows, baseName, text, null).formats.length > 0;
		},
	};
}

/** PKWARE's APPNOTE, 4.3.7: the signature of the first file. Archives of classes, which lie in many folders, have it too. */
const ZIP_MARK = 'PK\x03\x04';

/** Of an archive in an archive nobody needs more, and a file may be made that unpacks to itself. */
const MAX_DEPTH = 4;

/** What an open file holds; of an archive its members, which may be packed and archives themselves. */
async function lookIntoSource(
	file: Omit<EvidenceFile, 'formats' | 'source'> & { readonly source: Source },
	look: Look,
	depth: number,
): Promise<EvidenceFile[]> {
	const { formats, problems, archives } = look;
	const { name, source } = file;
	const head = headOf(source);
	if (head.startsWith(ZIP_MARK)) {
		const message = 'is a zip archive, which is not looked into';
		if (file.isNamed && file.isArchived !== true) {
			source.close();
			throw new InputError({ severity: 'error', file: name, message, action: 'unpack it, or give a tar archive' });
		}
		if (/\.zip$/i.test(name)) {
			problems.push({ severity: 'warning', file: name, message, action: 'it is left out; unpack it' });
		}
	}
	if (!isTar(head)) {
		const result: EvidenceFile = { ...file, ...told(formats, path.basename(name), head, source) };
		if (result.formats.length === 0) {
			source.close();
		}
		return [result];
	}
	if (depth === MAX_DEPTH) {
		problems.push({ severity: 'error', file: name, message: `is an archive in ${MAX_DEPTH} others`, action: 'it is left out; unpack it' });
		source.close();
		return [{ ...file, formats: [] }];
	}
	archives.push(source);
	const archive = readTar(source);
	problems.push(...archive.problems);
	const members: EvidenceFile[] = [];
	for (const { path: inside, source: part } of archive.members) {
		const member = { ...file, name: `${name}/${inside}`, source: part, isArchived: true, sizeBytes: part.sizeBytes };
		const compression = compressionOf(readRange(part, 0, 4));
		if (compression !== undefined) {
			const { source: whole, problems: found } = await unpackSource(part, member.name, compression, wantedBy(formats, path.basename(inside)));
			problems.push(...found);
			member.source = whole;
		}
		append(members, await lookIntoSource(member, look, depth + 1));
	}
	// The archive's bytes are those of its members: it stands for them where nobody holds them.
	return members.length > 0 ? members : [{ ...file, formats: [] }];
}

function headOf(source: Source): string {
	return Buffer.from(readRange(source, 0, HEAD_BYTES)).toString('latin1');
}

function told(rows: readonly Format[], baseName: string, head: string, source: NonNullable<LogFile['source']>): Pick<EvidenceFile, 'formats' | 'processId'> {
	const { formats, at } = tellFormats(rows, baseName, head, source);
	const start = at === 0 ? head : Buffer.from(readRange(source, at, at + PROCESS_BYTES)).toString('latin1');
	const has = (name: string): boolean => formats.some((format) => format.name === name);
	return { formats, processId: has('hotspot-log') ? processOfLog(start) : has('agent-log') ? processOfAgentLog(head) : null };
}

/** All files below, folder by folder in the order of names. What was seen (a link back up, a file that was named besides) is not taken again. */
function listFiles(paths: readonly LogFile[], leftOut: LeftOut): LogFile[] {
	const files: LogFile[] = [];
	const seen = new Set<string>();
	const work: LogFile[] = [...paths].reverse();
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		try {
			const stats = fs.statSync(item.filePath);
			if (stats.isDirectory()) {
				const key = `${stats.dev}:${stats.ino}`;
				if (!seen.has(key)) {
					seen.add(key);
					const { filePath, name: folder } = item;
					const entries = fs.readdirSync(filePath);
					if (isUftraceFolder(entries)) {
						files.push(item);
						continue;
					}
					const names = entries
						.filter((entry) => !isIndexFile(entry))
						.sort()
						.reverse();
					append(
						work,
						names.map((entry) => ({ filePath: path.join(filePath, entry), name: path.join(folder, entry) })),
					);
				}
			} else if ((stats.isFile() || paths.includes(item)) && !seen.has(`${stats.dev}:${stats.ino}`)) {
				seen.add(`${stats.dev}:${stats.ino}`);
				files.push(item);
			}
		} catch (error) {
			leaveOut(error, item.name, paths.includes(item), leftOut);
		}
		if (files.length + work.length > MAX_FILES) {
			const message = `there are more than ${MAX_FILES} files below it`;
			throw new InputError({ severity: 'error', file: paths[0]?.name ?? '', message, action: 'give the folder of one recording' });
		}
	}
	return files;
}
