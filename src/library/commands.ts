/**
 * Every command as a function: it returns the object that the command prints with --json in `result`, typed. Numbers, order and rounding are the command's;
 * docs/json.md explains each field.
 */
import path from 'node:path';
import type { BiasBy } from '../answers/bias-prediction.js';
import type { ExportRequest, ProfileFormat } from '../answers/export.js';
import type { HotRequest } from '../answers/hot.js';
import type { MemorySideRequest } from '../answers/memory.js';
import type { DecodeRequest } from '../answers/order/decode.js';
import type { LintRequest } from '../answers/order/lint.js';
import type { MergeRequest } from '../answers/order/merge.js';
import type { OptimizeRequest } from '../answers/order/optimize.js';
import type { SimulateRequest } from '../answers/order/simulate.js';
import type { ProfdiffQuestion } from '../answers/profdiff.js';
import type {
	BiasResult,
	CompareHotspotsResult,
	CompareMemoryResult,
	CompilationsResult,
	DiffResult,
	DoctorResult,
	ExportResult,
	HotspotsResult,
	MemoryResult,
	OrderDecodeResult,
	OrderLintResult,
	OrderMergeResult,
	OrderOptimizeResult,
	OrderSimulateResult,
	ProfdiffResult,
	ReportResult,
	TimeToSafepointResult,
} from '../answers/results.js';
import { collected, type Streamed } from '../answers/streamed.js';
import type { TableName } from '../answers/table-names.js';
import type { FoldKind } from '../hot/fold.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import type { SampleFilter } from '../model/sample-filter.js';
import type { ThreadClass } from '../model/thread-class.js';
import { DEFAULT_OPTIONS, type ProfdiffOptions } from '../profdiff/options.js';
import type { LogFile } from '../recording/log-file.js';
import { failCondition } from './fail-condition.js';
import type { RecordingInput } from './recording.js';
import { answered, type CallOptions, filesOf, pathsOf, processOf, told, withEvidence, withEvidences, withLazyEvidence, withOpener } from './run.js';

/**
 * Everything about one recording: evidence, every compilation with its heat, decisions, memory and predicted bias, findings. As `assay report`.
 *
 * @param recording A recording, its folder, or files.
 * @returns Times in milliseconds since the JVM's start, sizes in bytes, shares in percent of the JVM's samples.
 * @throws InputError when nothing is known of any file, or the files are of several JVMs and none was chosen.
 * @example
 * const { findings, compilations } = await report('examples/hot');
 * console.log(findings[0].text);
 * console.log(compilations.find(({ handle }) => handle === 'c18').samples); // → 1799
 */
export async function report(recording: RecordingInput, options: SamplesOptions = {}): Promise<ReportResult> {
	const { answerReport } = await import('../answers/recording-report.js');
	const processId = processOf(recording);
	const [folder, ...more] = filesOf(recording);
	return withLazyEvidence(recording, { details: 'threads' }, async (evidence) => {
		const answer = await answerReport(evidence, {
			indexed: more.length === 0 ? (folder ?? null) : null,
			processId,
			samples: filterOf(options),
			withDecisions: false,
			decisions: { name: pathsOf(recording).join(', '), workingDirectory: process.cwd(), force: false, limit: 10 },
		});
		return told<ReportResult>({ result: answer.whole, problems: [...answer.problems, ...(answer.decisions?.problems ?? [])] }, options);
	});
}

/** Which samples a question is about. */
export interface SamplesOptions extends CallOptions {
	/** Only threads with such names; `*` is any text. */
	readonly thread?: string | undefined;
	/** Only samples of this class of threads. */
	readonly threadClass?: ThreadClass | undefined;
	/** Also what lies outside the window that the recording says was measured, such as the warm-up of JMH. */
	readonly wholeRun?: boolean | undefined;
}

