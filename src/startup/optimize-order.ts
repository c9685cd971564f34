/** Orders for several traces at once, by what counts: pages that they touch. Candidates are built in several ways and scored exactly; the best one wins. */
import type { TextLayout } from '../model/text-layout.js';
import { balancedPartitioning } from './balanced-partitioning.js';
import { type HotCode, hotCode, scoreOrder } from './hot-code.js';
import { orderByClass } from './order-classes.js';
import { type PackOptions, packPages } from './pack-pages.js';
import type { OptimizedOrder, OptimizeMethod, OptimizeObjective, Score } from './results.js';
import { functionsByName, type LaidTrace } from './trace-on-layout.js';

/** How an order is made, and what it is judged by. */
export interface OptimizeOptions {
	readonly method: OptimizeMethod;
	readonly objective: OptimizeObjective;
}

interface Candidate {
	readonly method: string;
	readonly listed: Int32Array;
	readonly score: Score;
}

/** Small thresholds trade windows for pages; which pair is best depends on the program. */
const PACKINGS: readonly Pick<PackOptions, 'leastSaving' | 'leastFilling'>[] = [
	{ leastSaving: 0.6, leastFilling: 0.8 },
	{ leastSaving: 0.4, leastFilling: 0.6 },
	{ leastSaving: 0.25, leastFilling: 0.15 },
	{ leastSaving: 0.2, leastFilling: 0.2 },
	{ leastSaving: 0.15, leastFilling: 0.1 },
	{ leastSaving: 0.1, leastFilling: 0.1 },
	{ leastSaving: 0.08, leastFilling: 0.05 },
];
/** Pages for each function that fills, a trace: it may run in a run that was not traced, and touch its page for that alone. */
const COST_OF_FILLER = 0.03;
/** Pages; tells between orders of nearly the same pages. */
const COST_OF_WINDOW = 0.3;
/** With more functions than this only the middle one is tried. */
const MANY_SECTIONS = 20_000;

/** `traces` are laid on `layout`. */
export function optimizeOrder(layout: TextLayout, traces: readonly LaidTrace[], options: OptimizeOptions): OptimizedOrder {
	const names = uniqueNames(layout);
	const symbols: string[] = [];
	const total = { pages: 0, windows: 0, unitedPages: 0, unitedWindows: 0, fillers: 0, sections: 0, classes: 0, tried: 0 };
	const methods = new Set<string>();
	for (const region of layout.regions) {
		const hot = hotCode(layout, region, traces);
		if (hot.sections.length === 0) {
			continue;
		}
		const { best, united, tried } = bestCandidate(hot, layout, region, options);
		for (const one of best.listed) {
			symbols.push(names[one < 0 ? -1 - one : hot.sections[one]!]!);
		}
		methods.add(best.method);
		total.pages += best.score.pages;
		total.windows += best.score.windows;
		total.unitedPages += united.pages;
		total.unitedWindows += united.windows;
		total.fillers += countFillers(best.listed);
		total.sections += hot.sections.length;
		total.classes += hot.classes.length;
		total.tried += tried;
	}
	return {
		symbols: [...new Set(symbols)],
		fillers: total.fillers,
		sections: total.sections,
		classes: total.classes,
		method: [...methods].join(', '),
		score: { pages: total.pages, windows: total.windows },
		unitedScore: { pages: total.unitedPages, windows: total.unitedWindows },
		tried: total.tried,
	};
}

function bestCandidate(
	hot: HotCode,
	layout: TextLayout,
	region: TextLayout['regions'][number],
	{ method, objective }: OptimizeOptions,
): { best: Candidate; united: Score; tried: number } {
	const unitedList = Int32Array.from(hot.sections, (_section, i) => i);
	const united: Candidate = { method: 'first execution', listed: unitedList, score: scoreOrder(hot, layout, unitedList) };
	const isBetter = comparison(objective, united.score);
	const candidates: Candidate[] = [];
	const fillerCost = COST_OF_FILLER * hot.weights.reduce((sum, weight) => sum + weight, 0);
	const add = (name: string, listed: Int32Array): void => {
		candidates.push({ method: name, listed, score: scoreOrder(hot, layout, listed) });
	};
	const ranked = ({ listed, score: { pages, windows } }: Candidate): Score => ({ pages: pages + fillerCost * countFillers(listed), windows });
	if (method === 'first-execution') {
		candidates.push(united);
	} else if (method === 'bp') {
		add('balanced partitioning', balancedPartitioning(hot));
	} else {
		candidates.push(united);
		const { listed, classOrder } = orderByClass(hot, layout, isBetter);
		add('classes', listed);
		if (method === 'pages' && hot.isExact) {
			const isLarge = hot.sections.length > MANY_SECTIONS;
			for (const order of isLarge ? [classOrder] : distinct([classOrder, byWeight(hot)])) {
				for (const packing of isLarge ? PACKINGS.slice(2, 3) : PACKINGS) {
					for (const hasPrefix of [false, true]) {
						add('packed', packPages(hot, layout, region, order, { ...packing, hasPrefix }));
					}
				}
			}
		}
	}
	let [best] = candidates as [Candidate];
	for (const candidate of candidates) {
		best = isBetter(ranked(candidate), ranked(best)) ? candidate : best;
	}
	return { best, united: united.score, tried: candidates.length };
}

function countFillers(listed: Int32Array): number {
	return listed.reduce((sum, one) => sum + (one < 0 ? 1 : 0), 0);
}

/** Classes of which most runs first; of equal ones the first to appear. */
function byWeight({ classes }: HotCode): number[] {
	return classes.map((_class, i) => i).sort((a, b) => (classes[b]?.weight ?? 0) - (classes[a]?.weight ?? 0));
}

function distinct(orders: readonly (readonly number[])[]): (readonly number[])[] {
	return [...new Map(orders.map((order) => [order.join(','), order])).values()];
}

/**
 * Fewest pages, of the orders that need no more windows than that of first execution; or fewest windows. The other number tells where they are nearly equal.
 */
function comparison(objective: OptimizeObjective, united: Score): (a: Score, b: Score) => boolean {
	if (objective === 'windows') {
		return (a, b) => a.windows < b.windows || (a.windows === b.windows && a.pages < b.pages);
	}
	const cost = ({ pages, windows }: Score): number => pages + COST_OF_WINDOW * windows;
	const excess = ({ windows }: Score): number => Math.max(0, windows - united.windows);
	return (a, b) => (excess(a) !== excess(b) ? excess(a) < excess(b) : cost(a) < cost(b));
}

/** For each section a name that no other section has; the first name of all where there is none. */
function uniqueNames(layout: TextLayout): string[] {
	const { symbolNames, symbolFunctions, functionSections, symbolIsLocal, sectionStarts } = layout;
	const names = new Array<string>(sectionStarts.length).fill('');
	const rank = new Uint8Array(sectionStarts.length);
	const functions = functionsByName(layout);
	symbolNames.forEach((symbol, i) => {
		const section = functionSections[symbolFunctions[i]!]!;
		const isUnique = functions.get(symbol)!.every((f) => functionSections[f] === section);
		const value = 1 + (isUnique ? 2 : 0) + (symbolIsLocal[i] === 0 ? 1 : 0);
		if (value > rank[section]!) {
			rank[section] = value;
			names[section] = symbol;
		}
	});
	return names;
}
