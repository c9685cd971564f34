/**
 * Opens what was recorded of one run: of a JVM its log with the code that it generated, of other compilers their jitdump; samples, safepoints. Text of code is read, and machine code
 * disassembled, only where somebody asks for it.
 */

import type { SamplesFormat } from '../formats/format.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import type { CodeLog } from '../formats/hotspot-code/scan.js';
import { readSafepointLog, type SafepointLog } from '../formats/hotspot-safepoint-log/read.js';
import { readPerfMap } from '../formats/perf-map/read.js';
import { type RecordingNote, readNote } from '../formats/recording-manifest/read.js';
import { readXctraceStart } from '../formats/xctrace/read-contents.js';
import { append } from '../model/append.js';
import { firstWhere } from '../model/binary-search.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { InputError, type Problem } from '../model/problem.js';
import {
	type DetailsWanted,
	type InterpretedMethod,
	NO_DETAILS,
	type SampleDetails,
	type Samples,
	SamplesBuilder,
	type SampleThreads,
	type StackTops,
} from '../model/samples.js';
import type { StackSamples } from '../model/stack-samples.js';
import { type CodeForm, type CodeSource, onClock } from './code-source.js';
import type { EvidenceFile, FoundEvidence } from './find-evidence.js';
import { readFlightRecorder } from './flight-recorder-file.js';
import { openJitdumpCode } from './jitdump-code.js';
import { type JvmCode, readJvmCode } from './jvm-code.js';
import { headOfFile, openLogFile } from './log-file.js';
import { isRuntimeLibrary, mostSampled, type NativeCode, openNativeCode } from './native-code.js';
import type { OpenedObservedFile } from './observed-file.js';
import { type RecordedPauses, recordedSafepoints } from './recorded-safepoints.js';
import type { RecordedRemarks } from './remark-files.js';
import { asOneProcess } from './same-program.js';
import { readSamples } from './sample-formats.js';
import { sampledProcesses } from './sampled-process.js';

/** Safepoints, and the file that tells of them. */
interface RecordingSafepoints extends SafepointLog {
	readonly file: string;
	/** Of Flight Recorder: what else it tells, and its samples, which have stacks and no program counters, on the clock of the safepoints. */
	readonly recorded?: RecordedPauses;
	stackSamples?(): Promise<StackSamplesOfRun | null>;
}

/** Nanoseconds from the JVM's start to the origin of the samples' times. */
interface StackSamplesOfRun {
	readonly samples: StackSamples;
	readonly originNs: number;
}

/** What a file beside the samples says of their beginning. */
interface SamplesStart {
	readonly epochMs: number;
	readonly file: string;
}

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
	readonly safepoints: RecordingSafepoints | null;
	/** All code that is known: of the log, of `sources` what the log does not tell, of perf maps what neither does. */
	readonly code: readonly GeneratedCode[];
	/** Files beside the log that hold code; their stamps are on the clock of the log, or, without one, on that of the first of them. */
	readonly sources: readonly CodeSource[];
	readonly log: Omit<CodeLog, 'code' | 'problems'> | null;
	/** One of `sources`: of a native program, where no other compiler's code is there. */
	readonly native: NativeCode | null;
	/** null: no file holds any. */
	readonly logFile: string | null;
	/** Processes of which logs of JVMs were found, also of others. */
	readonly loggedJvms: readonly number[];
	readonly note: RecordingNote | null;
	/** From when the times of the samples count, and the file beside them that tells it; left out where none does. */
	readonly samplesStart?: SamplesStart | null;
	readonly problems: readonly Problem[];
	/** The printed text of pieces of `code`; those that were not printed are left out. */
	readCode(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>>;
	/** Of the texts that were read: lines with an address that hold no instruction, and bytes that are none. */
	lostLines(): number;
	/** Whether the recorder's agent was in the JVM: its work is the recording's. */
	readonly hasAgent: boolean;
	/** How the texts that were read show code; null before any was read. */
	codeForm(): CodeForm | null;
}

/** What an {@link InputError} says when no file holds samples. */
export const SAMPLES_MISSING = 'samples are missing';

const NOTE_BYTES = 1 << 20;

export interface RecordingOptions {
	/** What is read of the samples beside their times and addresses. */
	readonly details: DetailsWanted;
	readonly withSafepoints: boolean;
	/** Reads what is in a file of another profiler, or has read it. */
	readonly observed: (file: EvidenceFile) => Promise<OpenedObservedFile>;
	/** Numbers functions of native programs. */
	readonly remarks: RecordedRemarks;
}

