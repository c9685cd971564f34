/** A compilation with its text: what a prediction is made from. */
import type { BranchProfile } from '../model/branch-profile.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';

export interface PrintedMethod {
	readonly code: GeneratedCode;
	readonly instructions: Instructions;
	/** Headings by the number of the instruction that they stand before: `Verified Entry Point`. */
	readonly labels: ReadonlyMap<number, string>;
	/** What the profile told C2 of branches; null or left out where nothing says so. */
	branches?(): BranchProfile | null;
}