function filterOf({ thread, threadClass, wholeRun }: SamplesOptions): SampleFilter {
	return { thread: thread ?? null, threadClass: threadClass ?? null, wholeRun: wholeRun ?? false };
}

/** Options of {@link hotspots}. */
export interface HotspotsOptions extends SamplesOptions {
	/** The sampled event to count; left out: the first of the recording. */
	readonly event?: string | undefined;
	/** Milliseconds to leave out after the first sample, and to take from there. */
	readonly delayMs?: number | undefined;
	readonly lengthMs?: number | undefined;
	/** Whether to move samples to the instruction that was waited for (`auto`). */
	readonly skid?: 'auto' | 'on' | 'off' | undefined;
	/** Regions by distance as JMH makes them, with this gap in bytes; left out: by loops. */
	readonly gapBytes?: number | undefined;
	/** Fold the samples too: gives `by`. */
	readonly by?: FoldKind | undefined;
	/** Only these regions, methods or compilations: `r1`, `m2`, `c12`. */
	readonly handles?: readonly string[] | undefined;
}

/**
 * Where the time of a JVM went: regions, methods and compilations with their samples, instruction by instruction. As `assay hot`.
 *
 * @param recording A recording with samples, and the JVM's log with its code.
 * @returns Samples, and shares in percent of the counted ones (the JVM's, in the window) with 95 % intervals.
 * @throws InputError without samples, or with several files of them.
 * @throws UsageError when there is no such event or handle.
 * @example
 * const { samples, regions } = await hotspots('examples/hot');
 * console.log(samples.counted, regions[0].method, regions[0].samples); // → 2126 HotLoop.divide 1799
 */
export async function hotspots(recording: RecordingInput, options: HotspotsOptions = {}): Promise<HotspotsResult> {
	const { answerHot } = await import('../answers/hot.js');
	const { by = null, handles = null } = options;
	return answered<HotspotsResult>(recording, options, { details: 'threads' }, (evidence) =>
		answerHot(evidence, {
			...hotRequest(recording, options),
			by,
			handles: handles !== null && handles.length === 0 ? null : handles,
			withCode: false,
			withEachSample: false,
		}),
	);
}

/**
 * Two recordings beside each other: which regions became hotter or cooler. As `assay hot --compare`.
 *
 * @param a The first recording.
 * @param b The second: a folder, or one file.
 * @returns Pairs of regions with samples, and shares in percent of each side's counted samples.
 * @throws InputError when one of them has no samples.
 * @example
 * const { pairs } = await compareHotspots('examples/hot', 'examples/hot');
 * console.log(pairs[0].a?.samples === pairs[0].b?.samples); // → true
 */
export async function compareHotspots(
	a: RecordingInput,
	b: RecordingInput,
	options: Omit<HotspotsOptions, 'handles' | 'by'> = {},
): Promise<CompareHotspotsResult> {
	const { compareHotspotsOf } = await import('../answers/hot.js');
	const request = hotRequest(a, options);
	return answered<CompareHotspotsResult>(a, options, { details: 'threads' }, (evidenceA) =>
		withEvidence(b, { details: 'threads' }, (evidenceB) => compareHotspotsOf(evidenceA, evidenceB, request)),
	);
}

function hotRequest(recording: RecordingInput, { event, delayMs, lengthMs, skid = 'auto', gapBytes, ...options }: HotspotsOptions): HotRequest {
	return {
		...filterOf(options),
		event: event ?? null,
		processId: processOf(recording),
		window: delayMs === undefined && lengthMs === undefined ? null : { delayMs: delayMs ?? 0, lengthMs: lengthMs ?? null, measured: null },
		gapBytes: gapBytes ?? 32,
		byDistance: gapBytes !== undefined,
		skid,
	};
}

