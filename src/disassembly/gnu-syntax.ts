/**
 * Capstone's AT&T syntax → that of GNU binutils, which hsdis prints: no suffix where a register tells the size, numbers in
 * hexadecimal, no blanks between operands, a scale of one written out.
 */

/** Mnemonics whose last letter is a suffix in Capstone's form, without it. */
const SUFFIXED = new Set(
	(
		'mov add sub and or xor cmp test lea inc dec neg not adc sbb imul mul idiv div shl sal shr sar rol ror rcl rcr shld shrd xchg xadd cmpxchg ' +
		'bt bts btr btc bsf bsr popcnt lzcnt tzcnt andn bextr blsi blsmsk blsr bzhi pdep pext mulx rorx sarx shlx shrx adcx adox movbe bswap ' +
		'push pop pushf popf call jmp ret leave movabs crc32 nop movnti'
	).split(' '),
);
/** Here the suffix is left out without a register too: 64 bits are what it means in this mode. */
const ALWAYS_SHORT = new Set('push pop pushf popf call jmp ret leave movabs bswap'.split(' '));
const CONDITIONS = '(?:o|no|b|ae|e|ne|be|a|s|ns|p|np|l|ge|le|g)';
const CONDITIONAL_MOVE = new RegExp(`^(cmov${CONDITIONS})[wlq]$`);
const PREFIX = /^((?:lock|rep|repe|repne|repz|repnz|notrack|data16) )+/;
/** Names that Capstone writes in another way. */
const NAMES: Record<string, string> = { movabsq: 'movabs' };

export function gnuSyntax(fullMnemonic: string, fullOperands: string): string {
	const written = PREFIX.exec(fullMnemonic)?.[0] ?? '';
	const long = fullMnemonic.slice(written.length);
	const prefix = written.replace('repe ', 'repz ').replace('repne ', 'repnz ');
	const operands = fullOperands
		.replace(/, /g, ',')
		// In brackets stand registers and a scale, outside of them numbers.
		.replace(/\((%\w+),(%\w+)\)/g, '($1,$2,1)')
		.replace(/\(,(%\w+)\)/g, '(,$1,1)')
		.replace(/\([^)]{0,200}\)|%\w+|\$?-?(?:0x[0-9a-f]+|\d+)/g, (part) =>
			part.startsWith('(') || part.startsWith('%') ? part : hexadecimal(part, long, fullOperands),
		);
	const mnemonic = NAMES[long] ?? shortMnemonic(long, operands);
	return canonical(`${prefix}${mnemonic}${operands === '' ? '' : ' '}${operands}`);
}

const STRING_INSTRUCTION = /^(?:rep |repz |repnz )?(?:stos|scas|lods|movs|cmps)/;

/** What binutils write although the bytes leave it open, or leave out. */
function canonical(text: string): string {
	const withZeros = text.includes('(') ? text.replace(/(^|[ ,:*])(\((?:%r13|%rbp|,))/g, '$10x0$2') : text;
	return (STRING_INSTRUCTION.test(withZeros) ? stringInstruction(withZeros) : withZeros)
		.replace(/ \{/g, '{')
		.replace(/^(sh[lr]|sal|sar|ro[lr]|rc[lr])([bwlq]?) \$0x1,(?!.*,%)/, '$1$2 ')
		.replace(/^(v?cvtsi2s[sd])[lq] %/, '$1 %')
		.replace(/^mov (?=.*%xmm)/, 'movq ')
		.replace(/^(fbld|fbstp) tbyte ptr /, '$1 ')
		.replace(/^(nop[wl]) \((%\w+,)/, '$1 0x0($2')
		.replace(/^nop %cs:\(/, 'cs nopw 0x0(');
}

function stringInstruction(text: string): string {
	return text
		.replace(/^((?:rep |repz |repnz )?(?:stos|scas|lods))[bwlq] /, '$1 ')
		.replace(/^((?:rep |repz |repnz )?(?:stos %\w+,|scas ))\(/, '$1%es:(')
		.replace(/^((?:rep )?lods )\(/, '$1%ds:(')
		.replace(/^((?:rep )?movs[bwlq]) \(%rsi\),\(/, '$1 %ds:(%rsi),%es:(')
		.replace(/^((?:repz |repnz )?cmps[bwlq]) \(%rdi\),\(|^((?:repz |repnz )?cmps[bwlq]) \(%rsi\),\(%rdi\)/, '$1$2 %es:(%rdi),%ds:(');
}

function shortMnemonic(mnemonic: string, operands: string): string {
	const conditional = CONDITIONAL_MOVE.exec(mnemonic);
	if (conditional !== null) {
		return conditional[1]!;
	}
	const short = /[bwlq]$/.test(mnemonic) ? mnemonic.slice(0, -1) : mnemonic;
	if (!SUFFIXED.has(short)) {
		return mnemonic;
	}
	const isShift = /^(?:sh|sa|ro|rc)[lr]$/.test(short);
	// The registers of an address say nothing of the size, nor does the count of a shift.
	const outside = operands.replace(/\([^)]{0,200}\)/g, '').replace(isShift ? /^%cl,/ : short === 'crc32' ? /,%\w+$/ : /^$/, '');
	return ALWAYS_SHORT.has(short) || outside.includes('%') ? short : mnemonic;
}

const LEAST_DISPLACEMENT = '-0xffffffff80000000';

/** Numbers up to 9 are decimal in Capstone's form; binutils write negative constants as numbers of the operand's size. */
function hexadecimal(text: string, mnemonic: string, operands: string): string {
	const isImmediate = text.startsWith('$');
	const digits = isImmediate ? text.slice(1) : text;
	const isNegative = digits.startsWith('-');
	// The least displacement of four bytes Capstone negates to itself.
	const value = digits === LEAST_DISPLACEMENT ? 0x80000000n : BigInt(isNegative ? digits.slice(1) : digits);
	if (isImmediate && isNegative) {
		return `$0x${BigInt.asUintN(operandBits(mnemonic, operands), -value).toString(16)}`;
	}
	return `${isImmediate ? '$' : ''}${isNegative ? '-' : ''}0x${value.toString(16)}`;
}

function operandBits(mnemonic: string, operands: string): number {
	const register = /%(\w+)$/.exec(operands)?.[1];
	if (register === undefined || register === 'rip') {
		return { b: 8, w: 16, l: 32 }[mnemonic.at(-1)!] ?? 64;
	}
	if (/^r(?:\d+|[a-z]{2})$/.test(register)) {
		return 64;
	}
	if (/^(?:e|r\d+d$)/.test(register)) {
		return 32;
	}
	return /[lhb]$/.test(register) ? 8 : 16;
}
