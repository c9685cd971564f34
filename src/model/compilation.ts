/** One unit of work of a compiler, and what is known of it. */
import type { InliningNode } from './inlining-tree.js';
import type { OptimizationPhase } from './optimization-tree.js';

/** What the compiler did in one compilation. */
export interface CompilationTrees {
	readonly inlining: InliningNode;
	readonly optimization: OptimizationPhase;
}

/** Compiled while the program ran, or before. */
export type CompilationKind = 'JIT' | 'AOT';

/** A compilation as a compiler's log announces it. The trees are read when somebody asks. */
export interface LoggedCompilation {
	/** As the compiler numbers it. */
	readonly compileId: string;
	/** The compiled method, in the log's spelling, without a multi-method key. */
	readonly methodName: string;
	/** Tells apart the compilations of one method that the compiler made for different purposes; null for the ordinary one. */
	readonly multiMethodKey: string | null;
	/** As logged, key and all: how a profile of an AOT image names it. */
	readonly fullName: string;
	/** Reads the trees. Throws an {@link InputError} that says why, when they cannot be read. */
	readonly readTrees: () => CompilationTrees;
	/** Size of the record that the trees are read from. */
	readonly sizeBytes: number;
	/** Invocations and loop iterations that were counted when it was compiled; left out where the log does not say. */
	readonly counted?: number;
}
