/** Compilations of a HotSpot JVM: the life of each, and what its compiler decided. Times are milliseconds since the JVM's start. */
import type { InliningNode } from './inlining-tree.js';
import type { OptimizationPhase } from './optimization-tree.js';

/** `osr`: on-stack replacement, entered in a loop. A native wrapper is made by the JVM itself, for a native method or a method-handle linker. */
export type JitCompilationKind = 'standard' | 'osr' | 'native wrapper';

/** The level of C2 and of Graal. */
export const TOP_TIER = 4;

/** Of one JVM ids are unique, whatever mark stands behind them: Graal's log and the statistics of memory have none. */
export function plainId(compileId: string): string {
	return compileId.replace(/%$/, '');
}

/** What is known of one compilation; null is what its log does not tell. */
export interface JitCompilation {
	/** As PrintCompilation shows it: `12`, `12%` for on-stack replacement. */
	readonly compileId: string;
	readonly kind: JitCompilationKind;
	/** Holder and name with dots: `java.util.HashMap.getNode`. */
	readonly method: string;
	/** `(Ljava/lang/Object;)Z` */
	readonly signature: string | null;
	/** Which of several methods of that name and signature it is of: see {@link namesakesOf}. Left out where there is only one. */
	readonly namesake?: string;
	/** Of Flight Recorder the number of its class, as in its samples; left out or 0 where it is not told. */
	readonly classId?: number;
	/** `c1`, `c2`, `jvmci`; null for native wrappers too. */
	readonly compiler: string | null;
	/** 1 to 3 of C1, 4 the top tier, 0 of native wrappers. */
	readonly level: number | null;
	readonly osrBci: number | null;
	/** Size of the method's bytecode. */
	readonly bytecodeBytes: number | null;
	/** Invocations and loop iterations that were counted when it was queued or started. */
	readonly invocations: number | null;
	readonly backedges: number | null;
	readonly queuedMs: number | null;
	/** Who asked for it, in the log's words: `tiered`. */
	readonly queueComment: string | null;
	readonly startedMs: number | null;
	readonly doneMs: number | null;
	/** When its code was installed; null too where only its success is told: see {@link wasInstalled}. */
	readonly installedMs: number | null;
	/** Machine code and stubs (`nmsize`); 0 when the compilation failed, null when the log ends before it was done. */
	readonly sizeBytes: number | null;
	/** What the installed code takes in the code cache, with all its data. */
	readonly nmethodBytes: number | null;
	/** Bytecode that was inlined. */
	readonly inlinedBytes: number | null;
	/** The operating system's id of the thread that compiled it. */
	readonly threadId: number | null;
	readonly failure: CompilationFailure | null;
	/** Why attempts were given up that the compiler repeated at once; the last attempt is the one that counts. */
	readonly retries: readonly string[];
	/** When it was made not entrant, and why where the JVM says so (JDK 25). */
	readonly notEntrant: { readonly ms: number; readonly reason: string | null } | null;
	/** When the code was given up after nobody executed it any more (a zombie, up to JDK 19). */
	readonly removedMs: number | null;
	readonly deoptimizations: readonly Deoptimization[];
	/**
	 * How often a thread left this code of C1 for OSR code of its loop, when the loop's counter overflowed. HotSpot logs that as a deoptimization, which it is
	 * not.
	 */
	readonly movesToOsr: number;
	/** Whether its record ends before it is complete. */
	readonly isCut: boolean;
}

/** What is told of a compilation beside its name where nothing is: null, and empty lists of its own. */
export function unknownCompilation(): Omit<JitCompilation, 'compileId' | 'kind' | 'method' | 'signature' | 'retries' | 'deoptimizations'> & {
	retries: string[];
	deoptimizations: Deoptimization[];
} {
	return {
		compiler: null,
		level: null,
		osrBci: null,
		bytecodeBytes: null,
		invocations: null,
		backedges: null,
		queuedMs: null,
		queueComment: null,
		startedMs: null,
		doneMs: null,
		installedMs: null,
		sizeBytes: null,
		nmethodBytes: null,
		inlinedBytes: null,
		threadId: null,
		failure: null,
		retries: [],
		notEntrant: null,
		removedMs: null,
		deoptimizations: [],
		movesToOsr: 0,
		isCut: false,
	};
}

/** Flight Recorder tells that a compilation succeeded; neither when its code was installed, nor how large it is. */
export function wasInstalled({ failure, installedMs, doneMs, sizeBytes }: JitCompilation): boolean {
	return installedMs !== null || (failure === null && doneMs !== null && sizeBytes === null);
}

