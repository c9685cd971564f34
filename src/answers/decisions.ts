/** What the compiler decided in the compilations of a run: a section of `assay report`. */
import { nameMatches } from '../model/name-pattern.js';
import type { Problem } from '../model/problem.js';
import { UsageError } from '../model/problem.js';
import { type CompilationOverview, type ExperimentOverview, overview } from '../profdiff/overview.js';
import type { Evidence } from '../recording/evidence.js';
import { decidingFlags } from './deciding-flags.js';
import { experimentOf } from './experiment.js';
import { type RunEvidence, runEvidence } from './run-evidence.js';

/** What a call became. */
export const CALL_DECISIONS = ['inlined', 'direct', 'indirect', 'devirtualized', 'deleted'] as const;
type CallDecisionKind = (typeof CALL_DECISIONS)[number];

/** Which compilations are looked into, and what is shown of them. */
export interface DecisionsRequest {
	/** What messages call the run. */
	readonly name: string;
	/** Relative paths start here. */
	readonly workingDirectory: string;
	/** A profile that lies elsewhere. */
	readonly profile?: string | undefined;
	/** Take a profile that is not of the log. */
	readonly force: boolean;
	/** How many compilations are looked into, the hottest first; null: all. */
	readonly limit: number | null;
	/** Only this compilation, `c12`; undefined: those that `limit` leaves. */
	readonly handle?: string | undefined;
	/** Of those that were looked into only these are shown. */
	readonly method?: string | undefined;
	readonly compileId?: string | undefined;
	readonly decision?: CallDecisionKind | undefined;
	/** Part of the name of a phase. */
	readonly phase?: string | undefined;
	/** Called between compilations. */
	readonly onProgress?: (done: number, total: number) => Promise<void>;
}

/** What is shown of the compilations that were looked into. */
interface DecisionsFilter {
	isShownCompilation(compilation: CompilationOverview): boolean;
	/** What a call became; undefined: all. */
	readonly decision: CallDecisionKind | undefined;
	/** Part of the name of a phase; undefined: all. */
	readonly phase: string | undefined;
}

export interface DecisionsView {
	readonly evidence: RunEvidence;
	readonly overview: ExperimentOverview;
	readonly filter: DecisionsFilter;
	readonly problems: readonly Problem[];
	/** Only one compilation was asked for, by its handle. */
	readonly isSingle: boolean;
	/** Whether the filter leaves none of the compilations. */
	readonly leavesNone: boolean;
	/** What decides about a reason of an inliner, in short; null where nothing is known of it. */
	readonly deciding: (reason: string) => string | null;
}

/**
 * Throws an InputError when there is no log of decisions, a UsageError when it has no compilation `handle`. Trees are read from the evidence, which has to stay
 * open while they are looked at.
 */
export async function answerDecisions(evidence: Evidence, request: DecisionsRequest): Promise<DecisionsView> {
	const { name, workingDirectory, profile, force, limit, handle, method, compileId, decision, phase, onProgress } = request;
	const opened = await experimentOf(evidence, 1, { workingDirectory, profile, force }, name);
	const overviewOf = (compileId: string | undefined): Promise<ExperimentOverview> =>
		overview(opened.experiment, { limit, compileId, ...(onProgress === undefined ? {} : { onProgress }) });
	const asked = await overviewOf(handle?.slice(1));
	// Who does not tell of on-stack replacement leaves its mark away: statistics of memory.
	const isOsr = handle !== undefined && !handle.endsWith('%') && asked.compilations.length + asked.problems.length === 0;
	const result = isOsr ? await overviewOf(`${handle.slice(1)}%`) : asked;
	if (handle !== undefined && result.compilations.length + result.problems.length === 0) {
		throw new UsageError(`the log of ${name} has no compilation ${handle}`);
	}
	const isShownCompilation = ({ unit }: CompilationOverview): boolean =>
		(method === undefined || nameMatches(method, unit.methodName)) && (compileId === undefined || unit.compileId === compileId);
	return {
		evidence: runEvidence(opened),
		overview: result,
		problems: [...opened.problems, ...result.problems],
		isSingle: handle !== undefined,
		leavesNone: result.compilations.length > 0 && !result.compilations.some(isShownCompilation),
		deciding: decidingFlags([opened]),
		filter: { isShownCompilation, decision, phase },
	};
}
