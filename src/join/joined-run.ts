/** What the join takes: of each kind of evidence the part that is looked at here, whoever read it. */
import type { BiasOverview } from '../bias/bias-overview.js';
import type { SafepointDelay } from '../bias/safepoint-delay.js';
import type { CompilationsSummary } from '../compilations/results.js';
import type { HotCauses } from '../hot/hot-causes.js';
import type { HotRemark } from '../hot/hot-remarks.js';
import type { RunHeat } from '../hot/run-heat.js';
import type { ThreadTime } from '../hot/thread-time.js';
import type { CollectorPauses } from '../model/collector-pauses.js';
import type { LoggedCompilation } from '../model/compilation.js';
import type { CompilerMemory } from '../model/compiler-memory.js';
import type { CompilationOrigin, EvidenceKind, EvidenceOfKind } from '../model/evidence.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { CallDecision, JitCompilation } from '../model/jit-compilation.js';
import type { CallCounts, JoinedCompilation, RefusedCall } from '../model/joined-recording.js';
import type { Profile } from '../model/profile.js';
import type { SampleFilter } from '../model/sample-filter.js';
import type { Simulation } from '../startup/results.js';

/** The compilers' log; decisions are read on demand. */
interface JoinedLog {
	readonly origin: CompilationOrigin;
	readonly history: { readonly compilations: readonly JitCompilation[] };
	/** Traps in compilations that are not in the history: how many, by compile id. */
	readonly otherDeoptimizations: ReadonlyMap<string, number>;
	read(compilation: JitCompilation): unknown;
	readDecisions(compilation: JitCompilation): readonly CallDecision[];
	/** Where that is less work than reading them; null where they are not told. */
	countCalls?(compilation: JitCompilation): CallCounts | null;
}

/** A piece of code, and the offsets of its text where it was printed. */
interface JoinedCode extends GeneratedCode {
	readonly textRanges?: readonly number[];
}

/** A compilation's memory by the handle that its statistics have. */
interface JoinedMemory extends CompilerMemory {
	/** `c12`; `c12@2` for the second one of this id; `m3` for the third row of a form that counts methods. */
	readonly handle: string;
}

/** A line of PrintCompilation. */
interface PrintedLine {
	readonly compileId: string;
	readonly method: string;
	readonly signature: string | null;
	readonly level: number | null;
	readonly osrBci: number | null;
	readonly isNative: boolean;
	readonly isOsr: boolean;
	readonly event: string;
	readonly reason: string | null;
	readonly timeMs: number | null;
}

export interface JoinInput {
	readonly log: JoinedLog | null;
	readonly code: readonly JoinedCode[];
	/** null: nothing was sampled. */
	readonly heat: RunHeat | null;
	readonly bias: BiasOverview | null;
	readonly memory: readonly JoinedMemory[];
	/** Of Graal's optimization log. */
	readonly units: readonly LoggedCompilation[];
	readonly profile: Profile | null;
	/** Uncommon traps by compile id, of a log of deoptimizations. */
	readonly deoptimizations: ReadonlyMap<string, number>;
	readonly printed: readonly PrintedLine[];
}

/** Read on demand; null where nothing tells of the calls. */
export type CallCounter = (compilation: JoinedCompilation) => CallCounts | null;

/** Calls that stayed, the one whose callee has most samples first. */
export type RefusedCalls = (compilation: JoinedCompilation) => readonly RefusedCall[];

/** The start-up of a native program. */
export interface JoinedStartup {
	readonly program: { readonly file: string; readonly isElf: boolean } | null;
	readonly traces: readonly { readonly file: string }[];
	/** Functions that ran, summed over the traces. */
	readonly functions: number;
	readonly simulation: Simulation | null;
	readonly maps: readonly string[];
	/** Whether commands can be given all of these files: members of archives cannot. */
	readonly isOnDisk: boolean;
	/** What its functions consist of; left out or null where no debug information of the program tells. */
	readonly inlining?: StartupInlining | null;
}

/** How much of the code of a start-up was inlined. */
export interface StartupInlining {
	readonly functions: number;
	readonly codeBytes: number;
	readonly inlinedBytes: number;
	/** The function with most. */
	readonly most: {
		/** `c976`; null where no remark tells of it. */
		readonly handle: string | null;
		readonly function: string;
		readonly codeBytes: number;
		readonly inlinedBytes: number;
		/** Largest first: the callee, its bytes, the line of the call, and the compiler's reason. */
		readonly parts: readonly { readonly callee: string; readonly bytes: number; readonly place: string; readonly reason: string | null }[];
	};
}

/** A run after the join, as far as findings need it. */
export interface JoinedRun extends HotCauses {
	/** As the user called it. */
	readonly name: string;
	/** The paths that were given; left out: `name` is the only one. */
	readonly paths?: readonly string[];
	/** The JVM that was asked for; null: the files are of one, or it was told from them. */
	readonly processId: number | null;
	/** Of which samples all shares are. */
	readonly chosen: SampleFilter;
	/** null where nothing has times. */
	readonly seconds: number | null;
	/** `version`: left out where nothing tells it. */
	readonly jvm: { readonly version?: string | null; readonly arguments: string | null };
	readonly evidence: Readonly<Record<EvidenceKind, EvidenceOfKind>>;
	readonly compilations: readonly JoinedCompilation[];
	readonly refused: RefusedCalls;
	/** null: there is no log of compilations. */
	readonly log: JoinedLog | null;
	readonly summary: CompilationsSummary | null;
	readonly hot: RunHeat | null;
	/** null where the samples do not tell threads, or are not those of a JVM. */
	readonly threadTime: ThreadTime | null;
	/** Of a native program: what the compiler did not do in hot code, most samples first; left out of others. */
	readonly hotRemarks?: readonly HotRemark[];
	readonly bias: BiasOverview | null;
	readonly delays: readonly SafepointDelay[];
	/** null: nothing tells of a pause of the garbage collector. */
	readonly collector: CollectorPauses | null;
	readonly memory: readonly JoinedMemory[];
	readonly startup: JoinedStartup | null;
}
