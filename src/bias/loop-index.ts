/**
 * The index of a counted loop as its machine code has it: a register that gets a constant added once on the way round, and is compared
 * before a branch. x86-64 (AT&T) and AArch64 text.
 */
import { wholeRegister } from '../model/instruction-operands.js';
import { Flow, type Instructions } from '../model/instructions.js';

export interface LoopIndex {
	/** As the text of its step names it: `%ebx`, `w11`. */
	readonly register: string;
	/** What is added on each way round; unrolled loops count by several iterations. */
	readonly step: number;
	readonly bits: 32 | 64;
}

/** `inc %ebx`, `add $0x10,%ebx`, `lea 0x10(%rbx),%ebx`, `add w11, w11, #0x10`. */
const STEP_ATT = /^(inc|dec|add|sub)[lq]? +(?:\$(-?0x[0-9a-f]+|-?\d+),)?(%\w+)$/;
const LEA_ATT = /^lea[lq]? +(-?0x[0-9a-f]+|-?\d+)\((%\w+)\),(%\w+)$/;
const STEP_ARM = /^(adds?|subs?) +([wx]\d+), *([wx]\d+), *#(-?0x[0-9a-f]+|-?\d+)$/;
const STEPS = /^(?:inc|dec|add|sub|lea)/;
/** The next value of an index may be made in another register, and copied. */
const COPY = /^mov[lq]? +(%\w+),(%\w+)$/;
/** How many instructions may stand between a comparison and its branch. */
const NEAR = 3;

/**
 * Null where no register is such an index. `own`: positions of the loop's instructions, inner loops left out; `isEvery`: whether an
 * instruction is executed on each way round; `decides`: whether a branch ends the loop.
 */
export function loopIndex(code: Instructions, own: readonly number[], isEvery: (i: number) => boolean, decides: (branch: number) => boolean): LoopIndex | null {
	const copies = new Set<string>();
	for (const i of own) {
		const { copy } = saidBy(code.formAt(i));
		if (copy !== null) {
			copies.add(copy);
		}
	}
	// Texts are made of what may be a step alone.
	const stepAt = (i: number): LoopIndex | null => (saidBy(code.formAt(i)).mayStep ? stepIn(code.textAt(i), copies) : null);
	const stepsAt = own.map(stepAt);
	const steps = new Map<string, LoopIndex | null>();
	for (const [k, i] of own.entries()) {
		const step = stepsAt[k]!;
		if (step !== null) {
			const name = wholeRegister(step.register);
			steps.set(name, steps.has(name) || !isEvery(i) ? null : step);
		}
	}
	if (steps.size === 0) {
		return null;
	}
	for (const [k, i] of own.entries()) {
		const step = stepsAt[k]!;
		// A step sets the flags itself: `dec`, `subs`.
		const compared = saidBy(code.formAt(i)).compared ?? (step === null ? NO_REGISTERS : [step.register]);
		const branch = compared.length === 0 ? -1 : branchAfter(code, i);
		if (branch < 0 || !decides(branch)) {
			continue;
		}
		for (const register of compared) {
			const index = steps.get(wholeRegister(register));
			if (index) {
				return index;
			}
		}
	}
	return null;
}

/** What an instruction is to an index, whatever its numbers are. */
interface SaidByForm {
	/** `from to`, of a move between registers. */
	readonly copy: string | null;
	readonly mayStep: boolean;
	/** null: nothing is. */
	readonly compared: readonly string[] | null;
}

function saidBy(form: string): SaidByForm {
	let said = SAID.get(form);
	if (said === undefined) {
		said = {
			copy: COPY.exec(form)?.slice(1).map(wholeRegister).join(' ') ?? null,
			mayStep: STEPS.test(form),
			compared: /^(?:cmp|test|subs)/.test(form) ? registersOf(form) : null,
		};
		if (SAID.size < MOST_FORMS) {
			SAID.set(form, said);
		}
	}
	return said;
}

/** Code has few forms of instructions. */
const SAID = new Map<string, SaidByForm>();
const MOST_FORMS = 10_000;
const NO_REGISTERS: readonly string[] = [];

/** `copies`: `from to`, of each move between registers. */
function stepIn(text: string, copies: ReadonlySet<string>): LoopIndex | null {
	const att = STEP_ATT.exec(text);
	if (att !== null) {
		const [, name, constant, register] = att as unknown as [string, string, string | undefined, string];
		const isUnary = name === 'inc' || name === 'dec';
		if (isUnary !== (constant === undefined) || wholeRegister(register) === 'sp') {
			return null;
		}
		const amount = isUnary ? 1 : Number(constant);
		return index(register, name === 'sub' || name === 'dec' ? -amount : amount);
	}
	const lea = LEA_ATT.exec(text);
	if (lea !== null) {
		const [, amount, from, to] = lea as unknown as [string, string, string, string];
		return wholeRegister(from) === wholeRegister(to) || copies.has(`${wholeRegister(to)} ${wholeRegister(from)}`) ? index(to, signed(amount)) : null;
	}
	const arm = STEP_ARM.exec(text);
	if (arm !== null) {
		const [, name, to, from, amount] = arm as unknown as [string, string, string, string, string];
		return to === from ? index(to, name.startsWith('sub') ? -signed(amount) : signed(amount)) : null;
	}
	return null;
}

function index(register: string, amount: number): LoopIndex | null {
	const is64 = /^%r(?:[a-z]{2}|\d+)$|^x/.test(register);
	const step = !is64 && amount > 0x7fffffff ? amount - 2 ** 32 : amount;
	return Number.isFinite(step) && step !== 0 ? { register, step, bits: is64 ? 64 : 32 } : null;
}

function signed(text: string): number {
	return text.startsWith('-') ? -Number(text.slice(1)) : Number(text);
}

function registersOf(text: string): string[] {
	// A register inside an address is no operand that is compared.
	return text.replace(/\([^)]{0,200}\)|\[[^\]]{0,200}\]/g, '').match(/%\w+|\b[wx]\d+\b/g) ?? [];
}

function branchAfter(code: Instructions, i: number): number {
	for (let at = i + 1; at <= i + NEAR && at < code.length; at++) {
		if (code.flow[at] === Flow.Branch) {
			return at;
		}
		if (code.flow[at] !== Flow.Next || /^(?:cmp|test)/.test(code.formAt(at))) {
			return -1;
		}
	}
	return -1;
}
