/**
 * How many bytes an instruction of x86-64 reads or writes in memory, as a word of the Intel syntax, by its mnemonic in AT&T syntax and its registers (Intel SDM volume 2; GNU
 * objdump's own choice where the manual leaves it open).
 */

const OF_SUFFIX: Readonly<Record<string, string>> = { b: 'BYTE', w: 'WORD', l: 'DWORD', q: 'QWORD' };
/** From the narrowest to the widest. */
const WIDTHS = ['BYTE', 'WORD', 'DWORD', 'QWORD', 'XMMWORD', 'YMMWORD', 'ZMMWORD'];
const WIDTH_BYTES = [1, 2, 4, 8, 16, 32, 64];

/** Instructions without a size: `lea`, and what saves states. */
const NONE = /^(?:lea|f?xsave\w*|f?xrstor\w*|fn?stenv|fldenv|movabs|fnsave|frstor|lgdt|lidt|sgdt|sidt|invlpg|cldemote|clwb|clflushopt|invpcid|v?lddqu|bnd\w+)$/;
const BY_SUFFIX =
	/^(?:mov|add|sub|and|or|xor|cmp|test|inc|dec|neg|not|adc|sbb|imul|mul|idiv|div|shl|shr|sal|sar|rol|ror|rcl|rcr|bt|bts|btr|btc|crc32|nop|movs|cmps|ins|outs|scas|lods|stos|jmp|call|push|pop|ptwrite|cvtsi2s[sd]|vcvtu?si2s[sd])([bwlq])$/;
const WIDENED = /^mov[sz]([bwl])[wlq]$/;
const OF_STACK = /^f(i?)(?:add|mul|com|comp|sub|subr|div|divr|ld|st|stp|sttp)(s|l|ll|t)$/;
const OF_INTEGER: Readonly<Record<string, string>> = { s: 'WORD', l: 'DWORD', ll: 'QWORD', t: 'TBYTE' };
const OF_FLOAT: Readonly<Record<string, string>> = { s: 'DWORD', l: 'QWORD', t: 'TBYTE', ll: 'QWORD' };

/** Whatever the registers are. */
const FIXED: readonly (readonly [RegExp, string])[] = [
	[/^(?:set\w+|prefetch\w*|clflush|xlat|v?pbroadcastb|v?p(?:insr|extr)b)$/, 'BYTE'],
	[/^(?:lar|lsl|str|sldt|fldcw|fn?stcw|fn?stsw|lldt|ltr|verr|verw|smsw|lmsw|v?pbroadcastw|v?p(?:insr|extr)w)$/, 'WORD'],
	[/^(?:v?(?:ldmxcsr|stmxcsr|movd|extractps|insertps|broadcastss)|v?p(?:insr|extr)d|vpbroadcastd|kmovd)$/, 'DWORD'],
	[/^v?p?(?:gather|scatter)(?:[dq]d|[dq]ps)$/, 'DWORD'],
	[/^v?p?(?:gather|scatter)(?:[dq]q|[dq]pd)$/, 'QWORD'],
	[/^(?:call|jmp|push|pop|cmpxchg8b|v?movq|v?mov[hl]p[sd]|v?p(?:insr|extr)q|vpbroadcastq|vbroadcastsd|kmovq)$/, 'QWORD'],
	[/^(?:cmpxchg16b|v(?:broadcast|insert|extract)[if](?:128|32x4|64x2))$/, 'XMMWORD'],
	[/^v(?:broadcast|insert|extract)[if](?:32x8|64x4)$/, 'YMMWORD'],
	[/^(?:lcall|ljmp|lfs|lgs|lss)$/, 'FWORD'],
	[/^(?:lcall|ljmp)w$/, 'DWORD'],
	[/^fb(?:ld|stp)$/, 'TBYTE'],
];
/** One number of a vector: of a double, of a float. `cvttsd2si` reads one; `pmaxsd` is of whole vectors. */
const SCALAR = /^(?!v?p)\w*?(s[sd])(?:2\w+)?$/;
/** By how many steps memory is narrower than the widest register. */
const NARROWER: readonly (readonly [RegExp, number])[] = [
	[/^v?pmov(?:[sz]x(?:bw|wd|dq)|u?s?(?:wb|dw|qd))$/, 1],
	[/^v?pmov(?:[sz]x(?:bd|wq)|u?s?(?:db|qw))$/, 2],
	[/^v?pmov(?:[sz]xbq|u?s?qb)$/, 3],
	[/^v?cvt(?:ps2pd|dq2pd|udq2pd|ph2ps|ps2ph|ps2qq|ps2uqq|tps2qq|tps2uqq)$/, 1],
];
/** The count of a shift is in sixteen bytes where it is not in the instruction. */
const SHIFT_OF_VECTOR = /^v?ps(?:ll|rl|ra)[wdq]$/;

