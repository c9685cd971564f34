/**
 * How long an instruction keeps later ones waiting, in classes: what decides which of several predecessors a sample belongs to. From a
 * measured study of where timer samples land; only the order of the classes matters. x86-64 in AT&T and Intel syntax and AArch64, as
 * binutils, hsdis and Capstone print them.
 */
import { mnemonicStart, wordEnd } from '../model/instruction-flow.js';

/** From here on an instruction is slow enough to show where samples land. */
export const SLOW = 15;

const X87_FUNCTION = 40;
const SYSTEM = 30;
const FENCE = 25;
const DIVISION = 20;
const REPEATED = 20;
const ATOMIC = 18;
const FLOAT_DIVISION = SLOW;
/** {@link costOf} of what reads memory, and is not slow otherwise. */
export const LOAD = 6;
const MULTIPLICATION = 3;
const PLAIN = 1;
const NOTHING = 0;

/** Matched against the mnemonic without prefixes; the first that fits counts. x86 and AArch64 share no name that means different things. */
const CLASSES: readonly (readonly [RegExp, number])[] = [
	[/^(f2xm1|fcos|fsin|fsincos|fptan|fpatan|fyl2x|fyl2xp1)$/, X87_FUNCTION],
	[/^(cpuid|rdtscp?|rdpmc|rdrand[wlq]?|rdseed[wlq]?|pause|[ut]pause|wf[ei]t?)$/, SYSTEM],
	[/^([mls]fence|serialize|dmb|dsb|isb|sb)$/, FENCE],
	[/^(i?div[bwlq]?|fprem1?|[su]div)$/, DIVISION],
	[/^(lda?x[rp][bh]?|stl?x[rp][bh]?|casp?a?l?[bh]?|swpp?a?l?[bh]?|(ld|st)(add|clr|eor|set|[su]max|[su]min)p?a?l?[bh]?)$/, ATOMIC],
	[/^v?(sqrt|div)[sp][sdh]$|^f(i?div|sqrt)r?p?[sl]?$/, FLOAT_DIVISION],
	[/^(ld[rpu]|ldap|ldar|ldlar|ldn[pf]|ldt[rpn]|ldff|ld[1-4])/, LOAD],
	[/^(i?mul[bwlq]?|mulx[lq]?|v?(add|sub|mul|hadd|hsub|addsub)[sp][sdh]|vfn?m(add|sub|addsub|subadd)\w+|v?pmul\w+|v?dpp[sd])$/, MULTIPLICATION],
	[/^(fi?(add|sub|mul)r?p?[sl]?|fn?m(add|sub|ul|la|ls)|m(add|sub|neg|la|ls)|[su]mul[lh]|[su]m(add|sub|neg)l)$/, MULTIPLICATION],
];

/** Have a memory operand and do not read it: `lea`, prefetches, cache control. */
const READS_NOTHING = /^(lea[bwlq]?|prefetch\w*|clflush(opt)?|clwb|cldemote|invlpg|bnd\w+)$/;
/** Write their last operand (AT&T) or first one (Intel) and do not read it. */
const WRITES_ONLY =
	/^(v?p?(mask)?mov|kmov|set|stos|ins[bwld]|v?extract|v?pextr|v?p?compress|v?p?scatter|vcvtps2ph|v?stmxcsr|fn?st|fist|fn?save|fxsave|xsave|pop|s[gil]dt)/;
const STRING = /^(movs|cmps|scas|lods|stos|ins|outs)([bwlqd]|$)/;
const JUMP_OR_CALL = /^(j|loop|l?call|ljmp)/;

/** By text: code repeats its forms. */
const known = new Map<string, number>();
const MOST_KNOWN = 1 << 16;

/** 0 for what does nothing, 1 for plain instructions, 6 for loads, {@link SLOW} and more for slow ones. */
export function costOf(text: string): number {
	let cost = known.get(text);
	if (cost === undefined) {
		if (known.size >= MOST_KNOWN) {
			known.clear();
		}
		cost = findCost(text);
		known.set(text, cost);
	}
	return cost;
}

