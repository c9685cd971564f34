/** What findings look for in hot code, besides where it is. */
import type { HotReport } from './hot-results.js';
import { type ScalarLoop, scalarLoops } from './scalar-loops.js';
import { type SlowInstruction, slowInstructions } from './slow-instructions.js';
import { type StubWork, stubWork } from './stub-work.js';

export interface HotCauses {
	/** That were waited for, hottest first. */
	readonly slowInstructions: readonly SlowInstruction[];
	/** Loops over arrays without vector instructions, hottest first. */
	readonly scalarLoops: readonly ScalarLoop[];
	/** Whom stubs work for, most samples first. */
	readonly stubWork: readonly StubWork[];
}

export function hotCauses(hot: HotReport | null): HotCauses {
	return hot === null
		? { slowInstructions: [], scalarLoops: [], stubWork: [] }
		: { slowInstructions: slowInstructions(hot), scalarLoops: scalarLoops(hot), stubWork: stubWork(hot) };
}
