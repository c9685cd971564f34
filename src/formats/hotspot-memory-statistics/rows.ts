/** What the scanner finds: a row for each compilation as often as it is printed, tables, hits of limits, and notes on compile tasks. */
import type { CompilerMemory, NativeMemory } from '../../model/compiler-memory.js';
import type { Problem } from '../../model/problem.js';

/** Bytes [start, end) of the file. */
export interface ByteRange {
	readonly start: number;
	readonly end: number;
}

/** Which kind of output a row comes from. */
export type RowForm = 'print' | 'table' | 'verbose' | 'error-report';

/** A compilation, or a method, in a table of HotSpot. */
export interface StatisticRow extends CompilerMemory {
	readonly form: RowForm;
	/** The method as HotSpot spells it. */
	readonly spelling: string;
	/** Line of the file, from 1. */
	readonly line: number;
	/** All that was printed of it. */
	readonly block: ByteRange;
	/** Its tables, read on demand; null without. */
	readonly details: ByteRange | null;
}

/** A table of HotSpot, as jcmd and error reports print it. */
export interface StatisticTable {
	/** The line above it: `Compiler Memory Statistic`. */
	readonly title: string;
	/** The line of jcmd before that, `1234:`. */
	readonly processId: string | null;
	readonly verbose: boolean;
	/** Blanks before each line. */
	readonly indent: number;
	/** Lines of the legend as they were printed; empty without. */
	readonly legend: readonly string[];
	/** Names of the columns; empty in the verbose form. */
	readonly columns: readonly string[];
	readonly rows: readonly StatisticRow[];
	/** `(49 compilations smaller than 12582912 omitted)`, null without such a line. */
	readonly omitted: { readonly count: number; readonly minsizeBytes: number } | null;
	/** The counts below it, null without. */
	readonly total: { readonly all: number; readonly c1: number; readonly c2: number } | null;
	/** From the title to its last line. */
	readonly block: ByteRange;
}

/** `Hit MemLimit`, and how often again. */
export interface LimitHit {
	readonly compileId: string | null;
	readonly compiler: string;
	readonly spelling: string;
	readonly limitBytes: number;
	/** At the last hit. */
	nowBytes: number;
	hits: number;
	readonly line: number;
}

/** What PrintCompilation, LogCompilation or an error report tell of a task. */
export interface TaskNote {
	level: number | null;
	osrBci: number | null;
	skipped: string | null;
}

/** All rows and tables of a file. */
export interface MemoryStatistics {
	readonly rows: readonly StatisticRow[];
	/** Rows that were not kept because there were too many, smallest first. */
	readonly droppedRows: number;
	readonly tables: readonly StatisticTable[];
	readonly hits: readonly LimitHit[];
	/** By number. Empty where the file has nothing of a statistic. */
	readonly tasks: ReadonlyMap<string, TaskNote>;
	/** The task that an error report was written in. */
	readonly currentTask: string | null;
	/** Summaries of Native Memory Tracking. */
	readonly nativeMemory: readonly NativeMemory[];
	readonly problems: readonly Problem[];
}
