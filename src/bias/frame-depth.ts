/**
 * Where the return address of a compilation's frame lies, from the stack pointer, at each of its instructions. HotSpot's compilers make a frame once, at the entry
 * (`push %rbp`, `sub $0x60,%rsp`; C2 also `sub $0x60,%rsp` alone, and stores `%rbp` in it), never move the stack pointer in between, and take it down before each
 * return (`add $0x60,%rsp`, `pop %rbp`). Source: MacroAssembler::verified_entry, C1_MacroAssembler::build_frame, MachEpilogNode.
 */
import { Flow, type Instructions } from '../model/instructions.js';
import type { PrintedMethod } from './printed-method.js';

const SUBTRACT = /^sub \$0x([0-9a-f]{1,6}),%rsp$/;
const ADD = /^add \$0x([0-9a-f]{1,6}),%rsp$/;
const PUSH = 'push %rbp';
const POP = 'pop %rbp';
const WORD = 8;
/** Checks of the receiver's class and of the stack's end come before. */
const PROLOGUE = 40;
/** Polls stand between the epilogue and the return. */
const EPILOGUE = 10;
/** Of `push`, `pop`, and of `add` and `sub` with 8 and 32 bits. */
const LENGTHS = [1, 4, 7];

/** Words from the stack pointer to the return address before each instruction is executed; null where the code makes its frame in no way that is known. */
export function frameDepths({ instructions }: Pick<PrintedMethod, 'instructions'>): Int32Array | null {
	const { length, flow } = instructions;
	const made = frameAt(instructions);
	if (made === null) {
		return null;
	}
	const depths = new Int32Array(length).fill(made.words);
	depths.fill(0, 0, made.begins + 1);
	depths.fill(1, made.begins + 1, made.ends + 1);
	for (let i = made.ends + 1; i < length; i++) {
		if (flow[i] === Flow.Return) {
			takeDown(instructions, i, made, depths);
		}
	}
	return depths;
}

interface MadeFrame {
	/** The first and last instruction that make it. */
	readonly begins: number;
	readonly ends: number;
	/** To the return address. */
	readonly words: number;
}

function frameAt(instructions: Instructions): MadeFrame | null {
	let begins = -1;
	for (let i = 0; i < Math.min(instructions.length, PROLOGUE); i++) {
		if (!mayMoveStack(instructions, i)) {
			continue;
		}
		const text = instructions.textAt(i);
		if (text === PUSH && begins < 0) {
			begins = i;
		}
		const bytes = Number.parseInt(SUBTRACT.exec(text)?.[1] ?? '', 16);
		if (bytes % WORD === 0) {
			return { begins: begins < 0 ? i : begins, ends: i, words: bytes / WORD + (begins < 0 ? 0 : 1) };
		}
	}
	return begins < 0 ? null : { begins, ends: begins, words: 1 };
}

/** What is behind the instructions before a return that take the frame down. */
function takeDown(instructions: Instructions, at: number, { ends, words }: MadeFrame, depths: Int32Array): void {
	const popped = lastBefore(instructions, at, ends, (text) => text === POP);
	if (popped < 0) {
		return;
	}
	depths.fill(0, popped + 1, at + 1);
	const added = lastBefore(instructions, popped, ends, (text) => Number.parseInt(ADD.exec(text)?.[1] ?? '', 16) === (words - 1) * WORD);
	if (added >= 0) {
		depths.fill(1, added + 1, popped + 1);
	}
}

function lastBefore(instructions: Instructions, at: number, first: number, isMeant: (text: string) => boolean): number {
	for (let i = at - 1; i > Math.max(first, at - EPILOGUE); i--) {
		if (mayMoveStack(instructions, i) && isMeant(instructions.textAt(i))) {
			return i;
		}
	}
	return -1;
}

function mayMoveStack({ address, end, flow }: Instructions, i: number): boolean {
	return flow[i] === Flow.Next && LENGTHS.includes(end[i]! - address[i]!);
}
