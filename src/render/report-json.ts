/** The result of `assay report` as JSON: see docs/json.md. */
import type { JoinedCompilation } from '../model/joined-recording.js';
import type { JsonSink } from './json-stream.js';
import { otherRows, type RecordingReportView } from './report-view.js';
import { startupJson } from './startup-json.js';

export function writeRecordingReportJson(json: JsonSink, view: RecordingReportView): void {
	const { name, jvm, seconds, codeForm, evidence, clock, hot, delays, compilations, startup, findings } = view;
	json.field('recording', { name, ...jvm, seconds, codeForm });
	json.field('evidence', evidence);
	json.field('clock', {
		source: clock?.source ?? 'none',
		startSeconds: finiteOrNull(clock?.startSeconds),
		uncertaintySeconds: finiteOrNull(clock?.uncertaintySeconds),
	});
	json.field('samples', {
		total: hot?.attribution.total ?? 0,
		counted: hot?.attribution.counted ?? 0,
		byReason: Object.fromEntries(hot?.reasons ?? []),
		ambiguous: hot?.attribution.ambiguous ?? 0,
		event: hot === null ? null : hot.event,
	});
	json.field(
		'otherTime',
		otherRows(view).map(({ name: row, samples, percent }) => ({ name: row, samples, percent: round(percent) })),
	);
	json.field('safepoints', {
		total: delays.length,
		slow: delays.filter(({ isSlow }) => isSlow).length,
		reachingNs: delays.reduce((sum, { safepoint }) => sum + (safepoint.reachingNs ?? 0), 0),
		totalNs: delays.reduce((sum, { safepoint }) => sum + safepoint.totalNs, 0),
	});
	json.beginList('compilations');
	for (const compilation of compilations) {
		json.item(compilationRow(compilation, view));
	}
	json.closeTo(json.depth - 1);
	json.field('startup', startup === null ? null : startupJson(startup));
	json.field(
		'findings',
		findings.map(({ kind, text, handles, evidence: kinds, command }) => ({ kind, text, handles, evidence: kinds, command })),
	);
}

/** What no file tells is left out. */
function compilationRow(row: JoinedCompilation, { calls }: RecordingReportView): object {
	const counts = calls(row);
	const known = (key: string, value: unknown): object => (value === null ? {} : { [key]: value });
	return {
		handle: row.handle,
		compileId: row.compileId,
		kind: row.kind,
		method: row.method,
		signature: row.signature,
		compiler: row.compiler,
		level: row.level,
		...known('osrBci', row.osrBci),
		samples: row.samples,
		percent: round(row.percent),
		...known('halfInterval', row.halfInterval === null ? null : round(row.halfInterval)),
		codeBytes: row.codeBytes,
		...known('memoryBytes', row.memoryBytes),
		...(counts === null ? {} : { inlinedCalls: counts.inlined, notInlinedCalls: counts.notInlined }),
		...known('predictedBiasedPercent', row.predictedBiasedPercent === null ? null : round(row.predictedBiasedPercent)),
		...known('loopsWithoutPoll', row.loopsWithoutPoll),
		...known('queuedMs', row.queuedMs),
		...known('startedMs', row.startedMs),
		...known('doneMs', row.doneMs),
		...known('installedMs', row.installedMs),
		...known('notEntrantMs', row.notEntrantMs),
		...known('notEntrantReason', row.notEntrantReason),
		...known('failure', row.failure),
		deoptimizations: row.deoptimizations,
		evidence: row.evidence,
	};
}

/** Four digits after the point: a sample in a million. */
function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}

function finiteOrNull(value: number | undefined): number | null {
	return value !== undefined && Number.isFinite(value) ? value : null;
}
