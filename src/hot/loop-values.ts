/**
 * What the body of a loop does with its values, from the text of its instructions (x86-64 in AT&T syntax), as far as sums tell: registers and stack slots as what they
 * held where the body begins, each so many times, and a constant. The body is taken as if it ran from its first instruction to its last.
 */
import { assignmentOf, operandTexts, wholeRegister } from '../model/instruction-operands.js';

/** What names held where the body begins, each so many times, and a constant; also values that are no such sum, each under a number of its own (`#7`). */
interface Sum {
	readonly terms: ReadonlyMap<string, number>;
	readonly constant: number;
}

/** One load or store of memory other than the stack. */
export interface Access {
	readonly address: Sum;
	readonly sizeBytes: number;
	readonly isFloat: boolean;
	readonly isStore: boolean;
	/** Names whose values at the begin go into what is stored. */
	readonly of: ReadonlySet<string>;
}

export interface LoopValues {
	readonly accesses: readonly Access[];
	/** What is added on each way round, by name: never 0; NaN where that does not change, but is no constant. */
	readonly steps: ReadonlyMap<string, number>;
	/** Names that hold something else where the body ends, other than by such steps: of each the names whose values at its begin go into it. */
	readonly changed: ReadonlyMap<string, ReadonlySet<string>>;
	/** Comparisons by their position in the body: whether a value that grows by steps is compared with one that stays. */
	readonly limits: ReadonlySet<number>;
}

const STACK = /^-?(?:0x[0-9a-f]+)?\(%rsp\)$/;
const MEMORY = /^(-?0x[0-9a-f]+)?\((%\w+)?(?:,(%\w+),([1248]))?\)$/;
/** Copies, also those that widen an int to a long. */
const COPY = /^(?:mov[lq]?|movabs|movslq|movsxd|v?mov[dq]|v?movap[sd]|v?mov[sd][sd]) /;
/** What these write depends on what was there only where other parts of a register are kept. */
const WRITES_ANEW = /^(?:set\w+|v?(?:cvt|sqrt|round|rndscale|rcp|rsqrt|mov[sd][sd])\w*) /;
/** Products that are added to something are computed of all three operands. */
const FUSED = /^vfn?m(?:add|sub)/;
const POLL = /^test %eax,\(%r\w+\)$/;
const NO_STORE = /^(?:cmp|test|v?u?comis|prefetch|nop|lea|bt |j|call|push)/;
const CLEARS = /^(?:xor[lq]?|v?pxor|v?xorp[sd]) (%\w+),(?:\1,)?\1$/;

export function valuesOf(texts: readonly string[]): LoopValues {
	const walk = new Walk();
	texts.forEach((text, i) => {
		walk.take(text, i);
	});
	return walk.found();
}

class Walk {
	private readonly now = new Map<string, Sum>();
	/** Of values that are no sums the names that go into them. */
	private readonly into = new Map<string, ReadonlySet<string>>();
	private readonly accesses: Access[] = [];
	private readonly compared: (readonly [number, Sum, Sum])[] = [];

	take(text: string, position: number): void {
		const operands = operandTexts(text);
		for (const operand of operands) {
			this.takeAccess(text, operand, operand === operands.at(-1) && !NO_STORE.test(text), operands);
		}
		if (/^cmp/.test(text) && operands.length === 2) {
			this.compared.push([position, this.valueOf(operands[0]!), this.valueOf(operands[1]!)]);
		}
		if (/^i?(?:div|mul)[lq]? /.test(text) && operands.length === 1) {
			const made = this.made([...operands, '%rax', '%rdx']);
			this.now.set('ax', made);
			this.now.set('dx', made);
			return;
		}
		const assignment = assignmentOf(text);
		const to = operands.at(-1);
		if (assignment !== null && to !== undefined && (to.startsWith('%') || STACK.test(to))) {
			this.now.set(assignment.to, this.resultOf(text, operands, assignment.from));
		}
	}

