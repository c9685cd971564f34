/**
 * What an order is worth in runs that were not traced: each given run is left out once, orders are made of the others in every way, and the run that was left out is
 * counted under them, with all that they do not list where it stays.
 */
import type { TextLayout } from '../model/text-layout.js';
import { type HotCode, hotCode, scoreOrder } from './hot-code.js';
import type { OptimizeObjective } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

/** With more runs some are left out together. */
const MOST_PARTS = 8;
/** Pages a run. */
const LEAST_GAIN_OF_FINE = 3;

/**
 * Of each way to make an order, by run, how many more pages (windows, where these are the objective) the run touches under it than under the first way, when both are
 * made without the run; weighted. Empty where there is one run alone. `listAll` gives the orders of a set of traces, see {@link scoreOrder}.
 */
export function losesLeftOut(
	layout: TextLayout,
	region: TextLayout['regions'][number],
	traces: readonly LaidTrace[],
	objective: OptimizeObjective,
	listAll: (hot: HotCode) => readonly Int32Array[],
): number[][] {
	const parts = traces.length > 1 ? Math.min(traces.length, MOST_PARTS) : 0;
	const loses: number[][] = [];
	for (let part = 0; part < parts; part++) {
		const isLeftOut = (_trace: LaidTrace, i: number): boolean => i % parts === part;
		const others = hotCode(
			layout,
			region,
			traces.filter((trace, i) => !isLeftOut(trace, i)),
		);
		const runs = traces.filter(isLeftOut).map((trace) => hotCode(layout, region, [trace]));
		const counted = listAll(others).map((listed) => {
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
function wholeOrder({ sections }: HotCode, { firstSection, endSection }: TextLayout['regions'][number], listed: Int32Array): number[] {
	const order = new Set(Array.from(listed, (one) => (one < 0 ? -1 - one : sections[one]!)));
	for (let section = firstSection; section < endSection; section++) {
		order.add(section);
	}
	return [...order];
}

/** Sections of the layout as {@link scoreOrder} takes them. */
function listedFor({ sections }: HotCode, order: readonly number[]): Int32Array {
	const places = new Map(Array.from(sections, (section, place) => [section, place]));
	return Int32Array.from(order, (section) => places.get(section) ?? -1 - section);
}

/**
 * Whether an order may be taken, given how much more each run that was left out touches under it than under that of first execution. A page more or less is what any
 * change of the layout gives or takes: none may lose more, and together they may not lose. Two runs tell little of a third one: there both have to
 * gain a page. A fine packing fits the traced runs best, and has to prove itself by more.
 */
export function generalizes(loses: readonly number[], page: number, isFine = false): boolean {
	const most = isFine || loses.length === 2 ? -page : page;
	return loses.every((lost) => lost <= most) && loses.reduce((sum, lost) => sum + lost, 0) <= (isFine ? -LEAST_GAIN_OF_FINE * page * loses.length : 0);
}
