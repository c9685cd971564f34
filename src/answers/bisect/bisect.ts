/** The question of `assay bisect`: which of ordered revisions is the first of which a fact holds, and how sure that is. */
import type { BisectResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { type Judgement, judgeRevision, type Observation } from './judge.js';
import type { NeighboursJson } from './neighbours.js';
import { findFirstBad, type Verdict } from './search.js';

/** A commit, a JDK, a value of a flag. */
export interface Revision {
	readonly name: string;
	/** What is told of it, as the first line of a commit's message. */
	readonly title: string | null;
}

export interface BisectRequest {
	/** The first is good, the last is bad: this is looked at first. */
	readonly revisions: readonly Revision[];
	/** The fact, as it was given. */
	readonly when: string;
	/** So many runs in a row have to agree. */
	readonly agreeing: number;
	/** Makes a revision ready to run; a sentence when it cannot be. */
	build(revision: Revision): Promise<string | null>;
	/** Runs it, for the n-th time. */
	run(revision: Revision, number: number): Promise<Observation>;
	readonly onStep?: (step: BisectStep) => void;
}

export interface BisectStep extends Judgement {
	readonly revision: Revision;
	/** Of the list. */
	readonly position: number;
	/** Revisions between the last good and the first bad one, when this one was judged. */
	readonly left: number;
}

export interface BisectAnswer {
	readonly when: string;
	readonly revisions: readonly Revision[];
	readonly steps: readonly BisectStep[];
	/** null: the first is not good, or the last not bad. */
	readonly found: { readonly lastGood: Revision; readonly firstBad: Revision; readonly skipped: readonly Revision[] } | null;
	/** Runs that were looked at, and those that say otherwise than the answer has it. */
	readonly runs: number;
	readonly contradicting: number;
	readonly builds: number;
	/** `comparison`: of the neighbours; null: they are not compared. */
	result(comparison: NeighboursJson | null): Streamed<BisectResult>;
}

/** The neighbours are run again until there are so many runs of each: fewer tell no difference from noise. */
const RUNS_OF_NEIGHBOURS = 3;

export async function answerBisect(request: BisectRequest): Promise<BisectAnswer> {
	const { revisions, agreeing } = request;
	const steps = new Map<number, BisectStep>();
	let builds = 0;
	const judge = async (position: number, left: number): Promise<Verdict> => {
		const revision = revisions[position]!;
		builds++;
		const failed = await request.build(revision);
		const judgement = failed === null ? await judgeRevision(agreeing, (number) => request.run(revision, number)) : unbuilt(failed);
		const step = { revision, position, left, ...judgement };
		steps.set(position, step);
		request.onStep?.(step);
		return judgement.verdict;
	};
	const last = revisions.length - 1;
	const ends = [await judge(0, last - 1), await judge(last, last - 1)];
	if (ends[0] !== 'good' || ends[1] !== 'bad') {
		return answer(request, { steps, builds, found: null });
	}
	let [low, high] = [0, last];
	const found = await findFirstBad(revisions.length, async (position) => {
		const verdict = await judge(position, high - low - 1);
		if (verdict === 'good') {
			low = position;
		} else if (verdict === 'bad') {
			high = position;
		}
		return verdict;
	});
	for (const position of [found.lastGood, found.firstBad]) {
		const step = steps.get(position)!;
		const more: Observation[] = [];
		if (step.observations.length < RUNS_OF_NEIGHBOURS && (await request.build(step.revision)) === null) {
			for (let number = step.observations.length + 1; number <= RUNS_OF_NEIGHBOURS; number++) {
				more.push(await request.run(step.revision, number));
			}
		}
		steps.set(position, { ...step, observations: [...step.observations, ...more] });
	}
	return answer(request, { steps, builds, found });
}

function unbuilt(why: string): Judgement {
	return { verdict: 'unclear', observations: [{ holds: null, seen: why }] };
}

interface Outcome {
	readonly steps: ReadonlyMap<number, BisectStep>;
	readonly builds: number;
	readonly found: { readonly lastGood: number; readonly firstBad: number; readonly skipped: readonly number[] } | null;
}

function answer({ revisions, when }: BisectRequest, { steps: byPosition, builds, found }: Outcome): BisectAnswer {
	const steps = [...byPosition.values()];
	const told = steps.flatMap(({ position, observations }) => observations.filter(({ holds }) => holds !== null).map(({ holds }) => ({ position, holds })));
	const contradicting = found === null ? 0 : told.filter(({ position, holds }) => (holds === true) !== position >= found.firstBad).length;
	const at = (position: number): Revision => revisions[position]!;
	const named = found === null ? null : { lastGood: at(found.lastGood), firstBad: at(found.firstBad), skipped: found.skipped.map(at) };
	const whole = { when, revisions, steps, found: named, runs: told.length, contradicting, builds };
	return { ...whole, result: (comparison) => resultOf(whole, comparison) };
}

function resultOf(
	{ when, revisions, steps, found, runs, contradicting, builds }: Omit<BisectAnswer, 'result'>,
	comparison: NeighboursJson | null,
): Streamed<BisectResult> {
	return {
		when,
		revisions: revisions.length,
		found: found === null ? null : { lastGood: { ...found.lastGood }, firstBad: { ...found.firstBad }, skipped: found.skipped.map((one) => ({ ...one })) },
		comparison,
		builds,
		runs,
		contradicting,
		steps: steps.map(({ revision, left, verdict, observations }) => ({
			revision: revision.name,
			left,
			verdict,
			observations: observations.map(({ holds, seen }) => ({ holds, seen })),
		})),
	};
}
