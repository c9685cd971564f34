/** The question of `assay diff`: which decisions of compilers changed between two sides of one or more runs each. */
import { CONSEQUENCES } from '../formats/hotspot-compilation-log/task-events.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { differentFlags } from '../model/jvm-flags.js';
import { splitMethodName } from '../model/method-name.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import type { Change } from '../profdiff/changes.js';
import { compareRuns, type RunsComparison } from '../profdiff/compare-runs.js';
import { MAX_RUNS_PER_SIDE } from '../profdiff/decisions.js';
import { changeMatches, type DiffFilter, methodMatches } from '../profdiff/diff-filter.js';
import { type Experiment, type ExperimentNumber, withMethodsOnly } from '../profdiff/experiment.js';
import { type FailCondition, findFindings } from '../profdiff/findings.js';
import { withInliningOnly } from '../profdiff/inlining-only.js';
import { DEFAULT_OPTIONS } from '../profdiff/options.js';
import type { Evidence } from '../recording/evidence.js';
import { shareFunctionStarts } from '../recording/function-starts.js';
import { LLVM_CONSEQUENCES, LLVM_REFUSALS } from '../recording/remark-log.js';
import { runsNeeded } from '../statistics/exact-test.js';
import { decidingFlags } from './deciding-flags.js';
import { absences } from './diff-absence.js';
import { type DiffCause, diffCauses } from './diff-causes.js';
import { sidesFacets } from './diff-facets.js';
import type { DiffReport } from './diff-report.js';
import { diffResult } from './diff-result.js';
import { experimentOf } from './experiment.js';
import { GRAAL_PHASES } from './graal-phases.js';
import { type NamesApart, namesApart } from './names-apart.js';
import type { OpenedExperiment } from './opened-experiment.js';
import type { DiffResult } from './results.js';
import { runEvidence } from './run-evidence.js';
import type { Streamed } from './streamed.js';

/** The runs of both sides: the one that was named first, then its repeats. */
export interface DiffSides {
	readonly a: readonly Evidence[];
	readonly b: readonly Evidence[];
}

export interface DiffRequest {
	/** Relative paths start here. */
	readonly workingDirectory: string;
	/** Profiles of the first run of each side that do not lie beside its log. */
	readonly profileA?: string | undefined;
	readonly profileB?: string | undefined;
	/** Take profiles that are not of their logs. */
	readonly force: boolean;
	readonly filter: DiffFilter;
	readonly conditions: readonly FailCondition[];
	/** Compare methods without samples too. */
	readonly all: boolean;
	/** At most so many of the most expensive methods, of each run; null: no limit. */
	readonly maxMethods: number | null;
	/** List what tells the sides apart also where they differ by no more than chance; it fails no condition. */
	readonly evenIfChance: boolean;
	/** Sides whose split ranks above this part of all splits differ by no more than chance; left out: as the noise test has it, a tenth. */
	readonly level?: number | undefined;
	readonly progress?: Pick<Progress, 'report' | 'step'> | undefined;
}

/** All of both sides, nothing of it a failure. */
export const DEFAULT_DIFF_REQUEST: Omit<DiffRequest, 'workingDirectory'> = {
	force: false,
	filter: {},
	conditions: [],
	all: false,
	maxMethods: null,
	evenIfChance: false,
};

export interface DiffAnswer {
	readonly report: DiffReport;
	/** The run of each side that was named first; its trees are read from the evidence. */
	readonly first: { readonly a: Experiment; readonly b: Experiment };
	readonly problems: readonly Problem[];
	result(): Streamed<DiffResult>;
}

