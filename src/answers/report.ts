/**
 * The join: from any set of files to one report of a run. Each kind of evidence is read by what the commands read it with, so that the numbers are theirs;
 * compilations meet by compile id, then by method, samples by address and time.
 */

import path from 'node:path';
import { type BiasOverview, biasOverview } from '../bias/bias-overview.js';
import type { SafepointDelay } from '../bias/safepoint-delay.js';
import { summarize } from '../compilations/summarize.js';
import { readDeoptimizationLog } from '../formats/hotspot-deoptimization-log/read.js';
import { readPrintCompilation } from '../formats/print-compilation/read.js';
import { coldInlined } from '../hot/cold-inlined.js';
import { hotCauses } from '../hot/hot-causes.js';
import { type ChainAt, type HotRemarks, hotRemarks } from '../hot/hot-remarks.js';
import type { HotReport } from '../hot/hot-results.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import { countedOrder } from '../hot/sample-columns.js';
import { spilledLoops } from '../hot/spills.js';
import { MOST_OF_A_KIND, reportFindings } from '../join/findings.js';
import { joinCompilations } from '../join/join-compilations.js';
import { append } from '../model/append.js';
import { collectorName } from '../model/collector-name.js';
import { collectorPauses } from '../model/collector-pauses.js';
import type { LoggedCompilation } from '../model/compilation.js';
import { byEvidenceKind, type EvidenceKind, type EvidenceOfKind } from '../model/evidence.js';
import { recordsByKind } from '../model/observed-profile.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import type { Profile } from '../model/profile.js';
import { linkageName } from '../model/remarks.js';
import { isOfThreads, type SampleFilter } from '../model/sample-filter.js';
import { wholeStacksOfCode } from '../model/whole-stacks.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { Evidence } from '../recording/evidence.js';
import type { FoundEvidence } from '../recording/find-evidence.js';
import { readFlightRecorders } from '../recording/flight-recorder-file.js';
import { type LogFile, openLogFile } from '../recording/log-file.js';
import type { OpenedCompilation } from '../recording/merge-memory.js';
import type { NativeCode } from '../recording/native-code.js';
import { openNativeNames } from '../recording/native-names.js';
import type { Recording } from '../recording/open-recording.js';
import { openProftoolProfile } from '../recording/proftool-profile.js';
import { type RecordedPauses, recordedPauses } from '../recording/recorded-safepoints.js';
import { type BiasRequest, biasOf, coldDoubts } from './bias.js';
import { type HotRequest, hotOf } from './hot.js';
import type { NamedStacks, RecordingReport, ReportParts, StackTime } from './joined-report.js';
import { memoryOf } from './memory.js';
import { chooseStacks, heatOfChosen } from './stack-heat.js';
import { type OpenedStartup, openStartup } from './startup.js';
import { startupInlining } from './startup-inlining.js';
import { delaysOf } from './time-to-safepoint.js';
import { delaySummary } from './time-to-safepoint-result.js';

/** Which JVM is meant, and what counts as slow. */
export interface ReportRequest {
	/** From this time to safepoint on it is slow. */
	readonly slowSafepointNs: number;
	/** Follow samples to the next polls: what takes longest. */
	readonly withPrediction: boolean;
	/** Make orders of a program's start-up from its traces: takes seconds. */
	readonly withOrders: boolean;
	/** Read stacks with all their frames, for flame graphs. */
	readonly withStacks: boolean;
	/** So many findings of a kind. */
	readonly mostOfAKind: number;
	/** Of which samples the report is; left out: all. */
	readonly samples?: SampleFilter;
	readonly onProgress?: ((what: string) => void) | undefined;
}

/** Safepoints are slow from 10 ms on; no stacks. */
export const DEFAULT_REPORT_REQUEST: ReportRequest = {
	slowSafepointNs: 10e6,
	withPrediction: true,
	withOrders: true,
	withStacks: false,
	mostOfAKind: MOST_OF_A_KIND,
};

/** How a report looks at hot code: as `assay hot` does where nothing else is said. */
export function hotOfReport(processId: number | null, samples: SampleFilter = {}): HotRequest {
	return { event: null, processId, window: null, gapBytes: 32, byDistance: false, skid: 'auto', ...samples };
}

