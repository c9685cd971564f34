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

/** Instructions that were decoded from bytes, in columns. */
export interface DecodedColumns {
	readonly length: number;
	/** Ascending. */
	readonly address: Float64Array;
	/** The byte after each. */
	readonly end: Float64Array;
	text(instruction: number): string;
	/** The text of this one, or of one that differs in nothing but numbers. */
	form(instruction: number): string;
}

export function rowsOfMachineCode(chunk: MachineCodeChunk, decoded: DecodedColumns): Row[] {
	const comments = Array.from({ length: decoded.length }, (): string[] => []);
	const labels = new Map<number, string>();
	let first = 0;
	for (const note of chunk.notes) {
		first = firstBehind(decoded, first, note.address);
		if (note.label !== null) {
			labels.set(first, note.label);
		}
		for (const comment of note.comments) {
			const atStart = comment.startsWith('{') || comment.startsWith('implicit exception');
			const readsMemory = comment.startsWith('{poll') || comment.startsWith('implicit');
			const i = atStart ? startingIn(decoded, first, note.address, readsMemory) : endingIn(decoded, first, note.address);
			comments[i]?.push(comment);
		}
	}
	return comments.map((own, i) => ({
		address: decoded.address[i]!,
		end: decoded.end[i]!,
		text: decoded.text(i),
		comments: own,
		label: labels.get(i) ?? null,
	}));
}

/** The first instruction, from this one on, that ends behind an address. */
export function firstBehind({ length, end }: DecodedColumns, from: number, address: number): number {
	let i = from;
	while (i < length && end[i]! <= address) {
		i++;
	}
	return i;
}

/** The last instruction that ends in (unit, unit + 4]; a call before any other, since its return address is what is described. `first`: behind the unit's start. */
export function endingIn(decoded: DecodedColumns, first: number, unit: number): number {
	let result = first;
	for (let i = first; i < decoded.length && decoded.end[i]! <= unit + UNIT_BYTES; i++) {
		result = i;
		if (decoded.form(i).startsWith('call')) {
			break;
		}
	}
	return result;
}

/**
 * The instruction that starts in [unit, unit + 4) and can have such a relocation: polls and implicit exceptions read memory, the
 * others have an operand of four bytes or more, so the longest. Where none starts, the one that covers the unit.
 */
export function startingIn(decoded: DecodedColumns, first: number, unit: number, readsMemory: boolean): number {
	const { address, end } = decoded;
	const sizeOf = (i: number): number => end[i]! - address[i]!;
	let result = -1;
	for (let i = first; i < decoded.length && address[i]! < unit + UNIT_BYTES; i++) {
		const fits = readsMemory ? /[([]/.test(decoded.form(i)) : true;
		if (address[i]! >= unit && fits && (result < 0 || (!readsMemory && sizeOf(i) > sizeOf(result)))) {
			result = i;
		}
	}
	return result < 0 ? first : result;
}
