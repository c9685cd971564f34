/** Instructions of generated code, in columns: what a disassembler printed of one compilation, stub or codelet. */
import { lastAtOrBelow } from './binary-search.js';
import type { FlowColumns } from './flow-columns.js';

/** Where execution goes after an instruction. */
export const Flow = {
	/** To the next one. */
	Next: 0,
	/** To `target` always; `target` is NaN where the text does not tell it (a register, a table). */
	Jump: 1,
	/** To `target` or to the next one. */
	Branch: 2,
	/** To `target`, and back to the next one. */
	Call: 3,
	Return: 4,
	/** Nowhere: `hlt`, `ud2`, data. */
	Stop: 5,
} as const;

/** A value of {@link Flow}. */
export type FlowKind = (typeof Flow)[keyof typeof Flow];

/** One level of inlining: a bytecode of a method. */
export interface Frame {
	/** Holder and name with dots: `java.util.HashMap.getNode`. */
	readonly method: string;
	/** Bytecode index; -1 at the entry of a synchronized method. */
	readonly bci: number;
	/** Line of the source, null where the class file has none. */
	readonly line: number | null;
}

/** What the JVM says of an instruction, as bits. */
export const Trait = {
	/** `{poll}`: a thread can be stopped here. */
	Poll: 1,
	/** `{poll_return}`. */
	ReturnPoll: 2,
	/** A call that never comes back: what lies behind it belongs to something else. */
	NoReturn: 4,
	/** A call of a Java method. */
	JavaCall: 8,
	/** The call at a method's entry that patches or waits for the garbage collector. */
	EntryBarrier: 16,
} as const;

/** What the JVM describes of the state behind an instruction, as bits. */
export const DebugInfo = {
	/** Which registers and places hold objects: a thread may be stopped there. */
	OopMap: 1,
	/** The bytecode, as a chain of inlining. */
	Frames: 2,
	/** The interpreter executes the bytecode once more. */
	Reexecute: 4,
	/** What was described was wrong, and is left out: C2 gives much of its code the position of a call that it inlined late. */
	LateCall: 8,
} as const;

/** Instructions of one piece of code. Texts, comments and positions may be made when they are first asked for, and then all of them. */
export interface Instructions {
	readonly length: number;
	/** Ascending, no two equal. */
	readonly address: Float64Array;
	/** The byte after each instruction; before the next one's address only where text is missing between them. */
	readonly end: Float64Array;
	/** Mnemonic, a blank, operands: `mov 0x10(%r12,%rdx,8),%eax`; prefixes (`lock`, `rep`) before the mnemonic. */
	readonly text: readonly string[];
	/** {@link Flow} of each. */
	readonly flow: Uint8Array;
	/** Address that a direct jump or call goes to, NaN where there is none. */
	readonly target: Float64Array;
	/**
	 * Position in `positions` of the bytecode that each belongs to, -1 where nothing says so. HotSpot describes the state at the end of
	 * some instructions; those before belong to the first description at or after them.
	 */
	readonly position: Int32Array;
	/** Chains of inlining, the innermost frame first. */
	readonly positions: readonly (readonly Frame[])[];
	/** What the JVM printed beside each, without the semicolons: bytecodes, oop maps, relocations; polls among them as `{poll}`. */
	readonly comments: readonly (readonly string[])[];
	/** {@link Trait} of each. */
	readonly traits: Uint8Array;
	/** {@link DebugInfo} of each. */
	readonly debugInfo: Uint8Array;
	/** `text` of one instruction, without making that of all. */
	textAt(instruction: number): string;
	/** `text` of this one, or of one that differs in nothing but numbers: displacements, immediates and targets. */
	formAt(instruction: number): string;
	/** The chain of inlining that an instruction belongs to, the innermost frame first; empty where nothing says so. */
	frames(instruction: number): readonly Frame[];
	/** The methods of all chains of inlining, and perhaps some that no instruction belongs to: for looking where it is worth making the chains. */
	methods(): ReadonlySet<string>;
	/** The name of the method that a call goes to, without its holder; null where nothing says it. */
	calledName(instruction: number): string | null;
	/** Comments that tell what of the JVM an instruction refers to, mostly calls: `{runtime_call StubRoutines::jint_disjoint_arraycopy}`. */
	runtimeCalls(instruction: number): readonly string[];
	/** Instructions that are described as a call that C2 inlines late, which may be wrong of its code. */
	lateCalls(): readonly number[];
	/** Instructions that are described themselves, ascending, where `isWanted` of the innermost frame; left out where all is described anyway. */
	describedWhere?(isWanted: (bci: number, method: () => string) => boolean): readonly number[];
	/** Instructions of which {@link DebugInfo.LateCall} says that what was described was wrong, ascending; left out where `debugInfo` is there anyway. */
	wrongCalls?(): readonly number[];
	/** False where what is described of none of these, ascending, can be wrong: told without a look at all that is described. */
	mayBeWrong?(instructions: Int32Array): boolean;
	/** Whether one of these belongs to a description as a call that C2 inlines late, or of which `isWanted` of the innermost frame; left out where all is described anyway. */
	belongToLateCall?(instructions: Int32Array, isWanted: (bci: number, method: () => string) => boolean): boolean;
	/** `target` of one instruction, without making that of all; left out where the columns are there anyway. */
	targetAt?(instruction: number): number;
	/** The call that ends at an address, -1 for none, without making columns; left out where they are there anyway. */
	callEndingAt?(address: number): number;
	/** The columns of addresses and flow for as long as `use` runs: they may be made for it. Left out where they are there anyway. */
	look?<T>(use: (columns: FlowColumns) => T): T;
}

/** For a look at code among much other code: `use` must keep nothing of the columns. */
export function lookAt<T>(code: Instructions, use: (columns: FlowColumns) => T): T {
	return code.look === undefined ? use(code) : code.look(use);
}

/** Address that a direct jump or call goes to, NaN where there is none; for a look at single instructions of much code. */
export function targetOf(code: Instructions, i: number): number {
	return code.targetAt === undefined ? code.target[i]! : code.targetAt(i);
}

/** The call that ends at an address, -1 for none. */
export function callEndingAt(code: Instructions, address: number): number {
	if (code.callEndingAt !== undefined) {
		return code.callEndingAt(address);
	}
	const i = lastAtOrBelow(code.address, address - 1);
	return i >= 0 && code.end[i] === address && code.flow[i] === Flow.Call ? i : -1;
}

/** Whether a thread can be stopped at an instruction that is there for that. Before a return is another trait. */
export function isPoll({ traits }: Instructions, i: number): boolean {
	return (traits[i]! & Trait.Poll) !== 0;
}

/** Whether an instruction is a call that never comes back. */
export function isCallWithoutReturn({ traits }: Instructions, i: number): boolean {
	return (traits[i]! & Trait.NoReturn) !== 0;
}

/** Number of the instruction that begins at an address; -1 where none does. */
export function instructionAt(addresses: Float64Array, address: number): number {
	const at = lastAtOrBelow(addresses, address);
	return addresses[at] === address ? at : -1;
}
