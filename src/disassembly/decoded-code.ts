/** Decoded machine code in columns; texts are made for what somebody looks at. */
import type { FlowColumns } from '../model/flow-columns.js';
import { Flow, type FlowKind } from '../model/instructions.js';
import type { DisassembledInstruction } from './disassembled-instruction.js';

/** Addresses ascend; the end is the byte after each instruction; the target is the address that a direct jump or call goes to, NaN where there is none. */
export interface DecodedCode extends FlowColumns {
	readonly length: number;
	/** Of one instruction, without making the column. */
	endAt(instruction: number): number;
	targetAt(instruction: number): number;
	/** The call that ends there, -1 for none; without making any. */
	callEndingAt(address: number): number;
	/** The columns for as long as `use` runs. */
	look<T>(use: (columns: FlowColumns) => T): T;
	/** As GNU binutils write it. */
	text(instruction: number): string;
	/** The text of this one, or of one that differs in nothing but numbers: displacements, immediates and targets. */
	form(instruction: number): string;
}

export function columnsOf(decoded: readonly DisassembledInstruction[]): DecodedCode {
	const text = (instruction: number): string => decoded[instruction]!.text;
	const columns: FlowColumns = {
		address: Float64Array.from(decoded, ({ address }) => address),
		end: Float64Array.from(decoded, ({ address, sizeBytes }) => address + sizeBytes),
		flow: Uint8Array.from(decoded, ({ flow }) => flow),
		target: Float64Array.from(decoded, ({ target }) => target),
	};
	const callEndingAt = (address: number): number => decoded.findIndex((one) => one.address + one.sizeBytes === address && one.flow === Flow.Call);
	const at = { endAt: (i: number) => columns.end[i]!, targetAt: (i: number) => columns.target[i]!, callEndingAt };
	return { ...columns, ...at, length: decoded.length, look: (use) => use(columns), text, form: text };
}

export function instructionsOf(code: DecodedCode): DisassembledInstruction[] {
	return Array.from({ length: code.length }, (_, i) => {
		const address = code.address[i]!;
		return { address, sizeBytes: code.end[i]! - address, text: code.text(i), flow: code.flow[i]! as FlowKind, target: code.target[i]! };
	});
}