export interface OtherOperands {
	/** Operands that are registers, without `%`. */
	readonly registers: readonly string[];
	/** Of three operands memory is the first in AT&T's order. */
	readonly isSource: boolean;
	/** Of AVX-512: one number of memory for so many of a vector; 0. */
	readonly repeats: number;
}

/** `PTR` is left to the caller; empty where objdump writes no size. */
export function memoryWord(mnemonic: string, { registers, isSource, repeats }: OtherOperands): string {
	if (NONE.test(mnemonic)) {
		return '';
	}
	const widths = registers.map(widthOf).filter((width) => width >= 0);
	const isVector = widths.some((width) => width >= 4);
	const widest = Math.max(-1, ...widths);
	const suffix = WIDENED.exec(mnemonic)?.[1] ?? (isVector && !mnemonic.includes('si2s') ? undefined : BY_SUFFIX.exec(mnemonic)?.[1]);
	if (suffix !== undefined) {
		return OF_SUFFIX[suffix] ?? '';
	}
	const [, isInteger, letter = ''] = OF_STACK.exec(mnemonic) ?? [];
	if (isInteger !== undefined) {
		return (isInteger === 'i' ? OF_INTEGER : OF_FLOAT)[letter] ?? '';
	}
	const fixed = FIXED.find(([pattern]) => pattern.test(mnemonic))?.[1];
	if (fixed !== undefined) {
		return fixed;
	}
	if (repeats > 0) {
		return /^vcvtt?u?(?:pd|qq)2/.test(mnemonic) ? 'QWORD' : (WIDTHS[WIDTH_BYTES.indexOf(WIDTH_BYTES[widest - stepsOf(mnemonic)]! / repeats)] ?? '');
	}
	const scalar = SCALAR.exec(mnemonic)?.[1] ?? (/^v?movddup$/.test(mnemonic) && widest === 4 ? 'sd' : undefined);
	if (scalar !== undefined) {
		return scalar === 'sd' ? 'QWORD' : 'DWORD';
	}
	if (registers[0]?.startsWith('mm') === true && mnemonic.startsWith('punpckl')) {
		return 'DWORD';
	}
	if (widest < 0 && registers.some((register) => /^[c-gs]s$/.test(register))) {
		return 'WORD';
	}
	if (SHIFT_OF_VECTOR.test(mnemonic) && isSource) {
		return 'XMMWORD';
	}
	return widest < 0 ? '' : WIDTHS[Math.max(0, widest - stepsOf(mnemonic))]!;
}

function stepsOf(mnemonic: string): number {
	return NARROWER.find(([pattern]) => pattern.test(mnemonic))?.[1] ?? 0;
}

/** Position in the widths; -1: of segments, masks and addresses. */
function widthOf(register: string): number {
	if (/^[xyz]mm/.test(register)) {
		return register.startsWith('x') ? 4 : register.startsWith('y') ? 5 : 6;
	}
	if (/^(?:mm\d|r\d+|r[a-ds][ix]|r[sb]p)$/.test(register)) {
		return 3;
	}
	if (/^(?:e[a-ds][ix]|e[sb]p|r\d+d)$/.test(register)) {
		return 2;
	}
	if (/^(?:[a-ds][ix]|[sb]p|r\d+w)$/.test(register)) {
		return 1;
	}
	return /^(?:[a-d][hl]|[sd]il|[sb]pl|r\d+b)$/.test(register) ? 0 : -1;
}
