/**
 * The files of one recording, told by what they hold: every file below the folders that were named, members of tar archives too. Each is opened and
 * unpacked once, for all readers that look at it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isFootprintEvents } from '../formats/footprint-events/detect.js';
import { isGraalOptimizationLog } from '../formats/graal-optimization-log/detect.js';
import { isCompilationLog } from '../formats/hotspot-compilation-log/detect.js';
import { isDeoptimizationLog } from '../formats/hotspot-deoptimization-log/read.js';
import { isHotspotLog, isPrintAssembly } from '../formats/hotspot-log/detect.js';
import { isSafepointLog } from '../formats/hotspot-safepoint-log/read.js';
import { isPerfMap } from '../formats/perf-map/read.js';
import { isPrintCompilation } from '../formats/print-compilation/read.js';
import { isProftoolProfile } from '../formats/proftool-profile/detect.js';
import { isTar, readTar } from '../formats/tar/read.js';
import { isUftraceFolder } from '../formats/uftrace/read-data.js';
import { InputError, type Problem } from '../model/problem.js';
import { asInputError } from './file-source.js';
import { isIndexFile } from './index-name.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';
import { observedFormatOf } from './observed-file.js';
import { readNote } from './recording-note.js';
import { tellsOfSafepoints } from './safepoint-log-file.js';
import { samplesFormatOf } from './sample-formats.js';
import { isPageFaultScript, markedStartupKind, possibleStartupKind, type StartupKind, textStartupKind } from './startup-files.js';

/** Standard output may hold several kinds: a file may be in several lists. All in the order of their names. */
export interface EvidenceFiles {
	/** Logs with compilations: LogFiles, and what compiler threads of a killed JVM left. */
	readonly compilationLogs: readonly LogFile[];
	/** LogFiles and printed assembly: where generated code may be. */
	readonly codeLogs: readonly LogFile[];
	readonly samples: readonly LogFile[];
	readonly perfMaps: readonly LogFile[];
	readonly notes: readonly LogFile[];
	/** What other profilers said of the run: recordings of Flight Recorder, thread dumps, collapsed stacks and all else without program counters. */
	readonly stacks: readonly LogFile[];
	readonly graalLogs: readonly LogFile[];
	readonly proftoolProfiles: readonly LogFile[];
	readonly safepointLogs: readonly LogFile[];
	readonly deoptimizationLogs: readonly LogFile[];
	readonly printCompilation: readonly LogFile[];
	/** Text in which statistics of compilers' memory may stand, and events of it. */
	readonly memory: readonly LogFile[];
	/** In which order functions of a native program first ran; folders of uftrace too. */
	readonly orderTraces: readonly LogFile[];
	readonly instructionLists: readonly LogFile[];
	/** Linked programs: ELF files, and listings of them. */
	readonly programs: readonly LogFile[];
	/** Of instrumented builds. */
	readonly orderMaps: readonly LogFile[];
	/** Text that may list functions in the order of their first execution, if they are those of a program. */
	readonly functionLists: readonly LogFile[];
	/** Bytes that may be a buffer of clang's order-file instrumentation, if a map explains them. */
	readonly orderBuffers: readonly LogFile[];
	/** Page faults by perf: among the samples too where they can be such. */
	readonly faultScripts: readonly LogFile[];
	/** Names of files that hold nothing known. */
	readonly others: readonly string[];
	/** Processes whose logs these are, and the folders of these logs. */
	readonly processIds: readonly number[];
	readonly processFolders: readonly { readonly processId: number; readonly folder: string }[];
	readonly problems: readonly Problem[];
	/** Closes all of them. */
	close(): void;
}

/** A folder with more is no recording: looking into each would take minutes. */
const MAX_FILES = 20_000;
const HEAD_BYTES = 1 << 20;
/** Larger ones are unpacked only when their beginning is known. */
const UNPACK_BYTES = 256 << 20;

type FileList = { -readonly [K in keyof Omit<EvidenceFiles, 'close'>]: EvidenceFiles[K] extends readonly (infer T)[] ? T[] : never };

/** Throws an {@link InputError} when a path that was named cannot be read; what is in the files never makes it throw. */
export async function findEvidence(paths: readonly LogFile[]): Promise<EvidenceFiles> {
	const found = emptyList();
	const opened: LogFile[] = [];
	const named = new Set(paths.map(({ filePath }) => filePath));
	for (const file of listFiles(paths, found.problems)) {
		try {
			await take(file, found, opened);
		} catch (error) {
			const inputError = asInputError(error, file.name);
			if (!(inputError instanceof InputError) || named.has(file.filePath)) {
				throw inputError;
			}
			found.problems.push({ ...inputError.problem, severity: 'warning', action: 'it is left out' });
		}
	}
	return {
		...found,
		// An archive may lie beside what was unpacked from it.
		graalLogs: found.graalLogs.some(({ isArchived }) => !isArchived) ? found.graalLogs.filter(({ isArchived }) => !isArchived) : found.graalLogs,
		close: () => {
			for (const { source } of opened) {
				source?.close();
			}
		},
	};
}

