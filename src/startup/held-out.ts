/**
 * What an order is worth in runs that were not traced: each given run is left out once, orders are made of the others in every way, and the run that was left out is
 * counted under them, with all that they do not list where it stays.
 */
import type { TextLayout } from '../model/text-layout.js';
import { type HotCode, hotCode } from './hot-code.js';
import { type OptimizeObjective, PAGE_BYTES, type Score, WINDOW_BYTES } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

/** With more runs some are left out together. */
const MOST_PARTS = 8;

/**
 * Of each way to make an order, by run, how many more pages (windows, where these are the objective) the run touches under it than under the first way, when both are
 * made without the run; weighted. Empty where there is one run alone. `listAll` gives the orders of a set of traces, see `scoreOrder`; `hot` is of all traces.
 */
export function losesLeftOut(
	hot: HotCode,
	layout: TextLayout,
	region: TextLayout['regions'][number],
	traces: readonly LaidTrace[],
	objective: OptimizeObjective,
	listAll: (hot: HotCode) => readonly Int32Array[],
): number[][] {
	const parts = traces.length > 1 ? Math.min(traces.length, MOST_PARTS) : 0;
	const loses: number[][] = [];
	for (let part = 0; part < parts; part++) {
		const left = hotCode(
			layout,
			region,
			traces.filter((_trace, i) => i % parts !== part),
		);
		const counted = listAll(left).map((listed) => {
			const starts = placed(left, layout, region, listed);
			return traces.flatMap((_trace, i) => (i % parts === part ? [countRun(hot, region, starts, i, traces.length)[objective]] : []));
		});
		const [first = []] = counted;
		counted.forEach((counts, way) => {
			loses[way] ??= [];
			loses[way].push(...counts.map((count, i) => count - first[i]!));
		});
	}
	return loses;
}

/** Where the sections of a region begin, those that are listed first. */
function placed(hot: HotCode, layout: TextLayout, { firstSection, endSection, start }: TextLayout['regions'][number], listed: Int32Array): Float64Array {
	const { sectionSizes, sectionAlignments } = layout;
	const starts = new Float64Array(endSection - firstSection).fill(-1);
	let position = start;
	const put = (section: number): void => {
		const over = position % sectionAlignments[section]!;
		position += over === 0 ? 0 : sectionAlignments[section]! - over;
		starts[section - firstSection] = position;
		position += sectionSizes[section]!;
	};
	for (const one of listed) {
		put(one < 0 ? -1 - one : hot.sections[one]!);
	}
	for (let section = firstSection; section < endSection; section++) {
		if (starts[section - firstSection] === -1) {
			put(section);
		}
	}
	return starts;
}

/** Pages and windows that a run touches. */
function countRun(
	{ sections, firstInterval, intervalTraces, intervalStarts, intervalEnds, weights }: HotCode,
	{ firstSection }: TextLayout['regions'][number],
	starts: Float64Array,
	run: number,
	runs: number,
): Score {
	const counted = { pages: 0, windows: 0 };
	// Of functions alone, their bodies and their first bytes count by half.
	for (const trace of [run, runs + run]) {
		const pages = new Set<number>();
		sections.forEach((section, one) => {
			const start = starts[section - firstSection]!;
			for (let i = firstInterval[one]!; i < firstInterval[one + 1]!; i++) {
				if (intervalTraces[i] === trace) {
					const last = Math.floor((start + intervalEnds[i]! - 1) / PAGE_BYTES);
					for (let page = Math.floor((start + intervalStarts[i]!) / PAGE_BYTES); page <= last; page++) {
						pages.add(page);
					}
				}
			}
		});
		counted.pages += weights[trace]! * pages.size;
		counted.windows += weights[trace]! * new Set(Array.from(pages, (page) => Math.floor((page * PAGE_BYTES) / WINDOW_BYTES))).size;
	}
	return counted;
}
