/** The result of `assay order optimize`: docs/schema/order-optimize.json. */
import type { OptimizedBlocks } from '../../startup/optimize-blocks.js';
import type { ColdCode, OptimizedOrder, OptimizeObjective, Simulation } from '../../startup/results.js';
import type { OrderOptimizeResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { countsJson, traceJson } from './simulate-result.js';

export interface MadeOrder {
	/** The program as it is, under the order of first execution, and under the one that was made. */
	readonly simulation: Simulation;
	readonly order: OptimizedOrder;
	/** Start-up code that the traces lacked. */
	readonly startUpCode: readonly string[];
	/** What of the functions that ran was not executed; null where a trace does not tell. */
	readonly cold: ColdCode | null;
	readonly objective: OptimizeObjective;
	/** The file that is written; null for standard output. */
	readonly output: string | null;
	/** The list of blocks that was made, and its file; null where nobody asked for one. */
	readonly blocks: (OptimizedBlocks & { readonly output: string }) | null;
}

export function optimizeResult({ simulation, order, startUpCode, cold, objective, output, blocks }: MadeOrder): Streamed<OrderOptimizeResult> {
	return {
		method: order.method,
		objective,
		output,
		traces: simulation.traces.map(traceJson),
		sections: order.sections,
		classes: order.classes,
		fillers: order.fillers,
		startUpCode,
		tried: order.tried,
		refused: order.refused,
		cold,
		layouts: simulation.layouts.map(({ name, counts, byTrace }) => ({
			name,
			...countsJson(counts),
			byTrace: byTrace.map(({ name: trace, counts: own }) => ({ trace, ...countsJson(own) })),
		})),
		blocks: blocks === null ? null : blocksJson(blocks),
		symbols: order.symbols,
	};
}

function blocksJson({ output, list, leastColdBytes, tried, refused }: NonNullable<MadeOrder['blocks']>): OrderOptimizeResult['blocks'] {
	const { functions, compilers, sharedNames, untold } = list;
	return {
		output,
		functions: functions.length,
		keptBytes: functions.reduce((sum, one) => sum + one.keptBytes, 0),
		coldBytes: functions.reduce((sum, one) => sum + one.coldBytes, 0),
		leastColdBytes,
		tried,
		refused,
		compilers: [...compilers],
		sharedNames: [...sharedNames],
		untoldFunctions: untold,
	};
}
