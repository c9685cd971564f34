/**
 * Safepoint polls of HotSpot's compiled code told from the instructions alone (JDK 14 and later, x86-64 in AT&T syntax and AArch64):
 * a loop's poll reads the polling page and throws away what it read, a return compares the stack pointer with the thread's poll word.
 */

/** A poll, and the position of its instruction. */
interface FoundPoll {
	readonly instruction: number;
	readonly kind: 'poll' | 'poll_return';
}

/** `test %eax,(%r10)`: reads a word at an address without an offset. Of no other use when nothing looks at the flags. */
const X86_POLL = /^test %eax,\(%\w+\)$/;
const X86_RETURN_POLL = /^cmp 0x[0-9a-f]+\(%r15\),%rsp$/;
const X86_SETS_FLAGS = /^(?:test|cmp|add|sub|and|or|xor|inc|dec|neg|shl|shr|sar|imul|call|ret|bt|ucomis|comis|vucomis|vcomis|popcnt|lzcnt|tzcnt|lock)/;
const X86_READS_FLAGS = /^(?:j(?!mp)|set|cmov|adc|sbb|rcl|rcr|pushf|lahf)/;
const ARM_POLL = /^ldr wzr, \[x\d+\]$/;
const ARM_POLL_WORD = /^ldr (x\d+), \[x28, #/;

export function findPolls(instructions: readonly { readonly text: string }[]): FoundPoll[] {
	const result: FoundPoll[] = [];
	instructions.forEach(({ text }, instruction) => {
		if ((X86_POLL.test(text) && areFlagsUnused(instructions, instruction + 1)) || ARM_POLL.test(text)) {
			result.push({ instruction, kind: 'poll' });
		} else if (
			(X86_RETURN_POLL.test(text) && instructions[instruction + 1]?.text.startsWith('ja ')) ||
			isArmReturnPoll(text, instructions[instruction + 1]?.text)
		) {
			result.push({ instruction, kind: 'poll_return' });
		}
	});
	return result;
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
