/** Decoded machine code in columns; texts are made for what somebody looks at. */
import type { FlowKind } from '../model/instructions.js';
import type { DisassembledInstruction } from './disassembled-instruction.js';

export interface DecodedCode {
	readonly length: number;
	/** Ascending. */
	readonly address: Float64Array;
	/** The byte after each instruction. */
	readonly end: Float64Array;
	/** `Flow` of each. */
	readonly flow: Uint8Array;
	/** Address that a direct jump or call goes to, NaN where there is none. */
	readonly target: Float64Array;
	/** As GNU binutils write it. */
	text(instruction: number): string;
	/** The text of this one, or of one that differs in nothing but numbers: displacements, immediates and targets. */
	form(instruction: number): string;
}

export function columnsOf(decoded: readonly DisassembledInstruction[]): DecodedCode {
	const text = (instruction: number): string => decoded[instruction]!.text;
	return {
		length: decoded.length,
		address: Float64Array.from(decoded, ({ address }) => address),
		end: Float64Array.from(decoded, ({ address, sizeBytes }) => address + sizeBytes),
		flow: Uint8Array.from(decoded, ({ flow }) => flow),
		target: Float64Array.from(decoded, ({ target }) => target),
		text,
		form: text,
	};
}

export function instructionsOf(code: DecodedCode): DisassembledInstruction[] {
	return Array.from({ length: code.length }, (_, i) => {
		const address = code.address[i]!;
		return { address, sizeBytes: code.end[i]! - address, text: code.text(i), flow: code.flow[i]! as FlowKind, target: code.target[i]! };
	});
}
