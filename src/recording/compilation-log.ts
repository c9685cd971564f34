/**
 * Opens the compilers' log of one run of a JVM, a folder or files: its LogFile (-XX:+LogCompilation), and what its compiler threads left
 * when it was killed. Files are told by what they hold. Decisions are read where somebody asks for them.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Source } from '../bytes/source.js';
import { isCompilationLog } from '../formats/hotspot-compilation-log/detect.js';
import type { LoggedHistory, LoggedJitCompilation } from '../formats/hotspot-compilation-log/jvm-draft.js';
import { RecordReader } from '../formats/hotspot-compilation-log/read-record.js';
import { scanCompilations } from '../formats/hotspot-compilation-log/scan.js';
import type { CallDecision, CompilationHistory, CompilationRecord, JitCompilation } from '../model/jit-compilation.js';
import { InputError, type Problem } from '../model/problem.js';
import { asInputError } from './file-source.js';
import { isIndexFile } from './index-name.js';
import { headOfFile, isFolder, type LogFile, openLogFile } from './log-file.js';
import { isBinaryProfile } from './observed-file.js';
import { type PrintedKinds, printedKindsOf, readPrintedCompilations } from './printed-compilations.js';

/** The compilers' log of a run; decisions are read from it until it is closed. */
export interface CompilationLog {
	readonly history: CompilationHistory;
	/** Files with compilations. */
	readonly files: readonly string[];
	readonly problems: readonly Problem[];
	/** What was decided in a compilation of the history; null where the log does not say. */
	read(compilation: JitCompilation): CompilationRecord | null;
	/** Only the decisions at its calls, which is faster; none where the log does not say. */
	readDecisions(compilation: JitCompilation): CallDecision[];
	close(): void;
}

/** On standard output the log may follow much output of the program itself. */
const HEAD_BYTES = 1 << 20;
const MAX_FILES = 1000;

/**
 * `processId` chooses among several JVMs. Throws an {@link InputError} when no file holds compilations, or those of several JVMs that
 * nobody chose from.
 */
export async function openCompilationLog(paths: readonly LogFile[], processId: number | null = null): Promise<CompilationLog> {
	const all = paths.map(({ name }) => name).join(', ');
	const files = await findFiles(paths);
	if (files.length === 0) {
		return (await openPrinted(paths)) ?? failWithout(all);
	}
	const problems: Problem[] = [];
	const sources = await openAll(files, problems);
	const scan = scanCompilations(sources);
	problems.push(...scan.problems);
	const history = chooseHistory(scan.histories, processId, all);
	const reader = new RecordReader();
	return {
		history,
		files: files.map(({ name }) => name),
		problems,
		read: (compilation) => reader.read(compilation as LoggedJitCompilation),
		readDecisions: (compilation) => reader.readDecisions(compilation as LoggedJitCompilation),
		close: () => {
			for (const source of sources) {
				source.close();
			}
		},
	};
}

/** What the JVM printed, where there is no LogCompilation; null when it did not print of compilations. */
async function openPrinted(paths: readonly LogFile[]): Promise<CompilationLog | null> {
	const files: (LogFile & { kinds: PrintedKinds })[] = [];
	for (const file of eachFile(paths)) {
		const kinds = printedKindsOf(await headOf(file, file.isOneOfMany));
		if (kinds.compilations || kinds.inlining || kinds.traps) {
			files.push({ ...file, kinds });
		}
	}
	const problems: Problem[] = [];
	const sources = await openAll(files, problems);
	try {
		const printed = readPrintedCompilations(files.map(({ kinds }, i) => ({ source: sources[i]!, kinds })));
		return printed === null
			? null
			: {
					history: printed.history,
					files: printed.files,
					problems: [...problems, ...printed.problems],
					read: printed.recordOf,
					readDecisions: printed.decisionsOf,
					close: () => {},
				};
	} finally {
		for (const source of sources) {
			source.close();
		}
	}
}

async function openAll(files: readonly LogFile[], problems: Problem[]): Promise<Source[]> {
	const sources: Source[] = [];
	for (const file of files) {
		const opened = await openLogFile(file);
		problems.push(...opened.problems);
		sources.push(opened.source);
	}
	return sources;
}

function failWithout(all: string): never {
	throw problem(
		all,
		'no file holds the compilations of a JVM',
		'record with -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=FILE, or with assay record; -XX:+PrintCompilation tells less',
	);
}

async function findFiles(paths: readonly LogFile[]): Promise<LogFile[]> {
	const found: LogFile[] = [];
	for (const { isOneOfMany, ...file } of eachFile(paths)) {
		if (isCompilationLog(await headOf(file, isOneOfMany))) {
			found.push(file);
		}
	}
	return found;
}

function eachFile(paths: readonly LogFile[]): (LogFile & { readonly isOneOfMany: boolean })[] {
	return paths.flatMap((given) => {
		const isOneOfMany = isFolder(given);
		return (isOneOfMany ? filesOf(given) : [given]).map((file) => ({ ...file, isOneOfMany }));
	});
}

function filesOf(folder: LogFile): LogFile[] {
	try {
		const names = fs
			.readdirSync(folder.filePath, { withFileTypes: true })
			.filter((entry) => !entry.isDirectory() && !isIndexFile(entry.name))
			.map(({ name }) => name)
			.sort();
		if (names.length > MAX_FILES) {
			throw problem(folder.name, `is a folder of ${names.length} files`, 'give the folder of one recording, or the files themselves');
		}
		return names.map((name) => ({ filePath: path.join(folder.filePath, name), name: path.join(folder.name, name) }));
	} catch (error) {
		throw asInputError(error, folder.name);
	}
}

/** Of many files, those that cannot be read hold nothing; recordings whose strings may be anything neither. */
async function headOf(file: LogFile, isOneOfMany: boolean): Promise<string> {
	try {
		const head = await headOfFile(file, HEAD_BYTES);
		return isBinaryProfile(head) ? '' : head;
	} catch (error) {
		if (isOneOfMany) {
			return '';
		}
		throw asInputError(error, file.name);
	}
}

/** A copy of a log, such as the one that JMH annotates, counts once: the one that has more. */
function chooseHistory(histories: readonly LoggedHistory[], processId: number | null, all: string): LoggedHistory {
	const runs = new Map<string, LoggedHistory>();
	for (const history of histories) {
		const key = `${history.processId} ${history.startedEpochMs}`;
		if ((runs.get(key)?.compilations.length ?? 0) < history.compilations.length) {
			runs.set(key, history);
		}
	}
	const chosen = [...runs.values()].filter((history) => processId === null || history.processId === processId);
	const [only] = chosen;
	if (chosen.length === 1 && only !== undefined) {
		return only;
	}
	if (histories.length === 0) {
		throw problem(all, 'the log has no compilations', 'was it recorded with -XX:+LogCompilation?');
	}
	const list = [...runs.values()].map((history) => `process ${history.processId ?? 'unknown'} (${history.compilations.length} compilations)`).join(', ');
	throw problem(all, `the files are of several JVMs: ${list}`, 'say which one is meant: --pid, or give the files of one');
}

function problem(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}
