/**
 * The frames of native code on a copied stack, as far as they keep a chain: the saved frame pointer of the caller, above it the return address. HotSpot and the JDK's
 * libraries are compiled so (`-fno-omit-frame-pointer`); the C library and many others are not, so the chain is taken up again where one of theirs breaks it.
 */
import { unsigned } from './bytes.js';
import type { AddressSpace } from './processes.js';

/** Where the chain leads cannot be told. */
export const UNKNOWN = -1;
/** More than any stack has. */
const MOST_WORDS = 1 << 20;
/** A word that happens to look like a saved frame pointer is seldom followed by another one. */
const SURE_FRAMES = 2;

/** A stack from its pointer up, of which some words were copied. */
export interface CopiedStack {
	readonly view: DataView;
	/** Of its first word in `view`. */
	readonly at: number;
	readonly words: number;
	readonly stackPointer: number;
	/** null: it was not copied. */
	readonly framePointer: number | null;
	readonly space: AddressSpace;
}

export class FrameChains {
	/** By slot the last stack in which a chain through it led nowhere. */
	private lost = new Uint32Array(0);
	private stackNumber = 0;
	/** Frames of the chain that was followed last, and the slot behind the last one that fits. */
	private frames = 0;
	private end = 0;

	/**
	 * The slot of the return address into generated code from which native code was called: what lies below is of no frame of generated code.
	 * `Infinity`: it lies beyond what was copied. {@link UNKNOWN}: there is no chain.
	 */
	slotOfCall(stack: CopiedStack): number {
		const { framePointer, words, stackPointer, space } = stack;
		if (words > 0 && space.isGenerated(word(stack, 0))) {
			// A function without a frame, or at its beginning or end: the frame pointer is its caller's, and in compiled code it points to no frame.
			return UNKNOWN;
		}
		this.stackNumber++;
		if (this.lost.length < words) {
			this.lost = new Uint32Array(words);
			this.stackNumber = 1;
		}
		let from = 0;
		if (framePointer !== null) {
			const slot = this.follow(stack, (framePointer - stackPointer) / 8);
			if (this.frames > 0 && slot !== UNKNOWN) {
				return slot;
			}
			if (Number.isInteger(slot) && slot >= 0) {
				// Without a native frame it may be generated code's own, and what runs a function that leaves the register alone.
				return UNKNOWN;
			}
			// What points to beyond the copy may point to anything: many libraries use the register for other things.
			from = this.frames > 0 ? this.end : 0;
		}
		for (; from + 1 < words; from++) {
			const slot = this.follow(stack, from);
			const { frames } = this;
			// A stub's caller may have anything in that register; wrappers and the interpreter have the place of their own frame.
			const isSure = slot === Number.POSITIVE_INFINITY ? frames >= SURE_FRAMES : frames > 0 || isPlace((word(stack, from) - stackPointer) / 8, from + 1);
			if (slot !== UNKNOWN && isSure) {
				return slot;
			}
		}
		return UNKNOWN;
	}

	/** Where a chain ends: at the slot of a return address into generated code, beyond what was copied (`Infinity`), or nowhere ({@link UNKNOWN}). */
	private follow(stack: CopiedStack, start: number): number {
		const { space, words, stackPointer } = stack;
		// The stack is aligned to 16 bytes where a function of C has saved its caller's frame pointer. The interpreter does not align its frames.
		const odd = (stackPointer % 16) / 8;
		this.frames = 0;
		this.end = start;
		let above = -1;
		for (let slot = start; isPlace(slot, above) && (slot & 1) === odd; this.frames++) {
			if (slot + 1 >= words) {
				this.end = words;
				return Number.POSITIVE_INFINITY;
			}
			const returnAddress = word(stack, slot + 1);
			if (space.isGenerated(returnAddress)) {
				this.end = slot + 2;
				return slot + 1;
			}
			if (this.lost[slot] === this.stackNumber || !space.isOfFile(returnAddress)) {
				break;
			}
			this.lost[slot] = this.stackNumber;
			this.end = slot + 2;
			above = slot + 1;
			slot = (word(stack, slot) - stackPointer) / 8;
		}
		return UNKNOWN;
	}
}

function isPlace(slot: number, above: number): boolean {
	return Number.isInteger(slot) && slot > above && slot < MOST_WORDS;
}

const word = ({ view, at }: CopiedStack, slot: number): number => unsigned(view, at + 8 * slot);
