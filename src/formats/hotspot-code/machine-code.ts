/**
 * What the JVM said beside bytes → beside the instructions that were decoded from them.
 *
 * [MachCode] rows are made of units of the shortest step that the JVM takes without a disassembler: 4 bytes on x86-64, an instruction
 * on AArch64. A note at a unit tells the debug information of addresses in (unit, unit + 4], which describe the state after the
 * instruction that ends there, and the relocations in [unit, unit + 4), which begin there (HotSpot, nmethod::print_code_comment_on).
 */
import type { Row } from './instructions.js';
import type { MachineCodeChunk } from './read-text.js';

const UNIT_BYTES = 4;

export interface DecodedInstruction {
	readonly address: number;
	readonly sizeBytes: number;
	readonly text: string;
}

export function rowsOfMachineCode(chunk: MachineCodeChunk, decoded: readonly DecodedInstruction[]): Row[] {
	const comments = decoded.map((): string[] => []);
	const labels = new Map<number, string>();
	let first = 0;
	for (const note of chunk.notes) {
		while (first < decoded.length && endOf(decoded[first]!) <= note.address) {
			first++;
		}
		if (note.label !== null) {
			labels.set(first, note.label);
		}
		for (const comment of note.comments) {
			const atStart = comment.startsWith('{') || comment.startsWith('implicit exception');
			const i = atStart ? startingIn(decoded, first, note.address, comment) : endingIn(decoded, first, note.address);
			comments[i]?.push(comment);
		}
	}
	return decoded.map(({ address, sizeBytes, text }, i) => ({
		address,
		end: address + sizeBytes,
		text,
		comments: comments[i]!,
		label: labels.get(i) ?? null,
	}));
}

/** The last instruction that ends in (unit, unit + 4]; a call before any other, since its return address is what is described. */
function endingIn(decoded: readonly DecodedInstruction[], first: number, unit: number): number {
	let result = first;
	for (let i = first; i < decoded.length && endOf(decoded[i]!) <= unit + UNIT_BYTES; i++) {
		result = i;
		if (decoded[i]!.text.startsWith('call')) {
			break;
		}
	}
	return result;
}

/**
 * The instruction that starts in [unit, unit + 4) and can have such a relocation: polls and implicit exceptions read memory, the
 * others have an operand of four bytes or more, so the longest. Where none starts, the one that covers the unit.
 */
function startingIn(decoded: readonly DecodedInstruction[], first: number, unit: number, comment: string): number {
	const readsMemory = comment.startsWith('{poll') || comment.startsWith('implicit');
	let result = -1;
	for (let i = first; i < decoded.length; i++) {
		const { address, sizeBytes, text } = decoded[i]!;
		if (address >= unit + UNIT_BYTES) {
			break;
		}
		const fits = readsMemory ? /[([]/.test(text) : true;
		if (address >= unit && fits && (result < 0 || (!readsMemory && sizeBytes > decoded[result]!.sizeBytes))) {
			result = i;
		}
	}
	return result < 0 ? first : result;
}

function endOf({ address, sizeBytes }: DecodedInstruction): number {
	return address + sizeBytes;
}
