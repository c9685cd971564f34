/** What `assay report` shows of a recording. */
import type { SafepointDelay } from '../bias/safepoint-delay.js';
import type { HotReport } from '../hot/hot-results.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import type { EvidenceKind, EvidenceOfKind } from '../model/evidence.js';
import type { CallCounts, JoinedCompilation, RecordingFinding, RefusedCall } from '../model/joined-recording.js';
import type { StartupView } from './startup-json.js';

export interface RecordingReportView {
	readonly name: string;
	readonly jvm: {
		readonly version: string | null;
		readonly processId: number | null;
		readonly arguments: string | null;
		readonly command: string | null;
		readonly startedEpochMs: number | null;
	};
	readonly seconds: number | null;
	readonly codeForm: 'MachCode' | 'hsdis' | null;
	readonly evidence: Readonly<Record<EvidenceKind, EvidenceOfKind>>;
	readonly clock: JvmClock | null;
	readonly hot: HotReport | null;
	readonly delays: readonly SafepointDelay[];
	readonly compilations: readonly JoinedCompilation[];
	readonly calls: (compilation: JoinedCompilation) => CallCounts | null;
	readonly refused: (compilation: JoinedCompilation) => readonly RefusedCall[];
	readonly startup: StartupView | null;
	readonly findings: readonly RecordingFinding[];
}

export interface OtherRow {
	readonly name: string;
	readonly samples: number;
	readonly percent: number;
}

/** Time outside of compilations: the kernel, each library, the interpreter and the like, most first. */
export function otherRows({ hot }: Pick<RecordingReportView, 'hot'>): OtherRow[] {
	return (hot?.methods ?? [])
		.filter(({ versions }) => versions.length === 0)
		.map(({ method, samples, share }) => ({ name: method, samples, percent: share.percent }));
}