/** The samples that a report predicts bias of: those that its regions count. */
export function biasOfReport(samples: SampleFilter = {}): BiasRequest {
	return { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, ...samples };
}

/**
 * Throws an {@link InputError} when nothing is known of any file, or when the files are of several JVMs and nobody chose. What is missing or damaged besides
 * leaves facets out and stands among the problems.
 */
export async function openReport(evidence: Evidence, request: ReportRequest = DEFAULT_REPORT_REQUEST): Promise<RecordingReport> {
	return new Join(evidence, request).run();
}

class Join {
	private readonly name: string;
	private readonly files: Evidence;
	private found: FoundEvidence['files'];
	private readonly request: ReportRequest;
	private readonly problems: Problem[];
	/** What was read of each kind. */
	private readonly evidence: Record<EvidenceKind, EvidenceOfKind | null> = {
		logCompilation: null,
		assembly: null,
		samples: null,
		stacks: null,
		graalLog: null,
		proftoolProfile: null,
		safepoints: null,
		compilerMemory: null,
		deoptimizations: null,
		flightRecorder: null,
		printCompilation: null,
		jitdump: null,
		remarks: null,
		executables: null,
		perfMap: null,
		orderTraces: null,
	};
	private readonly stacks: NamedStacks[] = [];
	private readonly profileFiles: LogFile[] = [];
	private readonly parts: { -readonly [K in keyof ReportParts]: ReportParts[K] } = { hot: null, bias: null, delays: null, memory: null };

	constructor(files: Evidence, request: ReportRequest) {
		this.name = files.name;
		this.files = files;
		this.found = files.files;
		this.request = request;
		this.problems = [...files.problems];
	}

	async run(): Promise<RecordingReport> {
		const startup = await this.openStartup();
		const chosen = await this.files.chosen();
		this.found = chosen.found.files;
		// All that is asked for below, so that each is read once.
		const recorders = await readFlightRecorders(this.found.flightRecorder, 'compilers', []);
		const recording = await this.openCode();
		const processId = chosen.processId ?? recording?.log?.processId ?? null;
		const recorder =
			recorders.find(({ read }) => read.information !== null && (processId === null || read.information.processId === processId)) ?? recorders[0] ?? null;
		const log = await this.openLog();
		const hot = recording === null || recording.samples.length === 0 ? null : await this.heat(recording);
		const profile = hot === null ? await this.openProfile() : null;
		const stackTime = hot === null && profile === null ? await this.timeOfStacks(log) : null;
		const heat = hot ?? stackTime?.heat ?? null;
		if (heat === null && isOfThreads(this.request.samples ?? {})) {
			throw new UsageError(`${this.name} holds no samples of which threads or classes could be chosen`);
		}
		const bias =
			recording === null || recording.native !== null || hot === null || !this.request.withPrediction || !isPredictable(this.request.samples)
				? null
				: await this.predict(recording, log);
		const { delays, clock } = recording === null ? { delays: [], clock: null } : await this.safepoints(recording);
		const memory = await this.openMemory();
		const units = await this.openGraalLog();
		const deoptimizations = await this.readDeoptimizations();
		const printed = await this.readPrintCompilation();
		await this.readProfiles();
		const history = log?.history ?? null;
		const { compilations, calls, refused, problems } = joinCompilations({
			log,
			code: recording?.code ?? [],
			heat,
			bias,
			memory,
			units,
			profile,
			deoptimizations,
			printed,
		});
		this.problems.push(...problems);
		const evidence = this.evidenceRecord();
		if (!Object.values(evidence).some(({ present }) => present)) {
			throw this.problem(
				'holds nothing of a run: no log of compilations, samples, code, safepoints, statistics, profile or traces of first executions',
				'record with assay record; assay doctor tells what each file holds',
			);
		}
		const information = recorder?.read.information ?? null;
		const { collections, watchedNs } = recorder === null ? NOT_RECORDED : recordedPauses(recorder.read);
		const remarked = hot === null || recording?.native == null ? null : await this.remarksOfHot(hot, recording.native);
		const threadTime = this.parts.hot?.threadTime ?? stackTime?.heat.threadTime ?? null;
		const seconds = secondsOf(log, hot, printed) ?? (watchedNs === null ? stackTime?.heat.seconds : watchedNs / 1e9) ?? null;
		const flags = history?.arguments ?? information?.arguments ?? null;
		const report: Omit<RecordingReport, 'findings'> = {
			name: this.name,
			jvm: {
				version: history?.version ?? recording?.log?.version ?? information?.version ?? null,
				processId: history?.processId ?? recording?.log?.processId ?? processId ?? information?.processId ?? null,
				arguments: flags,
				collector: collectorName(flags, delays, threadTime?.threads ?? []),
				command: history?.command ?? information?.command ?? null,
				startedEpochMs: history?.startedEpochMs ?? recording?.log?.startedEpochMs ?? information?.startedEpochMs ?? null,
			},
			seconds,
			evidence,
			codeForm: recording?.log == null || evidence.assembly.records === 0 ? null : recording.codeForm(),
			compilations,
			calls,
			refused,
			hot,
			heat,
			stackTime,
			sampleWindow: this.parts.hot?.window ?? null,
			threadTime,
			summary: history === null ? null : summarize(history),
			log,
			recording,
			stacks: this.stacks,
			profileFiles: this.profileFiles,
			units,
			bias,
			delays,
			// As `assay bias --ttsp` has it.
			collector:
				this.parts.delays === null ? collectorPauses([], collections, watchedNs) : delaySummary(this.parts.delays, this.request.slowSafepointNs).collector,
			memory,
			parts: this.parts,
			profile,
			startup,
			remarkMatch: remarked?.match ?? null,
			clock: loggedClock(recording, hot?.attribution.clock ?? clock),
			problems: distinctProblems(this.problems),
		};
		return {
			...report,
			findings: reportFindings(
				{
					...report,
					paths: this.files.paths.map(({ name }) => name),
					hot: heat,
					processId: this.files.requestedProcess,
					chosen: this.request.samples ?? {},
					...hotCauses(hot),
					hotRemarks: remarked?.rows ?? [],
					startup: startup === null ? null : { ...startup, inlining: await startupInlining(startup, this.files.files, log) },
				},
				this.request.mostOfAKind,
			),
		};
	}

