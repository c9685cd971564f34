/** What went wrong on one side alone: the findings of `assay report` that all runs of a side have and no run of the other. */
import { wholeRun } from '../join/whole-run.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import type { RecordingFinding } from '../model/joined-recording.js';
import { InputError } from '../model/problem.js';
import type { Evidence } from '../recording/evidence.js';
import type { RecordingReport } from './joined-report.js';
import type { OpenedExperiment } from './opened-experiment.js';
import { DEFAULT_REPORT_REQUEST, openReport } from './report.js';

export interface DiffCause {
	/** The side that has it. */
	readonly side: 'A' | 'B';
	/** As the first run of the side has it. */
	readonly finding: RecordingFinding;
}

/** Findings that would win less, in percent of the run, come and go by chance. */
const LEAST_WORTH = 1;
/** What is hardly a finding on one side is hardly none on the other: half as much again is clear. */
const CLEARLY = 1.5;

/** Of these a report lists several, one a method; of all other kinds the worst alone. */
const SEVERAL: ReadonlySet<RecordingFinding['kind']> = new Set(['not-inlined', 'deoptimization-storm', 'recompiled-hot', 'deoptimized-hot']);

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
	const candidates = [...onlyIn('A', firstA, firstB), ...onlyIn('B', firstB, firstA)];
	if (candidates.length === 0) {
		return [];
	}
	const [othersA, othersB] = [await reportsOf(a.slice(1)), await reportsOf(b.slice(1))];
	return candidates
		.filter(({ side, finding }) => {
			const [own, others] = side === 'A' ? [othersA, othersB] : [othersB, othersA];
			return own.every((report) => has(report, finding)) && !others.some((report) => has(report, finding) || hasWorse(report, finding));
		})
		.sort((x, y) => Number(SYMPTOMS.has(x.finding.kind)) - Number(SYMPTOMS.has(y.finding.kind)) || y.finding.worth - x.finding.worth);
}

function hasSamples(report: RecordingReport | null): report is RecordingReport {
	return report?.heat != null && report.heat.attribution.counted > 0;
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

function onlyIn(side: 'A' | 'B', own: RecordingReport, other: RecordingReport): DiffCause[] {
	return own.findings.filter((finding) => isClear(finding) && !has(other, finding) && !hasWorse(other, finding)).map((finding) => ({ side, finding }));
}

function isClear({ kind, worth }: RecordingFinding): boolean {
	const whole = wholeRun(kind);
	const least = whole === null ? (kind === 'not-inlined' ? CLEARLY : 1) * LEAST_WORTH : CLEARLY * whole.leastPercent * whole.worthOfPercent;
	return worth >= least;
}

/** Whether a run has the same fault: at the same method, where the fault is a method's. */
function has({ findings }: RecordingReport, wanted: RecordingFinding): boolean {
	const method = methodOf(wanted.place);
	return findings.some((one) => isOfSameKind(one, wanted) && (wholeRun(wanted.kind) !== null || methodOf(one.place) === method));
}

/** Whether a run names another method for a fault of the kind, so that the one that is meant may stand behind it. */
function hasWorse({ findings }: RecordingReport, wanted: RecordingFinding): boolean {
	return !SEVERAL.has(wanted.kind) && findings.some((one) => isOfSameKind(one, wanted) && CLEARLY * one.worth > wanted.worth);
}

function isOfSameKind(one: RecordingFinding, other: RecordingFinding): boolean {
	return one.kind === other.kind && one.isLoad === other.isLoad;
}

function methodOf(place: RecordingFinding['place']): string | null {
	return place == null ? null : withoutHiddenAddress(place.method);
}