/** Without the files that lie where only other JVMs left their logs: nothing in such a file has to say whose it is. */
export function withoutOtherProcesses(found: EvidenceFiles, processId: number): EvidenceFiles {
	const own = new Set(found.processFolders.filter((one) => one.processId === processId).map(({ folder }) => folder));
	const all = new Set(found.processFolders.map(({ folder }) => folder));
	// What lies below a folder, or in an archive in it, is of the nearest one above that holds a log.
	const isOwn = ({ name }: LogFile): boolean => {
		for (let folder = path.dirname(name); ; folder = path.dirname(folder)) {
			if (all.has(folder)) {
				return own.has(folder);
			}
			if (folder === path.dirname(folder)) {
				return true;
			}
		}
	};
	const kept = (files: readonly LogFile[]): LogFile[] => files.filter(isOwn);
	return {
		...found,
		compilationLogs: kept(found.compilationLogs),
		codeLogs: kept(found.codeLogs),
		samples: kept(found.samples),
		perfMaps: kept(found.perfMaps),
		notes: kept(found.notes),
		stacks: kept(found.stacks),
		graalLogs: kept(found.graalLogs),
		proftoolProfiles: kept(found.proftoolProfiles),
		safepointLogs: kept(found.safepointLogs),
		deoptimizationLogs: kept(found.deoptimizationLogs),
		printCompilation: kept(found.printCompilation),
		memory: kept(found.memory),
	};
}

async function take(file: LogFile, found: FileList, opened: LogFile[]): Promise<void> {
	const stats = file.source === undefined ? fs.statSync(file.filePath) : null;
	if (stats?.isDirectory()) {
		found.orderTraces.push(file);
		return;
	}
	if (stats !== null && !stats.isFile()) {
		throw new InputError({ severity: 'error', file: file.name, message: 'is no regular file', action: 'give files and folders' });
	}
	const isHuge = (stats?.size ?? 0) > UNPACK_BYTES;
	const head = isHuge ? await headOfFile(file, HEAD_BYTES) : null;
	if (head !== null && !isKnown(head)) {
		found.others.push(file.name);
		return;
	}
	if (head !== null && observedFormatOf(head)?.isAlone) {
		// Only some commands read it, and then it is unpacked.
		found.stacks.push(file);
		return;
	}
	const open = await openLogFile(file);
	found.problems.push(...open.problems);
	const shared: LogFile = { filePath: file.filePath, name: file.name, source: open.source };
	opened.push(shared);
	const start = head ?? (await headOfFile(shared, HEAD_BYTES));
	if (isTar(start)) {
		const archive = readTar(open.source);
		found.problems.push(...archive.problems);
		for (const { path: inside, source } of archive.members) {
			const member: LogFile = { filePath: file.filePath, name: `${file.name}/${inside}`, source, isArchived: true };
			sort(member, await headOfFile(member, HEAD_BYTES), found);
		}
		return;
	}
	if (!sort(shared, start, found)) {
		open.source.close();
	}
}

function isKnown(head: string): boolean {
	return isTar(head) || sort({ filePath: '', name: '' }, head, emptyList());
}

function emptyList(): FileList {
	return {
		compilationLogs: [],
		codeLogs: [],
		samples: [],
		perfMaps: [],
		notes: [],
		stacks: [],
		graalLogs: [],
		proftoolProfiles: [],
		safepointLogs: [],
		deoptimizationLogs: [],
		printCompilation: [],
		memory: [],
		orderTraces: [],
		instructionLists: [],
		programs: [],
		orderMaps: [],
		functionLists: [],
		orderBuffers: [],
		faultScripts: [],
		others: [],
		processIds: [],
		processFolders: [],
		problems: [],
	};
}