	private note(kind: EvidenceKind, files: readonly string[], records: number): void {
		this.evidence[kind] = { present: records > 0, files: records > 0 ? [...new Set(files)] : [], records };
	}

	private evidenceRecord(): Record<EvidenceKind, EvidenceOfKind> {
		return byEvidenceKind((kind) => this.evidence[kind] ?? { present: false, files: [], records: 0 });
	}

	private problem(message: string, action: string): InputError {
		return new InputError({ severity: 'error', file: this.name, message, action });
	}

	/** Runs a part; what it cannot read is told, and the part is left out. */
	private async part<T>(what: string, run: () => Promise<T>): Promise<T | null> {
		this.request.onProgress?.(what);
		try {
			return await run();
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			this.problems.push({ ...error.problem, severity: 'warning' });
			return null;
		}
	}

	/** Page faults that are a trace of a native program are no samples of a JVM. */
	private async openStartup(): Promise<OpenedStartup | null> {
		const startup = await openStartup(this.files.files, { withOrders: this.request.withOrders, onProgress: this.request.onProgress });
		if (startup !== null) {
			this.problems.push(...startup.problems);
			const files = new Set(startup.traces.map(({ file }) => file));
			this.evidence.orderTraces = { present: files.size > 0, files: [...files], records: startup.functions };
			this.files.leaveOutSamples(files);
		}
		return startup;
	}

	private openCode(): Promise<Recording | null> {
		return this.part('reading samples and code', async () => {
			const recording = await this.files.recording();
			if (recording === null) {
				return null;
			}
			this.problems.push(...recording.problems);
			const printed = recording.code.filter((code) => ((code as { textRanges?: readonly number[] }).textRanges?.length ?? 0) > 0);
			const logged = recording.code.filter((code) => 'textRanges' in code);
			const ofAgent = this.found.agentLog.map(({ name }) => name);
			this.note('assembly', [...new Set([...(recording.logFile === null ? [] : [recording.logFile]), ...ofAgent])], printed.length);
			const known = new Set<unknown>(recording.code);
			const dumped = recording.sources.flatMap(({ code }) => code.filter((piece) => known.has(piece)));
			this.note(
				recording.native === null ? 'jitdump' : 'executables',
				recording.sources.map(({ file }) => file),
				dumped.length,
			);
			if (recording.native !== null && dumped.length === 0) {
				this.evidence.executables = { present: false, files: [recording.native.file], records: 0 };
			}
			this.note(
				'perfMap',
				this.found.perfMap.map(({ name }) => name),
				recording.code.length - logged.length - dumped.length,
			);
			return recording;
		});
	}

