/** What else differs between the last good and the first bad revision: `assay diff` of their runs, in short. */
import { splitMethodName } from '../../model/method-name.js';
import { beforeAfter, countChanges } from '../../profdiff/results.js';
import type { DiffReport } from '../diff-report.js';
import type { BisectResult } from '../results.js';
import type { Frozen } from '../streamed.js';

/** The command gives the others. */
const MOST_CHANGES = 20;

export type NeighboursJson = Frozen<NonNullable<BisectResult['comparison']>>;

/** `command`: prints the difference whole; the sides are folders of recordings. */
export function neighboursRow({ comparison, changeHandles }: DiffReport, command: string, runsA: readonly string[], runsB: readonly string[]): NeighboursJson {
	const { changed, inTheirOwnRight, noise } = countChanges(comparison.changes);
	const first = comparison.changes.filter((change) => change.noise !== true && change.cause === null).slice(0, MOST_CHANGES);
	return {
		command,
		runsA,
		runsB,
		verdict: comparison.noiseTest?.verdict ?? null,
		inTheirOwnRight,
		changed,
		noise,
		changes: first.map((change) => {
			const [reasonBefore, reasonAfter] = change.kind === 'callsite' ? [change.reasonsBefore.at(-1), change.reasonsAfter.at(-1)] : [];
			const { kind, runsA: inA, ofA, runsB: inB, ofB, noise: isNoise, periodShareA, periodShareB } = change;
			return {
				handle: changeHandles.get(change)!,
				...splitMethodName(change.methodName),
				kind,
				...beforeAfter(change),
				...(reasonBefore === undefined ? {} : { reasonBefore }),
				...(reasonAfter === undefined ? {} : { reasonAfter }),
				runsA: inA,
				ofA,
				runsB: inB,
				ofB,
				noise: isNoise,
				periodShareA,
				periodShareB,
			};
		}),
	};
}
