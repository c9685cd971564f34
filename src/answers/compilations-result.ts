/** The result of `assay compilations`: docs/schema/compilations.json. */
import type { CompilationsSummary, MethodLife, Version } from '../compilations/results.js';
import type { InliningReason } from '../model/inlining-reasons.js';
import type { CallDecision, CompilationRecord, JitCompilation } from '../model/jit-compilation.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { CompilationsResult } from './results.js';
import { round } from './rounding.js';
import { type Frozen, mapped, type Streamed } from './streamed.js';

/** A method whose versions are shown one by one. */
export interface ChosenLife {
	readonly life: MethodLife;
	/** Those that were asked for, or all. */
	readonly shown: readonly JitCompilation[];
	/** The trees of these. */
	readonly records: ReadonlyMap<JitCompilation, CompilationRecord | null>;
}

export interface ReasonRow {
	readonly reason: string;
	readonly count: number;
	readonly compilers: readonly string[];
	/** null for a reason that is not known. */
	readonly explanation: InliningReason | null;
	/** With the defaults. */
	readonly flags: readonly string[];
}

export interface CompilationsSelection {
	readonly summary: CompilationsSummary;
	readonly methods: readonly MethodLife[];
	/** Those that filter and handles leave; the decisions of each are read when it is taken. */
	readonly compilations: readonly JitCompilation[];
	readonly chosen: readonly ChosenLife[] | null;
	readonly reasons: readonly ReasonRow[] | null;
}

/** Times are in milliseconds since the JVM's start. */
export function compilationsResult(
	log: CompilationLog,
	{ summary, methods, compilations, chosen, reasons }: CompilationsSelection,
): Streamed<CompilationsResult> {
	return {
		...compilationsOverview(log, summary, methods),
		compilations: mapped(compilations, (compilation) => compilationRow(compilation, log.readDecisions(compilation))),
		...(chosen === null
			? {}
			: {
					records: chosen.flatMap(({ records }) =>
						[...records].flatMap(([compilation, record]) => (record === null ? [] : [recordObject(compilation, record)])),
					),
				}),
		...(reasons === null
			? {}
			: {
					reasons: reasons.map(({ reason, count, compilers, explanation, flags }) => ({
						reason,
						count,
						compilers,
						meaning: explanation?.meaning ?? null,
						flags,
					})),
				}),
	};
}

/** The result without what is told of each compilation. */
export function compilationsOverview(
	{ history, files }: Pick<CompilationLog, 'history' | 'files'>,
	summary: CompilationsSummary,
	methods: readonly MethodLife[],
): Pick<Streamed<CompilationsResult>, 'recording' | 'summary' | 'methods'> {
	return {
		recording: { files, jvm: history.version, processId: history.processId, startedEpochMs: history.startedEpochMs, endMs: history.endMs },
		summary: summaryObject(summary),
		methods: mapped(methods, methodRow),
	};
}

/** Items of the result's lists. */
export type CompilationJson = Frozen<CompilationsResult['compilations'][number]>;
export type MethodLifeJson = Frozen<CompilationsResult['methods'][number]>;
export type CompilationsSummaryJson = Frozen<CompilationsResult['summary']>;
export type CompilationRecordJson = Frozen<NonNullable<CompilationsResult['records']>[number]>;

function summaryObject(summary: CompilationsSummary) {
	const { history: _, threads, queues, ...rest } = summary;
	return {
		...rest,
		threads: threads.map((thread) => ({ ...thread, busyShare: round(thread.busyShare) })),
		queues: queues.map((queue) => ({ ...queue, meanWaitMs: round(queue.meanWaitMs) })),
	};
}

function methodRow({ handle, method, signature, namesake, versions, compileMs, sizeBytes, deoptimizations, failures }: MethodLife) {
	return {
		handle,
		method,
		signature,
		...(namesake === null ? {} : { namesake }),
		compileMs,
		sizeBytes,
		deoptimizations,
		failures,
		versions: versions.map(versionRow),
	};
}

function versionRow({ compilation, waitedMs, compileMs, end }: Version) {
	return { compileId: compilation.compileId, waitedMs, compileMs, end };
}

/** An item of `compilations`. */
export function compilationRow(compilation: JitCompilation, decisions: readonly CallDecision[]) {
	const { osrBci, queuedMs, startedMs, doneMs, installedMs, notEntrant, removedMs, failure, retries } = compilation;
	return {
		handle: `c${compilation.compileId}`,
		compileId: compilation.compileId,
		kind: compilation.kind,
		method: compilation.method,
		signature: compilation.signature,
		compiler: compilation.compiler,
		level: compilation.level,
		...(compilation.namesake === undefined ? {} : { namesake: compilation.namesake }),
		...(osrBci === null ? {} : { osrBci }),
		sizeBytes: compilation.sizeBytes,
		nmethodBytes: compilation.nmethodBytes,
		bytecodeBytes: compilation.bytecodeBytes,
		inlinedBytes: compilation.inlinedBytes,
		invocations: compilation.invocations,
		backedges: compilation.backedges,
		threadId: compilation.threadId,
		queueComment: compilation.queueComment,
		...(queuedMs === null ? {} : { queuedMs }),
		...(startedMs === null ? {} : { startedMs }),
		...(doneMs === null ? {} : { doneMs }),
		...(installedMs === null ? {} : { installedMs }),
		...(notEntrant === null ? {} : { notEntrantMs: notEntrant.ms, ...(notEntrant.reason === null ? {} : { reason: notEntrant.reason }) }),
		...(removedMs === null ? {} : { removedMs }),
		...(failure === null ? {} : { failure: failure.reason, failurePhase: failure.phase }),
		retries,
		isCut: compilation.isCut,
		deoptimizations: compilation.deoptimizations,
		...(compilation.movesToOsr === 0 ? {} : { movesToOsr: compilation.movesToOsr }),
		callSites: decisions.map(callSite),
	};
}

function callSite({ bcis, callee, inlined, intrinsic, reason, receivers }: CallDecision) {
	return {
		bcis,
		callee,
		inlined,
		intrinsic,
		reason,
		...(receivers.length === 0
			? {}
			: { receivers: receivers.map(({ typeName, count, probability }) => ({ typeName, count, probability: round(probability) })) }),
	};
}

/** An item of `records`. */
export function recordObject({ compileId }: JitCompilation, { phases, plannedTraps, lostElements }: CompilationRecord) {
	return { compileId, phases, plannedTraps, lostElements };
}
