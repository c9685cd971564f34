import type { InstructionFlow } from '../model/instruction-flow.js';

/** With where execution goes after it, as {@link flowOfInstruction} tells. */
export interface DisassembledInstruction extends InstructionFlow {
	readonly address: number;
	readonly sizeBytes: number;
	/** As GNU binutils write it (AT&T syntax on x86-64), which is what hsdis prints. */
	readonly text: string;
}
