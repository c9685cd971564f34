/** Bytecode of methods, as far as control flow and indexes of loops need it. The Java Virtual Machine Specification, chapter 6. */

export interface BytecodeInstruction {
	readonly bci: number;
	/** `iinc`, `goto`, `if_icmpge`; short forms as they are (`iload_1`), `wide` ones by their own name. */
	readonly opcode: string;
	/** Where jumps lead; all of a switch. */
	readonly targets: readonly number[];
	/** Local variable of loads, stores and `iinc`; -1 for others. */
	readonly local: number;
	/** What `iinc` adds, and what constants push; NaN for others and where it is not told. */
	readonly constant: number;
}

export interface MethodBytecode {
	/** Holder and name with dots: `java.util.HashMap.getNode`. */
	readonly method: string;
	/** `(I)I`; null where the text has it in words. */
	readonly signature: string | null;
	/** Ascending by bci. */
	readonly code: readonly BytecodeInstruction[];
}

/** The local of `iload_1`, or of `iload` with its operand; -1 for what touches none. */
export function localOf(opcode: string, operand: number): number {
	const [, short] = /^[ilfda](?:load|store)_([0-3])$/.exec(opcode) ?? [];
	return short !== undefined ? Number(short) : /^(?:[ilfda](?:load|store)|iinc|ret)$/.test(opcode) ? operand : -1;
}

/** What `iconst_m1`, `bipush 7`, `lconst_1` push; NaN for what pushes no constant number of the instruction. */
export function constantOf(opcode: string, operand: number): number {
	const [, short] = /^[il]const_(m1|[0-5])$/.exec(opcode) ?? [];
	return short !== undefined ? (short === 'm1' ? -1 : Number(short)) : opcode === 'bipush' || opcode === 'sipush' ? operand : Number.NaN;
}
