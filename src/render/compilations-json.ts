/** The result of `assay compilations` as JSON: see docs/json.md. */
import type { CompilationsSummary, MethodLife, Version } from '../compilations/results.js';
import type { CallDecision, CompilationRecord, JitCompilation } from '../model/jit-compilation.js';
import type { CompilationsView } from './compilations-view.js';
import type { JsonSink } from './json-stream.js';

/** `compilations` are those that the filters and handles leave, each read when it is written. */
export function writeCompilationsJson(
	json: JsonSink,
	view: CompilationsView,
	compilations: Iterable<JitCompilation>,
	readDecisions: (compilation: JitCompilation) => readonly CallDecision[],
	files: readonly string[],
): void {
	const { summary, methods, chosen, reasons } = view;
	const { history } = summary;
	json.field('recording', { files, jvm: history.version, processId: history.processId, startedEpochMs: history.startedEpochMs, endMs: history.endMs });
	json.field('summary', summaryObject(summary));
	json.beginList('methods');
	for (const life of chosen?.map((one) => one.life) ?? methods) {
		json.item(methodRow(life));
	}
	json.closeTo(json.depth - 1);
	json.beginList('compilations');
	for (const compilation of compilations) {
		json.item(compilationRow(compilation, readDecisions(compilation)));
	}
	json.closeTo(json.depth - 1);
	if (chosen !== null) {
		json.field(
			'records',
			chosen.flatMap(({ records }) => [...records].flatMap(([compilation, record]) => (record === null ? [] : [recordObject(compilation, record)]))),
		);
	}
	if (reasons !== null) {
		json.field(
			'reasons',
			reasons.map(({ reason, count, compilers, explanation, flags }) => ({ reason, count, compilers, meaning: explanation?.meaning ?? null, flags })),
		);
	}
}

/** Items of the result's lists. */
export type CompilationJson = ReturnType<typeof compilationRow>;
export type MethodLifeJson = ReturnType<typeof methodRow>;
export type CompilationsSummaryJson = ReturnType<typeof summaryObject>;
export type CompilationRecordJson = ReturnType<typeof recordObject>;

function summaryObject(summary: CompilationsSummary) {
	const { history: _, threads, queues, ...rest } = summary;
	return {
		...rest,
		threads: threads.map((thread) => ({ ...thread, busyShare: round(thread.busyShare) })),
		queues: queues.map((queue) => ({ ...queue, meanWaitMs: round(queue.meanWaitMs) })),
	};
}

function methodRow({ handle, method, signature, versions, compileMs, sizeBytes, deoptimizations, failures }: MethodLife) {
	return { handle, method, signature, compileMs, sizeBytes, deoptimizations, failures, versions: versions.map(versionRow) };
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

/** Four digits after the point. */
function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}
