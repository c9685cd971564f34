/** Instructions of generated code, in columns: what a disassembler printed of one compilation, stub or codelet. */
import { lastAtOrBelow } from './binary-search.js';

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

/** Instructions of one piece of code. */
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
}

/** Number of the instruction that begins at an address; -1 where none does. */
export function instructionAt(addresses: Float64Array, address: number): number {
	const at = lastAtOrBelow(addresses, address);
	return addresses[at] === address ? at : -1;
}