	private async openLog(): Promise<CompilationLog | null> {
		const { logCompilation, flightRecorder, remarks } = this.found;
		if (logCompilation.length + flightRecorder.length + remarks.length === 0) {
			return null;
		}
		const log = await this.part('reading the log of compilations', () => this.files.compilationLogIfAny());
		// What was printed is read by itself.
		if (log === null || log.origin === 'printCompilation') {
			return null;
		}
		this.problems.push(...log.problems);
		this.note(log.origin, log.files, log.origin === 'remarks' ? await this.countRemarks() : log.history.compilations.length);
		if (log.beside !== undefined) {
			this.note(log.beside.origin, [log.beside.file], log.beside.compilations);
		}
		return log;
	}

	/** Remarks about what was sampled. */
	private async remarksOfHot(hot: HotReport, native: NativeCode): Promise<HotRemarks> {
		const { functions } = await this.files.remarks();
		const chainAt: ChainAt = (code, address) => native.chainAt(code, address);
		const { rows, match } = hotRemarks(hot, chainAt, (symbol) => functions.get(linkageName(symbol)) ?? null);
		return { rows: [...rows, ...spilledLoops(hot, chainAt), ...coldInlined(hot, chainAt, await openNativeNames())], match };
	}

	private async countRemarks(): Promise<number> {
		return (await this.files.remarks()).remarks.length;
	}

	private heat(recording: Recording): Promise<HotReport | null> {
		return this.part('attributing samples', async () => {
			this.parts.hot = await hotOf(recording, {
				...hotOfReport(this.files.requestedProcess, this.request.samples),
				withStacks: this.request.withStacks && recording.details.stacks !== null,
			});
			const { report, stacks, problems } = this.parts.hot;
			if (stacks !== null && stacks.length > 0) {
				const whole = wholeStacksOfCode(stacks);
				const { ofSample } = whole;
				this.stacks.push({
					name: `${recording.samplesFile}: ${stacks.event}`,
					stacks: whole,
					isOfSamples: true,
					ofSample: ofSample === null ? null : countedOrder(report.attribution).map((row) => ofSample[row]!),
				});
			}
			this.problems.push(...problems.slice(recording.problems.length));
			this.note('samples', [recording.samplesFile], report.attribution.total);
			return report;
		});
	}

	/** Samples of Flight Recorder and the like, where no others are. */
	private timeOfStacks(log: CompilationLog | null): Promise<StackTime | null> {
		return this.part('reading samples with stacks', async () => {
			const history = log?.history ?? null;
			const { withStacks: withWholeStacks } = this.request;
			const chosen = await chooseStacks(this.files, { startedEpochMs: history?.startedEpochMs ?? null, withWholeStacks, problems: this.problems });
			return chosen === null
				? null
				: { chosen, heat: heatOfChosen(chosen, history?.compilations ?? [], history?.startedEpochMs ?? null, this.request.samples ?? {}) };
		});
	}

	private predict(recording: Recording, log: CompilationLog | null): Promise<BiasOverview | null> {
		return this.part('predicting what a biased profiler would say', async () => {
			const printedBytes = recording.code.reduce((sum, code) => sum + bytesOf((code as { textRanges?: readonly number[] }).textRanges ?? []), 0);
			if (printedBytes > MAX_PREDICTED_BYTES) {
				const message = `${(printedBytes / 1e6).toFixed(0)} MB of code are printed, too much to follow all samples through it here`;
				this.problems.push({
					severity: 'warning',
					file: recording.logFile ?? this.name,
					message,
					action: 'the prediction of bias is left out; assay bias makes it',
				});
				return null;
			}
			this.parts.bias = await biasOf(recording, biasOfReport(this.request.samples), log);
			const { input, unbiased, counted } = this.parts.bias;
			this.problems.push(...coldDoubts(this.parts.bias));
			return biasOverview(input, unbiased, counted);
		});
	}

