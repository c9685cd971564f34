/**
 * The text of an instruction of x86-64 in the syntax of GNU binutils (AT&T) → as `objdump -M intel` writes the same: operands the other way round, memory in square
 * brackets with its size before it, no suffixes. Of other machines' instructions the text stays as it is. Compared with objdump in intel-syntax.test.ts and live/.
 */
import { memoryWord } from './memory-size.js';

interface Operand {
	readonly kind: 'register' | 'memory' | 'other';
	readonly text: string;
	/** What stands behind it in braces: masks of AVX-512, and how often memory is repeated. */
	readonly masks: string;
	/** Of memory that is read once for so many numbers of a vector; 0. */
	readonly repeats: number;
}

const PREFIX = /^(?:(?:\{\w+\}|lock|rep|repz|repnz|notrack|bnd|xacquire|xrelease|data16|addr32|[c-g]s|ss|rex(?:\.[WRXB]{1,4})?) )+/;
/** Names that are others in this syntax. */
const NAMES: Readonly<Record<string, string>> = {
	cltq: 'cdqe',
	cqto: 'cqo',
	cltd: 'cdq',
	cwtl: 'cwde',
	cbtw: 'cbw',
	cwtd: 'cwd',
	movslq: 'movsxd',
	lret: 'retf',
	lretw: 'retfw',
	lretq: 'retfq',
	lcall: 'call',
	ljmp: 'jmp',
	ljmpw: 'jmp',
};
const WIDENED = /^mov([sz])[bw][wlq]$/;
/** Whose last letter is the size of what they do where no register tells it. */
const SUFFIXED =
	/^(mov|add|sub|and|or|xor|cmp|test|inc|dec|neg|not|adc|sbb|imul|mul|idiv|div|shl|shr|sal|sar|rol|ror|rcl|rcr|bt|bts|btr|btc|crc32|nop|movs|cmps|ins|outs|jmp|call|push|pop|ptwrite)[bwlq]$/;
const CONVERSION = /^(v?cvtu?si2s[sd])[lq]$/;
/** Of floating point in stacks: `flds`, `fildll`, `fstpt`. */
const OF_STACK = /^(f(?:i?(?:add|mul|com|comp|sub|subr|div|divr|ld|st|stp|sttp)))(s|l|ll|t)$/;
const TRANSFER = /^(?:j\w+(?:,p[nt])?|l?call[qw]?|loop\w*(?:,p[nt])?|xbegin)$/;
const SHIFT = /^(?:sh[lr]|sal|sar|ro[lr]|rc[lr])$/;
/** AT&T's assemblers have these two names the wrong way round where the result does not go to the top of the stack. */
const SWAPPED: Readonly<Record<string, string>> = {
	...{ fsub: 'fsubr', fsubr: 'fsub', fdiv: 'fdivr', fdivr: 'fdiv' },
	...{ fsubp: 'fsubrp', fsubrp: 'fsubp', fdivp: 'fdivrp', fdivrp: 'fdivp' },
};

