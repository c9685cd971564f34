/** From files to the report of hot code: opens a recording, attributes its samples, reads the code that has some. */

import type { Syntax } from '../disassembly/spelled-instructions.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import { type AnnotatedCode, annotateCode } from '../hot/annotated-code.js';
import { type Attribution, attributeSamples, classifyPlace, firstTime, isCountedReason, onlyThreads } from '../hot/attribute.js';
import { compareHot, type RegionPair } from '../hot/compare-hot.js';
import { type FoldKind, type FoldRow, fold, foldThreads } from '../hot/fold.js';
import { type HotOptions, hotReport } from '../hot/hot.js';
import type { CodeCallers, CodeHeat, HotReport, Region } from '../hot/hot-results.js';
import { clockFromStart, hasTimes, type JvmClock } from '../hot/jvm-clock.js';
import { otherProcesses } from '../hot/other-processes.js';
import { sampleColumns } from '../hot/sample-columns.js';
import { unsampledCode } from '../hot/sampled-code.js';
import { stackedCode, stackSamples } from '../hot/stack-samples.js';
import { classifyThreads, type ThreadClasses } from '../hot/thread-classes.js';
import { libraryTime, nativeThreadTime, type ThreadTime, threadTime } from '../hot/thread-time.js';
import { codeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import { isJvmLibrary } from '../model/jvm-library.js';
import { lateCallDoubts } from '../model/late-calls.js';
import { nameMatches } from '../model/name-pattern.js';
import type { Problem } from '../model/problem.js';
import { UsageError } from '../model/problem.js';
import type { SampleFilter } from '../model/sample-filter.js';
import type { SampleWindow } from '../model/sample-window.js';
import type { SamplePlace, Samples } from '../model/samples.js';
import type { StackedSamples } from '../model/stacked-samples.js';
import { THREAD_CLASSES } from '../model/thread-class.js';
import type { Evidence } from '../recording/evidence.js';
import type { Recording } from '../recording/open-recording.js';
import { CodeCallersOf } from './code-callers.js';
import { type HotSource, hotComparisonResult, hotResult } from './hot-result.js';
import type { CompareHotspotsResult, HotspotsResult } from './results.js';
import { inSyntax } from './shown-syntax.js';
import type { Streamed } from './streamed.js';
import { unwoundCallers } from './unwound-callers.js';
import { wantedSamples } from './wanted-samples.js';

export interface HotRequest extends HotOptions, SampleFilter {
	/** null: the first of the recording. */
	readonly event: string | null;
	/** null: that of the log, or told from the samples. */
	readonly processId: number | null;
	/** null: what the recording says was measured, else all. */
	readonly window: SampleWindow | null;
	/** Whether to give every sample its frames, with the profiler's stacks where the recording was opened with them. */
	readonly withStacks?: boolean;
	/** Read the code of these compilations too, sampled or not. */
	readonly withCodeOf?: (code: GeneratedCode) => boolean;
	/** Of instructions in answers and results; left out: AT&T's. */
	readonly syntax?: Syntax;
}

export interface OpenedHot {
	readonly report: HotReport;
	/** Time by class of thread; null where the samples do not tell threads, or are not those of a JVM. */
	readonly threadTime: ThreadTime | null;
	/** Of each thread and sample its class; null as above. */
	readonly classes: ThreadClasses | null;
	/** The counted samples of the report; null unless asked for. */
	readonly stacks: StackedSamples | null;
	/** What `withCodeOf` chose and no sample is in. */
	readonly unsampled: readonly CodeHeat[];
	readonly recording: Recording;
	readonly problems: readonly Problem[];
	/** The window that was taken; null: all. */
	readonly window: SampleWindow | null;
}

/** Throws an InputError when there are no samples, a UsageError when they have no such event. */
export async function openHot(evidence: Evidence, request: HotRequest): Promise<OpenedHot> {
	return hotOf(await evidence.sampled(), request);
}

/** The same of a recording that is open. */
export async function hotOf(recording: Recording, request: HotRequest): Promise<OpenedHot> {
	const { samples, note } = recording;
	const window = request.window ?? (request.wholeRun === true ? null : notedWindow(recording, request.processId));
	const event = request.event === null ? 0 : samples.events.indexOf(request.event);
	if (event < 0) {
		throw new UsageError(`${recording.samplesFile} has no event ${request.event}; its events: ${samples.events.join(', ') || 'none'}`);
	}
	const map = codeMap([...recording.code, ...(recording.native?.calling ?? [])]);
	const all = attributeSamples(samples, map, {
		event,
		processId: request.processId ?? processOfLog(recording),
		window: windowSeconds(window),
		clock: recordedClock(recording),
	});
	const { threads } = recording;
	const classes = threads === null ? null : classifyThreads(all, threads, recording);
	const wanted = wantedSamples(recording, classes, request);
	const attribution = wanted === null ? all : onlyThreads(all, wanted);
	const stackSource = {
		attribution,
		details: recording.details,
		processId: request.processId ?? recording.log?.processId ?? null,
		intervalNs: note?.frequencyHz == null ? null : Math.round(1e9 / note.frequencyHz),
		startedEpochMs: recording.log?.startedEpochMs ?? null,
	};
	// Of what only called no instruction is shown.
	const isCalling = new Set<GeneratedCode>(recording.native?.calling ?? []);
	const sampled = new Set([...stackedCode(stackSource)].map((position) => map.code[position]!).filter((code) => !isCalling.has(code)));
	const others = request.withCodeOf === undefined ? [] : map.code.filter((code) => !sampled.has(code) && request.withCodeOf?.(code));
	const printed = new Map(await recording.readCode([...sampled, ...others]));
	const callers = new CodeCallersOf(attribution, recording.details.tops);
	const calling = [...callers.wanted(printed)].filter((code) => !printed.has(code));
	for (const [code, text] of calling.length === 0 ? [] : await recording.readCode(calling)) {
		printed.set(code, text);
	}
	const hot = hotReport(attribution, (position) => printed.get(map.code[position]!) ?? null, request);
	const codeCallers = callers.callers(printed);
	const { byRegion, byLibrary, interpreted, unknown, unreached } = callers.nativeCallers(
		printed,
		hot.regions,
		(i) => THREAD_CLASSES[classes?.ofSample[i] ?? -1] === 'java',
	);
	const { tops, unwound } = recording.details;
	const unwoundTo = unwound === undefined || recording.native === null ? null : unwoundCallers(attribution, unwound, recording.native, hot.regions);
	const ofCode = hot.regions.flatMap((region): [Region, CodeCallers][] => {
		const known = region.heat === null ? undefined : codeCallers.get(region.heat.code);
		return known === undefined ? [] : [[region, known]];
	});
	const report: HotReport = {
		...hot,
		codeCallers,
		regionCallers: unwoundTo?.byRegion ?? new Map([...ofCode, ...byRegion]),
		libraryCallers: unwoundTo?.byLibrary ?? byLibrary,
		...(interpreted.length === 0 ? {} : { interpreted }),
		...(tops === undefined ? {} : { shallowStacks: { copiedBytes: tops.copiedBytes, unknown, unreached } }),
	};
	const instructionsAt = (position: number): Instructions | null => {
		const instructions = printed.get(map.code[position]!)?.instructions;
		return instructions === undefined || instructions.length === 0 ? null : instructions;
	};
	const stacks = request.withStacks === true ? stackSamples(stackSource, instructionsAt, callers.stackOwners(printed), recording.native?.framesAt) : null;
	const unsampled = others.map((code): CodeHeat => withoutSamples(code, printed.get(code) ?? null));
	const time = threads !== null && classes !== null ? threadTime(attribution, threads, classes) : recording.log === null ? libraryTime(attribution) : null;
	return {
		report,
		threadTime: time,
		classes,
		stacks,
		unsampled,
		recording,
		problems: [...recording.problems, ...doubts(recording, report, wanted === null)],
		window,
	};
}

/** The code of a compilation in which no sample lies. */
export function withoutSamples(code: GeneratedCode, printed: PrintedCode | null): CodeHeat {
	const instructions = printed !== null && printed.instructions.length > 0 ? printed.instructions : null;
	return unsampledCode({ code, instructions, labels: printed?.labels ?? new Map() });
}

/** null where no sample is of that process: inside a container the JVM's id is another one than outside. */
export function processOfLog({ log, sources, samples }: Recording): number | null {
	const processId = log === null ? (sources[0]?.processId ?? null) : log.processId;
	const hasIds = samples.processId.some((id) => id >= 0);
	return processId !== null && hasIds && !samples.processId.includes(processId) ? null : processId;
}

/** What the recording says was measured of a JVM (null: that of the log); null: all of it. */
export function notedWindow(recording: Recording, processId: number | null = null): SampleWindow | null {
	const noted = recording.note?.window;
	return noted == null ? measuredWindow(recording, processId ?? processOfLog(recording)) : { delayMs: noted.skipMs, lengthMs: noted.lengthMs, measured: null };
}

/** From the first to the last of the measured iterations in which the process has samples. */
function measuredWindow({ note, samples }: Recording, processId: number | null): SampleWindow | null {
	const { timeSeconds } = samples;
	const isOfProcess = (i: number): boolean => processId === null || samples.processId[i]! < 0 || samples.processId[i] === processId;
	const forks = (note?.measured ?? []).filter(({ fromSeconds, toSeconds }) =>
		timeSeconds.some((time, i) => time >= fromSeconds && time <= toSeconds && isOfProcess(i)),
	);
	if (forks.length === 0) {
		return null;
	}
	const first = firstTime(samples);
	const from = Math.max(first, Math.min(...forks.map(({ fromSeconds }) => fromSeconds)));
	const to = Math.max(...forks.map(({ toSeconds }) => toSeconds));
	const names = new Set(forks.map(({ benchmark, parameters }) => [benchmark ?? 'a benchmark', ...(parameters === null ? [] : [`(${parameters})`])].join(' ')));
	const iterations = forks.reduce((sum, one) => sum + one.iterations, 0);
	return {
		delayMs: 1000 * (from - first),
		lengthMs: 1000 * (to - from),
		measured: `${forks.length === 1 ? '' : 'from the first to the last of '}the ${iterations} measured iterations of ${[...names].join(', ')}${forks.length === 1 && forks[0]!.fork !== null ? `, fork ${forks[0]!.fork}` : ''}`,
	};
}

/** Seconds from the first sample. */
export function windowSeconds(window: OpenedHot['window']): { from: number; to: number } {
	if (window === null) {
		return { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
	}
	const from = window.delayMs / 1000;
	return { from, to: window.lengthMs === null ? Number.POSITIVE_INFINITY : from + window.lengthMs / 1000 };
}

/** `assay record` notes how real time, which the log has, and the clock of the samples lie to each other; other profilers when their samples began. */
export function recordedClock({ note, log, sources, samples, code, samplesStart }: Recording): JvmClock | null {
	if (log === null) {
		const monotonic = sources.find((source) => source.monotonic != null)?.monotonic;
		// perf prints microseconds.
		return monotonic == null || !mayBeMonotonic(samples, monotonic.startSeconds)
			? null
			: { startSeconds: monotonic.startSeconds, uncertaintySeconds: 1e-6, source: 'recorded', isOfFirstCode: true };
	}
	if (samplesStart != null && log.startedEpochMs !== null) {
		const clock = clockFromStart(samples, codeMap(code), samplesStart.epochMs, log.startedEpochMs);
		return clock !== null && log.isOlder === true ? { ...clock, isOfFirstCode: true } : clock;
	}
	const offset = note?.monotonicMinusRealtimeSeconds ?? log.monotonicMinusRealtimeSeconds;
	if (offset == null || log.startedEpochMs === null) {
		return null;
	}
	if (note?.monotonicMinusRealtimeSeconds == null && !mayBeMonotonic(samples, log.startedEpochMs / 1000 + offset)) {
		return null;
	}
	if (log.isOlder === true) {
		return { startSeconds: log.startedEpochMs / 1000 + offset, uncertaintySeconds: 0.002, source: 'recorded', isOfFirstCode: true };
	}
	// Both stamps are cut to milliseconds.
	return { startSeconds: log.startedEpochMs / 1000 + offset, uncertaintySeconds: 0.002 + (note?.clockUncertaintySeconds ?? 0), source: 'recorded' };
}

/** False where samples certainly have another clock: all were taken before the first code, or count from 1970. */
function mayBeMonotonic({ timeSeconds, length }: Samples, startSeconds: number): boolean {
	let first = Number.POSITIVE_INFINITY;
	let last = Number.NEGATIVE_INFINITY;
	for (let i = 0; i < length; i++) {
		first = Math.min(first, timeSeconds[i]!);
		last = Math.max(last, timeSeconds[i]!);
	}
	return last >= startSeconds && (first < EPOCH_SECONDS || startSeconds >= EPOCH_SECONDS);
}

const NODE = /(?:^|\/)node(?:js)?$/;
/** No machine has been up for so long. */
const EPOCH_SECONDS = 1e9;
/** Of the samples in code: with more that lie in code before it came, the clocks differ. */
const EARLY_SHARE = 0.01;
const UNNAMED_SHARE = 0.01;
/** Of all samples: with more in a JVM of which no log is here, its part is told, even if the one that was recorded has most. */
const LEAST_OF_OTHERS = 0.1;

/** Places of the samples that count, or that name no process: others are of other processes. */
function countedPlaces({ samples, reason }: Attribution): SamplePlace[] {
	const isCounted = new Uint8Array(samples.places.length);
	for (let i = 0; i < samples.length; i++) {
		if (isCountedReason(reason[i]!) || samples.processId[i]! < 0) {
			isCounted[samples.place[i]!] = 1;
		}
	}
	return samples.places.filter((_, place) => isCounted[place] === 1);
}

/** Files were mapped, none of a JVM. */
function isOfOtherProgram(places: readonly SamplePlace[]): boolean {
	const files = places.flatMap((place) => (/^(?:native library|other process)$/.test(classifyPlace(place, null)) ? [place.library] : []));
	return files.length > 0 && !files.some((file) => isJvmLibrary(file));
}

/** What may make the report another one than its reader thinks. */
function doubts(
	{ samples, samplesFile, samplesStart, log, logFile, loggedJvms, sources, threads, lostLines }: Recording,
	report: HotReport,
	isOfAll: boolean,
): Problem[] {
	const result: Problem[] = [];
	const warn = (file: string, message: string, action: string): void => {
		result.push({ severity: 'warning', file, message, action });
	};
	const { attribution } = report;
	if (lostLines() > 0) {
		warn(logFile ?? samplesFile, `${lostLines()} lines with an address are cut or mixed with other output`, 'their instructions are missing');
	}
	const [source] = sources;
	const codeFile = logFile ?? source?.file;
	if (source?.monotonic != null && log === null) {
		const inCode = report.code.reduce((sum, heat) => sum + heat.samples, 0);
		if (hasTimes(samples) && (attribution.clock.source !== 'recorded' || attribution.early > EARLY_SHARE * (inCode + attribution.early))) {
			warn(
				samplesFile,
				`its clock is not that of ${source.file}: ${attribution.clock.source === 'recorded' ? `${attribution.early} samples lie in code before it came` : 'the times do not meet'}`,
				'record with perf record -k mono; until then code at an address that was used again may be taken for another',
			);
		}
	}
	const places = log === null && source === undefined ? countedPlaces(attribution) : [];
	if (places.some(({ library }) => library !== null && NODE.test(library))) {
		warn(
			samplesFile,
			'no file holds the code that Node made',
			'record with assay record -- node …, or with perf record -k mono and node --perf-prof, and give its jit-PID.dump too',
		);
	} else if (log === null && source === undefined && isOfOtherProgram(places)) {
		const unknown = attribution.byReason.get('unknown') ?? 0;
		if (unknown > UNNAMED_SHARE * attribution.counted) {
			warn(
				samplesFile,
				`no file holds the code of ${((100 * unknown) / attribution.counted).toFixed(1)} % of the samples, which the program made while it ran`,
				'have its compiler write a jitdump or a map for perf; docs/native-jits.md says how',
			);
		}
	} else if (log === null && source === undefined && samples.length > 0) {
		warn(
			samplesFile,
			'no file holds the code of the JVM',
			'Java methods are not resolved; give the LogFile of a JVM with -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:+PrintAssembly',
		);
	} else if (
		isOfAll &&
		attribution.map.code.some(({ kind }) => kind === 'compilation') &&
		attribution.counted > 0 &&
		!report.code.some(({ code }) => code.compileId !== null)
	) {
		warn(codeFile ?? samplesFile, `no sample lies in the code of this ${log === null ? 'file' : 'log'}`, `check that it is of the same run as ${samplesFile}`);
	}
	const ofOthers = attribution.byReason.get('other process') ?? 0;
	const [most] = ofOthers > LEAST_OF_OTHERS * attribution.total ? otherProcesses(attribution, threads) : [];
	const isUnwatched = most?.isJvm === true && log !== null && !loggedJvms.includes(most.processId);
	if (ofOthers > attribution.counted || (isUnwatched && most.samples > LEAST_OF_OTHERS * attribution.total)) {
		warn(
			samplesFile,
			`${ofOthers} of ${attribution.total} samples are of other processes${most === undefined ? '' : `, ${most.samples} of ${most.name}${isUnwatched ? ', a JVM of which no log is here' : ''}`}`,
			most === undefined
				? 'they are not counted'
				: isUnwatched
					? `they are not counted: --pid ${most.processId} shows what they alone tell; assay record -- env java … records every JVM that a program starts`
					: `they are not counted: --pid ${most.processId} shows that one`,
		);
	}
	if (attribution.ambiguous > 0) {
		warn(
			samplesFile,
			`${attribution.ambiguous === 1 ? '1 sample lies' : `${attribution.ambiguous} samples lie`} where one compilation replaced another${attribution.clock.source === 'none' ? '' : ' at about that time'}`,
			attribution.clock.source === 'none'
				? 'nothing tells when: what lies there is counted for the last one'
				: 'what lies there is counted for the one that the clocks make more likely',
		);
	}
	result.push(...lateCallDoubts(report.code, attribution.counted, logFile ?? samplesFile));
	if (samplesStart != null && log !== null && log.startedEpochMs !== null && attribution.clock.source !== 'recorded') {
		warn(
			samplesStart.file,
			`the samples cannot count from the start that it tells: by ${logFile ?? 'the log'} some lie in code before it came, or all before the JVM began`,
			'the clock is taken from the samples; check that all are of one run',
		);
	}
	if (samples.length === 0) {
		warn(samplesFile, 'holds no samples', 'check that perf recorded the program');
	}
	return result;
}

/** A question about hot code: {@link HotRequest}, and what is shown of the answer. */
export interface HotspotsRequest extends HotRequest {
	/** Fold the samples too; null: not. */
	readonly by: FoldKind | null;
	/** Only these regions, methods (`m2`, or their names) or compilations (`c12`); null: all. */
	readonly handles: readonly string[] | null;
	/** All instructions of the chosen compilations. */
	readonly withCode: boolean;
	/** Time, thread and place of each sample; the evidence has to be opened with threads. */
	readonly withEachSample: boolean;
}

export interface HotAnswer extends OpenedHot {
	/** null: all. */
	readonly chosen: readonly Region[] | null;
	readonly folded: { readonly kind: FoldKind; readonly rows: readonly FoldRow[] } | null;
	result(): Streamed<HotspotsResult>;
}

function foldRows({ report, threadTime: time, recording: { threads } }: OpenedHot, kind: FoldKind): readonly FoldRow[] {
	if (kind !== 'class' && kind !== 'thread') {
		return fold(report, kind);
	}
	const isOfJvm = time !== null && time.classes.length > 0;
	return isOfJvm || threads === null ? foldThreads(time, kind) : foldThreads(nativeThreadTime(report.attribution, threads), kind);
}

/** Where the time of a JVM went. Throws an InputError without samples, a UsageError when there is no such event or handle. */
export async function answerHot(evidence: Evidence, request: HotspotsRequest): Promise<HotAnswer> {
	const opened = inSyntax(await openHot(evidence, request), request.syntax ?? 'att');
	const { report, recording } = opened;
	const chosen = request.handles === null ? null : chooseRegions(report, request.handles);
	const folded = request.by === null ? null : { kind: request.by, rows: foldRows(opened, request.by) };
	return {
		...opened,
		chosen,
		folded,
		result: () =>
			hotResult(report, hotSource(recording), {
				threadTime: opened.threadTime,
				chosen,
				folded,
				code: request.withCode ? annotatedCode(chosen?.flatMap(({ heat }) => heat ?? []) ?? report.code) : null,
				columns: request.withEachSample ? sampleColumns(report, recording.threads) : null,
				window: opened.window,
			}),
	};
}

export interface HotComparison {
	readonly a: OpenedHot;
	readonly b: OpenedHot;
	readonly pairs: readonly RegionPair[];
	readonly problems: readonly Problem[];
	result(): Streamed<CompareHotspotsResult>;
}

/** Which regions became hotter or cooler. */
export async function compareHotspotsOf(evidenceA: Evidence, evidenceB: Evidence, request: HotRequest): Promise<HotComparison> {
	const a = inSyntax(await openHot(evidenceA, request), request.syntax ?? 'att');
	const b = inSyntax(await openHot(evidenceB, request), request.syntax ?? 'att');
	const pairs = compareHot(a.report, b.report);
	return { a, b, pairs, problems: [...a.problems, ...b.problems], result: () => hotComparisonResult(a.report, b.report, pairs) };
}

function chooseRegions({ regions, methods }: HotReport, handles: readonly string[]): Region[] {
	return handles.flatMap((handle) => {
		const method = methods.find((row) => row.handle === handle);
		const result = regions.filter(
			(region) =>
				region.handle === handle ||
				(region.heat?.code.compileId != null && `c${region.heat.code.compileId}` === handle) ||
				(method !== undefined && region.method === method.method && region.source === method.source),
		);
		if (result.length === 0) {
			result.push(...regionsOfMethod(regions, handle));
		}
		if (result.length === 0) {
			throw new UsageError(`no region, method or compilation with samples is called ${handle}`);
		}
		return result;
	});
}

/** Of a method by its name or the end of it, `*` for any text: what it was compiled to, else where it was inlined and has most samples. */
function regionsOfMethod(regions: readonly Region[], asked: string): readonly Region[] {
	const isMeant = (method: string): boolean => (asked.includes('*') ? nameMatches(`*${asked}`, method) : method === asked || method.endsWith(`.${asked}`));
	const own = regions.filter(({ method }) => isMeant(method));
	return own.length > 0 ? own : regions.filter(({ owner }) => owner !== null && isMeant(owner.method));
}

export function hotSource({ samplesFile, logFile, log, sources }: Recording): HotSource {
	const [source] = log === null ? sources : [];
	return { samplesFile, logFile: logFile ?? source?.file ?? null, jvm: log?.version ?? null, processId: log?.processId ?? source?.processId ?? null };
}

/** Of compilations whose text is there, each once. */
function* annotatedCode(heats: Iterable<CodeHeat>): Generator<AnnotatedCode> {
	for (const heat of new Set(heats)) {
		const annotated = heat.code.compileId === null ? null : annotateCode(heat);
		if (annotated !== null) {
			yield annotated;
		}
	}
}
