/**
 * Records two sides of a comparison in turns, until enough is known. The order of a pair changes (A B, B A, A B …), so that a machine that becomes slower or warmer
 * meets both sides alike.
 *
 * Looking early costs certainty. Runs of equal sides can be exchanged, so that their true split differs most of all C(2n, n) splits once in so many; each look before
 * the last that would end the recording adds this to the chance of a wrong answer, and the sum of them is told. So nobody looks at 3 + 3 runs (1 in 10) but at the
 * end; at 4 + 4 it is 1 in 35, at 5 + 5 1 in 126.
 */
import type { NoiseTest } from '../profdiff/noise.js';
import { TWO_SIDED_LEVEL } from '../statistics/significance.js';

export type SideName = 'a' | 'b';

export interface RecordSidesRequest {
	/** Runs a side, at most. */
	readonly runs: number;
	/** Records a run, counted from 1; the result is its folder. */
	record(side: SideName, run: number): Promise<string>;
	/** What the noise test says of the runs so far. */
	test(a: readonly string[], b: readonly string[]): Promise<Pick<NoiseTest, 'verdict' | 'rank' | 'splits'> | null>;
}

export interface RecordedSides {
	readonly a: readonly string[];
	readonly b: readonly string[];
	/** Whether it ended before the last run, as the answer was clear. */
	readonly isEarly: boolean;
	/** Equal sides are called changed at most so often, 0 to 1; null: too few runs to call anything. */
	readonly falseAlarms: number | null;
}

/** The fewest runs a side at which it may end early. */
const FIRST_LOOK = 4;
const LEAST_RUNS = 3;

export async function recordSides({ runs, record, test }: RecordSidesRequest): Promise<RecordedSides> {
	const folders: Record<SideName, string[]> = { a: [], b: [] };
	let spent = 0;
	for (let run = 1; run <= runs; run++) {
		for (const side of run % 2 === 1 ? (['a', 'b'] as const) : (['b', 'a'] as const)) {
			folders[side].push(await record(side, run));
		}
		if (run >= FIRST_LOOK && run < runs) {
			const seen = await test(folders.a, folders.b);
			spent += seen === null ? 0 : 1 / seen.splits;
			if (seen?.verdict === 'changed' && seen.rank === 1) {
				return { ...folders, isEarly: true, falseAlarms: spent };
			}
		}
	}
	return { ...folders, isEarly: false, falseAlarms: runs < LEAST_RUNS ? null : spent + TWO_SIDED_LEVEL };
}
