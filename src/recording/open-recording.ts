/**
 * Opens what was recorded of one run of a JVM, a folder or files: its log with the code that it generated, and samples. Files are
 * told by what they hold. Text of code is read, and machine code disassembled, only where somebody asks for it.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Source } from '../bytes/source.js';
import { type Disassembler, openDisassembler } from '../disassembly/disassembler.js';
import { instructionsOfRows, type PrintedCode } from '../formats/hotspot-code/instructions.js';
import { rowsOfMachineCode } from '../formats/hotspot-code/machine-code.js';
import { type CodeText, readCodeText } from '../formats/hotspot-code/read-text.js';
import { type CodeLog, type LoggedCode, scanCode } from '../formats/hotspot-code/scan.js';
import { isHotspotLog, isPrintAssembly } from '../formats/hotspot-log/detect.js';
import { readSafepointLog, type SafepointLog } from '../formats/hotspot-safepoint-log/read.js';
import { isPerfMap, readPerfMap } from '../formats/perf-map/read.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { InputError, type Problem } from '../model/problem.js';
import { type DetailsWanted, NO_DETAILS, type SampleDetails, type Samples, SamplesBuilder, type SampleThreads } from '../model/samples.js';
import { asInputError } from './file-source.js';
import { isIndexFile } from './index-name.js';
import { headOfFile, isFolder, type LogFile, openLogFile } from './log-file.js';
import { isBinaryProfile } from './observed-file.js';
import { type RecordingNote, readNote } from './recording-note.js';
import { tellsOfSafepoints } from './safepoint-log-file.js';
import { readSamples, type SamplesFormat, samplesFormatOf } from './sample-formats.js';

/** Samples and code of a run; code is read from the log until it is closed. */
export interface Recording {
	readonly samples: Samples;
	readonly samplesFile: string;
	/** null: no file holds any. */
	readonly format: SamplesFormat | null;
	/** Null unless asked for, or where the samples do not tell. */
	readonly threads: SampleThreads | null;
	/** What was read of the samples beside their times and addresses. */
	readonly details: SampleDetails;
	/** Null unless asked for, or where no file tells of safepoints. */
	readonly safepoints: (SafepointLog & { readonly file: string }) | null;
	/** All code that is known; what a log tells comes before what only a perf map names. */
	readonly code: readonly GeneratedCode[];
	readonly log: Omit<CodeLog, 'code' | 'problems'> | null;
	/** null: no file holds any. */
	readonly logFile: string | null;
	readonly note: RecordingNote | null;
	/** Files of a folder that hold nothing that is looked at here. */
	readonly otherFiles: readonly string[];
	readonly problems: readonly Problem[];
	/** The printed text of pieces of `code`; those that were not printed are left out. */
	readCode(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>>;
	/** Of the texts that were read: lines with an address that hold no instruction, and bytes that are none. */
	lostLines(): number;
	/** How the texts that were read show code; null before any was read. */
	codeForm(): 'MachCode' | 'hsdis' | null;
	close(): void;
}

export interface RecordingOptions {
	/** Read safepoints and the threads of samples; samples may be missing. */
	readonly withSafepoints: boolean;
	/** Read stacks and periods of the samples too. */
	readonly withStacks?: boolean;
}

/** What an {@link InputError} says when no file holds samples. */
export const SAMPLES_MISSING = 'samples are missing';

/** PrintAssembly on standard output may follow much output of the program itself. */
const HEAD_BYTES = 1 << 20;
const MAX_FILES = 1000;

interface Found {
	readonly samples: { readonly file: LogFile; readonly format: SamplesFormat }[];
	readonly logs: LogFile[];
	readonly perfMaps: LogFile[];
	/** Standard output may hold code too: a file may be in two lists. */
	readonly safepointLogs: LogFile[];
	readonly others: string[];
	note: RecordingNote | null;
	readonly problems: Problem[];
}

/**
 * `processId` chooses among the logs of several JVMs. Throws an {@link InputError} when there are no samples, or several files to
 * choose from.
 */
export async function openRecording(
	paths: readonly LogFile[],
	processId: number | null = null,
	{ withSafepoints, withStacks = false }: RecordingOptions = { withSafepoints: false },
): Promise<Recording> {
	const found = await findFiles(paths);
	const { samples: samplesFiles, problems } = found;
	const all = paths.map(({ name }) => name).join(', ');
	const [chosen] = samplesFiles;
	if (chosen === undefined && !withSafepoints) {
		throw problem(
			all,
			SAMPLES_MISSING,
			'give the output of perf script --fields comm,pid,tid,time,event,ip,sym,dso, of DTrace, of xctrace export or of async-profiler (collapsed, features=pcaddr) too',
		);
	}
	if (samplesFiles.length > 1) {
		throw problem(all, `several files hold samples: ${samplesFiles.map(({ file }) => file.name).join(', ')}`, 'give the one to look at, and the log');
	}
	const read = await readChosenSamples(chosen, withStacks ? 'all' : withSafepoints ? 'threads' : 'none', problems);
	const logs = await readLogs(found.logs, problems);
	const log = chooseLog(logs, read.samples, processId, all);
	for (const other of logs) {
		if (other !== log) {
			other.source.close();
		}
	}
	problems.push(...(log?.log.problems ?? []));
	const safepoints = withSafepoints ? await readSafepoints(found.safepointLogs, log?.log.processId ?? processId, problems) : null;
	const named = await readPerfMaps(found.perfMaps, problems);
	const reader = log === null ? null : new CodeReader(log.source, log.log);
	return {
		samples: read.samples,
		samplesFile: chosen?.file.name ?? all,
		format: chosen?.format ?? null,
		threads: read.threads,
		details: { threads: read.threads, stacks: read.stacks, periods: read.periods },
		safepoints,
		code: [...(log?.log.code ?? []), ...withoutKnown(named, log?.log.code ?? [])],
		log: log?.log ?? null,
		logFile: log?.file ?? null,
		note: found.note,
		otherFiles: found.others,
		problems,
		readCode: async (wanted) => (await reader?.read(wanted)) ?? new Map(),
		lostLines: () => reader?.lostLines ?? 0,
		codeForm: () => reader?.codeForm ?? null,
		close: () => log?.source.close(),
	};
}

async function findFiles(paths: readonly LogFile[]): Promise<Found> {
	const found: Found = { samples: [], logs: [], perfMaps: [], safepointLogs: [], others: [], note: null, problems: [] };
	for (const given of paths) {
		const isOneOfMany = isFolder(given);
		for (const file of isOneOfMany ? filesOf(given) : [given]) {
			const head = await headOf(file, isOneOfMany);
			const isKnown = head !== null && takeFile(found, file, head);
			if (!isKnown && !isOneOfMany) {
				throw problem(
					file.name,
					'holds neither samples (perf script, DTrace profile-… output, an exported table of xctrace, collapsed stacks of async-profiler with features=pcaddr) nor code (LogFile or output of a JVM with -XX:+PrintAssembly)',
					'give the text that these tools print; perf.data has to go through perf script first',
				);
			}
			if (!isKnown) {
				found.others.push(file.name);
			}
		}
	}
	return found;
}

function takeFile(found: Found, file: LogFile, head: string): boolean {
	if (isBinaryProfile(head)) {
		return false;
	}
	if (isHotspotLog(head)) {
		found.logs.push(file);
		return true;
	}
	const isOfSafepoints = tellsOfSafepoints(file.name, head);
	if (isOfSafepoints) {
		found.safepointLogs.push(file);
	}
	const format = samplesFormatOf(head);
	if (format !== undefined) {
		found.samples.push({ file, format });
	} else if (isPrintAssembly(head)) {
		found.logs.push(file);
	} else if (isPerfMap(head)) {
		found.perfMaps.push(file);
	} else {
		const note = readNote(head);
		found.note ??= note;
		return note !== null || isOfSafepoints;
	}
	return true;
}

function filesOf(folder: LogFile): LogFile[] {
	try {
		const names = fs.readdirSync(folder.filePath, { withFileTypes: true });
		const files = names
			.filter((entry) => !entry.isDirectory() && !isIndexFile(entry.name))
			.map(({ name }) => ({ filePath: path.join(folder.filePath, name), name: path.join(folder.name, name) }));
		if (files.length > MAX_FILES) {
			throw problem(folder.name, `is a folder of ${files.length} files`, 'give the folder of one recording, or the files themselves');
		}
		return files.sort((a, b) => (a.name < b.name ? -1 : 1));
	} catch (error) {
		throw asInputError(error, folder.name);
	}
}

/** null: a file of a folder that cannot be read. */
async function headOf(file: LogFile, isOneOfMany: boolean): Promise<string | null> {
	try {
		return await headOfFile(file, HEAD_BYTES);
	} catch (error) {
		if (isOneOfMany) {
			return null;
		}
		throw asInputError(error, file.name);
	}
}

async function readChosenSamples(
	chosen: Found['samples'][number] | undefined,
	wanted: DetailsWanted,
	problems: Problem[],
): Promise<SampleDetails & { readonly samples: Samples }> {
	if (chosen === undefined) {
		return { ...NO_DETAILS, samples: new SamplesBuilder().build() };
	}
	const opened = await openLogFile(chosen.file);
	const read = readSamples(opened.source, chosen.format, wanted);
	opened.source.close();
	problems.push(...opened.problems, ...read.problems);
	return read;
}

/** Of several files that of the process, as `assay record` names it, else the one with the most safepoints: late threads are told of on standard output too. */
async function readSafepoints(files: readonly LogFile[], processId: number | null, problems: Problem[]): Promise<Recording['safepoints']> {
	let result: Recording['safepoints'] = null;
	const own = files.filter(({ name }) => processId !== null && /-(?:pid)?(\d+)\.log$/.exec(name)?.[1] === String(processId));
	for (const file of own.length > 0 ? own : files) {
		const opened = await openLogFile(file);
		const log = { ...readSafepointLog(opened.source), file: file.name };
		opened.source.close();
		problems.push(...opened.problems);
		result = result === null || log.safepoints.length > result.safepoints.length ? log : result;
	}
	problems.push(...(result?.problems ?? []));
	return result;
}

interface OpenLog {
	readonly file: string;
	readonly source: Source;
	readonly log: CodeLog;
}

async function readLogs(files: readonly LogFile[], problems: Problem[]): Promise<OpenLog[]> {
	const result: OpenLog[] = [];
	for (const file of files) {
		const opened = await openLogFile(file);
		problems.push(...opened.problems);
		result.push({ file: file.name, source: opened.source, log: scanCode(opened.source) });
	}
	return result;
}

/** The log of the JVM that was sampled; of two of one JVM the one as the JVM wrote it, before JMH's annotated copy. */
function chooseLog(logs: readonly OpenLog[], samples: Samples, processId: number | null, all: string): OpenLog | null {
	const plain = logs.filter(
		(log) => log.log.form.indent === 0 || !logs.some((other) => other.log.processId === log.log.processId && other.log.form.indent === 0),
	);
	if (plain.length <= 1) {
		return plain[0] ?? null;
	}
	const sampled = new Set(samples.processId);
	for (const { library } of samples.places) {
		sampled.add(Number(/perf-(\d+)\.map$/.exec(library ?? '')?.[1] ?? -1));
	}
	const own = plain.filter(({ log }) => log.processId !== null && (processId === null ? sampled.has(log.processId) : log.processId === processId));
	if (own.length === 1) {
		return own[0]!;
	}
	const list = plain.map(({ file, log }) => `${file} (process ${log.processId ?? 'unknown'})`).join(', ');
	throw problem(all, `several logs of JVMs: ${list}`, 'say which one is meant: --pid, or its log and the samples');
}

async function readPerfMaps(files: readonly LogFile[], problems: Problem[]): Promise<GeneratedCode[]> {
	const result: GeneratedCode[] = [];
	for (const file of files) {
		const opened = await openLogFile(file);
		const map = readPerfMap(opened.source);
		opened.source.close();
		problems.push(...opened.problems, ...map.problems);
		result.push(...map.code);
	}
	return result;
}

/** A perf map names what lay there when it was written: what a log tells of the same start is better. */
function withoutKnown(named: readonly GeneratedCode[], logged: readonly GeneratedCode[]): GeneratedCode[] {
	const starts = [...logged].sort((a, b) => a.start - b.start);
	return named.filter(({ start, end }) => {
		let low = 0;
		let high = starts.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (starts[middle]!.start < end) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		const before = starts[low - 1];
		return before === undefined || before.end <= start;
	});
}

class CodeReader {
	lostLines = 0;
	codeForm: 'MachCode' | 'hsdis' | null = null;
	private readonly source: Source;
	private readonly log: CodeLog;
	private disassembler: Disassembler | null = null;
	private readonly known = new WeakMap<GeneratedCode, PrintedCode>();

