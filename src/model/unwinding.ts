/** How a frame on the stack leads to its caller's, by where in the code it is. Of x86-64: the registers are numbered as DWARF numbers them there. */
import type { MappedLibrary } from './native-symbols.js';

/** `rbp`, `rsp` and the return address. */
export const FRAME_POINTER = 6;
export const STACK_POINTER = 7;
export const RETURN_ADDRESS = 16;

/** What a register was in the caller. */
export type SavedRegister =
	/** What it is now. */
	| { readonly kind: 'same' }
	/** Nobody kept it; of the return address: nobody called. */
	| { readonly kind: 'lost' }
	/** In another register, or calculated. */
	| { readonly kind: 'elsewhere' }
	/** Saved so many bytes behind the frame's address. */
	| { readonly kind: 'saved'; readonly offset: number }
	/** Saved where an expression of DWARF tells, which the frame's address is pushed for. */
	| { readonly kind: 'savedAt'; readonly expression: Uint8Array };

/** At an instruction. */
export interface FrameRule {
	/** The frame's address (CFA): that of the stack in the caller, behind the return address. */
	readonly address: { readonly register: number; readonly offset: number } | { readonly expression: Uint8Array };
	readonly returnAddress: SavedRegister;
	readonly framePointer: SavedRegister;
	/** A signal interrupted the caller: it is at an instruction, not behind a call. */
	readonly isSignal: boolean;
}

/** Of a file of code. */
export interface UnwindTable {
	/** By offset in the file; null: nothing tells. */
	ruleAt(offset: number): FrameRule | null;
}

/** Where tables are looked up. */
export interface UnwindTables {
	/** null: the file is not at hand, or has none. */
	tableOf(library: MappedLibrary): UnwindTable | null;
}
