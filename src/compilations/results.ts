/** What is said about the compilations of one run of a JVM. Times are milliseconds since its start. */
import { type CompilationHistory, type JitCompilation, wasInstalled } from '../model/jit-compilation.js';

/** The method's compilations and what became of them. */
export interface MethodLife {
	/** `m1` …, by time spent compiling it. */
	readonly handle: string;
	readonly method: string;
	readonly signature: string | null;
	/** Which of several methods of that name and signature it is: `class 2`, or `154 bytes`, the length of its bytecode; null where there is only one. */
	readonly namesake: string | null;
	/** In the order of the log. */
	readonly versions: readonly Version[];
	/** Time of the compiler threads. */
	readonly compileMs: number;
	/** Machine code of all versions. */
	readonly sizeBytes: number;
	readonly deoptimizations: number;
	readonly failures: number;
}

/** One compilation of a method: how long it waited and took, in milliseconds, and what became of its code. */
export interface Version {
	readonly compilation: JitCompilation;
	/** From the queue to the compiler; null where one of both times is not known. */
	readonly waitedMs: number | null;
	readonly compileMs: number | null;
	readonly end: VersionEnd | null;
}

/** Why code was made not entrant. */
export interface VersionEnd {
	readonly ms: number;
	/** In the JVM's words where it gives them (JDK 25). */
	readonly reason: string | null;
	/** What else the log shows at that time: the trap that was hit, or the version that replaced it. */
	readonly sign: string | null;
	/** The version that came next. */
	readonly nextCompileId: string | null;
}

export interface LevelCount {
	/** null: native wrappers. */
	readonly compiler: string | null;
	readonly level: number | null;
	readonly compilations: number;
	readonly osr: number;
	readonly installed: number;
	readonly failed: number;
	/** Queued and not begun when the log ends. */
	readonly waiting: number;
	readonly notEntrant: number;
	readonly compileMs: number;
	readonly sizeBytes: number;
}

export interface ReasonCount {
	readonly reason: string;
	readonly count: number;
}

export interface DeoptimizationCount extends ReasonCount {
	readonly kind: string;
	readonly action: string | null;
	/** How many compilations had it. */
	readonly compilations: number;
}

/** Many traps of one kind in one method within a short time: code that is left again and again. */
export interface DeoptimizationStorm {
	/** The method that was executed. */
	readonly method: string;
	readonly reason: string;
	readonly count: number;
	readonly fromMs: number;
	readonly toMs: number;
	readonly compileIds: readonly string[];
}

export interface ThreadTotal {
	readonly id: number;
	readonly name: string | null;
	readonly compilations: number;
	readonly busyMs: number;
	/** Of the time from its start to the end of the log, 0 to 1. */
	readonly busyShare: number;
	readonly sizeBytes: number;
}

/** How many compilations waited for a compiler. */
export interface QueueLength {
	readonly compiler: string;
	/** The longest in each of as many equal parts of the run. */
	readonly longestOf: readonly number[];
	readonly longest: number;
	readonly longestAtMs: number;
	/** What is still queued when the log ends has waited until then. */
	readonly longestWaitMs: number;
	/** A tenth of all waited as long or longer. */
	readonly tenthWaitMs: number;
	/** Of those that were started. */
	readonly meanWaitMs: number;
	/** Queued and not started when the log ends. */
	readonly neverStarted: number;
}

export interface CodeHeapUse {
	/** -XX:ReservedCodeCacheSize, where the command line has it. */
	readonly reservedBytes: number | null;
	readonly firstFreeBytes: number;
	readonly leastFreeBytes: number;
	readonly leastFreeAtMs: number;
	readonly lastFreeBytes: number;
	/** Least free space in each of as many equal parts of the run; null where nothing was compiled. */
	readonly leastFreeOf: readonly (number | null)[];
}

/** All compilations of a run in numbers: levels, queues, compiler threads, failures, deoptimizations. */
export interface CompilationsSummary {
	readonly history: CompilationHistory;
	readonly compilations: number;
	readonly nativeWrappers: number;
	readonly osr: number;
	readonly installed: number;
	readonly notEntrant: number;
	/** Logged as started; the rest waits, or the log has no record of it. */
	readonly started: number;
	/** Queued and not begun when the log ends; 0 where the log has no records. */
	readonly waiting: number;
	readonly levels: readonly LevelCount[];
	readonly failures: readonly ReasonCount[];
	readonly retries: readonly ReasonCount[];
	readonly notEntrantReasons: readonly ReasonCount[];
	readonly deoptimizations: readonly DeoptimizationCount[];
	readonly storms: readonly DeoptimizationStorm[];
	readonly threads: readonly ThreadTotal[];
	readonly queues: readonly QueueLength[];
	readonly codeHeap: CodeHeapUse | null;
}

/** Whether it is told how large code is. Flight Recorder does not tell it. */
export function tellsSizes(history: CompilationHistory): boolean {
	const installed = history.compilations.filter((compilation) => compilation.kind !== 'native wrapper' && wasInstalled(compilation));
	return tellsEnds(history) && (installed.length === 0 || installed.some(({ sizeBytes, nmethodBytes }) => sizeBytes !== null || nmethodBytes !== null));
}

/** Whether it is told when compilations ended and how large their code is. What the JVM prints (PrintCompilation) does not tell it. */
export function tellsEnds({ compilations }: CompilationHistory): boolean {
	return compilations.some(({ kind, doneMs, installedMs }) => kind !== 'native wrapper' && (doneMs !== null || installedMs !== null));
}
