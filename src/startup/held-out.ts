/**
 * What an order is worth in runs that were not traced. Each given run is left out once, orders are made of the others in every way, and the run that was left out is
 * counted under them, with all that they do not list where it stays. And runs that mix the traced ones are counted under the orders of all.
 */
import type { TextLayout } from '../model/text-layout.js';
import { type HotCode, hotCode, scoreOrder } from './hot-code.js';
import { mixedRuns } from './mixed-runs.js';
import type { OptimizeObjective } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

/** With more runs some are left out together. */
const MOST_PARTS = 8;
/** Pages a run that two runs gain when the other is left out, for an order, and for one that moves what no run executed. */
const GAIN_OF_TWO = { ofEach: 1, ofAll: 2 };
const GAIN_OF_TWO_FILLED = { ofEach: 2, ofAll: 3 };
/** Of more runs: a page in three runs, if none loses; more where one of them loses a page. */
const GAIN_WITHOUT_LOSS = { ofEach: 0, ofAll: 0.3 };
const GAIN_WITH_LOSS = { ofEach: -1, ofAll: 2 };
const GAIN_OF_FILLED = { ofEach: 2, ofAll: 2 };
const GAIN_OF_FILLED_WITH_LOSS = { ofEach: -1, ofAll: 3 };
/** Pages a run, of runs that mix the traced ones, and how many of these may lose. */
const GAIN_OF_MIXED = 0.5;
const MOST_LOSING = 0.2;

/** How many more pages (windows, where these are the objective) runs touch under an order than under that of first execution, each counted once. */
export interface Evidence {
	/** Each run under an order of the others. Empty where there is one run alone, as is `mixed`. */
	readonly leftOut: readonly number[];
	readonly mixed: readonly number[];
}

/**
 * Of each way to make an order, the first of which is first execution. `listAll` gives the orders of a set of traces, see {@link scoreOrder}; `lists` are those of `traces`.
 */
export function evidenceOf(
	layout: TextLayout,
	region: TextLayout['regions'][number],
	traces: readonly LaidTrace[],
	objective: OptimizeObjective,
	lists: readonly Int32Array[],
	listAll: (hot: HotCode) => readonly Int32Array[],
): Evidence[] {
	const isAlone = traces.length < 2;
	const all = hotCode(layout, region, traces);
	const mixed = isAlone ? [] : differences(layout, region, all, lists, mixedRuns(traces), objective);
	const leftOut = losesLeftOut(layout, region, traces, objective, listAll);
	return lists.map((_list, way) => ({ leftOut: leftOut[way] ?? [], mixed: mixed[way] ?? [] }));
}

/** Of each way, by run, how much more the run touches than under the first way, when both are made without it. Empty where there is one run alone. */
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
		differences(layout, region, others, listAll(others), traces.filter(isLeftOut), objective).forEach((counts, way) => {
			loses[way] ??= [];
			loses[way].push(...counts);
		});
	}
	return loses;
}

/** Of each order of `hot`, by run, how much more it touches than under the first of them. */
function differences(
	layout: TextLayout,
	region: TextLayout['regions'][number],
	hot: HotCode,
	lists: readonly Int32Array[],
	traces: readonly LaidTrace[],
	objective: OptimizeObjective,
): number[][] {
	const runs = traces.map((trace) => hotCode(layout, region, [{ ...trace, weight: 1 }]));
	const counted = lists.map((listed) => {
		const order = wholeOrder(hot, region, listed);
		return runs.map((run) => scoreOrder(run, layout, listedFor(run, order))[objective]);
	});
	const [first = []] = counted;
	return counted.map((counts) => counts.map((count, i) => count - first[i]!));
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
 * Whether an order may be taken: it has to gain more in runs that were left out than any change of the layout gives or takes, and in most runs that mix the traced
 * ones. Two runs tell little of a third one. An order that moves code that no run executed changes the pages of whoever executes that, and has to
 * prove itself by most. `page` is 0 where pages are not the objective, else 1.
 */
export function generalizes({ leftOut, mixed }: Evidence, page: number, movesOthers: boolean): boolean {
	if (leftOut.length === 0) {
		return true;
	}
	if (leftOut.length === 2) {
		return gains(leftOut, page, movesOthers ? GAIN_OF_TWO_FILLED : GAIN_OF_TWO);
	}
	const losing = mixed.filter((lost) => lost > 0).length;
	if (meanOf(mixed) > (page > 0 ? -GAIN_OF_MIXED : 0) || losing > MOST_LOSING * mixed.length) {
		return false;
	}
	const sufficient = movesOthers ? [GAIN_OF_FILLED, GAIN_OF_FILLED_WITH_LOSS] : [GAIN_WITHOUT_LOSS, GAIN_WITH_LOSS];
	return sufficient.some((least) => gains(leftOut, page, least));
}

/** Whether each run touches at least so much less, and together so much a run; in pages. */
export function gains(lost: readonly number[], page: number, least: { readonly ofEach: number; readonly ofAll: number }): boolean {
	return lost.every((one) => one <= -least.ofEach * page) && meanOf(lost) <= -least.ofAll * page;
}

function meanOf(numbers: readonly number[]): number {
	return numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