/**
 * The JVM's log, its safepoints, the chosen samples (none where there are none), perf maps and notes among what was found. `processId` chooses among the logs
 * of several JVMs. Throws an {@link InputError} when there are several files of samples, or several logs and nothing chooses.
 */
export async function openRecording(
	{ name: all, files, processIds }: Pick<FoundEvidence, 'name' | 'files' | 'processIds'>,
	samplesFiles: readonly EvidenceFile[],
	processId: number | null,
	{ details, withSafepoints, observed, remarks }: RecordingOptions,
): Promise<Recording> {
	const problems: Problem[] = [];
	const [chosen] = samplesFiles;
	if (samplesFiles.length > 1) {
		throw problem(all, `several files hold samples: ${samplesFiles.map((file) => file.name).join(', ')}`, 'give the one to look at, and the log');
	}
	const asRead = await readChosenSamples(chosen, files, details, problems);
	const logs = await readJvmCode(files.assembly, files.agentLog, problems);
	const log = chooseLog(logs, asRead.samples, processId, all);
	problems.push(...(log?.log.problems ?? []));
	const safepoints = !withSafepoints ? null : await readSafepoints(files, log?.log.processId ?? processId, observed, problems);
	const named = await readPerfMaps(files.perfMap, problems);
	const note = await readNotes(files.manifest);
	const samplesStart = asRead.format === 'xctrace' ? await readSamplesStart(files.samplesStart, problems) : null;
	const dumps = await openSources(files.jitdump, asRead, log?.log.processId ?? processId, all);
	const { native, read } =
		log !== null || dumps.length > 0 || isOfRuntime(asRead.samples, processId)
			? { native: null, read: asRead }
			: await openNative(asRead, processId, files.program, remarks);
	const opened: CodeSource[] = native === null ? dumps : [native];
	// Frames of V8's interpreter lie in Node's own file: the next compiled function need not be what called.
	const tops = log === null && isOfRuntime(read.samples, processId ?? dumps[0]?.processId ?? null) ? undefined : read.tops;
	const start = log === null ? (opened.find(({ monotonic }) => monotonic != null)?.monotonic?.startSeconds ?? null) : startOfLog(log.log, note);
	const sources = opened.map((source) => onClock(source, start));
	problems.push(...sources.flatMap((source) => source.problems));
	const logged: GeneratedCode[] = [...(log?.log.code ?? [])];
	for (const { code } of sources) {
		append(logged, withoutKnown(code, logged));
	}
	return {
		samples: read.samples,
		samplesFile: chosen?.name ?? all,
		format: read.format,
		threads: read.threads,
		details: {
			threads: read.threads,
			stacks: read.stacks,
			periods: read.periods,
			...(read.mappedCode === undefined ? {} : { mappedCode: read.mappedCode }),
			...(read.unwound === undefined ? {} : { unwound: read.unwound }),
			...(tops === undefined ? {} : { tops: withInterpretedMethods(tops, log) }),
		},
		safepoints,
		code: [...logged, ...withoutKnown(named, logged)],
		sources,
		log: log?.log ?? null,
		native: sources.length === 1 ? native : null,
		logFile: log?.file ?? null,
		loggedJvms: processIds,
		note,
		samplesStart,
		problems,
		hasAgent: files.agentLog.length > 0,
		async readCode(wanted) {
			const pieces = [...wanted];
			const parts = [(await log?.read(pieces)) ?? [], ...(await Promise.all(sources.map((source) => source.read(pieces))))];
			return new Map(parts.flatMap((part) => [...part]));
		},
		lostLines: () => log?.lostLines() ?? 0,
		codeForm: () => log?.codeForm() ?? null,
	};
}

function withInterpretedMethods(tops: StackTops, log: JvmCode | null): StackTops {
	const { methodWords } = tops;
	if (methodWords === undefined || log === null) {
		return tops;
	}
	const { sample, row, address } = methodWords;
	const told = log.interpretedMethods(new Set(address));
	const bySample = new Map<number, InterpretedMethod>();
	const byRow = new Map<number, InterpretedMethod>();
	for (let i = 0; i < sample.length; i++) {
		const method = told.get(address[i]!);
		if (method !== undefined) {
			if (row[i]! < 0) {
				bySample.set(sample[i]!, method);
			} else {
				byRow.set(row[i]!, method);
			}
		}
	}
	return told.size === 0 ? tops : { ...tops, interpretedMethods: { bySample, byRow } };
}

