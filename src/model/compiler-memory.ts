/**
 * What a compilation cost the compiler in memory: bytes of its arenas at the moment when all of them together were largest, and how they grew
 * and shrank from phase to phase. Names of arenas and phases are data, as the compiler spells them.
 */

/** Bytes by arena: `bytes[i]` is of `arenas[i]`. The list of names is shared by what was printed under one head. */
export interface ArenaBytes {
	readonly arenas: readonly string[];
	readonly bytes: readonly number[];
}

/** Bytes by phase: `bytes[i]` is of `phases[i]`. */
interface PhaseBytes {
	readonly phases: readonly string[];
	readonly bytes: readonly number[];
}

/** A row of the table at the peak: what was allocated in a phase and not yet freed. */
export interface PhaseMemory {
	/** One phase of C2 has an empty name. */
	readonly name: string;
	readonly totalBytes: number;
	readonly byArena: ArenaBytes;
}

/**
 * A piece of the flattened tree of phases. A phase inside another interrupts it; afterwards the outer one goes on as a new entry with the same
 * number.
 */
export interface TimelineEntry {
	/** Number of the phase instance: 0 is outside of all phases. */
	readonly sequence: number;
	/** 0: outside of all phases. */
	readonly depth: number;
	readonly phase: string;
	/** Goes on after a phase inside it. */
	readonly isContinued: boolean;
	/** Bytes of all arenas when the entry ends, and the change since it began. */
	readonly bytes: number;
	readonly deltaBytes: number;
	/** Live nodes of the compiler's graph when the entry ends, and the change since it began. */
	readonly nodes: number;
	readonly deltaNodes: number;
	/** Bytes at a peak inside the entry that is well above both its ends; null without one. */
	readonly temporaryPeakBytes: number | null;
}

/** The method of a compilation that nothing names; two such compilations are not of one method. */
export const UNKNOWN_METHOD = '(unknown)';

/** The table at the peak by phase, and the way there. */
export interface MemoryDetails {
	/** Empty where there is no table (C1). */
	readonly phases: readonly PhaseMemory[];
	readonly timeline: readonly TimelineEntry[];
	/** Entries from the beginning of the timeline that were not kept. */
	readonly lostEntries: number;
}

export const NO_DETAILS: MemoryDetails = { phases: [], timeline: [], lostEntries: 0 };

/** A compilation's memory at its peak, in bytes. */
export interface CompilerMemory {
	/** As the compiler's log spells it; null in forms that count methods, not compilations. */
	readonly compileId: string | null;
	/** `c1`, `c2`, or another compiler's name. */
	readonly compiler: string;
	/** Tier, and the bytecode index of on-stack replacement: null where no line told of them. */
	readonly level: number | null;
	readonly osrBci: number | null;
	/** Holder and name with dots. */
	readonly method: string;
	/** Descriptor of the JVM, `([I[I)I`; null when the spelling has none. */
	readonly signature: string | null;
	/** The most that all arenas held together. */
	readonly totalBytes: number;
	/** At that moment. */
	readonly byArena: ArenaBytes;
	/** At that moment; left out where nothing tells phases (C1), and where the details do. */
	readonly byPhase?: PhaseBytes;
	/** Live nodes at that moment. */
	readonly nodes: number | null;
	/** `ok`, `oom` (stopped at its limit), `err`. */
	readonly result: string | null;
	readonly limitBytes: number | null;
	readonly hitLimit: boolean;
	/** Since the start of the JVM, or in the stream's own time. */
	readonly seconds: number | null;
	readonly thread: string | null;
	/** How often this method was compiled, in forms that count methods. */
	readonly timesCompiled: number | null;
	/** Why the compiler gave no code. */
	readonly skipped: string | null;
	/** When it was compiled, in milliseconds since the JVM's start; left out where nothing tells. */
	readonly span?: { readonly startMs: number; readonly endMs: number };
}

/** What the JVM itself counts for its compilers, in a summary of Native Memory Tracking; null where that does not tell. */
export interface NativeMemory {
	readonly file: string;
	/** Of the file, from 1. */
	readonly line: number;
	/** Of the whole JVM. */
	readonly totalCommittedBytes: number;
	readonly reservedBytes: number | null;
	readonly committedBytes: number | null;
	/** In arenas of compilers, and the most that these had together. */
	readonly arenaBytes: number | null;
	readonly arenaPeakBytes: number | null;
	/** How many arenas. */
	readonly arenas: number | null;
}
