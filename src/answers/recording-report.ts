/** The question of `assay report`: everything about one recording, and what the compiler decided where that is wanted, or is all there is. */
import type { RefusedCall } from '../model/joined-recording.js';
import type { Problem } from '../model/problem.js';
import { filterOptions, type SampleFilter } from '../model/sample-filter.js';
import type { Evidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { answerDecisions, type DecisionsRequest, type DecisionsView } from './decisions.js';
import { decisionsResult } from './decisions-result.js';
import type { RecordingReport } from './joined-report.js';
import { DEFAULT_REPORT_REQUEST, openReport } from './report.js';
import { type IndexedReport, ReportIndex } from './report-index.js';
import { type CompilationResult, type RecordingResult, rankedCompilations, reportResult } from './report-result.js';
import type { ReportResult } from './results.js';
import { collected, type Streamed } from './streamed.js';

export interface RecordingRequest {
	/** A folder beside whose files an index is kept; null: it is neither read nor written. */
	readonly indexed: LogFile | null;
	readonly processId: number | null;
	/** Of which samples the report is, left out: all; the index, which is of all, is left alone where it is of some. */
	readonly samples?: SampleFilter;
	/** Tell also what the compiler decided. Where nothing but a log of Graal is there, that is told always. */
	readonly withDecisions: boolean;
	readonly decisions: DecisionsRequest;
	readonly onProgress?: ((what: string) => void) | undefined;
}

export interface ReportAnswer extends IndexedReport {
	/** Compilations that a table shows, in its order. */
	readonly ranked: readonly CompilationResult[];
	/** Whether there is a log of Graal, perhaps with its profile, and nothing of a JVM: its decisions are all there is. */
	readonly isExperiment: boolean;
	readonly decisions: DecisionsView | null;
	/** All that the result was made from; null where it came from the index. */
	readonly joined: RecordingReport | null;
	/** Of the recording; those of the decisions are with them. */
	readonly problems: readonly Problem[];
	whole(): Streamed<ReportResult>;
}

/** Rows of which a table may show the call that was not inlined. */
const MOST_ROWS = 200;

/**
 * `evidence` opens the files, with threads, when they have to be read: the index may make that needless. Throws an InputError when nothing is known of any file, or
 * the files are of several JVMs and nobody chose.
 */
export async function answerReport(evidence: () => Promise<Evidence>, request: RecordingRequest): Promise<ReportAnswer> {
	const { report, joined } = await indexedReport(evidence, request);
	const isExperiment = tellsOnlyDecisions(report.result);
	const decisions = request.withDecisions || isExperiment ? await answerDecisions(await evidence(), request.decisions) : null;
	return {
		...report,
		ranked: rankedCompilations(report.result.compilations),
		isExperiment,
		decisions,
		joined,
		whole: () => ({ ...report.result, ...(decisions === null ? {} : { decisions: decisionsResult(decisions) }) }),
	};
}

/** The index is taken where it is kept and still right. */
async function indexedReport(
	evidence: () => Promise<Evidence>,
	{ indexed, processId, samples = {}, onProgress }: RecordingRequest,
): Promise<{ report: IndexedReport; joined: RecordingReport | null }> {
	const index = indexed === null || filterOptions(samples).length > 0 ? null : ReportIndex.of(indexed.filePath, indexed.name, processId);
	const kept = index?.read() ?? null;
	if (kept !== null) {
		return { report: kept, joined: null };
	}
	const joined = await openReport(await evidence(), { ...DEFAULT_REPORT_REQUEST, samples, onProgress });
	const refused: Record<string, RefusedCall> = {};
	for (const row of rankedCompilations(joined.compilations).slice(0, MOST_ROWS)) {
		// Read for the rows that are shown, or all when they are written into the index.
		Object.defineProperty(refused, row.handle, { enumerable: true, get: () => joined.refused(row)[0] });
	}
	const report = { result: collected(reportResult(joined)), refused, problems: joined.problems };
	index?.write(report);
	return { report, joined };
}

function tellsOnlyDecisions({ evidence }: RecordingResult): boolean {
	return evidence.graalLog.present && !evidence.logCompilation.present && !evidence.samples.present && !evidence.assembly.present;
}
