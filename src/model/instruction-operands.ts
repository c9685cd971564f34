/** Operands of instructions, from their texts: what is written, and from what (x86-64 in AT&T syntax, AArch64). */

/** Registers by one name for all their widths, stack slots as they stand; of other memory what its address is made from. */
export interface Assignment {
	readonly to: string;
	readonly from: readonly string[];
}

/** No assignment: comparisons, jumps, calls, prefetches. */
const NO_RESULT = /^(?:cmp|test|j|call|push|pop|ret|nop|data16|xchg|prefetch|b\b|b\.|bl|cb|tb|tst|str|stp)/;
const ARM_STORE = /^st[rp]\w* /;

/** What an instruction writes and from what, as far as its text tells (x86-64 in AT&T syntax, AArch64). Null: it writes nothing. */
export function assignmentOf(text: string): Assignment | null {
	if (ARM_STORE.test(text)) {
		const stored = operandTexts(text);
		const to = stored.pop();
		return to === undefined || stored.length === 0 ? null : { to: to.replace(/!$/, ''), from: stored.flatMap(namesIn) };
	}
	if (NO_RESULT.test(text)) {
		return null;
	}
	const isAtt = text.includes('%');
	const parts = operandTexts(text);
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

/** Between the commas that stand outside of brackets; behind ` # ` stands the address of what is reached from the program counter. */
export function operandTexts(instruction: string): string[] {
	const comment = instruction.indexOf(' # ');
	const text = comment < 0 ? instruction : instruction.slice(0, comment);
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

/** Names of all that an instruction has as operands. */
export function operandsOf(text: string): string[] {
	return operandTexts(text.includes(' ') ? text : `x ${text}`).flatMap(namesIn);
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

/** One name for all widths of a register. */
export function wholeRegister(register: string): string {
	return register.replace(/^%?[re]?([a-ds][xipl]|[sd]i|[bs]p)l?$|^%?r(\d+)[dwb]?$|^[wx](\d+)$/, '$1$2$3');
}
