/**
 * Safepoint polls of HotSpot's compiled code told from the instructions alone (JDK 14 and later, x86-64 in AT&T syntax and AArch64):
 * a loop's poll reads the polling page and throws away what it read, a return compares the stack pointer with the thread's poll word.
 */

/** A poll, and the position of its instruction. */
interface FoundPoll {
	readonly instruction: number;
	readonly kind: 'poll' | 'poll_return';
}

/** `test %eax,(%r10)`: reads a word at an address without an offset, which some registers need a zero for. Checks for null look the same. */
const X86_POLL = /^test %eax,(?:0x0)?\(%(r\w+)\)$/;
/** `mov 0x30(%r15),%r10`: a word of the thread. */
const X86_THREAD_WORD = /^mov 0x[0-9a-f]+\(%r15\),%/;
const X86_WRITES_NOTHING = /^(?:cmp|test|push|j|call|ucomis|comis|vucomis|vcomis|bt )/;
const X86_RETURN_POLL = /^cmp 0x[0-9a-f]+\(%r15\),%rsp$/;
/** Of native wrappers, behind the call: whether the thread has to stop before it is in Java again. */
const X86_NATIVE_POLL = /^testb \$0x1,0x[0-9a-f]+\(%r15\)$/;
const X86_SETS_FLAGS = /^(?:test|cmp|add|sub|and|or|xor|inc|dec|neg|shl|shr|sar|imul|call|ret|bt|ucomis|comis|vucomis|vcomis|popcnt|lzcnt|tzcnt|lock)/;
const X86_READS_FLAGS = /^(?:j(?!mp)|set|cmov|adc|sbb|rcl|rcr|pushf|lahf)/;
const ARM_POLL = /^ldr wzr, \[x\d+\]$/;
const ARM_POLL_WORD = /^ldr (x\d+), \[x28, #/;

export function findPolls(instructions: readonly { readonly text: string }[]): FoundPoll[] {
	const result: FoundPoll[] = [];
	instructions.forEach(({ text }, instruction) => {
		if (isX86Poll(instructions, instruction) || ARM_POLL.test(text)) {
			result.push({ instruction, kind: 'poll' });
		} else if (
			(X86_RETURN_POLL.test(text) && instructions[instruction + 1]?.text.startsWith('ja ')) ||
			X86_NATIVE_POLL.test(text) ||
			isArmReturnPoll(text, instructions[instruction + 1]?.text)
		) {
			result.push({ instruction, kind: 'poll_return' });
		}
	});
	return result;
}

function isX86Poll(instructions: readonly { readonly text: string }[], instruction: number): boolean {
	const register = X86_POLL.exec(instructions[instruction]?.text ?? '')?.[1];
	return register !== undefined && areFlagsUnused(instructions, instruction + 1) && isThreadWord(instructions, instruction, register);
}

/** Whether what stands before put a word of the thread into the register, as far as it says what is in it. */
function isThreadWord(instructions: readonly { readonly text: string }[], before: number, register: string): boolean {
	const lower = /^r\d+$/.test(register) ? `${register}d` : `e${register.slice(1)}`;
	for (let i = before - 1; i >= 0; i--) {
		const { text } = instructions[i]!;
		if ((text.endsWith(`%${register}`) || text.endsWith(`%${lower}`)) && !X86_WRITES_NOTHING.test(text)) {
			return X86_THREAD_WORD.test(text);
		}
	}
	return true;
}

/** Whether flags are set again, or control goes elsewhere, before an instruction reads them. */
function areFlagsUnused(instructions: readonly { readonly text: string }[], from: number): boolean {
	for (let i = from; i < instructions.length; i++) {
		const { text } = instructions[i]!;
		if (X86_READS_FLAGS.test(text)) {
			return false;
		}
		if (X86_SETS_FLAGS.test(text) || text.startsWith('jmp')) {
			return true;
		}
	}
	return true;
}

function isArmReturnPoll(text: string, next: string | undefined): boolean {
	const register = ARM_POLL_WORD.exec(text)?.[1];
	return register !== undefined && next === `cmp sp, ${register}`;
}