/** Throws an InputError when a side has no log, or a profile of another run, a UsageError when there are too many runs. */
export async function answerDiff(sides: DiffSides, request: DiffRequest): Promise<DiffAnswer> {
	const { filter, progress } = request;
	for (const { length } of [sides.a, sides.b]) {
		if (length > MAX_RUNS_PER_SIDE) {
			throw new UsageError(`at most ${MAX_RUNS_PER_SIDE} runs of a side can be compared, ${length} given`);
		}
	}
	const apart = await namesApart([...sides.a, ...sides.b]);
	const openedA = await openSide(sides.a, 1, request.profileA, apart, request);
	const openedB = await openSide(sides.b, 2, request.profileB, apart.slice(sides.a.length), request);
	const { a: partsA, b: partsB, problems: leftOut } = inAllParts(openedA, openedB);
	const { a, b, problems: notTold } = ofOneKind(partsA, partsB);
	const isNative = [...a, ...b].every(({ logKind }) => logKind === 'LLVM');
	if (isNative) {
		const logs = await Promise.all([...a, ...b].map(({ evidence }) => evidence.compilationLog()));
		shareFunctionStarts(logs.flatMap(({ functionStarts }) => functionStarts ?? []));
	}
	const compared = await compareRuns(
		{ a: a.map((one) => one.experiment), b: b.map((one) => one.experiment) },
		{
			...DEFAULT_OPTIONS,
			phases: { ...GRAAL_PHASES, consequences: [...CONSEQUENCES, ...LLVM_CONSEQUENCES], refusals: LLVM_REFUSALS },
			all: request.all,
			maxMethods: request.maxMethods,
			evenIfChance: request.evenIfChance,
			isAheadOfTime: isNative,
			...(progress === undefined ? {} : { onProgress: (done, total) => progress.step(`comparing ${done} of ${total} methods`) }),
		},
	);
	const comparison = asSure(compared, request.level);
	progress?.report('reading what the compilations came to');
	const [firstA, firstB] = [a[0]!, b[0]!];
	const facets = await sidesFacets(firstA, firstB, comparison.methods);
	const { reports } = facets;
	const isChance = comparison.noiseTest !== null && comparison.noiseTest.verdict !== 'changed';
	const findings = isChance ? [] : findFindings(request.conditions, comparison.changes, comparison.methods);
	const isAllShown = filter.method === undefined && filter.compilation === undefined;
	const shownMethods = new Set(comparison.methods.filter((method) => methodMatches(filter, method)).map((method) => method.name));
	const shownNames = new Set([...shownMethods].map((name) => withoutHiddenAddress(splitMethodName(name).method)));
	const isShownCause = ({ finding }: DiffCause): boolean =>
		filter.decision === undefined && filter.phase === undefined && (isAllShown || shownNames.has(withoutHiddenAddress(finding.place?.method ?? '')));
	const causes = isChance ? [] : await diffCauses(a, b, reports.a, reports.b);
	const report: DiffReport = {
		comparison,
		runsA: a.map(runEvidence),
		runsB: b.map(runEvidence),
		runsNeeded: runsNeeded(),
		findings,
		failed: findings.length > 0,
		filter,
		deciding: decidingFlags([...a, ...b]),
		differentFlags: differentFlags(firstA.flags, firstB.flags),
		methodHandles: new Map(comparison.methods.map(({ name }, index) => [name, `m${index + 1}`])),
		changeHandles: new Map(comparison.changes.map((change, index) => [change, `d${index + 1}`])),
		facets: facets.methods,
		threadTime: facets.threadTime,
		causes: causes.filter(isShownCause),
		absences: await absences(comparison, a, b),
		isShownMethod: (method) => shownMethods.has(method.name),
		isShownChange: (change) => shownMethods.has(change.methodName) && changeMatches(filter, change),
	};
	return {
		report,
		first: { a: firstA.experiment, b: firstB.experiment },
		problems: [...[...a, ...b].flatMap((one) => one.problems), ...leftOut, ...notTold, ...otherKinds([...a, ...b]), ...comparison.problems],
		result: () => diffResult(report),
	};
}

/** The comparison, with nothing called where its rank is not as rare as is asked for. */
function asSure(comparison: RunsComparison, level: number | undefined): RunsComparison {
	const { noiseTest } = comparison;
	if (level === undefined || noiseTest === null || noiseTest.verdict !== 'changed' || noiseTest.rank / noiseTest.tried <= level) {
		return comparison;
	}
	const changes = comparison.changes.map((change): Change => ({ ...change, noise: true }));
	return { ...comparison, changes, shifts: [], noiseTest: { ...noiseTest, verdict: 'within chance' } };
}