	found(): LoopValues {
		const steps = new Map<string, number>();
		const changed = new Map<string, ReadonlySet<string>>();
		for (const [name, value] of this.now) {
			const isOwn = value.terms.size === 1 && value.terms.get(name) === 1;
			if (isOwn && value.constant !== 0) {
				steps.set(name, value.constant);
			} else if (!isOwn) {
				changed.set(name, this.namesIn(value));
			}
		}
		// What is computed of steps alone, as an index of its own is, takes steps too; and what does not change may be one.
		for (let before = -1; before !== steps.size; ) {
			before = steps.size;
			for (const name of changed.keys()) {
				const { terms } = this.now.get(name)!;
				const others = [...terms.keys()].filter((term) => term !== name);
				if (others.some((term) => term.startsWith('#') || changed.has(term))) {
					continue;
				}
				const step = terms.get(name) === 1 && !others.some((term) => steps.has(term)) ? Number.NaN : terms.has(name) ? 0 : stepOf(this.now.get(name)!, steps);
				if (step !== 0) {
					steps.set(name, step);
					changed.delete(name);
				}
			}
		}
		const isKnown = ({ terms }: Sum): boolean => [...terms.keys()].every((name) => !name.startsWith('#') && !changed.has(name));
		const isStep = (sum: Sum): boolean => isKnown(sum) && [...sum.terms.keys()].some((name) => steps.has(name));
		const stays = (sum: Sum): boolean => isKnown(sum) && ![...sum.terms.keys()].some((name) => steps.has(name));
		const limits = this.compared.flatMap(([position, a, b]) => ((isStep(a) && stays(b)) || (isStep(b) && stays(a)) ? [position] : []));
		return { accesses: this.accesses, steps, changed, limits: new Set(limits) };
	}

	private takeAccess(text: string, operand: string, isWritten: boolean, operands: readonly string[]): void {
		const address = this.addressOf(operand);
		if (address === null || /^(?:lea|prefetch|nop)/.test(text) || POLL.test(text)) {
			return;
		}
		const sources = operands.slice(0, -1);
		const access = { address, sizeBytes: sizeOf(text, operands), isFloat: isFloat(text, operands) };
		const isMove = /^v?mov/.test(text);
		if (!isWritten || !isMove) {
			this.accesses.push({ ...access, isStore: false, of: new Set() });
		}
		if (isWritten) {
			this.accesses.push({ ...access, isStore: true, of: new Set(sources.flatMap((source) => [...this.namesIn(this.valueOf(source))])) });
		}
	}

	private resultOf(text: string, operands: readonly string[], from: readonly string[]): Sum {
		const [first = '', second = ''] = operands;
		if (CLEARS.test(text)) {
			return constantOf(0);
		}
		if (operands.length === 2) {
			const [a, b] = [this.valueOf(first), this.valueOf(second)];
			if (COPY.test(text) && (first.startsWith('%') || first.startsWith('$') || STACK.test(first))) {
				return a;
			}
			if (text.startsWith('lea')) {
				return this.addressOf(first) ?? this.made([]);
			}
			if (/^(?:add|sub)[lq]? /.test(text) && (!first.includes('(') || STACK.test(first))) {
				return plus(b, a, text.startsWith('add') ? 1 : -1);
			}
			if (/^(?:shl|sal)[lq]? /.test(text) && first.startsWith('$')) {
				return plus(constantOf(0), b, 2 ** Math.min(a.constant, 52));
			}
		}
		if (operands.length === 1 && /^(?:inc|dec)[lq]? /.test(text)) {
			return plus(this.valueOf(first), constantOf(1), text.startsWith('inc') ? 1 : -1);
		}
		if (operands.length === 1 && /^(?:shl|sal)[lq]? /.test(text)) {
			return plus(constantOf(0), this.valueOf(first), 2);
		}
		if (operands.length === 1 && /^neg[lq]? /.test(text)) {
			return plus(constantOf(0), this.valueOf(first), -1);
		}
		// The value that is computed comes first; behind it stands where the rest of the register is from.
		return this.made(WRITES_ANEW.test(text) ? [first] : FUSED.test(text) ? operands : from);
	}

	/** A value that is no sum. */
	private made(from: readonly string[]): Sum {
		const name = `#${this.into.size}`;
		this.into.set(name, new Set(from.flatMap((operand) => [...this.namesIn(this.valueOf(operand))])));
		return { terms: new Map([[name, 1]]), constant: 0 };
	}

