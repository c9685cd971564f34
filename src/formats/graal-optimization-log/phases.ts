/** What is known of Graal's phases, by the end of their names (`FinalCanonicalizerPhase` is a canonicalizer too). */

/** Phases that run many times and do small things: left out of reports on request. */
export const GRAAL_DETAILED_PHASES: readonly string[] = ['CanonicalizerPhase', 'DeadCodeEliminationPhase'];

/** Phases whose optimizations come in no meaningful order: sorted before they are compared. */
export const GRAAL_UNORDERED_PHASES: readonly string[] = [
	'CanonicalizerPhase',
	'DeadCodeEliminationPhase',
	'PartialEscapePhase',
	'FloatingReadPhase',
	'UseTrappingNullChecksPhase',
	'ReassociationPhase',
	'ConvertDeoptimizeToGuardPhase',
	'ConditionalEliminationPhase',
];