/** Options of {@link compilations}. */
export interface CompilationsOptions extends CallOptions {
	/** Only methods with this in their name; `*` is any text. */
	readonly method?: string | undefined;
	/** Only compilations of this level, 0 to 4. */
	readonly level?: number | undefined;
	readonly compiler?: 'c1' | 'c2' | 'jvmci' | undefined;
	/** Only those for on-stack replacement; that failed; that were deoptimized. */
	readonly osr?: boolean | undefined;
	readonly failed?: boolean | undefined;
	readonly deoptimized?: boolean | undefined;
	/** Only these compilations or methods, with their phases: `c12`, `m3`. */
	readonly handles?: readonly string[] | undefined;
	/** Explain the inliner's reasons too: gives `reasons`. */
	readonly reasons?: boolean | undefined;
}

/**
 * The life of every compilation of a HotSpot JVM, and the decision at each of its calls. As `assay compilations`.
 *
 * @param recording A recording with LogCompilation.
 * @returns Times in milliseconds since the JVM's start, sizes in bytes.
 * @throws InputError when no file holds compilations.
 * @throws UsageError when there is no such handle.
 * @example
 * const { summary, compilations: all } = await compilations('examples/hot', { compiler: 'c2' });
 * console.log(summary.compilations, all.map(({ handle, method }) => `${handle} ${method}`));
 */
export async function compilations(recording: RecordingInput, options: CompilationsOptions = {}): Promise<CompilationsResult> {
	const { answerCompilations } = await import('../answers/compilations.js');
	const { method, level, compiler, osr, failed, deoptimized, reasons, handles = [] } = options;
	return answered<CompilationsResult>(recording, options, {}, (evidence) =>
		answerCompilations(evidence, {
			method: method ?? null,
			level: level ?? null,
			compiler: compiler ?? null,
			osr: osr ?? false,
			failed: failed ?? false,
			deoptimized: deoptimized ?? false,
			handles: handles.length === 0 ? null : handles,
			order: null,
			withReasons: reasons ?? false,
		}),
	);
}

/** Options of {@link bias}; of the classes of threads `java` alone. */
export interface BiasOptions extends SamplesOptions {
	/** Seconds of the samples' clock, both ends inclusive. */
	readonly fromSeconds?: number | undefined;
	readonly toSeconds?: number | undefined;
	/** What other profilers said of the same run, by name: a file, or the samples of one kind in it (`cpu`, `wall`). */
	readonly against?: Readonly<Record<string, string | { readonly file: string; readonly kind?: string }>> | undefined;
	/** What intervals, distances, transfers and explanations are of (`method`); `tree`: call trees too. */
	readonly by?: BiasBy | undefined;
	/** Draws of the samples for the intervals (20); 0: none. */
	readonly rounds?: number | undefined;
	/** `explanations` of all that goes from or to this method or line; else of what is largest. */
	readonly explain?: string | undefined;
	/** Class files, folders or jars of them, texts of `javap -c -p`: what the loops are in bytecode. */
	readonly classes?: readonly string[] | undefined;
}

/**
 * What a profiler that sees threads only at safepoints would have said of a run. As `assay bias`.
 *
 * @param recording A recording with samples and the code of its compilations.
 * @returns Shares in percent: where the samples are, and where such a profiler would have put them.
 * @throws InputError without samples.
 * @example
 * const { methods } = await bias('examples/hot', { rounds: 0 });
 * console.log(methods[0].method, methods[0].unbiasedPercent, methods[0].predictedPercent);
 */
export async function bias(recording: RecordingInput, options: BiasOptions = {}): Promise<BiasResult> {
	const { answerBias, DEFAULT_ROUNDS } = await import('../answers/bias-prediction.js');
	const { fromSeconds, toSeconds, by, rounds, explain, classes = [], against = {} } = options;
	return answered<BiasResult>(recording, options, { details: by === 'tree' ? 'all' : 'threads' }, (evidence) =>
		answerBias(evidence, {
			...filterOf(options),
			from: fromSeconds ?? Number.NEGATIVE_INFINITY,
			to: toSeconds ?? Number.POSITIVE_INFINITY,
			against: Object.entries(against).map(([name, profile]) => {
				const { file, kind = null } = typeof profile === 'string' ? { file: profile } : profile;
				return { name, file: fileOf(file), kind };
			}),
			by,
			rounds: rounds ?? DEFAULT_ROUNDS,
			method: explain ?? null,
			classes: classes.map(fileOf),
		}),
	);
}

