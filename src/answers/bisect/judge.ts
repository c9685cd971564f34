/** Whether a revision is bad, by runs that agree. Just-in-time compilers are not deterministic: a fact of one run may be chance. */
import type { Verdict } from './search.js';

/** What an oracle says of a run: whether what it asks for is so; null: the run does not tell. */
export interface Observation {
	readonly holds: boolean | null;
	/** What was seen, in words. */
	readonly seen: string;
}

export interface Judgement {
	readonly verdict: Verdict;
	readonly observations: readonly Observation[];
}

/** Of so many runs in agreement one may say otherwise. */
const FEW = 4;

/**
 * Runs until `agreeing` in a row say the same. Where they do not agree, at most twice as many and one more are made: then all but one in five have to say the same,
 * else it is unclear.
 */
export async function judgeRevision(agreeing: number, run: (number: number) => Promise<Observation>): Promise<Judgement> {
	const observations: Observation[] = [];
	for (let number = 1; number <= 2 * agreeing + 1; number++) {
		observations.push(await run(number));
		if (observations.length === agreeing && isUnanimous(observations)) {
			break;
		}
		// Without the evidence a run says nothing, however often.
		if (observations.length === agreeing && observations.every(({ holds }) => holds === null)) {
			break;
		}
	}
	return { verdict: verdictOf(observations, agreeing), observations };
}

function isUnanimous(observations: readonly Observation[]): boolean {
	const [first] = observations;
	return first !== undefined && first.holds !== null && observations.every(({ holds }) => holds === first.holds);
}

function verdictOf(observations: readonly Observation[], agreeing: number): Verdict {
	const told = observations.filter(({ holds }) => holds !== null);
	const bad = told.filter(({ holds }) => holds === true).length;
	const good = told.length - bad;
	if (told.length < agreeing || told.length === 0) {
		return 'unclear';
	}
	if (bad === 0 || (good >= FEW && good >= FEW * bad)) {
		return 'good';
	}
	return good === 0 || (bad >= FEW && bad >= FEW * good) ? 'bad' : 'unclear';
}
