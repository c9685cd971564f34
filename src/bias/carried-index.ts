/**
 * Whether an outer loop goes on with the index of the inner one or starts it again, from the text of its instructions (x86-64 AT&T, AArch64): what is made from it, in registers
 * and stack slots, is carried on; constants and what the inner loop does not write are a new start.
 */

import { assignmentOf, operandsOf, wholeRegister } from '../model/instruction-operands.js';
import { type Instructions, isPoll } from '../model/instructions.js';

export interface Carried {
	/** Whether the outer loop comes back to the inner one with the index where it was. */
	readonly goesOn: boolean;
	/** Comparisons in the outer loop of what was made from the index. */
	readonly comparisons: readonly number[];
}

/** Of the index of an inner loop. `own`: instructions of the outer loop without inner ones, as execution comes by from the inner one on; `body`: those of the inner one, ascending. */
export function carriedIndex(code: Instructions, own: readonly number[], body: readonly number[], register: string): Carried {
	const carried = new Set([wholeRegister(register)]);
	const comparisons: number[] = [];
	const follow = (i: number): void => {
		const assignment = assignmentOf(code.textAt(i));
		if (assignment === null) {
			return;
		}
		if (assignment.from.some((operand) => carried.has(operand))) {
			carried.add(assignment.to);
		} else {
			carried.delete(assignment.to);
		}
	};
	for (const i of body) {
		follow(i);
	}
	for (const i of own) {
		follow(i);
		if (/^(?:cmp|test)/.test(code.formAt(i)) && !isPoll(code, i) && operandsOf(code.textAt(i)).some((operand) => carried.has(operand))) {
			comparisons.push(i);
		}
	}
	return { goesOn: carried.has(wholeRegister(register)), comparisons };
}