/** Whether the file may still be read. */
function sort(file: LogFile, head: string, found: FileList): boolean {
	if (head === '' && tellsOfSafepoints(file.name, head)) {
		found.safepointLogs.push(file);
		return true;
	}
	if (head === '' || head.startsWith('PERFILE2')) {
		found.others.push(file.name);
		return false;
	}
	const marked = markedStartupKind(head);
	if (marked !== null) {
		return takeStartup(file, marked, found);
	}
	if (observedFormatOf(head)?.isAlone) {
		found.stacks.push(file);
		return true;
	}
	if (isGraalOptimizationLog(head)) {
		found.graalLogs.push(file);
		return true;
	}
	if (isProftoolProfile(head)) {
		found.proftoolProfiles.push(file);
		return true;
	}
	if (readNote(head) !== null) {
		found.notes.push(file);
		return true;
	}
	if (isFootprintEvents(head)) {
		found.memory.push(file);
		return true;
	}
	if (isHotspotLog(head) || isCompilationLog(head)) {
		found.compilationLogs.push(file);
		if (isHotspotLog(head) || isPrintAssembly(head)) {
			found.codeLogs.push(file);
		}
		if (isHotspotLog(head)) {
			const processId = Number(/<hotspot_log [^>]*process='(\d{1,10})'/.exec(head)?.[1] ?? Number.NaN);
			if (!Number.isNaN(processId)) {
				found.processFolders.push({ processId, folder: path.dirname(file.name) });
				if (!found.processIds.includes(processId)) {
					found.processIds.push(processId);
				}
			}
		}
		if (isSafepointLog(head)) {
			found.safepointLogs.push(file);
		}
		found.memory.push(file);
		return true;
	}
	if (samplesFormatOf(head) !== undefined) {
		found.samples.push(file);
		if (isPageFaultScript(head)) {
			found.faultScripts.push(file);
		}
		return true;
	}
	const startup = textStartupKind(head);
	if (startup !== null && outputLists(head, found).length === 0) {
		return takeStartup(file, startup, found);
	}
	if (isPerfMap(head)) {
		found.perfMaps.push(file);
		return true;
	}
	return sortOutput(file, head, found);
}

function takeStartup(file: LogFile, kind: StartupKind, found: FileList): true {
	const lists: Record<StartupKind, LogFile[]> = {
		program: found.programs,
		orderTrace: found.orderTraces,
		instructionList: found.instructionLists,
		orderMap: found.orderMaps,
		functionList: found.functionLists,
		orderBuffer: found.orderBuffers,
		faultScript: found.faultScripts,
	};
	lists[kind].push(file);
	return true;
}

/** Output of a JVM: anything may stand in it, between the program's own. */
function sortOutput(file: LogFile, head: string, found: FileList): boolean {
	const profile = observedFormatOf(head, file.source)?.format ?? null;
	const matching = outputLists(head, found);
	for (const list of matching) {
		list.push(file);
	}
	const isCollapsed = profile === 'collapsed-stacks';
	// Lines of a log may look like stacks.
	if (profile !== null && !(isCollapsed && matching.length > 0)) {
		found.stacks.push(file);
	}
	if (isCollapsed && matching.length === 0) {
		return true;
	}
	const isText = !head.includes('\0');
	if (isText && !head.trimStart().startsWith('{')) {
		found.memory.push(file);
	}
	if (matching.length > 0 || profile !== null) {
		return true;
	}
	found.others.push(file.name);
	const possible = possibleStartupKind(head);
	return possible === null ? isText : takeStartup(file, possible, found);
}

/** Of what a JVM prints: the lists of all that is in it. */
function outputLists(head: string, found: FileList): LogFile[][] {
	const lists: readonly (readonly [boolean, LogFile[]])[] = [
		[isPrintAssembly(head), found.codeLogs],
		[isSafepointLog(head), found.safepointLogs],
		[isDeoptimizationLog(head), found.deoptimizationLogs],
		[isPrintCompilation(head), found.printCompilation],
	];
	return lists.filter(([is]) => is).map(([, list]) => list);
}

/** All files below, folder by folder in the order of names. What was seen (a link back up, a file that was named besides) is not taken again. */
function listFiles(paths: readonly LogFile[], problems: Problem[]): LogFile[] {
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
					work.push(...names.map((entry) => ({ filePath: path.join(filePath, entry), name: path.join(folder, entry) })));
				}
			} else if ((stats.isFile() || paths.includes(item)) && !seen.has(`${stats.dev}:${stats.ino}`)) {
				seen.add(`${stats.dev}:${stats.ino}`);
				files.push(item);
			}
		} catch (error) {
			const inputError = asInputError(error, item.name);
			if (!(inputError instanceof InputError) || paths.includes(item)) {
				throw inputError;
			}
			problems.push({ ...inputError.problem, severity: 'warning', action: 'it is left out' });
		}
		if (files.length + work.length > MAX_FILES) {
			const message = `there are more than ${MAX_FILES} files below it`;
			throw new InputError({ severity: 'error', file: paths[0]?.name ?? '', message, action: 'give the folder of one recording' });
		}
	}
	return files;
}
