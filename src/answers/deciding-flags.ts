/** The flags behind a reason of HotSpot's inliners, in short: `MaxInlineSize 35`. */
import { explainReason, flagTextOfRuns } from '../model/inlining-reasons.js';
import type { OpenedExperiment } from './opened-experiment.js';

/**
 * For runs that HotSpot's compilers logged; Graal's reasons name no flags. Values are those of the command lines, else the defaults. Null where no flag decides, and
 * for calls that are inlined.
 */
export function decidingFlags(runs: readonly Pick<OpenedExperiment, 'logKind' | 'flags'>[]): (reason: string) => string | null {
	if (!runs.some(({ logKind }) => logKind === 'HotSpot')) {
		return () => null;
	}
	const flagsOfRuns = runs.map(({ flags }) => flags);
	return (reason) => {
		const explanation = explainReason(reason);
		if (explanation === null || explanation.isInlined || explanation.flags.length === 0) {
			return null;
		}
		return explanation.flags.map((flag) => flagTextOfRuns(flag, flagsOfRuns)).join('; ');
	};
}
