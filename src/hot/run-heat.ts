/** Where the time of a run went, as far as the join, findings and diffs look: of samples with addresses ({@link HotReport}), or of stacks alone ({@link StackHeat}). */
import type { Instructions } from '../model/instructions.js';
import type { SparseColumn } from '../model/sparse-column.js';
import type { Share } from '../statistics/shares.js';
import type { CodeCallers } from './hot-results.js';

export interface RunHeat {
	/** In the words of the profiler: `cpu-clock`, `jdk.CPUTimeSample`. */
	readonly event: string;
	readonly attribution: {
		readonly total: number;
		/** What is 100 %. */
		readonly counted: number;
		/** That may be of another compilation than the one that they are counted for. */
		readonly ambiguous: number;
	};
	/** Of samples in no compilation, and of those that are not counted. */
	readonly reasons: ReadonlyMap<string, number>;
	/** Time outside of compilations is that of the rows without versions. */
	readonly methods: readonly { readonly method: string; readonly versions: readonly unknown[]; readonly samples: number; readonly share: Share }[];
	/** Compilations, stubs and codelets with samples; only compilations have an id. */
	readonly code: readonly {
		readonly code: { readonly compileId: string | null; readonly name: string; readonly library?: string };
		readonly samples: number;
		readonly instructions: Instructions | null;
		readonly seenAt: SparseColumn;
	}[];
	/** What libraries and the kernel work for, by their names; left out where no tops of stacks were recorded. */
	readonly libraryCallers?: ReadonlyMap<string, CodeCallers>;
	/** What was copied of the top of each stack; left out where nothing was. */
	readonly shallowStacks?: { readonly copiedBytes: number };
	/** Where stacks tell lines, and no instruction does. */
	readonly lines?: {
		/** Of the bytecode, or the nearest one before it. */
		lineOf(method: string, bci: number): number | null;
		/** The one with most samples. */
		hottestLine(method: string): number | null;
	};
}
