/**
 * Records two sides of a comparison in turns, until enough is known. The order of a pair changes (A B, B A, A B …), so that a machine that becomes slower or warmer
 * meets both sides alike.
 *
 * Runs of equal sides can be exchanged, so that their true split differs most of all C(2n, n) / 2 splits once in so many: of 3 + 3 runs once in 10, of 5 + 5 once in
 * 126. So 3 + 3 runs can say that nothing differs, and stop. Where the true split is among the fifth that differs most, pairs are added up to 5 + 5, and it is called
 * a change only if no other split of all of them differs as much: that alone bounds the wrong answers, whatever was looked at before. Each look before the last that may end the recording adds to the chance of a wrong answer; the sum is told.
 */
import type { NoiseTest } from '../profdiff/noise.js';
import { TWO_SIDED_LEVEL } from '../statistics/significance.js';

export type SideName = 'a' | 'b';

export interface RecordSidesRequest {
	/** Runs a side; more are made where these differ and are fewer than it takes to be sure. */
	readonly runs: number;
	/** Whether a difference of few runs is confirmed by more. */
	readonly confirm: boolean;
	/** Records a run, counted from 1; the result is its folder. */
	record(side: SideName, run: number): Promise<string>;
	/** What the noise test says of the runs so far; null: it cannot say. */
	test(a: readonly string[], b: readonly string[]): Promise<Pick<NoiseTest, 'verdict' | 'rank' | 'splits'> | null>;
}

export interface RecordedSides {
	readonly a: readonly string[];
	readonly b: readonly string[];
	/** `early`: the answer was clear before the last run; `confirmed`: there are more runs than were asked for, as the sides differ. */
	readonly end: 'early' | 'confirmed' | 'as asked';
	/** A rank among all splits above this part of them is chance. */
	readonly level: number;
	/** Equal sides are called changed at most so often, 0 to 1; null: too few runs to call anything. */
	readonly falseAlarms: number | null;
}

/** At so many runs a side the true split alone is less than one in a hundred. */
const SURE_RUNS = 5;
const SURE_LEVEL = 0.01;
/** A rank that more runs may confirm. */
const PROMISING = 0.2;
const LEAST_RUNS = 3;

export async function recordSides({ runs, confirm, record, test }: RecordSidesRequest): Promise<RecordedSides> {
	const folders: Record<SideName, string[]> = { a: [], b: [] };
	const most = confirm && runs >= LEAST_RUNS ? Math.max(runs, SURE_RUNS) : runs;
	let spent = 0;
	for (let run = 1; run <= most; run++) {
		for (const side of run % 2 === 1 ? (['a', 'b'] as const) : (['b', 'a'] as const)) {
			folders[side].push(await record(side, run));
		}
		const mayEndEarly = run >= SURE_RUNS && run < runs;
		const mayEnd = run === runs && run < most;
		const seen = mayEndEarly || mayEnd ? await test(folders.a, folders.b) : null;
		if (mayEndEarly && seen !== null) {
			spent += 1 / seen.splits;
			if (seen.verdict === 'changed' && seen.rank === 1) {
				return { ...folders, end: 'early', level: SURE_LEVEL, falseAlarms: spent };
			}
		}
		if (mayEnd && (seen === null || seen.rank / seen.splits > PROMISING)) {
			return { ...folders, end: 'as asked', level: TWO_SIDED_LEVEL, falseAlarms: SURE_LEVEL };
		}
	}
	if (runs < LEAST_RUNS) {
		return { ...folders, end: 'as asked', level: TWO_SIDED_LEVEL, falseAlarms: null };
	}
	const level = most >= SURE_RUNS ? SURE_LEVEL : TWO_SIDED_LEVEL;
	return { ...folders, end: most > runs ? 'confirmed' : 'as asked', level, falseAlarms: spent + level };
}