export interface CompilationFailure {
	readonly reason: string;
	/** Where the compiler gave up. */
	readonly phase: string | null;
}

/** A thread left compiled code for the interpreter. */
export interface Deoptimization {
	/** `uncommon trap`: it ran into a place that was left out; `invalidated`: what the code relied on is no longer true. */
	readonly kind: 'uncommon trap' | 'invalidated';
	readonly reason: string;
	/** What happens to the code: `maybe_recompile`, `reinterpret`, `make_not_entrant`, `none`; null when invalidated. */
	readonly action: string | null;
	/** The innermost method that was executed, with dots, and the bytecode index in it. */
	readonly method: string | null;
	readonly bci: number | null;
	readonly ms: number | null;
	readonly threadId: number | null;
}

export interface CompilerThread {
	readonly id: number;
	readonly name: string | null;
	readonly startedMs: number | null;
}

/** The code cache after a compilation. */
export interface CodeCacheState {
	readonly ms: number;
	readonly freeBytes: number;
	readonly nmethods: number;
	readonly blobs: number;
}

/** All compilations of one run of a JVM. */
export interface CompilationHistory {
	readonly processId: number | null;
	/** The JVM's version line. */
	readonly version: string | null;
	readonly startedEpochMs: number | null;
	/** Flags on its command line. */
	readonly arguments: string | null;
	/** The program: its main class or archive, and its arguments. */
	readonly command: string | null;
	/** Where it was watched for a part of the run only, by Flight Recorder: since when. Nothing older is told, nor native wrappers and what was made not entrant. */
	readonly watchedFromMs?: number;
	/** Functions of a native program: nothing is told of times, levels and threads. Left out of a JVM's. */
	readonly isAheadOfTime?: true;
	/** The last time in the log. */
	readonly endMs: number;
	/** In the order in which they were queued; native wrappers when they were installed. */
	readonly compilations: readonly JitCompilation[];
	readonly threads: readonly CompilerThread[];
	readonly codeCache: readonly CodeCacheState[];
}

/** One decision about one callee at one call. A call can have several: one for each receiver, or a refused call and an intrinsic. */
export interface CallDecision {
	/** Bytecode indices of the calls from the compiled method inwards, this one last. */
	readonly bcis: readonly number[];
	/** Holder and name with dots; null when the log does not name it. */
	readonly callee: string | null;
	/** The callee's parameter types, `(String, int[])`; left out where they are not told. */
	readonly calleeParameters?: string | null;
	/** The method that holds the call, with dots: the compiled one, or one inlined into it. Left out where it is not told. */
	readonly caller?: string | null;
	/** Size of the callee's bytecode; left out where it is not told. */
	readonly calleeBytes?: number | null;
	/** Of a native program: where the call stands in the source, `btree.c:4013:11`. */
	readonly place?: string | null;
	/** The compiler decided to inline it. Late inlining may still fail. */
	readonly inlined: boolean;
	/** The compiler replaced it by code of its own. C1 counts that as inlining, C2 does not. */
	readonly intrinsic: boolean;
	/** In HotSpot's words; `(intrinsic)` for C2's intrinsics. */
	readonly reason: string;
	/** The classes seen at a virtual call. */
	readonly receivers: readonly CountedReceiver[];
}

export interface CountedReceiver {
	readonly typeName: string;
	readonly count: number;
	/** Its part of the calls that were counted, 0 to 1. */
	readonly probability: number;
}

/** A phase of the compiler; times in milliseconds, memory in bytes. */
export interface CompilationPhase {
	readonly name: string;
	/** How many phases are around it. */
	readonly depth: number;
	readonly startMs: number | null;
	readonly endMs: number | null;
	/** Nodes of the intermediate representation made so far, and alive, at its end. */
	readonly nodes: number | null;
	readonly liveNodes: number | null;
	/** Memory of the compiler at its end. */
	readonly memoryBytes: number | null;
}

/** What the record of one compilation says about the work of the compiler: of its last attempt. */
export interface CompilationRecord {
	readonly decisions: readonly CallDecision[];
	readonly phases: readonly CompilationPhase[];
	/** Places where the compiler left code out and deoptimizes instead. */
	readonly plannedTraps: number;
	readonly inlining: InliningNode;
	readonly optimization: OptimizationPhase;
	/** What could not be made sense of: calls and methods outside of any. */
	readonly lostElements: number;
}

/** Time from the start to the end of the compiler's work; null where the log does not have both. */
export function compileMs({ startedMs, doneMs }: JitCompilation): number | null {
	return startedMs === null || doneMs === null ? null : Math.max(0, doneMs - startedMs);
}
