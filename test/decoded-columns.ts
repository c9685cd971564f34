import { columnsOf, type DecodedCode } from '../src/disassembly/decoded-code.js';
import { flowOfInstruction } from '../src/model/instruction-flow.js';

/** Instructions as a disassembler would give them. */
export function decodedColumns(listed: readonly (readonly [address: number, sizeBytes: number, text: string])[]): DecodedCode {
	return columnsOf(listed.map(([address, sizeBytes, text]) => ({ address, sizeBytes, text, ...flowOfInstruction(text) })));
}