/** Of the process with most samples, if none was chosen: a script of Node may only start a native program. */
function isOfRuntime(samples: Samples, chosen: number | null): boolean {
	const { places, place, processId, length } = samples;
	const wanted = chosen ?? mostSampled(samples);
	const isRuntime = places.map(({ library }) => library !== null && isRuntimeLibrary(library));
	for (let i = 0; i < length; i++) {
		if (isRuntime[place[i]!] === true && (wanted === null || processId[i] === wanted || processId[i]! < 0)) {
			return true;
		}
	}
	return false;
}

/** `read`: with the samples of all processes of the program, where none was chosen. */
async function openNative<T extends SampleDetails & { readonly samples: Samples }>(
	read: T,
	processId: number | null,
	programs: readonly EvidenceFile[],
	remarks: RecordedRemarks,
): Promise<{ readonly native: NativeCode | null; readonly read: T }> {
	const wanted = processId ?? mostSampled(read.samples);
	const own = wanted === null ? undefined : read.mappedCode?.get(wanted);
	if (wanted === null || own === undefined) {
		return { native: null, read };
	}
	const { mappings, processes, ...same } = processId === null ? asOneProcess(read, wanted, own) : { read, mappings: own, processes: 1 };
	const { samples, unwound } = same.read;
	const native = await openNativeCode({ samples, unwound, mappings, processId: wanted, processes }, programs, (symbol) => remarks.numberOf(symbol));
	return { native, read: same.read };
}

/** Code that lies in other files than the log: of the sampled process; of none where most samples are of a native program that theirs started. */
async function openSources(
	dumps: readonly EvidenceFile[],
	{ samples, mappedCode }: SampleDetails & { readonly samples: Samples },
	processId: number | null,
	all: string,
): Promise<CodeSource[]> {
	const sources: CodeSource[] = [];
	for (const file of dumps) {
		sources.push(await openJitdumpCode(file));
	}
	const sampled = sampledProcesses(samples);
	// What another sampled process wrote lies elsewhere in memory; inside a container processes have other numbers.
	const mayBeOwn = sources.filter(
		(source) => processId === null || source.processId === null || source.processId === processId || !sampled.has(source.processId),
	);
	const most = processId === null && mayBeOwn.length > 0 ? mostSampled(samples) : null;
	const areOfOthers = sources.every((source) => source.processId !== null && source.processId !== most && sampled.has(source.processId));
	if (most !== null && areOfOthers && mappedCode?.has(most) === true && !isOfRuntime(samples, most)) {
		return [];
	}
	if (mayBeOwn.length <= 1) {
		return mayBeOwn;
	}
	const candidates = sources.filter(
		(source) => source.processId !== null && (processId === null ? sampled.has(source.processId) : source.processId === processId),
	);
	const counts = candidates.map((source) => samples.processId.reduce((count, id) => (id === source.processId ? count + 1 : count), 0));
	const own = candidates.filter((_, i) => counts[i] === Math.max(...counts));
	if (own.length === 1) {
		return own;
	}
	const list = sources.map((source) => `${source.file} (process ${source.processId ?? 'unknown'})`).join(', ');
	throw problem(all, `several jitdumps: ${list}`, 'say which one is meant: --pid, or the one and the samples');
}

/** On CLOCK_MONOTONIC, which the manifest lays beside the log's clock; null where nothing does. */
function startOfLog({ startedEpochMs, monotonicMinusRealtimeSeconds }: CodeLog, note: RecordingNote | null): number | null {
	const offset = note?.monotonicMinusRealtimeSeconds ?? monotonicMinusRealtimeSeconds;
	return offset == null || startedEpochMs === null ? null : startedEpochMs / 1000 + offset;
}

/** The first that says something. */
async function readNotes(files: readonly EvidenceFile[]): Promise<RecordingNote | null> {
	for (const file of files) {
		const note = readNote(await headOfFile(file, NOTE_BYTES));
		if (note !== null) {
			return note;
		}
	}
	return null;
}

/** null also where several files tell different starts. */
async function readSamplesStart(files: readonly EvidenceFile[], problems: Problem[]): Promise<SamplesStart | null> {
	const starts: SamplesStart[] = [];
	for (const file of files) {
		const { source, problems: unread } = await openLogFile(file);
		const read = readXctraceStart(source);
		source.close();
		problems.push(...unread, ...read.problems);
		if (read.startedEpochMs !== null) {
			starts.push({ epochMs: read.startedEpochMs, file: file.name });
		}
	}
	const [start = null] = starts;
	return starts.every(({ epochMs }) => epochMs === start?.epochMs) ? start : null;
}

