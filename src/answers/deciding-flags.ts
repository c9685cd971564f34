/** The flags behind a reason of HotSpot's inliners, in short: `MaxInlineSize 35`. */
import { explainReason, flagText } from '../model/inlining-reasons.js';
import type { OpenedExperiment } from './opened-experiment.js';

/** For runs that HotSpot's compilers logged; Graal's reasons name no flags. Null where none decides, and for calls that are inlined. */
export function decidingFlags(runs: readonly Pick<OpenedExperiment, 'logKind'>[]): (reason: string) => string | null {
	if (!runs.some(({ logKind }) => logKind === 'HotSpot')) {
		return () => null;
	}
	return (reason) => {
		const explanation = explainReason(reason);
		return explanation === null || explanation.isInlined || explanation.flags.length === 0 ? null : explanation.flags.map(flagText).join('; ');
	};
}
