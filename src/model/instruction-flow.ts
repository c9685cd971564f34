/**
 * Where execution goes after an instruction, told from its text: x86-64 in AT&T and Intel syntax and AArch64, as binutils, hsdis and
 * Capstone print them. The mnemonics are those of the manuals of Intel, AMD and Arm.
 */
import { Flow, type FlowKind } from './instructions.js';

/** Kind of flow, and the address of a direct jump or call; NaN where there is none. */
export interface InstructionFlow {
	readonly flow: FlowKind;
	/** Address that a direct jump, branch or call goes to; NaN for registers, memory, names, and where nothing is gone to. */
	readonly target: number;
}

const NEXT: InstructionFlow = { flow: Flow.Next, target: Number.NaN };
const RETURN: InstructionFlow = { flow: Flow.Return, target: Number.NaN };
const STOP: InstructionFlow = { flow: Flow.Stop, target: Number.NaN };

/** Words before a mnemonic, as `lock`, `repz`, `data16`, `notrack`; also `rex.W` and `{vex}`. */
const PREFIXES = new Set(
	(
		'lock rep repe repz repne repnz data16 data32 addr16 addr32 cs ds es fs gs ss bnd notrack xacquire xrelease ' +
		'rex rex.W rex.R rex.X rex.B rex.WR rex.WX rex.WB rex.RX rex.RB rex.XB rex.WRX rex.WRB rex.WXB rex.RXB rex.WRXB {vex} {vex3} {evex}'
	).split(' '),
);

/** What ends a path; all else that begins with `.` is data too. */
const STOPS = new Set('hlt ud0 ud1 ud2 ud2a ud2b int3 udf udb brk (bad) undefined'.split(' '));
const RETURNS = new Set(
	'ret retq retw retl retn retf lret lretq lretl iret iretq iretd iretw uiret sysret sysretq sysexit retaa retab eret eretaa eretab'.split(' '),
);
const JUMPS = new Set('jmp jmpq jmpw jmpl ljmp ljmpq ljmpl b br braa brab braaz brabz'.split(' '));
const CALLS = new Set('call callq callw calll lcall lcallq lcalll bl blr blraa blrab blraaz blrabz'.split(' '));
const LOOPS = new Set('loop loope loopne loopz loopnz xbegin xbeginq'.split(' '));
/** Branches of AArch64 by the number of operands before the target. */
const TESTS = new Map([
	['cbz', 1],
	['cbnz', 1],
	['tbz', 2],
	['tbnz', 2],
]);

/** Which first letters, after prefixes, a mnemonic can have that does not simply go on to the next instruction. */
const CANDIDATE = new Uint8Array(128);
for (const names of [STOPS, RETURNS, JUMPS, CALLS, LOOPS, PREFIXES, TESTS.keys(), ['j', '.', 'int']]) {
	for (const name of names) {
		CANDIDATE[name.charCodeAt(0)] = 1;
	}
}

/** Where execution goes after an instruction, from its text (x86-64 in AT&T and Intel syntax, AArch64). */
export function flowOfInstruction(text: string): InstructionFlow {
	if (CANDIDATE[text.charCodeAt(0)] !== 1) {
		return NEXT;
	}
	const start = mnemonicStart(text);
	const first = text.charCodeAt(start);
	if (CANDIDATE[first] !== 1) {
		return NEXT;
	}
	const end = wordEnd(text, start);
	const mnemonic = text.slice(start, end);
	if (JUMPS.has(mnemonic)) {
		return { flow: Flow.Jump, target: targetAt(text, end) };
	}
	if (first === 0x6a || isConditional(mnemonic) || LOOPS.has(mnemonic)) {
		return { flow: Flow.Branch, target: targetAt(text, end) };
	}
	if (CALLS.has(mnemonic)) {
		return { flow: Flow.Call, target: targetAt(text, end) };
	}
	const operandsBefore = TESTS.get(mnemonic);
	if (operandsBefore !== undefined) {
		return { flow: Flow.Branch, target: targetAt(text, afterCommas(text, end, operandsBefore)) };
	}
	if (RETURNS.has(mnemonic)) {
		return RETURN;
	}
	return STOPS.has(mnemonic) || first === 0x2e || isBreakpoint(text, mnemonic, end) ? STOP : NEXT;
}

/** Where the mnemonic begins: behind prefixes such as `lock` and `rep`. A prefix that stands alone is the mnemonic. */
export function mnemonicStart(text: string): number {
	let start = 0;
	for (;;) {
		const end = wordEnd(text, start);
		const next = skipBlanks(text, end);
		if (next === text.length || !PREFIXES.has(text.slice(start, end))) {
			return start;
		}
		start = next;
	}
}

/** Where the word that begins at `start` ends: at a blank, a tab or the end. */
export function wordEnd(text: string, start: number): number {
	let end = start;
	while (end < text.length && text.charCodeAt(end) > 0x20) {
		end++;
	}
	return end;
}

/** `b.ne` and `bc.ne` of AArch64. Those of x86 are known by their `j`. */
function isConditional(mnemonic: string): boolean {
	return mnemonic.startsWith('b.') || mnemonic.startsWith('bc.');
}

/** `int $0x3`, `int 3`. */
function isBreakpoint(text: string, mnemonic: string, end: number): boolean {
	return mnemonic === 'int' && /^\s+\$?(0x)?0*3$/.test(text.slice(end));
}

function afterCommas(text: string, start: number, count: number): number {
	let at = start;
	for (let left = count; left > 0; left--) {
		at = text.indexOf(',', at) + 1;
		if (at === 0) {
			return text.length;
		}
	}
	return at;
}

/**
 * The address at a place in the text, or behind names as in `Stub::<unknown> 0x00007f61b496fbf2` and `short 0x10`. Not one in brackets:
 * that is where the address is loaded from.
 */
function targetAt(text: string, from: number): number {
	const start = skipBlanks(text, from);
	const first = text.charCodeAt(start);
	// `*%rax`, `*0x8(%rax)`, `%rax`
	if (first === 0x2a || first === 0x25) {
		return Number.NaN;
	}
	const direct = hexadecimalAt(text, first === 0x23 ? start + 1 : start);
	if (!Number.isNaN(direct)) {
		return direct;
	}
	const named = text.indexOf(' 0x', start);
	return named < 0 || text.includes('[', start) ? Number.NaN : hexadecimalAt(text, named + 1);
}

/** `0x7f10`, `7f10`, `7f10h`; NaN unless the whole word is one. */
function hexadecimalAt(text: string, from: number): number {
	const isMarked = text.charCodeAt(from) === 0x30 && (text.charCodeAt(from + 1) | 0x20) === 0x78;
	const start = isMarked ? from + 2 : from;
	let value = 0;
	let at = start;
	for (let digit = hexadecimalDigit(text, at); digit >= 0; digit = hexadecimalDigit(text, ++at)) {
		value = value * 16 + digit;
	}
	const isEmpty = at === start;
	if (!isMarked && text.charCodeAt(at) === 0x68) {
		at++;
	}
	return isEmpty || (at < text.length && text.charCodeAt(at) > 0x20 && text.charCodeAt(at) !== 0x2c) ? Number.NaN : value;
}

/** -1 where there is none. */
function hexadecimalDigit(text: string, at: number): number {
	const code = text.charCodeAt(at);
	if (code >= 0x30 && code <= 0x39) {
		return code - 0x30;
	}
	const letter = code | 0x20;
	return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function skipBlanks(text: string, start: number): number {
	let at = start;
	while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09) {
		at++;
	}
	return at;
}