/**
 * How long the JVM's threads took to stop at safepoints, and who made the others wait. As `assay bias --ttsp`.
 *
 * @param recording A recording with a log of safepoints; with samples and code it names the loop.
 * @param options `slowMs`: from this time on the cause is looked for (10).
 * @returns Times in nanoseconds.
 * @throws InputError when no file tells of safepoints.
 * @example
 * import fs from 'node:fs';
 * fs.writeFileSync('safepoint.log', '[1.500s][info][safepoint] Safepoint "Cleanup", Time since last: 100 ns, Reaching safepoint: 40 ns, At safepoint: 2 ns, Total: 42 ns\n');
 * const { safepoints } = await timeToSafepoint('safepoint.log');
 * console.log(safepoints.length, safepoints[0].reachingNs); // → 1 40
 */
export async function timeToSafepoint(
	recording: RecordingInput,
	options: CallOptions & { readonly slowMs?: number | undefined } = {},
): Promise<TimeToSafepointResult> {
	const { answerTimeToSafepoint } = await import('../answers/time-to-safepoint.js');
	const request = { slowNs: (options.slowMs ?? 10) * 1e6, processId: processOf(recording) };
	return answered<TimeToSafepointResult>(recording, options, { details: 'threads' }, (evidence) => answerTimeToSafepoint(evidence, request));
}

/**
 * What compilations cost the compiler in memory: arenas by phase at the peak, advice. As `assay memory`.
 *
 * @param recording Files in which -XX:CompileCommand=memstat, jcmd or an error report printed, or events of a compiler.
 * @param options `compilation`: also the phases and the way to the peak of this one, a handle or an id.
 * @returns Bytes, most expensive first.
 * @throws InputError when no file holds such statistics.
 * @example
 * const { compilations, totalBytes } = await memory('examples/memory');
 * console.log(compilations.length, totalBytes, compilations[0].method);
 */
export async function memory(recording: RecordingInput, options: CallOptions & { readonly compilation?: string | undefined } = {}): Promise<MemoryResult> {
	const { answerMemory, memoryOf } = await import('../answers/memory.js');
	const handles = options.compilation === undefined ? null : [options.compilation];
	return answered<MemoryResult>(recording, options, {}, async (evidence) =>
		answerMemory(await memoryOf(evidence, { limit: null }, 'all'), { handles, budgetBytes: null }),
	);
}

/** Further runs of the sides of a comparison. */
export interface RepeatOptions extends CallOptions {
	/** Further runs of each side: with three on each, change can be told from noise. */
	readonly repeatsA?: readonly string[] | undefined;
	readonly repeatsB?: readonly string[] | undefined;
}

/**
 * Which methods cost the compiler more or less memory in a second run. As `assay memory --compare`.
 *
 * @param a The first run.
 * @param b The second: a folder, or one file.
 * @returns Bytes of both sides by method, noise marked.
 * @throws InputError when one of them holds no statistics.
 * @example
 * const { changes, unchanged } = await compareMemory('examples/memory', 'examples/memory');
 * console.log(changes.length, unchanged); // → 0 22
 */
export async function compareMemory(a: RecordingInput, b: RecordingInput, options: RepeatOptions = {}): Promise<CompareMemoryResult> {
	const { answerMemoryComparison, memoryOf } = await import('../answers/memory.js');
	return withOpener(async (open) => {
		const sideOf = (first: RecordingInput, repeats: readonly string[] = []): MemorySideRequest => ({
			name: pathsOf(first).join(', '),
			runs: [first, ...repeats].map((run) => async () => memoryOf(await open(run), { limit: null }, 'all')),
		});
		return told(await answerMemoryComparison(sideOf(a, options.repeatsA), sideOf(b, options.repeatsB), null), options);
	});
}

