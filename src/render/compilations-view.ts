/** What `assay compilations` was asked to show. */

import type { CompilationsSummary, MethodLife } from '../compilations/results.js';
import type { InliningReason } from '../model/inlining-reasons.js';
import type { CompilationRecord, JitCompilation } from '../model/jit-compilation.js';

export type MethodOrder = 'time' | 'size' | 'versions' | 'deoptimizations';

export interface CompilationsView {
	/** What was recorded, and of which JVM. */
	readonly title: string;
	readonly summary: CompilationsSummary;
	/** Methods with a compilation that the filters leave, in the order asked for. */
	readonly methods: readonly MethodLife[];
	/** Whether a filter was given. */
	readonly isFiltered: boolean;
	readonly order: MethodOrder;
	/** Rows of tables. */
	readonly top: number;
	/** Only these; null: all. */
	readonly chosen: readonly ChosenLife[] | null;
	readonly reasons: readonly ReasonRow[] | null;
}

/** A method whose versions are shown one by one. */
export interface ChosenLife {
	readonly life: MethodLife;
	/** Those that were asked for, or all. */
	readonly shown: readonly JitCompilation[];
	/** The trees of these. */
	readonly records: ReadonlyMap<JitCompilation, CompilationRecord | null>;
}

export interface ReasonRow {
	readonly reason: string;
	readonly count: number;
	readonly compilers: readonly string[];
	/** null for a reason that is not known. */
	readonly explanation: InliningReason | null;
	/** With the defaults. */
	readonly flags: readonly string[];
}