	/** What an operand holds now; of memory other than the stack what its address is made from. */
	private valueOf(operand: string): Sum {
		if (operand.startsWith('$')) {
			return constantOf(signed(Number(operand.slice(1))));
		}
		const address = this.addressOf(operand);
		if (address !== null) {
			return address;
		}
		const name = operand.startsWith('%') ? wholeRegister(operand) : operand;
		return this.now.get(name) ?? { terms: new Map([[name, 1]]), constant: 0 };
	}

	/** null: no memory, or of the stack. */
	private addressOf(operand: string): Sum | null {
		const [all, displacement = '0', base, index, scale = '1'] = STACK.test(operand) ? [] : (MEMORY.exec(operand) ?? []);
		// A base in r12 is mostly that of compressed addresses: an object.
		if (all === undefined || base === '%r12' || base === '%r15' || base === '%rip') {
			return null;
		}
		let address = constantOf(Number(displacement.replace('-', '')) * (displacement.startsWith('-') ? -1 : 1));
		if (base !== undefined) {
			address = plus(address, this.valueOf(base), 1);
		}
		return index === undefined ? address : plus(address, this.valueOf(index), Number(scale));
	}

	private namesIn({ terms }: Sum): ReadonlySet<string> {
		const result = new Set<string>();
		for (const term of terms.keys()) {
			const into = this.into.get(term);
			if (into === undefined) {
				result.add(term);
			} else {
				for (const name of into) {
					result.add(name);
				}
			}
		}
		return result;
	}
}

/** What is added to a sum on each way round. */
export function stepOf({ terms }: Pick<Sum, 'terms'>, steps: ReadonlyMap<string, number>): number {
	return [...terms].reduce((sum, [name, times]) => sum + times * (steps.get(name) ?? 0), 0);
}

/** Of the 32 or 64 bits of a constant. */
function signed(bits: number): number {
	return bits >= 2 ** 63 ? bits - 2 ** 64 : bits >= 2 ** 31 && bits < 2 ** 32 ? bits - 2 ** 32 : bits;
}

function constantOf(constant: number): Sum {
	return { terms: new Map(), constant };
}

function plus(a: Sum, b: Sum, times: number): Sum {
	const terms = new Map(a.terms);
	for (const [name, own] of b.terms) {
		const sum = (terms.get(name) ?? 0) + times * own;
		if (sum === 0) {
			terms.delete(name);
		} else {
			terms.set(name, sum);
		}
	}
	return { terms, constant: a.constant + times * b.constant };
}

/** `vcvtsi2sd`, `cvttsd2si`, `vcvtsi2sdq`: what memory there is holds the first of the two. */
const CONVERTS = /^v?cvtt?(s[sdi])2s[sdi]([lq])?$/;

function isFloat(text: string, operands: readonly string[]): boolean {
	const [, converted] = CONVERTS.exec(text.split(' ')[0] ?? '') ?? [];
	return converted === undefined ? operands.some((one) => one.startsWith('%xmm')) : converted !== 'si';
}

/** Of the memory that an instruction reads or writes. */
function sizeOf(text: string, operands: readonly string[]): number {
	const [name = ''] = text.split(' ');
	const [, converted, width] = CONVERTS.exec(name) ?? [];
	if (converted !== undefined) {
		return converted === 'sd' || width === 'q' ? 8 : 4;
	}
	const [, scalar] = /s([sd])$/.exec(name) ?? [];
	if (operands.some((one) => one.startsWith('%xmm')) && scalar !== undefined) {
		return scalar === 's' ? 4 : 8;
	}
	const [, extended] = /^mov[sz]([bwl])[lqw]?$/.exec(name) ?? [];
	const suffix = extended ?? (/^(?:mov|add|sub|and|or|xor|cmp|test|inc|dec|neg)([bwlq])$/.exec(name) ?? [])[1];
	if (suffix !== undefined) {
		return { b: 1, w: 2, l: 4, q: 8 }[suffix] ?? 0;
	}
	const register = operands.find((one) => /^%[er]?[a-d]|^%[er]?[sdb][ip]|^%r\d/.test(one)) ?? '';
	return /^%(?:[a-d]l|[sdb][ip]l|r\d+b)$/.test(register) ? 1 : /^%(?:[a-d]x|[sdb][ip]|r\d+w)$/.test(register) ? 2 : /^%(?:e|r\d+d$)/.test(register) ? 4 : 8;
}
