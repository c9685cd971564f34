/** A compilation with its text: what a prediction is made from. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';

export interface PrintedMethod {
	readonly code: GeneratedCode;
	readonly instructions: Instructions;
	/** Headings by the number of the instruction that they stand before: `Verified Entry Point`. */
	readonly labels: ReadonlyMap<number, string>;
}
