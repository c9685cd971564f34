/** One recording, joined: every compilation of a run with all that its files tell of it. */
import type { EvidenceKind } from './evidence.js';

/** A compilation, and what each kind of evidence says of it. Times are milliseconds since the JVM's start, sizes bytes; null is what no file tells. */
export interface JoinedCompilation {
	/** `c` and the compile id. */
	readonly handle: string;
	readonly compileId: string;
	readonly kind: 'standard' | 'osr' | 'native wrapper';
	/** Holder and name with dots. */
	readonly method: string;
	readonly signature: string | null;
	/** Which of several methods of that name and signature it is of; left out where there is only one. */
	readonly namesake?: string;
	readonly compiler: string | null;
	readonly level: number | null;
	readonly osrBci: number | null;
	/** 0 without samples. */
	readonly samples: number;
	/** Of the JVM's samples in the window, or of a profile's total. */
	readonly percent: number;
	/** Half the width of the 95 % interval, in percentage points; null without samples. */
	readonly halfInterval: number | null;
	/** Machine code and stubs; 0 where none was made. */
	readonly codeBytes: number;
	/** The most that the compiler's arenas held together. */
	readonly memoryBytes: number | null;
	/** What a profiler at safepoints would say of the method, percent; of all its compilations together. */
	readonly predictedBiasedPercent: number | null;
	/** Loops of its printed code that can run without reaching a poll. */
	readonly loopsWithoutPoll: number | null;
	readonly queuedMs: number | null;
	readonly startedMs: number | null;
	readonly doneMs: number | null;
	readonly installedMs: number | null;
	readonly notEntrantMs: number | null;
	readonly notEntrantReason: string | null;
	/** Why the compiler gave up. */
	readonly failure: string | null;
	readonly deoptimizations: number;
	/** Kinds that tell of it, `logCompilation` first. */
	readonly evidence: readonly EvidenceKind[];
}

/** How many calls became part of the compiled code, and how many stayed calls. Calls that the compiler replaced by code of its own, or took away, are neither. */
export interface CallCounts {
	readonly inlined: number;
	readonly notInlined: number;
}

/** A call that stayed a call. */
export interface RefusedCall {
	/** Bytecode index in the method that calls, which may be inlined itself. */
	readonly bci: number;
	/** Those of the calls around it, from the compiled method inwards, and its own; left out where they are not told. */
	readonly bcis?: readonly number[];
	/** The method that holds the call, where it is told; Graal's log does not. */
	readonly caller?: string | null;
	/** Size of the callee's bytecode, where it is told. */
	readonly calleeBytes?: number | null;
	/** Of a native program: `btree.c:4013:11`. */
	readonly place?: string | null;
	/** Holder and name with dots; null where it is not told. */
	readonly callee: string | null;
	/** In the compiler's words; empty where it gave none. */
	readonly reason: string;
	/** Classes that the profile names as receivers, most frequent first, with their shares, 0 to 1; without those whose callee was inlined. HotSpot's interpreter and C1 keep two (TypeProfileWidth). */
	readonly receivers: readonly { readonly name: string; readonly share: number }[];
	/**
	 * Of the calls that were counted there those that stayed, 0 to 1: less than 1 where what another receiver calls was inlined; null where it was, and nothing was
	 * counted.
	 */
	readonly callShare: number | null;
	/** The callee, and the same method of each receiver; with parameter types, `a.B.f(int)`, where methods of one name are told apart. */
	readonly targets: readonly string[];
	/** Percent of the run in code of its own that the callee, or the same method of a receiver, was compiled to. */
	readonly calleePercent: number;
}

/** Something that is worth a look, as a sentence. */
export interface RecordingFinding {
	readonly kind:
		| 'biased'
		| 'not-inlined'
		| 'safepoint'
		| 'memory'
		| 'deoptimization-storm'
		| 'deoptimized-hot'
		| 'recompiled-hot'
		| 'failed'
		| 'interpreter'
		| 'compilers'
		| 'slow-compilation'
		| 'huge-method'
		| 'excluded'
		| 'osr-only'
		| 'code-cache'
		| 'contention'
		| 'slow-instructions'
		| 'stub-work'
		| 'native-work'
		| 'not-vectorized'
		| 'not-hoisted'
		| 'spills'
		| 'cold-inlined'
		| 'exceptions'
		| 'collector'
		| 'class-loading'
		| 'compile-queue'
		| 'startup'
		| 'startup-inlining';
	/** Of slow instructions: a load, of which a report tells beside the worst of the others. Left out where it is none. */
	readonly isLoad?: true;
	readonly text: string;
	/** What it is about; null, or left out, where no method is. */
	readonly place?: { readonly method: string; readonly line: number | null; readonly bci: number | null } | null;
	/** Of compilations, `c12`. */
	readonly handles: readonly string[];
	readonly evidence: readonly EvidenceKind[];
	/** The command that shows more; null where there is none. */
	readonly command: string | null;
	/** By what findings are ordered: percent of the run's time that it is about, or what stands for it. */
	readonly worth: number;
}
