/**
 * Every command as a function: it returns the object that the command prints with --json in `result`, typed. Numbers, order and rounding are the command's;
 * docs/json.md explains each field.
 */
import path from 'node:path';
import type { HotRequest } from '../answers/hot.js';
import type { MemorySideRequest } from '../answers/memory.js';
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
import type { FoldKind } from '../hot/fold.js';
import { InputError } from '../model/problem.js';
import type { LogFile } from '../recording/log-file.js';
import type { TableName } from '../render/export-tables.js';
import type { RecordingInput } from './recording.js';
import { answered, type CallOptions, optionArguments, pathsOf, processOf, resultOf, silentIo, wholeResult, withEvidence, withOpener } from './run.js';

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
export async function report(recording: RecordingInput, options: CallOptions = {}): Promise<ReportResult> {
	const { reportCommand } = await import('../cli/report-command.js');
	return resultOf(reportCommand, [...pathsOf(recording), ...optionArguments({ pid: processOf(recording) })], options);
}

/** Options of {@link hotspots}. */
export interface HotspotsOptions extends CallOptions {
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
	return answered<HotspotsResult>(recording, options, {}, (evidence) =>
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
	return answered<CompareHotspotsResult>(a, options, {}, (evidenceA) => withEvidence(b, {}, (evidenceB) => compareHotspotsOf(evidenceA, evidenceB, request)));
}

function hotRequest(recording: RecordingInput, { event, delayMs, lengthMs, skid = 'auto', gapBytes }: HotspotsOptions): HotRequest {
	return {
		event: event ?? null,
		processId: processOf(recording),
		window: delayMs === undefined && lengthMs === undefined ? null : { delayMs: delayMs ?? 0, lengthMs: lengthMs ?? null },
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

/** Options of {@link bias}. */
export interface BiasOptions extends CallOptions {
	/** Only threads with such names; `*` is any text. */
	readonly thread?: string | undefined;
	/** Seconds of the samples' clock, both ends inclusive. */
	readonly fromSeconds?: number | undefined;
	readonly toSeconds?: number | undefined;
	/** What other profilers said of the same run, by name: a file, or the samples of one kind in it (`cpu`, `wall`). */
	readonly against?: Readonly<Record<string, string | { readonly file: string; readonly kind?: string }>> | undefined;
	/** Draws of the samples for the intervals (20); 0: none. */
	readonly rounds?: number | undefined;
	/** `explanations` of all that goes from or to this method; else of what is largest. */
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
	const { thread, fromSeconds, toSeconds, rounds, explain, classes = [], against = {} } = options;
	return answered<BiasResult>(recording, options, { details: 'threads' }, (evidence) =>
		answerBias(evidence, {
			thread: thread ?? null,
			from: fromSeconds ?? Number.NEGATIVE_INFINITY,
			to: toSeconds ?? Number.POSITIVE_INFINITY,
			against: Object.entries(against).map(([name, profile]) => {
				const { file, kind = null } = typeof profile === 'string' ? { file: profile } : profile;
				return { name, file: fileOf(file), kind };
			}),
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
		return wholeResult(await answerMemoryComparison(sideOf(a, options.repeatsA), sideOf(b, options.repeatsB), null), options);
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
	const { diffCommand } = await import('../cli/diff-command.js');
	const { profileA, profileB, method, all, failOn } = options;
	const argv = optionArguments({ 'profile-a': absolute(profileA), 'profile-b': absolute(profileB), method, all, 'fail-on': failOn });
	return resultOf(diffCommand, [onlyPath(a), onlyPath(b), ...repeatArguments(options), ...argv], options);
}

/**
 * Graal's profdiff: reports and compares its optimization logs. As `assay profdiff`.
 *
 * @param argv The arguments of profdiff: options, command, files.
 * @returns Its report as an object; `options` says what it was made with.
 * @throws InputError when a file cannot be read, or holds none of it.
 * @example
 * const { methods } = await profdiff(['report', 'examples/a/log', 'examples/a/prof.json']);
 * console.log(methods[0].method);
 */
export async function profdiff(argv: readonly string[], options: CallOptions = {}): Promise<ProfdiffResult> {
	const { profdiffCommand } = await import('../cli/profdiff-command.js');
	return resultOf((all, io) => profdiffCommand(['--json', ...all.filter((one) => one !== '--json')], io), argv, options);
}

/** The commands of {@link order}, and what each gives. */
export interface OrderResults {
	readonly decode: OrderDecodeResult;
	readonly merge: OrderMergeResult;
	readonly optimize: OrderOptimizeResult;
	readonly simulate: OrderSimulateResult;
	readonly lint: OrderLintResult;
}

/**
 * Order files: what ran first, orders of it, and the pages that they save. As `assay order`.
 *
 * @param command Which of its commands.
 * @param argv The command's arguments; docs/order.md tells them.
 * @returns Pages of 4 KiB, windows of 64 KiB; docs/json.md explains the fields.
 * @throws InputError when a file cannot be read or trusted.
 * @throws UsageError for wrong arguments.
 * @example
 * const { layouts } = await order('simulate', ['--nm', 'examples/order/sqlite.nm.gz', '--trace', 'examples/order/startup.gz']);
 * console.log(layouts[0].entryPages); // → 100
 */
export async function order<C extends keyof OrderResults>(command: C, argv: readonly string[], options: CallOptions = {}): Promise<OrderResults[C]> {
	const { orderCommand } = await import('../cli/order-command.js');
	return resultOf(orderCommand, [command, ...argv], options);
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
	const { doctorCommand } = await import('../cli/doctor-command.js');
	return resultOf(doctorCommand, pathsOf(recording), options);
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
export async function exportTables(recording: RecordingInput, options: CallOptions & { readonly table?: TableName | undefined } = {}): Promise<ExportResult> {
	const { exportCommand } = await import('../cli/export-command.js');
	const argv = optionArguments({ to: 'json', table: options.table, pid: processOf(recording) });
	return resultOf((all, io) => exportCommand(all.slice(0, -1), io), [...pathsOf(recording), ...argv], options);
}

/** Formats of {@link exportRecording}. */
export type ExportFormat = 'collapsed' | 'speedscope' | 'pprof' | 'firefox' | 'proftool' | 'chrome-trace' | 'csv' | 'parquet';

/** Options of {@link exportRecording}. */
export interface ExportOptions {
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
export async function exportRecording(recording: RecordingInput, to: ExportFormat, { table, threads }: ExportOptions = {}): Promise<Uint8Array> {
	const { exportCommand } = await import('../cli/export-command.js');
	const pieces: Uint8Array[] = [];
	const said: string[] = [];
	const take = (bytes: Uint8Array): void => void pieces.push(bytes);
	const io = silentIo({ out: (text) => take(Buffer.from(text)), outBytes: take, err: (text) => void said.push(text) });
	const exit = await exportCommand([...pathsOf(recording), ...optionArguments({ to, table, threads, pid: processOf(recording) })], io);
	if (exit !== 0) {
		const message = said
			.join('')
			.trim()
			.replace(/^assay export: /, '');
		throw new InputError({ severity: 'error', file: pathsOf(recording).join(', '), message, action: 'nothing was exported' });
	}
	return Buffer.concat(pieces);
}

function fileOf(name: string): LogFile {
	const filePath = path.resolve(name);
	return { filePath, name: filePath };
}

function repeatArguments({ repeatsA = [], repeatsB = [] }: RepeatOptions): string[] {
	return optionArguments({ 'repeat-a': repeatsA.map((one) => path.resolve(one)), 'repeat-b': repeatsB.map((one) => path.resolve(one)) });
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