/** Options of {@link diff}. */
export interface DiffOptions extends RepeatOptions {
	/** Profiles that do not lie beside their logs. */
	readonly profileA?: string | undefined;
	readonly profileB?: string | undefined;
	/** Only methods with this in their name. */
	readonly method?: string | undefined;
	/** Compare methods without samples too. */
	readonly all?: boolean | undefined;
	/** List what tells the sides apart also where they differ by no more than chance. */
	readonly evenIfChance?: boolean | undefined;
	/** Conditions as of `--fail-on`, `lost-inlining:0.5`: tell in `failed` and `findings` whether one holds. */
	readonly failOn?: readonly string[] | undefined;
}

/**
 * Which decisions of the compiler changed between two runs, most expensive first, noise told from change. As `assay diff`.
 *
 * @param a A run: a folder with an optimization log of Graal and its profile, or with the log and samples of HotSpot.
 * @param b Another.
 * @returns Changes with the share of the period behind them (0 to 1) on both sides.
 * @throws InputError when a side has no log, or a profile of another run.
 * @example
 * const { summary, changes, failed } = await diff('examples/a', 'examples/b', { failOn: ['lost-inlining'] });
 * console.log(summary.changed, changes[0].handle, failed);
 */
export async function diff(a: RecordingInput, b: RecordingInput, options: DiffOptions = {}): Promise<DiffResult> {
	const { answerDiff, DEFAULT_DIFF_REQUEST } = await import('../answers/diff.js');
	const { profileA, profileB, method, all = false, evenIfChance = false, failOn = [], repeatsA = [], repeatsB = [] } = options;
	const sideA = [onlyPath(a), ...repeatsA];
	return withEvidences([...sideA, onlyPath(b), ...repeatsB], { details: 'threads' }, async (evidences) =>
		told<DiffResult>(
			await answerDiff(
				{ a: evidences.slice(0, sideA.length), b: evidences.slice(sideA.length) },
				{
					...DEFAULT_DIFF_REQUEST,
					workingDirectory: process.cwd(),
					profileA: absolute(profileA),
					profileB: absolute(profileB),
					filter: { method },
					conditions: failOn.map(failCondition),
					all,
					evenIfChance,
				},
			),
			options,
		),
	);
}

/** Options of {@link profdiff}: those of the reference, which docs/profdiff.md explains; left out: as there. */
export interface ProfdiffCallOptions extends CallOptions, Partial<ProfdiffOptions> {}

/**
 * Graal's profdiff: reports and compares its optimization logs. As `assay profdiff`.
 *
 * @param question One of its commands with its logs and profiles: `a` and `b` are compared, `jit` is the run that says what is hot.
 * @returns Its report as an object; `options` says what it was made with.
 * @throws InputError when a file cannot be read, or holds none of it.
 * @example
 * const { methods } = await profdiff({ command: 'report', log: 'examples/a/log', profile: 'examples/a/prof.json' });
 * console.log(methods[0].method);
 */
export async function profdiff(question: ProfdiffQuestion, { onProblem, ...options }: ProfdiffCallOptions = {}): Promise<ProfdiffResult> {
	const { answerProfdiff } = await import('../answers/profdiff.js');
	const answer = await answerProfdiff({ question, options: { ...DEFAULT_OPTIONS, ...options }, workingDirectory: process.cwd() });
	try {
		const { methods, ...rest } = collected(answer.result());
		const failure = answer.failure();
		if (failure !== null || methods === undefined) {
			throw new InputError(failure ?? { severity: 'error', file: '', message: 'cannot be read', action: 'nothing is reported' });
		}
		for (const problem of answer.problems) {
			onProblem?.(problem);
		}
		return { ...rest, methods };
	} finally {
		answer.close();
	}
}

