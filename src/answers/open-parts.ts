/** Parts of a recording, for those who work with samples, code, logs and joined rows themselves. Each reads from files that stay open until it is closed. */
import type { Profile } from '../model/profile.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import { type Evidence, type EvidenceOptions, openEvidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import type { Recording } from '../recording/open-recording.js';
import { openProftoolProfile as openProfile } from '../recording/proftool-profile.js';
import type { RecordingReport } from './joined-report.js';
import { DEFAULT_REPORT_REQUEST, openReport as joinEvidence, type ReportRequest } from './report.js';

interface Closable {
	/** What is read on demand cannot be read any more. */
	close(): void;
}

async function opened<T>(files: readonly LogFile[], options: EvidenceOptions, open: (evidence: Evidence) => Promise<T>): Promise<T & Closable> {
	const evidence = await openEvidence(files, options);
	try {
		return { ...(await open(evidence)), close: () => evidence.close() };
	} catch (error) {
		evidence.close();
		throw error;
	}
}

/** Samples and code of a run; `processId` chooses among several JVMs. Throws an {@link InputError} without samples. */
export function openSamplesAndCode(files: readonly LogFile[], processId: number | null = null): Promise<Recording & Closable> {
	return opened(files, { processId }, (evidence) => evidence.sampled());
}

/** `processId` chooses among several JVMs. Throws an {@link InputError} when no file holds compilations. */
export function openCompilationLog(files: readonly LogFile[], processId: number | null = null): Promise<CompilationLog & Closable> {
	return opened(files, { processId }, (evidence) => evidence.compilationLog());
}

/** Every kind of evidence joined. Throws an {@link InputError} when nothing is known of any file, or the files are of several JVMs and nobody chose. */
export function openReport(
	files: readonly LogFile[],
	{ processId = null, ...request }: ReportRequest & { readonly processId?: number | null } = DEFAULT_REPORT_REQUEST,
): Promise<RecordingReport & Closable> {
	return opened(files, { processId, details: request.withStacks ? 'all' : 'threads' }, (evidence) => joinEvidence(evidence, request));
}

/** Reads the profile in a file; `name` is what messages call it. Throws an {@link InputError} when it is none. */
export function openProftoolProfile(filePath: string, name = filePath): Promise<Profile> {
	return openProfile({ filePath, name });
}
