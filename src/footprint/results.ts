/** What the analyses of compiler memory give: plain data. */
import type { CompilerMemory, MemoryDetails } from '../model/compiler-memory.js';

/** Events that fit nothing that came before them. None of them changes a total. */
export interface MalformedEvents {
	/** A compilation began in a thread whose last one had not ended: that one is taken as unfinished. */
	readonly startWithoutEnd: number;
	readonly endWithoutStart: number;
	/** Phases and chunks in a thread that compiles nothing, or of a compilation that does not run. */
	readonly outside: number;
	/** Events of one thread for a compilation of another: they are counted for the compilation. */
	readonly otherThread: number;
	readonly phaseEndWithoutStart: number;
	/** Phases that were still open when one around them, or the compilation, ended. */
	readonly unclosedPhases: number;
	readonly freeOfUnknownChunk: number;
	readonly doubleFree: number;
	/** Chunks allocated at an address where one lives: both are counted, and the free takes that of its own arena. */
	readonly reusedAddresses: number;
	/** Frees that tell another size or arena than the allocation did, which is what counts. */
	readonly otherSize: number;
	readonly otherArena: number;
	/** Sizes that are no whole number of bytes from 0 on. */
	readonly badSizes: number;
	/** Events after a limit had crashed the JVM. */
	readonly afterCrash: number;
	/** Compilations that had not ended when the events did. */
	readonly unfinished: number;
	/** Compilations that ended with chunks that were not freed. */
	readonly unbalanced: number;
}

/** A compilation as its events tell of it. */
export interface ReplayedCompilation extends CompilerMemory {
	readonly details: MemoryDetails;
	/** Bytes of all arenas when it ended. */
	readonly heldAtEndBytes: number;
	/** How often an allocation was a new peak above the limit: the first hit, then those again. */
	readonly limitHits: number;
	readonly isFinished: boolean;
}

/** What a stream of events comes to. */
export interface Replay {
	/** In the order of their ends; of very many the most expensive ones. */
	readonly compilations: readonly ReplayedCompilation[];
	/** Compilations that were not kept. */
	readonly omitted: number;
	readonly events: number;
	readonly malformed: MalformedEvents;
	/** A limit with the reaction `crash` was hit. */
	readonly isCrashed: boolean;
}

/** A phase as it really was: with those inside it. */
export interface PhaseInstance {
	readonly sequence: number;
	readonly depth: number;
	readonly phase: string;
	/** Bytes and nodes when it began and when it ended. */
	readonly startBytes: number;
	endBytes: number;
	readonly startNodes: number;
	endNodes: number;
	/** Change outside of the phases inside it. */
	ownDeltaBytes: number;
	/** The most at the end of an entry or at a temporary peak, phases inside it included. */
	peakBytes: number;
	/** Whether a temporary peak was noted in one of its own entries. */
	temporaryPeakBytes: number | null;
	/** Its entries in the timeline, first and last. */
	readonly firstEntry: number;
	lastEntry: number;
}

/** Something worth a look, with its numbers. */
export interface Advice {
	readonly kind: 'peak' | 'limit' | 'reproduce' | 'temporary-peak' | 'recompiled' | 'stopped';
	readonly handle: string;
	readonly text: string;
	/** A flag of the JVM, null without. */
	readonly flag: string | null;
}

/** A method's memory on one side: bytes, and the runs that compiled it. */
export interface MemorySide {
	/** Mean over the runs that compiled the method, of the largest compilation in each. */
	readonly bytes: number;
	/** Runs that compiled it. */
	readonly runs: number;
	readonly values: readonly number[];
}

/** How much one arena in one phase grew or shrank. */
export interface CellChange {
	readonly phase: string;
	readonly arena: string;
	readonly bytesA: number;
	readonly bytesB: number;
}

/** A method that cost more or less, and whether that is noise. */
export interface MemoryChange {
	/** `d1` … by rank. */
	readonly handle: string;
	readonly method: string;
	readonly signature: string | null;
	readonly compiler: string;
	readonly a: MemorySide;
	readonly b: MemorySide;
	readonly kind: 'changed' | 'appeared' | 'vanished';
	/** null: without repeats it cannot be told. */
	readonly isNoise: boolean | null;
	/** Probability of such a difference when the runs of both sides are alike; null without repeats. */
	readonly pValue: number | null;
	/** By phase and arena (by arena alone where there is no table), largest change first. */
	readonly cells: readonly CellChange[];
}

/** Two sides' memory by method, most expensive change first. */
export interface MemoryComparison {
	readonly runsA: number;
	readonly runsB: number;
	/** Sums over all compilations of a run, mean over the runs. */
	readonly totalA: number;
	readonly totalB: number;
	/** Largest first; noise after everything else. */
	readonly changes: readonly MemoryChange[];
	readonly unchanged: number;
}
