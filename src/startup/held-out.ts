/**
 * What an order is worth in runs that were not traced: each given run is left out once, orders are made of the others in every way, and the run that was left out is
 * counted under them, with all that they do not list where it stays.
 */
import type { TextLayout } from '../model/text-layout.js';
import { sumOf } from '../statistics/sums.js';
import { type HotCode, hotCode, scoreOrder } from './hot-code.js';
import type { OptimizeObjective } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

/** With more runs some are left out together. */
const MOST_PARTS = 8;
/** Pages a run. */
const LEAST_GAIN_OF_FINE = 3;
const LEAST_GAIN_OF_TWO = 2;

/** Orders of a set of traces, made in every way, see {@link scoreOrder}. */
export type ListOrders = (traces: readonly LaidTrace[]) => { readonly hot: HotCode; readonly lists: readonly Int32Array[] };

/**
 * Of each way to make an order, by run, how many more pages (windows, where these are the objective) the run touches under it than under the first way, when both are
 * made without the run; weighted. Empty where there is one run alone.
 */
export function losesLeftOut(
	layout: TextLayout,
	region: TextLayout['regions'][number],
	traces: readonly LaidTrace[],
	objective: OptimizeObjective,
	listAll: ListOrders,
): number[][] {
	const parts = traces.length > 1 ? Math.min(traces.length, MOST_PARTS) : 0;
	const loses: number[][] = [];
	for (let part = 0; part < parts; part++) {
		const isLeftOut = (_trace: LaidTrace, i: number): boolean => i % parts === part;
		const { hot: others, lists } = listAll(traces.filter((trace, i) => !isLeftOut(trace, i)));
		const runs = traces.filter(isLeftOut).map((trace) => hotCode(layout, region, [trace]));
		const counted = lists.map((listed) => {
			const order = wholeOrder(others, region, listed);
			return runs.map((run) => scoreOrder(run, layout, listedFor(run, order))[objective]);
		});
		const [first = []] = counted;
		counted.forEach((counts, way) => {
			loses[way] ??= [];
			loses[way].push(...counts.map((count, i) => count - first[i]!));
		});
	}
	return loses;
}

/** All sections of a region, those that are listed first, the others as they were. */
export function wholeOrder({ sections }: HotCode, { firstSection, endSection }: TextLayout['regions'][number], listed: Int32Array): number[] {
	const order = new Set(Array.from(listed, (one) => (one < 0 ? -1 - one : sections[one]!)));
	for (let section = firstSection; section < endSection; section++) {
		order.add(section);
	}
	return [...order];
}

/** Sections of the layout as {@link scoreOrder} takes them. */
export function listedFor({ sections }: HotCode, order: readonly number[]): Int32Array {
	const places = new Map(Array.from(sections, (section, place) => [section, place]));
	return Int32Array.from(order, (section) => places.get(section) ?? -1 - section);
}

/**
 * Whether an order may be taken, given how much more each run that was left out touches under it than under that of first execution. A page more or less is what any
 * change of the layout gives or takes: none may lose more, and together they may not lose. Two runs tell little of a third one: there both have to
 * gain two pages. A fine packing fits the traced runs best, and has to prove itself by more.
 */
export function generalizes(loses: readonly number[], page: number, isFine = false): boolean {
	const most = loses.length === 2 ? -LEAST_GAIN_OF_TWO * page : isFine ? -page : page;
	return loses.every((lost) => lost <= most) && sumOf(loses) <= (isFine ? -LEAST_GAIN_OF_FINE * page * loses.length : 0);
}
