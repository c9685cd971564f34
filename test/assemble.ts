/** Instructions for tests, written as lines. */

import { completeInstructions } from '../src/formats/shared/hotspot/instruction-comments.js';
import { flowOfInstruction } from '../src/model/instruction-flow.js';
import type { Frame, Instructions } from '../src/model/instructions.js';

export const CODE_START = 0x7f0000001000;
export const INSTRUCTION_BYTES = 4;

/**
 * Instructions of four bytes; `@3` is the address of the fourth, a line `…` bytes that are not listed. `frames` gives the chain of
 * each listed instruction.
 */
export function assemble(lines: readonly string[], frames: readonly (readonly Frame[] | null)[] = []): Instructions {
	const addressOf = (line: number): number => CODE_START + INSTRUCTION_BYTES * line;
	const listed = lines.flatMap((line, i) =>
		line === '…' ? [] : [{ at: addressOf(i), text: line.replace(/@(\d+)/, (_, n) => `0x${addressOf(Number(n)).toString(16)}`) }],
	);
	const flows = listed.map(({ text }) => flowOfInstruction(text));
	return completeInstructions({
		length: listed.length,
		address: Float64Array.from(listed, ({ at }) => at),
		end: Float64Array.from(listed, ({ at }) => at + INSTRUCTION_BYTES),
		text: listed.map(({ text }) => text),
		flow: Uint8Array.from(flows, ({ flow }) => flow),
		target: Float64Array.from(flows, ({ target }) => target),
		position: Int32Array.from(listed, (_, i) => (frames[i] == null ? -1 : i)),
		positions: listed.map((_, i) => frames[i] ?? []),
		comments: listed.map(() => []),
	});
}
