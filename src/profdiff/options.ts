/** What the analyses are told. The defaults are those of Graal's profdiff. */

/** The options of Graal's profdiff. */
export interface ProfdiffOptions {
	/** At least so many compilations are hot… */
	readonly hotMinLimit: number;
	/** …and at most so many… */
	readonly hotMaxLimit: number;
	/** …of those that together make up this share of the compiled period, 0 to 1. */
	readonly hotPercentile: number;
	/** One tree of callsites with their optimizations instead of two trees. */
	readonly optimizationContextTree: boolean;
	/** Compare hot compilations pair by pair; otherwise print each. */
	readonly diffCompilations: boolean;
	/** Positions in full instead of one bytecode index. */
	readonly longBci: boolean;
	readonly sortInliningTree: boolean;
	readonly sortUnorderedPhases: boolean;
	readonly removeDetailedPhases: boolean;
	/** Leave out of differences what is the same on both sides. */
	readonly pruneIdentities: boolean;
	/** Compare also a method that was inlined somewhere with the same method compiled on its own. */
	readonly createFragments: boolean;
	readonly inlinerReasoning: boolean;
}

/** The defaults of Graal's profdiff. */
export const DEFAULT_OPTIONS: ProfdiffOptions = {
	hotMinLimit: 1,
	hotMaxLimit: 10,
	hotPercentile: 0.9,
	optimizationContextTree: false,
	diffCompilations: true,
	longBci: false,
	sortInliningTree: true,
	sortUnorderedPhases: true,
	removeDetailedPhases: true,
	pruneIdentities: true,
	createFragments: true,
	inlinerReasoning: false,
};

/** What is known of a compiler's phases: ends of their names. */
export interface PhaseKnowledge {
	/** Left out on request. */
	readonly detailed: readonly string[];
	/** Their optimizations have no meaningful order. */
	readonly unordered: readonly string[];
	/** Names of what is logged as an optimization and only tells what other decisions brought with them. */
	readonly consequences?: readonly string[];
	/** Names of what tells why something was not done, `PASS KIND`: told otherwise by another compiler, it is no change where both say that PASS did not do it, and a refusal where one says so. */
	readonly refusals?: readonly string[];
}