async function readChosenSamples(
	chosen: EvidenceFile | undefined,
	{ nativeSymbols, program }: Pick<FoundEvidence['files'], 'nativeSymbols' | 'program'>,
	wanted: DetailsWanted,
	problems: Problem[],
): Promise<SampleDetails & { readonly samples: Samples; readonly format: SamplesFormat | null }> {
	if (chosen === undefined) {
		return { ...NO_DETAILS, samples: new SamplesBuilder().build(), format: null };
	}
	const read = await readSamples(chosen, wanted, nativeSymbols, program);
	problems.push(...read.problems);
	return read;
}

/**
 * Of several files that of the process, as `assay record` names it, else the one with the most safepoints: late threads are told of on standard output too.
 * Where no log has any, what Flight Recorder tells of them.
 */
async function readSafepoints(
	found: FoundEvidence['files'],
	processId: number | null,
	observed: RecordingOptions['observed'],
	problems: Problem[],
): Promise<Recording['safepoints']> {
	let result: Recording['safepoints'] = null;
	const files = found.safepoints;
	const own = files.filter(({ name }) => processId !== null && /-(?:pid)?(\d+)\.log$/.exec(name)?.[1] === String(processId));
	for (const file of own.length > 0 ? own : files) {
		const opened = await openLogFile(file);
		const log = { ...readSafepointLog(opened.source), file: file.name };
		opened.source.close();
		problems.push(...opened.problems);
		result = result === null || log.safepoints.length > result.safepoints.length ? log : result;
	}
	if (result === null || result.safepoints.length + result.timeouts.length === 0) {
		result = (await readRecorded(found.flightRecorder, processId, observed, problems)) ?? result;
	}
	problems.push(...(result?.problems ?? []));
	return result;
}

/** The recording of the process with the most safepoints; null when none tells of any. */
async function readRecorded(
	files: readonly EvidenceFile[],
	processId: number | null,
	observed: RecordingOptions['observed'],
	problems: Problem[],
): Promise<Recording['safepoints']> {
	let most: RecordingSafepoints | null = null;
	for (const file of files) {
		const read = recordedSafepoints(await readFlightRecorder(file, 'jvm', problems));
		const isOther = processId !== null && read?.processId != null && read.processId !== processId;
		if (read !== null && !isOther && (most === null || read.safepoints.length > most.safepoints.length)) {
			most = { ...read, stackSamples: async () => stackSamplesOf(await observed(file)) };
		}
	}
	return most;
}

/** The log of the JVM that was sampled; of two of one JVM the one as the JVM wrote it, before JMH's annotated copy. */
function chooseLog(logs: readonly JvmCode[], samples: Samples, processId: number | null, all: string): JvmCode | null {
	const plain = logs.filter(
		(log) => log.log.form.indent === 0 || !logs.some((other) => other.log.processId === log.log.processId && other.log.form.indent === 0),
	);
	if (plain.length <= 1) {
		return plain[0] ?? null;
	}
	const sampled = sampledProcesses(samples);
	const own = plain.filter(({ log }) => log.processId !== null && (processId === null ? sampled.has(log.processId) : log.processId === processId));
	if (own.length === 1) {
		return own[0]!;
	}
	const list = plain.map(({ file, log }) => `${file} (process ${log.processId ?? 'unknown'})`).join(', ');
	throw problem(all, `several logs of JVMs: ${list}`, 'say which one is meant: --pid, or its log and the samples');
}

function stackSamplesOf({ file }: OpenedObservedFile): StackSamplesOfRun | null {
	const samples = file?.stacks ?? null;
	const startNs = file?.jvmStartEpochNs ?? null;
	return samples === null || samples.length === 0 || startNs === null ? null : { samples, originNs: Number(samples.originEpochNs - startNs) };
}

async function readPerfMaps(files: readonly EvidenceFile[], problems: Problem[]): Promise<GeneratedCode[]> {
	const result: GeneratedCode[] = [];
	for (const file of files) {
		const opened = await openLogFile(file);
		const map = readPerfMap(opened.source);
		opened.source.close();
		problems.push(...opened.problems, ...map.problems);
		append(result, map.code);
	}
	return result;
}

/** A perf map names what lay there when it was written, and a file beside the log what the log may tell too: what is known of the same place is better. */
function withoutKnown(named: readonly GeneratedCode[], logged: readonly GeneratedCode[]): GeneratedCode[] {
	const starts = [...logged].sort((a, b) => a.start - b.start);
	return named.filter(({ start, end }) => {
		const before = starts[firstWhere(starts.length, (i) => starts[i]!.start >= end) - 1];
		return before === undefined || before.end <= start;
	});
}

function problem(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}