/** Where a part of a run was watched, methods that are not in it may have been compiled before: only those are compared that all parts tell of. */
function inAllParts(
	a: readonly OpenedExperiment[],
	b: readonly OpenedExperiment[],
): { readonly a: readonly OpenedExperiment[]; readonly b: readonly OpenedExperiment[]; readonly problems: readonly Problem[] } {
	const all = [...a, ...b];
	const parts = all.filter(({ isPart }) => isPart === true);
	const [first] = parts;
	if (first === undefined) {
		return { a, b, problems: [] };
	}
	const namesOf = ({ experiment }: OpenedExperiment): string[] => [...experiment.methods.keys()].map(withoutHiddenAddress);
	const told = parts.map((part) => new Set(namesOf(part)));
	const isTold = (name: string): boolean => told.every((names) => names.has(withoutHiddenAddress(name)));
	const inOthers = new Set(all.flatMap(namesOf).filter((name) => !isTold(name))).size;
	const restricted = (one: OpenedExperiment): OpenedExperiment => ({ ...one, experiment: withMethodsOnly(one.experiment, isTold) });
	const problems: readonly Problem[] =
		inOthers === 0
			? []
			: [
					{
						severity: 'warning',
						file: first.name,
						message: `Flight Recorder watched a part of the run: ${inOthers} ${inOthers === 1 ? 'method is' : 'methods are'} not in each recording, and may have been compiled before`,
						action: 'they are not compared; assay record -- COMMAND records compilations from the start',
					},
				];
	return { a: a.map(restricted), b: b.map(restricted), problems };
}

/** Where recordings tell of other things, what only some of them tell is left out on all sides: it did not change. Throws an InputError where they cannot be compared. */
function ofOneKind(
	a: readonly OpenedExperiment[],
	b: readonly OpenedExperiment[],
): { readonly a: readonly OpenedExperiment[]; readonly b: readonly OpenedExperiment[]; readonly problems: readonly Problem[] } {
	const all = [...a, ...b];
	// Graal's log tells all, too.
	const kinds = all.map(({ toldBy = 'logCompilation' }) => toldBy);
	const other = all[kinds.findIndex((kind) => kind !== kinds[0])];
	if (other === undefined) {
		return { a, b, problems: [] };
	}
	const printed = all[kinds.indexOf('printCompilation')];
	if (printed !== undefined) {
		throw new InputError({
			severity: 'error',
			file: printed.name,
			message: `is the text of PrintCompilation, which names methods without their parameters; ${printed === other ? all[0]?.name : other.name} has them`,
			action: 'the two cannot be compared: give a log of both runs, or the text of both',
		});
	}
	const reduced = (one: OpenedExperiment): OpenedExperiment => ({ ...one, experiment: withInliningOnly(one.experiment) });
	const problem: Problem = {
		severity: 'warning',
		file: (all[kinds.indexOf('flightRecorder')] ?? other).name,
		message: 'Flight Recorder tells of calls that were inlined or refused, not of optimizations, virtual calls and intrinsics',
		action: 'these are not compared; assay record -- COMMAND writes a log that has them',
	};
	return { a: a.map(reduced), b: b.map(reduced), problems: [problem] };
}

/** Shares of other kinds of samples are not of the same time. */
function otherKinds(runs: readonly OpenedExperiment[]): readonly Problem[] {
	const events = new Map<string, OpenedExperiment>();
	for (const run of runs) {
		if (run.profileName !== null) {
			const event = run.ofStacks?.event ?? 'samples with addresses, or a profile';
			events.set(event, events.get(event) ?? run);
		}
	}
	const [first, second] = [...events];
	return first === undefined || second === undefined || runs.every(({ ofStacks }) => ofStacks === undefined)
		? []
		: [
				{
					severity: 'warning',
					file: second[1].name,
					message: `shares are of ${second[0]}, those of ${first[1].name} of ${first[0]}`,
					action: 'they are not of the same time: compare decisions, or record both in the same way',
				},
			];
}

async function openSide(
	runs: readonly Evidence[],
	number: ExperimentNumber,
	profile: string | undefined,
	apart: readonly NamesApart[],
	{ workingDirectory, force, progress }: DiffRequest,
): Promise<OpenedExperiment[]> {
	const opened: OpenedExperiment[] = [];
	for (const [i, evidence] of runs.entries()) {
		progress?.report(`reading ${evidence.name}`);
		opened.push(await experimentOf(evidence, number, { workingDirectory, force, profile: i === 0 ? profile : undefined, apart: apart[i] }));
	}
	return opened;
}
