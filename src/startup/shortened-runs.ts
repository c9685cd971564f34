/**
 * Runs that end sooner than the traced ones. Any run is like one of these at its beginning, and an order of first execution serves them by itself; another order may
 * gather what whole runs share, and spread what their beginnings need.
 */
import type { TextLayout } from '../model/text-layout.js';
import { listedFor, wholeOrder } from './held-out.js';
import { type HotCode, hotCode, scoreOrder } from './hot-code.js';
import type { OptimizeObjective } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

/** Of the functions that a run executes; it ends before the next one. */
const SHARES_OF_RUNS: readonly number[] = [0.25, 0.5, 0.75];

/** The run until `share` of its functions ran; of these functions it has executed all that the whole run does. */
export function shortened(trace: LaidTrace, share: number): LaidTrace {
	const { functions, ranges } = trace;
	const kept = functions.slice(0, Math.ceil(share * functions.length));
	if (ranges === null) {
		return { ...trace, functions: kept };
	}
	const isKept = new Uint8Array(functions.reduce((most, f) => Math.max(most, f), 0) + 1);
	for (const f of kept) {
		isKept[f] = 1;
	}
	const isOfKept = (_value: number, i: number): boolean => isKept[ranges.functions[i]!] === 1;
	return {
		...trace,
		functions: kept,
		ranges: { functions: ranges.functions.filter(isOfKept), starts: ranges.starts.filter(isOfKept), ends: ranges.ends.filter(isOfKept) },
	};
}

/** The part that an order has to gain. With none at all, four times as many orders of Lua and mawk were worse in runs that were left out; with 2 %, SQLite's order of docs/order-reference.md took two pages more. */
const LEAST_GAIN = 0.01;

/**
 * Whether runs that end sooner touch fewer pages (windows, where these are the objective) together under an order of the given code than under the first one, by order.
 * `page`: what a page weighs. What is less than a page may be lost.
 */
export function servesShortened(
	layout: TextLayout,
	region: TextLayout['regions'][number],
	hot: HotCode,
	traces: readonly LaidTrace[],
	objective: OptimizeObjective,
	lists: readonly Int32Array[],
	page: number,
): boolean[] {
	const runs = SHARES_OF_RUNS.map((share) =>
		hotCode(
			layout,
			region,
			traces.map((trace) => shortened(trace, share)),
		),
	);
	const counts = lists.map((listed) => {
		const order = wholeOrder(hot, region, listed);
		return runs.reduce((sum, run) => sum + scoreOrder(run, layout, listedFor(run, order))[objective], 0);
	});
	const [first = 0] = counts;
	const least = page === 0 ? LEAST_GAIN * first : page * Math.floor((LEAST_GAIN * first) / page);
	return counts.map((count) => count <= first - least);
}