/** The commands of {@link order}, and what each is asked. */
export interface OrderRequests {
	readonly decode: Omit<DecodeRequest, 'workingDirectory'>;
	readonly merge: Omit<MergeRequest, 'workingDirectory' | 'output'>;
	readonly optimize: Omit<OptimizeRequest, 'workingDirectory' | 'output' | 'hasFunctionSections'>;
	readonly simulate: Omit<SimulateRequest, 'workingDirectory'>;
	readonly lint: Omit<LintRequest, 'workingDirectory'>;
}

/** The commands of {@link order}, and what each gives. */
export interface OrderResults {
	readonly decode: OrderDecodeResult;
	readonly merge: OrderMergeResult;
	readonly optimize: OrderOptimizeResult;
	readonly simulate: OrderSimulateResult;
	readonly lint: OrderLintResult;
}

interface OrderAnswer<T> {
	readonly problems: readonly Problem[];
	result(): Streamed<T>;
}

type OrderFunctions = { readonly [C in keyof OrderResults]: (request: OrderRequests[C], workingDirectory: string) => Promise<OrderAnswer<OrderResults[C]>> };

const ORDER: OrderFunctions = {
	decode: async (request, workingDirectory) => (await import('../answers/order/decode.js')).decodeOrder({ ...request, workingDirectory }),
	merge: async (request, workingDirectory) => (await import('../answers/order/merge.js')).mergeTraces({ ...request, workingDirectory }),
	optimize: async (request, workingDirectory) => (await import('../answers/order/optimize.js')).optimizeTraces({ ...request, workingDirectory }),
	simulate: async (request, workingDirectory) => (await import('../answers/order/simulate.js')).simulateOrders({ ...request, workingDirectory }),
	lint: async (request, workingDirectory) => (await import('../answers/order/lint.js')).lintOrderFile({ ...request, workingDirectory }),
};

/**
 * Order files: what ran first, orders of it, and the pages that they save. As `assay order`, which writes files; here nothing is written.
 *
 * @param command Which of its commands.
 * @param request Its files and choices; programs are binaries or listings of them (`nm -n --print-size`).
 * @returns Pages of 4 KiB, windows of 64 KiB; docs/json.md explains the fields.
 * @throws InputError when a file, or a part of it, cannot be read or trusted.
 * @throws UsageError when a program, a trace or its number is missing.
 * @example
 * const { layouts } = await order('simulate', { programs: ['examples/order/sqlite.nm.gz'], traces: ['examples/order/startup.gz'] });
 * console.log(layouts[0].entryPages); // → 100
 */
export async function order<C extends keyof OrderResults>(command: C, request: OrderRequests[C], { onProblem }: CallOptions = {}): Promise<OrderResults[C]> {
	const { problems, result } = await ORDER[command](request, process.cwd());
	const whole = collected(result());
	for (const problem of problems) {
		onProblem?.(problem);
	}
	const failure = problems.find(({ severity }) => severity === 'error');
	if (failure !== undefined) {
		throw new InputError(failure);
	}
	return whole;
}

/**
 * Which evidence a recording holds, which joins work, and the flag for what is missing. As `assay doctor`.
 *
 * @param recording A recording, its folder, or files.
 * @throws InputError when a path cannot be read.
 * @example
 * const { missing } = await doctor('examples/hot');
 * console.log(missing.map(({ what }) => what));
 */
export async function doctor(recording: RecordingInput, options: CallOptions = {}): Promise<DoctorResult> {
	const { answerDoctor } = await import('../answers/doctor.js');
	return answered<DoctorResult>(recording, options, { details: 'threads', processId: null }, answerDoctor);
}