	private async safepoints(recording: Recording): Promise<{ delays: readonly SafepointDelay[]; clock: JvmClock | null }> {
		const { safepoints } = recording;
		if (safepoints === null && recording.note?.isSilent !== true) {
			return { delays: [], clock: null };
		}
		if (safepoints !== null) {
			const records = Math.max(safepoints.safepoints.length, safepoints.timeouts.length);
			// Without a record too: the program had none.
			this.evidence.safepoints = { present: records > 0 || safepoints.recorded === undefined, files: [safepoints.file], records };
			if (records === 0 && recording.note?.isSilent !== true) {
				return { delays: [], clock: null };
			}
		}
		this.parts.delays = await this.part('looking at safepoints', () =>
			delaysOf(recording, this.name, this.request.slowSafepointNs, this.files.requestedProcess),
		);
		return { delays: this.parts.delays?.delays ?? [], clock: this.parts.delays?.clock ?? null };
	}

	/** Any output of a JVM may hold statistics: that it does not is no problem. */
	private async openMemory(): Promise<readonly OpenedCompilation[]> {
		if (this.found.compilerMemory.length + this.found.flightRecorder.length === 0) {
			return [];
		}
		this.request.onProgress?.('reading statistics of memory');
		try {
			const recording = await this.files.memory('chosen');
			const opened = await memoryOf(this.files, { limit: null });
			const files = [...recording.files, ...recording.eventFiles.map(({ name }) => name)];
			if (files.length > 0) {
				this.problems.push(...opened.problems);
			}
			this.note('compilerMemory', files, opened.compilations.length);
			this.parts.memory = opened;
			return opened.compilations;
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			return [];
		}
	}

	private async openGraalLog(): Promise<readonly LoggedCompilation[]> {
		const { graalLog: graalLogs } = this.found;
		if (graalLogs.length === 0) {
			return [];
		}
		const folders = [...new Set(graalLogs.map(({ name }) => path.dirname(name)))];
		if (folders.length > 1) {
			const list = folders.slice(0, 4).join(', ') + (folders.length > 4 ? ` and ${folders.length - 4} more` : '');
			throw this.problem(`optimization logs were found in several folders: ${list}`, 'a recording is one run: give the folder of one; assay diff compares two');
		}
		const log = await this.part("reading Graal's optimization log", () => this.files.optimizationLog(graalLogs));
		this.problems.push(...(log?.problems ?? []), ...(log?.malformedNames.map((one) => ({ ...one, severity: 'warning' as const })) ?? []));
		this.note(
			'graalLog',
			graalLogs.map(({ name }) => name),
			log?.compilations.length ?? 0,
		);
		return log?.compilations ?? [];
	}

	private async openProfile(): Promise<Profile | null> {
		const [first, ...others] = this.found.proftoolProfile;
		if (first === undefined) {
			return null;
		}
		if (others.length > 0) {
			this.problems.push({
				severity: 'warning',
				file: first.name,
				message: `there are ${others.length} more profiles`,
				action: 'they are left out; give the files of one run',
			});
		}
		const profile = await this.part('reading the profile', () => openProftoolProfile(first));
		this.note('proftoolProfile', [first.name], profile?.entries.length ?? 0);
		return profile;
	}

	private async readDeoptimizations(): Promise<ReadonlyMap<string, number>> {
		const counts = new Map<string, number>();
		let records = 0;
		for (const file of this.found.deoptimizations) {
			const opened = await openLogFile(file);
			const { rows, problems } = readDeoptimizationLog(opened.source);
			this.problems.push(...problems);
			records += rows.length;
			for (const { compileId } of rows) {
				counts.set(compileId, (counts.get(compileId) ?? 0) + 1);
			}
		}
		this.note(
			'deoptimizations',
			this.found.deoptimizations.map(({ name }) => name),
			records,
		);
		return counts;
	}

