/**
 * Whether an outer loop goes on with the index of the inner one or starts it again, from the text of its instructions (x86-64 AT&T, AArch64): what is made from it, in registers
 * and stack slots, is carried on; constants and what the inner loop does not write are a new start.
 */
import { type Instructions, isPoll } from '../model/instructions.js';
import { wholeRegister } from './loop-index.js';

interface Assignment {
	readonly to: string;
	readonly from: readonly string[];
}

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

/** No assignment: comparisons, jumps, calls, prefetches. */
const NO_RESULT = /^(?:cmp|test|j|call|push|pop|ret|nop|data16|xchg|prefetch|b\b|b\.|bl|cb|tb|tst|str|stp)/;
const ARM_STORE = /^st[rp]\w* /;

function assignmentOf(text: string): Assignment | null {
	if (ARM_STORE.test(text)) {
		const stored = operands(text);
		const to = stored.pop();
		return to === undefined || stored.length === 0 ? null : { to: to.replace(/!$/, ''), from: stored.flatMap(namesIn) };
	}
	if (NO_RESULT.test(text)) {
		return null;
	}
	const isAtt = text.includes('%');
	const parts = operands(text);
	const to = isAtt ? parts.at(-1) : parts[0];
	if (to === undefined || parts.length === 0) {
		return null;
	}
	const sources = isAtt ? parts.slice(0, -1) : parts.slice(1);
	const isMove = /^(?:v?mov|lea|ld)/.test(text);
	const isCleared = /^xor/.test(text) && sources.length === 1 && sources[0] === to;
	// `add %eax,%ebx` changes what was there; with three operands it does not.
	const changes = isAtt && !isMove && sources.length < 2;
	return { to: nameOf(to), from: isCleared ? [] : [...sources, ...(changes ? [to] : [])].flatMap(namesIn) };
}

/** Between the commas that stand outside of brackets. */
function operands(text: string): string[] {
	const space = text.indexOf(' ');
	const result: string[] = [];
	let depth = 0;
	let from = space + 1;
	for (let i = from; space >= 0 && i <= text.length; i++) {
		const character = text[i] ?? ',';
		if (i === text.length || (character === ',' && depth === 0)) {
			result.push(text.slice(from, i).trim());
			from = i + 1;
		} else if (character === '(' || character === '[') {
			depth++;
		} else if (character === ')' || character === ']') {
			depth--;
		}
	}
	return result.filter((operand) => operand !== '');
}

function operandsOf(text: string): string[] {
	return operands(text.includes(' ') ? text : `x ${text}`).flatMap(namesIn);
}

/** A stack slot is a place of its own; other memory is what its address is made from. */
function namesIn(operand: string): string[] {
	if (/^-?(?:0x[0-9a-f]+)?\(%rsp\)$|^\[sp\b/.test(operand)) {
		return [operand];
	}
	return (operand.match(/%\w+|\b[wx]\d+\b/g) ?? []).map(wholeRegister);
}

function nameOf(operand: string): string {
	return /^%|^[wx]\d+$/.test(operand) ? wholeRegister(operand) : operand;
}