function findCost(text: string): number {
	const start = mnemonicStart(text);
	const end = wordEnd(text, start);
	const mnemonic = text.slice(start, end);
	const operands = withoutComment(text.slice(end));
	if (isNothing(mnemonic, operands)) {
		return NOTHING;
	}
	if (start > 0 && isRepString(text)) {
		return REPEATED;
	}
	const own = CLASSES.find(([names]) => names.test(mnemonic))?.[1] ?? PLAIN;
	if (own >= LOAD) {
		return own;
	}
	if (start > 0 && hasPrefix(text, start, /^(lock|xacquire|xrelease)$/)) {
		return ATOMIC;
	}
	if (/^xchg[bwlq]?$/.test(mnemonic) && memoryOperands(mnemonic, operands).includes(true)) {
		return ATOMIC;
	}
	return readsMemory(mnemonic, operands) ? LOAD : own;
}

/** `rep movsb` and the like: interrupted between its steps, so a sample on it is its own. */
export function isRepString(text: string): boolean {
	const start = mnemonicStart(text);
	return start > 0 && hasPrefix(text, start, /^rep(n?[ez])?$/) && STRING.test(text.slice(start, wordEnd(text, start)));
}

/** Does nothing, as between methods and before loops. */
export function isNop(text: string): boolean {
	const start = mnemonicStart(text);
	const end = wordEnd(text, start);
	return isNothing(text.slice(start, end), text.slice(end));
}

/** Holds back the instruction after it as well: a sample of it lands on the second one behind it. */
export function isSerializing(text: string): boolean {
	return text.startsWith('lfence') && wordEnd(text, 0) === 6;
}

function isNothing(mnemonic: string, operands: string): boolean {
	if (/^(nop[wlq]?|data16|cs)$/.test(mnemonic)) {
		return true;
	}
	return mnemonic === 'xchg' && /^\s*(%?)ax\s*,\s*\1ax$/.test(operands);
}

function hasPrefix(text: string, mnemonicAt: number, prefix: RegExp): boolean {
	return text
		.slice(0, mnemonicAt)
		.split(/\s+/)
		.some((word) => prefix.test(word));
}

/** Of x86; loads of AArch64 are known by name. What push, pop, call and ret do with the stack is not counted. */
function readsMemory(mnemonic: string, operands: string): boolean {
	const memory = memoryOperands(mnemonic, operands);
	if (!memory.includes(true) || READS_NOTHING.test(mnemonic)) {
		return false;
	}
	if (!WRITES_ONLY.test(mnemonic)) {
		return true;
	}
	return (isAtt(operands) ? memory.slice(0, -1) : memory.slice(1)).includes(true);
}

/** For each operand whether it is one in memory. */
function memoryOperands(mnemonic: string, operands: string): boolean[] {
	if (JUMP_OR_CALL.test(mnemonic) && !operands.includes('[') && !/^\s*\*/.test(operands)) {
		return [];
	}
	const isInMemory = isAtt(operands) ? isAttMemory : isIntelMemory;
	return splitOperands(operands).map((operand) => isInMemory(operand.trim().replace('*', '')));
}

function isAtt(operands: string): boolean {
	return operands.includes('%') || operands.includes('$');
}

/** `0x10(%rax)`, `%fs:0x28`, an address alone; not `%st(1)`. */
function isAttMemory(operand: string): boolean {
	return (operand.includes('(') && !operand.startsWith('%st')) || /^%[c-gs]s:/.test(operand) || /^-?[0-9a-z]/i.test(operand);
}

/** `QWORD PTR [rax+0x10]`, `fs:0x28`; not `[x0, #16]` of AArch64. */
function isIntelMemory(operand: string): boolean {
	return (operand.includes('[') && !/\[\s*(x\d|sp\b)/.test(operand)) || /\b[c-gs]s:/i.test(operand);
}

/** At the commas outside of brackets. */
function splitOperands(operands: string): string[] {
	const result: string[] = [];
	let depth = 0;
	let start = 0;
	for (let i = 0; i < operands.length; i++) {
		const character = operands[i]!;
		depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
		if (character === ',' && depth === 0) {
			result.push(operands.slice(start, i));
			start = i + 1;
		}
	}
	if (operands.trim() !== '') {
		result.push(operands.slice(start));
	}
	return result;
}

function withoutComment(operands: string): string {
	const at = operands.search(/\s(#|\/\/|;)\s/);
	return at < 0 ? operands : operands.slice(0, at);
}