	private async readPrintCompilation(): Promise<ReturnType<typeof readPrintCompilation>['rows']> {
		const rows: ReturnType<typeof readPrintCompilation>['rows'][number][] = [];
		for (const file of this.found.printCompilation) {
			const opened = await openLogFile(file);
			const read = readPrintCompilation(opened.source);
			this.problems.push(...read.problems);
			append(rows, read.rows);
		}
		this.note(
			'printCompilation',
			this.found.printCompilation.map(({ name }) => name),
			rows.length,
		);
		return rows;
	}

	/** Of other profilers. */
	private async readProfiles(): Promise<void> {
		const files: string[] = [];
		let records = 0;
		for (const file of this.found.stacks) {
			const opened = await this.part(`reading ${file.name}`, () => this.files.observed(file, this.request.withStacks));
			this.problems.push(...(opened?.problems ?? []).map((problem) => ({ ...problem, severity: 'warning' as const })));
			const count = opened?.file == null ? 0 : recordsByKind(opened.file).reduce((sum, kind) => sum + kind.records, 0);
			if (count > 0) {
				records += count;
				files.push(file.name);
				this.profileFiles.push(file);
			} else if (opened?.file != null && opened.file.compilerEvents === undefined) {
				this.problems.push({ severity: 'warning', file: file.name, message: `holds no samples (${opened.file.format})`, action: 'it is left out' });
			}
			this.stacks.push(
				...(opened?.wholeStacks ?? []).map(({ kind, stacks }) => ({
					name: kind === null ? file.name : `${file.name}: ${kind}`,
					stacks,
					isOfSamples: false,
					ofSample: null,
				})),
			);
		}
		this.note('stacks', files, records);
	}
}

/** Profilers at safepoints see threads of Java. */
function isPredictable({ threadClass = null }: SampleFilter = {}): boolean {
	return threadClass === null || threadClass === 'java';
}

/** Stamps and the samples' times may both be a millisecond off. */
const STAMP_SECONDS = 0.002;

/**
 * A log of safepoints that has both the JVM's time and that of the system tells when the JVM started on the system's clock. It is taken if the samples are of
 * that clock: if it lies where the samples allow.
 */
function loggedClock(recording: Recording | null, sampled: JvmClock | null): JvmClock | null {
	const starts = (recording?.safepoints?.safepoints ?? []).flatMap(({ end: { uptimeNs, monotonicNs } }) =>
		uptimeNs === null || monotonicNs === null ? [] : [(monotonicNs - uptimeNs) / 1e9],
	);
	if (sampled === null || sampled.source !== 'samples' || starts.length === 0) {
		return sampled;
	}
	const first = starts.reduce((a, b) => Math.min(a, b));
	const last = starts.reduce((a, b) => Math.max(a, b));
	const startSeconds = (first + last) / 2;
	const latest = sampled.startSeconds + STAMP_SECONDS;
	const earliest = sampled.startSeconds - sampled.uncertaintySeconds - STAMP_SECONDS;
	return startSeconds >= earliest && startSeconds <= latest
		? { startSeconds, uncertaintySeconds: (last - first) / 2 + STAMP_SECONDS / 2, source: 'recorded' }
		: sampled;
}

/** A file that is read for several things tells of its damage each time. */
function distinctProblems(problems: readonly Problem[]): Problem[] {
	return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

const NOT_RECORDED: RecordedPauses = { collections: [], watchedNs: null };

/** All code is read for the prediction: of half a gigabyte of text that takes minutes, and the memory of a small machine. */
const MAX_PREDICTED_BYTES = 400e6;

/** Pairs of offsets [from, to). */
function bytesOf(ranges: readonly number[]): number {
	return ranges.reduce((sum, offset, i) => sum + (i % 2 === 1 ? offset - ranges[i - 1]! : 0), 0);
}

function secondsOf(log: CompilationLog | null, hot: HotReport | null, printed: ReturnType<typeof readPrintCompilation>['rows']): number | null {
	// Flight Recorder may have watched a part of the run.
	if (log !== null && log.origin === 'logCompilation' && log.history.endMs > 0) {
		return log.history.endMs / 1000;
	}
	if (hot !== null && hot.time.to > hot.time.from) {
		return hot.time.to - hot.time.from;
	}
	const last = printed.reduce((latest, { timeMs }) => Math.max(latest, timeMs ?? 0), 0);
	return last > 0 ? last / 1000 : null;
}
