/** `assay diff` of two profiles without compilations: which methods took more or less of the time. */
import { stackedOfStacks } from '../hot/stacked-stacks.js';
import { nameMatches } from '../model/name-pattern.js';
import type { Problem } from '../model/problem.js';
import { type StackedSamples, totalWeight } from '../model/stacked-samples.js';
import { compareStacks, type MethodChange } from '../profdiff/stacks.js';
import type { Evidence } from '../recording/evidence.js';
import { openHot } from './hot.js';
import { hotOfReport } from './report.js';
import type { DiffStacksResult } from './results.js';
import { chooseStacks } from './stack-heat.js';
import type { Streamed } from './streamed.js';

/** Of one side. */
export interface ComparedProfile {
	readonly name: string;
	/** What is counted, in words. */
	readonly what: string;
	/** Of weights: `samples`, `nanoseconds`. */
	readonly unit: string;
	readonly total: number;
}

export interface DiffStacksAnswer {
	readonly a: ComparedProfile;
	readonly b: ComparedProfile;
	readonly changes: readonly MethodChange[];
	readonly problems: readonly Problem[];
	result(): Streamed<DiffStacksResult>;
}

interface OpenedProfile {
	readonly side: ComparedProfile;
	readonly stacks: StackedSamples;
}

const ALL_TIMES = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** null: a side holds decisions of a compiler, which tell more, or neither stacks nor samples. `method`: a part of the name. */
export async function answerDiffStacks(evidenceA: Evidence, evidenceB: Evidence, method: string | undefined): Promise<DiffStacksAnswer | null> {
	const problems: Problem[] = [];
	const [a, b] = [await profileOf(evidenceA, problems), await profileOf(evidenceB, problems)];
	if (a === null || b === null) {
		return null;
	}
	if (a.side.unit !== b.side.unit) {
		const message = `counts ${a.side.unit}, and ${b.side.name} ${b.side.unit}`;
		problems.push({ severity: 'warning', file: a.side.name, message, action: 'their shares are compared all the same' });
	}
	const changes = compareStacks(a.stacks, b.stacks).filter((change) => method === undefined || nameMatches(`*${method}*`, change.method));
	return { a: a.side, b: b.side, changes, problems, result: () => resultOf(a.side, b.side, changes) };
}

async function profileOf(evidence: Evidence, problems: Problem[]): Promise<OpenedProfile | null> {
	const { files } = (await evidence.chosen()).found;
	const { logCompilation, graalLog, printCompilation, remarks, flightRecorder, samples, stacks: found } = files;
	if ([logCompilation, graalLog, printCompilation].some(({ length }) => length > 0)) {
		return null;
	}
	if (samples.length > 0) {
		return remarks.length + flightRecorder.length > 0 ? null : profileOfSamples(evidence, problems);
	}
	if (found.length === 0) {
		return null;
	}
	// async-profiler writes the format of Flight Recorder, and nothing of compilations.
	const recorded = flightRecorder.length === 0 ? null : await evidence.compilationLogIfAny();
	if (recorded !== null && recorded.history.compilations.length > 0) {
		return null;
	}
	const chosen = await chooseStacks(evidence, { startedEpochMs: null, problems });
	if (chosen === null) {
		return null;
	}
	problems.push(...evidence.problems);
	const stacks = stackedOfStacks({ ...chosen, filter: {}, window: ALL_TIMES });
	return { side: { name: evidence.name, what: chosen.words, unit: chosen.unit ?? 'samples', total: totalWeight(stacks) }, stacks };
}

/** Of samples with addresses: of Node, of a native program, of a JVM without its log. */
async function profileOfSamples(evidence: Evidence, problems: Problem[]): Promise<OpenedProfile | null> {
	const { stacks, problems: doubts } = await openHot(evidence, { ...hotOfReport(evidence.requestedProcess), withStacks: true });
	if (stacks === null) {
		return null;
	}
	problems.push(...evidence.problems, ...doubts);
	return { side: { name: evidence.name, what: stacks.event, unit: 'samples', total: stacks.length }, stacks };
}

function resultOf(a: ComparedProfile, b: ComparedProfile, changes: readonly MethodChange[]): Streamed<DiffStacksResult> {
	const percent = (weight: number, { total }: ComparedProfile): number => (total === 0 ? 0 : (100 * weight) / total);
	return {
		a,
		b,
		methods: changes.map((change) => ({
			method: change.method,
			ownA: change.a.own,
			ownB: change.b.own,
			ownPercentA: percent(change.a.own, a),
			ownPercentB: percent(change.b.own, b),
			totalA: change.a.total,
			totalB: change.b.total,
			totalPercentA: percent(change.a.total, a),
			totalPercentB: percent(change.b.total, b),
			points: change.points,
			pointsLow: change.interval?.low ?? null,
			pointsHigh: change.interval?.high ?? null,
			isSure: change.isSure,
		})),
	};
}