	constructor(source: Source, log: CodeLog) {
		this.source = source;
		this.log = log;
	}

	async read(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>> {
		const result = new Map<GeneratedCode, PrintedCode>();
		for (const code of wanted) {
			const { textRanges } = code as Partial<LoggedCode>;
			if (textRanges === undefined || textRanges.length === 0) {
				continue;
			}
			const known = this.known.get(code);
			if (known !== undefined) {
				result.set(code, known);
				continue;
			}
			const text = readCodeText(this.source, code as LoggedCode, this.log.form);
			this.lostLines += text.lostLines;
			this.codeForm ??= text.chunks.length > 0 ? 'MachCode' : text.rows.length > 0 ? 'hsdis' : null;
			const rows = text.chunks.length > 0 ? await this.disassemble(text) : text.rows;
			const printed = instructionsOfRows(rows, code.end);
			result.set(code, printed);
			this.known.set(code, printed);
		}
		return result;
	}

	private async disassemble({ chunks }: CodeText): Promise<ReturnType<typeof rowsOfMachineCode>> {
		this.disassembler ??= await openDisassembler(/aarch64|arm64/.test(this.log.platform ?? '') ? 'aarch64' : 'x86-64');
		const disassembler = this.disassembler;
		return chunks.flatMap((chunk) => rowsOfMachineCode(chunk, disassembler.decode(chunk.bytes, chunk.address)));
	}
}

function problem(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}
