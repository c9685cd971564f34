import { GRAAL_DETAILED_PHASES, GRAAL_UNORDERED_PHASES } from '../formats/graal-optimization-log/phases.js';
import type { PhaseKnowledge } from '../profdiff/options.js';

/** What the analyses are told of Graal. */
export const GRAAL_PHASES: PhaseKnowledge = { detailed: GRAAL_DETAILED_PHASES, unordered: GRAAL_UNORDERED_PHASES };
