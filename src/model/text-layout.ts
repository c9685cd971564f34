/** The code of a linked program as a linker sees it: sections of object files, one after the other, each with one function or several. */

import type { BlockMap } from './block-map.js';
import type { CodeSection } from './symbol-table.js';

/**
 * The basic blocks of a layout's functions, by where they lie: columns, by part and offset. They move with their parts, so they are the same wherever a linker puts these.
 */
export interface LayoutBlocks {
	/** The function that a block is of: that which begins with its first block. */
	readonly functions: Int32Array;
	/** What the compiler calls it in that function. */
	readonly ids: Int32Array;
	/** The function of the layout in which it lies: its own, or a part of that (`f.cold`, `f.__part.1`). */
	readonly parts: Int32Array;
	/** From the start of the part. */
	readonly offsets: Float64Array;
	readonly sizes: Float64Array;
	/** As of {@link BlockMap}. */
	readonly flags: Uint8Array;
	readonly calls: BlockMap['calls'];
	readonly compilers: readonly string[];
}

/** An output section of the program that holds code which an order file can move. */
export interface TextRegion {
	readonly name: string;
	readonly start: number;
	/** Alignment of the whole. */
	readonly alignment: number;
	/** Code between the region before and this one that nothing moves but what precedes it: `.init`, `.plt`. */
	readonly precededBy: readonly { readonly sizeBytes: number; readonly alignment: number }[];
	/** Its sections: [firstSection, endSection). */
	readonly firstSection: number;
	readonly endSection: number;
}

/**
 * Sections and functions are columns, both by address. What the symbol table does not tell (which functions share a section, alignments) is inferred:
 * see startup/infer-layout.ts.
 */
export interface TextLayout {
	/** What to call it: a binary's or an order's file name. */
	readonly name: string;
	readonly machine: string | null;
	/** Of a Mach-O program its architecture, as its linker calls it: `arm64`, `x86_64`; null: it is placed as lld for ELF does. */
	readonly machOArchitecture: string | null;
	/** Bytes of a page of memory on the systems that it runs on. */
	readonly pageBytes: number;
	readonly isRelocatable: boolean | null;
	/** Where the program is entered: told by the file, else `_start`; null without. */
	readonly entry: number | null;
	/** All that is executable, by address, with what no order moves: `.init`, `.plt`. Empty where it is not told. */
	readonly code: readonly CodeSection[];
	readonly regions: readonly TextRegion[];
	readonly sectionStarts: Float64Array;
	/** Without the padding behind it. */
	readonly sectionSizes: Float64Array;
	readonly sectionAlignments: Float64Array;
	/** A function is a distinct address with a symbol; its names are the symbols that share it. */
	readonly functionSections: Int32Array;
	/** From the start of its section. */
	readonly functionOffsets: Float64Array;
	/** As the symbol table says: 0 for start-up code and hand-written assembly. */
	readonly functionSizes: Float64Array;
	/** The first symbol's name. */
	readonly functionNames: readonly string[];
	readonly symbolNames: readonly string[];
	readonly symbolFunctions: Int32Array;
	readonly symbolIsLocal: Uint8Array;
	readonly symbolFiles: readonly (string | null)[];
	/** Symbols of code that no order file moves, with the output section (null where it is not told): `_init`, functions in sections of their own. */
	readonly elsewhere: readonly { readonly name: string; readonly section: string | null }[];
	/**
	 * Functions that begin right where the one before ends, where most do (code that is aligned to nothing, -Os) and no map tells sections: each is taken for a section
	 * of its own, as -ffunction-sections makes it. 0 or left out: bytes or a map tell all.
	 */
	readonly touching?: number;
	/** Null or left out: the program does not tell its blocks. */
	readonly blocks?: LayoutBlocks | null;
}
