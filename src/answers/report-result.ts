/** The result of `assay report`: docs/schema/report.json. */
import type { CodeCallers } from '../hot/hot-results.js';
import type { HotMethod } from '../hot/stack-heat.js';
import type { CallCounts, JoinedCompilation, RefusedCall } from '../model/joined-recording.js';
import type { RecordingReport } from './joined-report.js';
import type { ReportResult } from './results.js';
import { round } from './rounding.js';
import { startupResult } from './startup-result.js';
import { type Frozen, mapped, type Streamed } from './streamed.js';
import { threadTimeResult } from './thread-time-result.js';

/** Without what the compiler decided, which is read only where somebody asks. */
export type RecordingResult = Frozen<Omit<ReportResult, 'decisions'>>;
export type CompilationResult = RecordingResult['compilations'][number];

/** By handle, of compilations that may be shown: the call that stayed and whose callee has most samples. */
export type RefusedCallOf = Readonly<Record<string, RefusedCall>>;

/** Times in milliseconds since the JVM's start, shares in percent of the JVM's samples, rounded to a sample in a million. */
export function reportResult(report: RecordingReport): Streamed<Omit<ReportResult, 'decisions'>> {
	const { name, jvm, seconds, codeForm, evidence, clock, heat, stackTime, delays, compilations, startup, findings, calls } = report;
	return {
		recording: { name, ...jvm, seconds, codeForm },
		evidence,
		clock: {
			source: clock?.source ?? 'none',
			startSeconds: finiteOrNull(clock?.startSeconds),
			uncertaintySeconds: finiteOrNull(clock?.uncertaintySeconds),
		},
		samples: {
			total: heat?.attribution.total ?? 0,
			counted: heat?.attribution.counted ?? 0,
			byReason: Object.fromEntries(heat?.reasons ?? []),
			ambiguous: heat?.attribution.ambiguous ?? 0,
			event: heat === null ? null : heat.event,
			window: report.sampleWindow,
			...(stackTime === null ? {} : { ofStacks: ofStacks(stackTime) }),
		},
		...(stackTime === null ? {} : { hotMethods: stackTime.heat.hotMethods.map(methodRow) }),
		...allocationRows(report),
		otherTime: otherRows(report),
		threadTime: threadTimeResult(report.threadTime),
		safepoints: {
			total: delays.length,
			slow: delays.filter(({ isSlow }) => isSlow).length,
			reachingNs: delays.reduce((sum, { safepoint }) => sum + (safepoint.reachingNs ?? 0), 0),
			totalNs: delays.reduce((sum, { safepoint }) => sum + safepoint.totalNs, 0),
		},
		compilations: mapped(compilations, (compilation) => compilationRow(compilation, calls(compilation))),
		startup: startup === null ? null : startupResult(startup),
		findings: findings.map(({ kind, text, place = null, handles, evidence: kinds, command }) => ({ kind, text, place, handles, evidence: kinds, command })),
	};
}

function allocationRows({ bias }: RecordingReport): Pick<RecordingResult, 'allocations'> {
	const rows = (bias?.allocations ?? []).map(({ frames: [leaf], code, percent }) => ({
		method: leaf?.method ?? code.name,
		bci: leaf?.bci ?? null,
		line: leaf?.line ?? null,
		percent: round(percent),
		compileId: code.compileId,
	}));
	return rows.length === 0 ? {} : { allocations: rows };
}

/** Time outside of compilations: the kernel, each library, the interpreter and the like, most first. */
function otherRows({ heat }: RecordingReport) {
	return (heat?.methods ?? [])
		.filter(({ versions }) => versions.length === 0)
		.map(({ method, samples, share }) => {
			const callers = heat?.libraryCallers?.get(method.slice(1, -1));
			return { name: method, samples, percent: round(share.percent), ...(callers === undefined ? {} : { callers: callersResult(callers) }) };
		});
}

/** Of many the first: those of the kernel may be thousands. */
function callersResult({ samples, rows }: CodeCallers) {
	return {
		samples,
		rows: rows.slice(0, MOST_CALLERS).map(({ callers, ...row }) => ({ ...row, ...(callers === undefined ? {} : { callers: callers.slice(0, MOST_CALLERS) }) })),
	};
}

const MOST_CALLERS = 10;

function ofStacks({ chosen, heat }: NonNullable<RecordingReport['stackTime']>) {
	return { file: chosen.file, what: chosen.words, lost: chosen.lost, failed: heat.failed, kinds: chosen.kinds };
}

function methodRow({ method, descriptor, samples, share, compiled, inlined, interpreted, native, untold, line }: HotMethod) {
	const halfInterval = round((share.high - share.low) / 2);
	return { method, signature: descriptor, samples, percent: round(share.percent), halfInterval, compiled, inlined, interpreted, native, untold, line };
}

/** What no file tells is left out. */
function compilationRow(row: JoinedCompilation, counts: CallCounts | null): CompilationResult {
	return {
		handle: row.handle,
		compileId: row.compileId,
		kind: row.kind,
		method: row.method,
		signature: row.signature,
		compiler: row.compiler,
		level: row.level,
		...known(row.osrBci, (osrBci) => ({ osrBci })),
		samples: row.samples,
		percent: round(row.percent),
		...known(row.halfInterval, (halfInterval) => ({ halfInterval: round(halfInterval) })),
		codeBytes: row.codeBytes,
		...known(row.memoryBytes, (memoryBytes) => ({ memoryBytes })),
		...known(counts, ({ inlined, notInlined }) => ({ inlinedCalls: inlined, notInlinedCalls: notInlined })),
		...known(row.predictedBiasedPercent, (percent) => ({ predictedBiasedPercent: round(percent) })),
		...known(row.loopsWithoutPoll, (loopsWithoutPoll) => ({ loopsWithoutPoll })),
		...known(row.queuedMs, (queuedMs) => ({ queuedMs })),
		...known(row.startedMs, (startedMs) => ({ startedMs })),
		...known(row.doneMs, (doneMs) => ({ doneMs })),
		...known(row.installedMs, (installedMs) => ({ installedMs })),
		...known(row.notEntrantMs, (notEntrantMs) => ({ notEntrantMs })),
		...known(row.notEntrantReason, (notEntrantReason) => ({ notEntrantReason })),
		...known(row.failure, (failure) => ({ failure })),
		deoptimizations: row.deoptimizations,
		evidence: row.evidence,
	};
}

function known<T, Fields extends object>(value: T | null, fields: (value: T) => Fields): Partial<Fields> {
	return value === null ? {} : fields(value);
}

function finiteOrNull(value: number | undefined): number | null {
	return value !== undefined && Number.isFinite(value) ? value : null;
}

/** Those that a table shows, in its order: by samples, where there are any, else by what they cost. */
export function rankedCompilations<T extends Pick<CompilationResult, 'percent' | 'codeBytes'> & { readonly memoryBytes?: number | null }>(
	compilations: readonly T[],
): readonly T[] {
	const sampled = compilations.filter(({ percent }) => percent > 0);
	if (sampled.length > 0) {
		return sampled;
	}
	const weight = ({ memoryBytes, codeBytes }: T): number => (memoryBytes ?? 0) * 1000 + codeBytes;
	return [...compilations].sort((a, b) => weight(b) - weight(a));
}