/**
 * The tables of a recording, a row for each compilation, decision, sample, region, safepoint. As `assay export --to json`.
 *
 * @param recording A recording, its folder, or files.
 * @param options `table`: only this one. docs/export.md explains the columns and their units.
 * @throws InputError when the recording holds nothing of them.
 * @example
 * const { tables } = await exportTables('examples/hot', { table: 'samples' });
 * console.log(tables.samples?.length); // → 2126
 */
export async function exportTables(
	recording: RecordingInput,
	options: SamplesOptions & { readonly table?: TableName | undefined } = {},
): Promise<ExportResult> {
	const { answerTables } = await import('../answers/export.js');
	const { TABLE_NAMES } = await import('../answers/table-names.js');
	const { table } = options;
	return answered<ExportResult>(recording, options, { details: 'all' }, (evidence) =>
		answerTables(evidence, exportRequest(recording, options), table === undefined ? TABLE_NAMES : [table]),
	);
}

function exportRequest(recording: RecordingInput, options: SamplesOptions): ExportRequest {
	return { name: pathsOf(recording).join(', '), samples: hotRequest(recording, options) };
}

/** Formats of {@link exportRecording}. */
export type ExportFormat = ProfileFormat | 'csv' | 'parquet';

/** Options of {@link exportRecording}. */
export interface ExportOptions extends Omit<SamplesOptions, 'onProblem'> {
	/** Of `csv` and `parquet`: which table; needed. */
	readonly table?: TableName | undefined;
	/** Of `collapsed`: the thread as the outermost frame. */
	readonly threads?: boolean | undefined;
}

/**
 * A recording in the form of another tool. As `assay export`; docs/export.md tells what each form holds.
 *
 * @param recording A recording, its folder, or files.
 * @returns The file's bytes: UTF-8 text, but for `pprof` (gzip) and `parquet`.
 * @throws InputError when the recording holds nothing of it.
 * @throws UsageError when a table is missing or not of this form.
 * @example
 * const stacks = new TextDecoder().decode(await exportRecording('examples/hot', 'collapsed'));
 * console.log(stacks.includes('\nHotLoop.divide 1808\n')); // → true
 */
export async function exportRecording(
	recording: RecordingInput,
	to: ExportFormat,
	{ table, threads = false, ...options }: ExportOptions = {},
): Promise<Uint8Array> {
	const { answerProfile, answerTables, PRODUCER } = await import('../answers/export.js');
	const isOfTables = to === 'csv' || to === 'parquet';
	if (isOfTables !== (table !== undefined)) {
		throw new UsageError(isOfTables ? `${to} holds one table: name it as table` : `a table is for csv and parquet, not ${to}`);
	}
	const pieces: Uint8Array[] = [];
	const bytes = (piece: Uint8Array): void => void pieces.push(piece);
	const text = (piece: string): void => bytes(Buffer.from(piece));
	await withEvidence(recording, { details: 'all' }, async (evidence) => {
		if (!isOfTables) {
			(await answerProfile(evidence, exportRequest(recording, options), to, threads)).write({ text, bytes });
			return;
		}
		for (const one of (await answerTables(evidence, exportRequest(recording, options), table === undefined ? [] : [table])).tables) {
			if (to === 'csv') {
				(await import('../render/csv.js')).writeCsv(one, text);
			} else {
				(await import('../formats/parquet/write.js')).writeParquet(one, PRODUCER, bytes);
			}
		}
	});
	return Buffer.concat(pieces);
}

function fileOf(name: string): LogFile {
	const filePath = path.resolve(name);
	return { filePath, name: filePath };
}

function absolute(file: string | undefined): string | undefined {
	return file === undefined ? undefined : path.resolve(file);
}

/** A side of a comparison is one path. */
function onlyPath(input: RecordingInput): string {
	const [first, ...more] = pathsOf(input);
	if (first === undefined || more.length > 0) {
		throw new InputError({
			severity: 'error',
			file: pathsOf(input).join(', '),
			message: 'a side of a comparison is one folder or file',
			action: 'give the folder',
		});
	}
	return first;
}
