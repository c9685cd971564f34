import type { ListedFunction } from '../../model/listed-function.js';
import type { FileMapping } from '../../model/page-faults.js';
import type { Problem } from '../../model/problem.js';

/** The functions that perf sampled, or saw fault, in its order. */
export interface PerfOrder {
	/** A row for each sampled function, in the order of the samples; one may come again. Nothing of the kernel. */
	readonly rows: readonly ListedFunction[];
	/** Where files were loaded; of text: with --show-mmap-events. */
	readonly mappings: readonly FileMapping[];
	readonly problems: readonly Problem[];
}