/** `mov 0x10(%rsi),%eax` → `mov eax,DWORD PTR [rsi+0x10]` */
export function intelSyntax(text: string): string {
	const end = commentStart(text);
	const instruction = text.slice(0, end);
	// Commas with blanks, brackets and number signs are of AArch64, operands without `%` and `$` of that or of Intel's syntax already.
	const isOther = /, |\[|#/.test(instruction) || instruction.startsWith('.') || (instruction.includes(',') && !/[%$]/.test(instruction));
	if (isOther) {
		return text;
	}
	const comment = text.slice(end);
	const prefix = PREFIX.exec(instruction)?.[0] ?? '';
	const body = instruction.slice(prefix.length);
	const [mnemonic = '', ...rest] = body.split(' ');
	const goes = TRANSFER.test(mnemonic) || (!/[%$]/.test(body) && !SUFFIXED.test(mnemonic));
	const operands = operandsOf(rest.join(' ').trim()).map((operand) => operandOf(operand, goes));
	const name = nameOf(mnemonic, operands);
	const word = memoryWord(mnemonic, {
		registers: operands.flatMap(({ kind, text: register }) => (kind === 'register' ? [register] : [])),
		isSource: operands[0]?.kind === 'memory' && operands.length === 3,
		repeats: operands.reduce((most, { repeats }) => Math.max(most, repeats), 0),
	});
	const written = operands.map((operand) => writtenOperand(operand, word));
	if (name !== 'enter') {
		written.reverse();
	}
	if (SHIFT.test(name) && operands.length === 1) {
		written.push('1');
	}
	return `${prefix}${name}${written.length === 0 ? '' : ` ${written.join(',')}`}${comment}`;
}

/** Where the blanks before a comment begin; the length where there is none. */
function commentStart(text: string): number {
	const places = [' #', ' ;', ' <'].map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
	let start = Math.min(text.length, ...places);
	while (start > 0 && text[start - 1] === ' ') {
		start--;
	}
	return start;
}

function nameOf(mnemonic: string, operands: readonly Operand[]): string {
	const widened = WIDENED.exec(mnemonic);
	if (widened !== null) {
		return `mov${widened[1]}x`;
	}
	if (mnemonic === 'movq' && operands.some(({ kind, text }) => kind === 'register' && /^x?mm/.test(text))) {
		return mnemonic;
	}
	if (/^(?:push|pop|jmp|call)w$/.test(mnemonic) && !operands.some(({ kind }) => kind === 'memory')) {
		return mnemonic;
	}
	const short = SUFFIXED.exec(mnemonic)?.[1] ?? CONVERSION.exec(mnemonic)?.[1] ?? OF_STACK.exec(mnemonic)?.[1] ?? NAMES[mnemonic] ?? mnemonic;
	return operands.length === 2 && operands[1]!.text.startsWith('st(') ? (SWAPPED[short] ?? short) : short;
}

/** At commas outside of brackets. */
function operandsOf(text: string): string[] {
	const parts: string[] = [];
	let depth = 0;
	let start = 0;
	for (let i = 0; i < text.length; i++) {
		const character = text[i]!;
		depth += character === '(' || character === '{' ? 1 : character === ')' || character === '}' ? -1 : 0;
		if (character === ',' && depth === 0) {
			parts.push(text.slice(start, i));
			start = i + 1;
		}
	}
	return text === '' ? [] : [...parts, text.slice(start)];
}

function operandOf(written: string, isTarget: boolean): Operand {
	const plain = written.startsWith('*') ? written.slice(1) : written;
	const brace = plain.startsWith('{') ? -1 : plain.indexOf('{');
	const masks = (brace < 0 ? '' : plain.slice(brace)).replaceAll('%', '');
	const text = brace < 0 ? plain : plain.slice(0, brace);
	const [repeated = '', times = '0'] = /^\{1to(\d+)\}/.exec(masks) ?? [];
	const rest = { masks: masks.slice(repeated.length), repeats: Number(times) };
	if (text === '(%dx)') {
		return { kind: 'other', text: 'dx', ...rest };
	}
	const [, segment, place] = /^%([c-gs]s):(.*)$/.exec(text) ?? [null, null, text];
	if (segment === null && text.startsWith('%')) {
		return { kind: 'register', text: text.slice(1).replace(/^db/, 'dr'), ...rest };
	}
	if (text.startsWith('$')) {
		return { kind: 'other', text: text.slice(1), ...rest };
	}
	const memory = /^(-?0x[0-9a-f]+)?\((%\w+)?(?:,(%\w+),?([1248])?)?\)$/.exec(place ?? '');
	if (memory !== null) {
		const [, displacement = '', base, index, scale = '1'] = memory;
		const registers = [base?.slice(1), index === undefined ? undefined : `${index.slice(1)}*${scale}`].filter((one) => one !== undefined).join('+');
		const isBelow = displacement.startsWith('-');
		// What is relative to the next instruction is written as a number of 64 bits.
		const number = isBelow && base === '%rip' ? `0x${BigInt.asUintN(64, -BigInt(displacement.slice(1))).toString(16)}` : displacement;
		const away = number === '' || number.startsWith('-') ? number : `+${number}`;
		return { kind: 'memory', text: `${segment === null ? '' : `${segment}:`}[${registers}${away}]`, ...rest };
	}
	// A number alone is an address: of code behind jumps and calls, which are written as they are.
	const isMemory = segment !== null || (!isTarget && /^0x[0-9a-f]+$/.test(text));
	return isMemory ? { kind: 'memory', text: `${segment ?? 'ds'}:${place}`, ...rest } : { kind: 'other', text, ...rest };
}

function writtenOperand({ kind, text, masks, repeats }: Operand, word: string): string {
	const size = kind !== 'memory' || word === '' ? '' : `${word} ${repeats > 0 ? 'BCST' : 'PTR'} `;
	return `${size}${text}${masks}`;
}
