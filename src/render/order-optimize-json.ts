/** The result of `assay order optimize` as JSON: see docs/json.md. */
import type { OptimizedOrder, OptimizeObjective, Simulation } from '../startup/results.js';
import type { JsonStream } from './json-stream.js';
import { countsJson, traceJson } from './order-simulate-json.js';

export interface OptimizeShown {
	/** The program as it is, under the order of first execution, and under the one that was made. */
	readonly simulation: Simulation;
	readonly order: OptimizedOrder;
	/** Start-up code that the traces lacked. */
	readonly startUpCode: readonly string[];
	readonly objective: OptimizeObjective;
	/** The file that was written; null for standard output. */
	readonly output: string | null;
}

export function writeOptimizeJson(json: JsonStream, { simulation, order, startUpCode, objective, output }: OptimizeShown): void {
	json.field('method', order.method);
	json.field('objective', objective);
	json.field('output', output);
	json.field('traces', simulation.traces.map(traceJson));
	json.field('sections', order.sections);
	json.field('classes', order.classes);
	json.field('fillers', order.fillers);
	json.field('startUpCode', startUpCode);
	json.field('tried', order.tried);
	json.field(
		'layouts',
		simulation.layouts.map(({ name, counts, byTrace }) => ({
			name,
			...countsJson(counts),
			byTrace: byTrace.map(({ name: trace, counts: own }) => ({ trace, ...countsJson(own) })),
		})),
	);
	json.field('symbols', order.symbols);
}
