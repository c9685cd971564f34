/** What went wrong on one side alone: the findings of `assay report` that all runs of a side have and no run of the other. */
import { withoutHiddenAddress } from '../model/hidden-class.js';
import type { RecordingFinding } from '../model/joined-recording.js';
import { InputError } from '../model/problem.js';
import type { Evidence } from '../recording/evidence.js';
import type { OpenedExperiment } from './opened-experiment.js';
import { DEFAULT_REPORT_REQUEST, openReport, type RecordingReport } from './report.js';

export interface DiffCause {
	/** The side that has it. */
	readonly side: 'A' | 'B';
	/** As the first run of the side has it. */
	readonly finding: RecordingFinding;
}

/** Findings that would win less, in percent of the run, come and go by chance. */
const LEAST_WORTH = 1;

/** A finding begins at a share of the run; one that is hardly above it may be hardly below it on the other side. Half as much again is clear. */
const CLEAR_WORTH: Readonly<Partial<Record<RecordingFinding['kind'], number>>> = {
	collector: 15,
	compilers: 7.5,
	'class-loading': 7.5,
	interpreter: 3.75,
	'not-inlined': 1.5,
};

/** They say where time went, and not why: what comes with a cause. */
const SYMPTOMS: ReadonlySet<RecordingFinding['kind']> = new Set(['interpreter', 'compilers', 'recompiled-hot', 'deoptimized-hot']);

/** What a recording comes to, without what takes long and tells of no cause; null where it cannot be reported. */
export async function reportForDiff(evidence: Evidence): Promise<RecordingReport | null> {
	try {
		return await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, withPrediction: false, withOrders: false, mostOfAKind: Number.POSITIVE_INFINITY });
	} catch (error) {
		// What is wrong with the files was told when the decisions were read.
		if (error instanceof InputError) {
			return null;
		}
		throw error;
	}
}

type Run = Pick<OpenedExperiment, 'evidence' | 'hasJvmLog'>;

/** Most time first, symptoms behind causes. `firstA` and `firstB` are the reports of the first runs; the others are opened only where these differ. */
export async function diffCauses(
	a: readonly Run[],
	b: readonly Run[],
	firstA: RecordingReport | null,
	firstB: RecordingReport | null,
): Promise<readonly DiffCause[]> {
	// Without samples nothing tells what anything costs.
	if (!hasSamples(firstA) || !hasSamples(firstB)) {
		return [];
	}
	const candidates = [...onlyIn('A', firstA, [firstB]), ...onlyIn('B', firstB, [firstA])];
	if (candidates.length === 0) {
		return [];
	}
	const [othersA, othersB] = [await reportsOf(a.slice(1)), await reportsOf(b.slice(1))];
	return candidates
		.filter(({ side, finding }) => {
			const [own, others] = side === 'A' ? [othersA, othersB] : [othersB, othersA];
			return own.every((report) => has(report, finding)) && !others.some((report) => has(report, finding));
		})
		.sort((x, y) => Number(SYMPTOMS.has(x.finding.kind)) - Number(SYMPTOMS.has(y.finding.kind)) || y.finding.worth - x.finding.worth);
}

function hasSamples(report: RecordingReport | null): report is RecordingReport {
	return report?.hot != null && report.hot.attribution.counted > 0;
}

async function reportsOf(runs: readonly Run[]): Promise<RecordingReport[]> {
	const reports: RecordingReport[] = [];
	for (const { evidence, hasJvmLog } of runs) {
		const report = hasJvmLog ? await reportForDiff(evidence) : null;
		if (hasSamples(report)) {
			reports.push(report);
		}
	}
	return reports;
}

function onlyIn(side: 'A' | 'B', own: RecordingReport, others: readonly RecordingReport[]): DiffCause[] {
	return own.findings
		.filter((finding) => finding.worth >= (CLEAR_WORTH[finding.kind] ?? LEAST_WORTH) && !others.some((report) => has(report, finding)))
		.map((finding) => ({ side, finding }));
}

/** Whether a run has the same fault at the same method. */
function has({ findings }: RecordingReport, { kind, place }: RecordingFinding): boolean {
	const method = methodOf(place);
	return findings.some((one) => one.kind === kind && methodOf(one.place) === method);
}

function methodOf(place: RecordingFinding['place']): string | null {
	return place == null ? null : withoutHiddenAddress(place.method);
}
