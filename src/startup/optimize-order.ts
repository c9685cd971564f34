/** Orders for several traces at once, by what counts: pages that they touch. Candidates are built in several ways and scored exactly; the best one wins. */
import type { TextLayout } from '../model/text-layout.js';
import { sumOf } from '../statistics/sums.js';
import { balancedPartitioning } from './balanced-partitioning.js';
import { generalizes, type ListOrders, losesLeftOut } from './held-out.js';
import { type HotCode, hotCode, scoreOrder } from './hot-code.js';
import { orderByClass } from './order-classes.js';
import { type PackOptions, packPages } from './pack-pages.js';
import type { OptimizedOrder, OptimizeMethod, OptimizeObjective, Score } from './results.js';
import { servesShortened, shortened } from './shortened-runs.js';
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
];
/** They fit an order to the very bytes that a run executes; other runs execute others. */
const FINE_PACKINGS: typeof PACKINGS = [
	{ leastSaving: 0.25, leastFilling: 0.15 },
	{ leastSaving: 0.2, leastFilling: 0.2 },
	{ leastSaving: 0.15, leastFilling: 0.1 },
	{ leastSaving: 0.1, leastFilling: 0.1 },
	{ leastSaving: 0.08, leastFilling: 0.05 },
];
const FILLINGS: readonly Pick<PackOptions, 'fillsWithCold' | 'hasPrefix'>[] = [
	{ fillsWithCold: false, hasPrefix: false },
	{ fillsWithCold: true, hasPrefix: false },
	{ fillsWithCold: true, hasPrefix: true },
];
/** Pages for each function that fills, a trace: it may run in a run that was not traced, and touch its page for that alone. */
const COST_OF_FILLER = 0.03;
/** Pages; tells between orders of nearly the same pages. */
const COST_OF_WINDOW = 0.3;
/** With more functions than this only one packing is tried. */
const MANY_SECTIONS = 20_000;

/** `traces` are laid on `layout`. */
export function optimizeOrder(layout: TextLayout, traces: readonly LaidTrace[], options: OptimizeOptions): OptimizedOrder {
	const names = uniqueNames(layout);
	const symbols: string[] = [];
	const total = { pages: 0, windows: 0, unitedPages: 0, unitedWindows: 0, fillers: 0, sections: 0, classes: 0, tried: 0, refused: 0 };
	const methods = new Set<string>();
	for (const region of layout.regions) {
		const hot = hotCode(layout, region, traces);
		if (hot.sections.length === 0) {
			continue;
		}
		const { best, united, tried, refused } = bestCandidate(hot, layout, region, traces, options);
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
		total.refused += refused;
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
		refused: total.refused,
	};
}

/** A way to make an order of any traces. */
interface Recipe {
	readonly method: string;
	/** Fits the order closely to what ran: it has to prove itself. */
	readonly isFine: boolean;
	/** What it is made of: whole runs, or these and their first halves beside them, which keeps together what beginnings need. */
	readonly of: 'whole' | 'halves';
	list(code: MadeCode): Int32Array;
}

/** What ran, and its classes where somebody asks for them. */
interface MadeCode {
	readonly hot: HotCode;
	classes(): ClassOrder;
}

type ClassOrder = ReturnType<typeof orderByClass>;

/** Beside a whole run. */
const WEIGHT_OF_HALF = 0.3;

/** The sections are in the order of the whole runs: halves have no others. */
function withHalves(layout: TextLayout, region: TextLayout['regions'][number], traces: readonly LaidTrace[]): HotCode {
	return hotCode(layout, region, [...traces, ...traces.map((trace) => ({ ...shortened(trace, 0.5), weight: WEIGHT_OF_HALF * trace.weight }))]);
}

function withClasses(hot: HotCode, layout: TextLayout, objective: OptimizeObjective): MadeCode {
	let made: ClassOrder | null = null;
	return {
		hot,
		classes() {
			made ??= orderByClass(hot, layout, comparison(objective, scoreOrder(hot, layout, firstExecution(hot))));
			return made;
		},
	};
}

function bestCandidate(
	hot: HotCode,
	layout: TextLayout,
	region: TextLayout['regions'][number],
	traces: readonly LaidTrace[],
	{ method, objective }: OptimizeOptions,
): { best: Candidate; united: Score; tried: number; refused: number } {
	const united = scoreOrder(hot, layout, firstExecution(hot));
	const isBetter = comparison(objective, united);
	const fillerCost = COST_OF_FILLER * hot.weights.reduce((sum, weight) => sum + weight, 0);
	const recipes = recipesOf(hot, layout, region, method, traces.length);
	const listAll: ListOrders = (some) => {
		const whole = hotCode(layout, region, some);
		const made = new Map<Recipe['of'], MadeCode>();
		const codeOf = (of: Recipe['of']): MadeCode => {
			const known = made.get(of) ?? withClasses(of === 'whole' ? whole : withHalves(layout, region, some), layout, objective);
			made.set(of, known);
			return known;
		};
		return { hot: whole, lists: recipes.map((recipe) => recipe.list(codeOf(recipe.of))) };
	};
	const { lists } = listAll(traces);
	const candidates = lists.map((listed, i): Candidate => ({ method: recipes[i]!.method, listed, score: scoreOrder(hot, layout, listed) }));
	const hasOthers = method === 'pages' && traces.length > 1;
	const loses = hasOthers ? losesLeftOut(layout, region, traces, objective, listAll) : [];
	const ranked = (way: number): Score => {
		const { listed, score } = candidates[way]!;
		const lost = sumOf(loses[way] ?? []);
		return {
			pages: score.pages + fillerCost * countFillers(listed) + (objective === 'pages' ? lost : 0),
			windows: score.windows + (objective === 'windows' ? lost : 0),
		};
	};
	const page = objective === 'pages' ? sumOf(traces.map(({ weight }) => weight)) / traces.length : 0;
	const serves = hasOthers ? servesShortened(layout, region, hot, traces, objective, lists, page) : [];
	const proved = candidates.map((_candidate, way) => way === 0 || (generalizes(loses[way] ?? [], page, recipes[way]!.isFine) && (serves[way] ?? true)));
	let best = 0;
	candidates.forEach(({ score }, way) => {
		const isAllowed = proved[way] && !(recipes[0] === UNITED && isBetter(united, score));
		best = isAllowed && isBetter(ranked(way), ranked(best)) ? way : best;
	});
	const refused = candidates.filter(({ score }, way) => !proved[way] && isBetter(score, candidates[best]!.score)).length;
	return { best: candidates[best]!, united, tried: candidates.length, refused };
}

function firstExecution({ sections }: HotCode): Int32Array {
	return Int32Array.from(sections, (_section, i) => i);
}

const UNITED: Recipe = { method: 'first execution', isFine: false, of: 'whole', list: ({ hot }) => firstExecution(hot) };

/** The first one is what the others have to be better than. */
function recipesOf(hot: HotCode, layout: TextLayout, region: TextLayout['regions'][number], method: OptimizeMethod, traceCount: number): Recipe[] {
	if (method === 'first-execution') {
		return [UNITED];
	}
	if (method === 'bp') {
		return [{ method: 'balanced partitioning', isFine: false, of: 'whole', list: (code) => balancedPartitioning(code.hot) }];
	}
	const classes: Recipe = { method: 'classes', isFine: false, of: 'whole', list: (code) => code.classes().listed };
	if (method === 'classes' || !hot.isExact) {
		return [UNITED, classes];
	}
	const isLarge = hot.sections.length > MANY_SECTIONS;
	const packings = isLarge ? PACKINGS.slice(1, 2) : traceCount === 1 ? [...PACKINGS, ...FINE_PACKINGS] : [...PACKINGS, ...FINE_PACKINGS.slice(0, 1)];
	const orders: readonly ((code: MadeCode) => readonly number[])[] = [(code) => code.classes().classOrder, (code) => byWeight(code.hot)];
	const packed = (isLarge ? orders.slice(0, 1) : orders).flatMap((orderOf) =>
		packings.flatMap((packing) =>
			FILLINGS.map(
				(filling): Recipe => ({
					method: 'packed',
					isFine: FINE_PACKINGS.includes(packing),
					of: 'whole',
					list: (code) => packPages(code.hot, layout, region, orderOf(code), { ...packing, ...filling }),
				}),
			),
		),
	);
	const whole = [classes, ...packed];
	const halves = isLarge || traceCount === 1 ? [] : whole.map((recipe): Recipe => ({ ...recipe, of: 'halves' }));
	return [UNITED, ...whole, ...halves];
}

function countFillers(listed: Int32Array): number {
	return listed.reduce((sum, one) => sum + (one < 0 ? 1 : 0), 0);
}

/** Classes of which most runs first; of equal ones the first to appear. */
function byWeight({ classes }: HotCode): number[] {
	return classes.map((_class, i) => i).sort((a, b) => (classes[b]?.weight ?? 0) - (classes[a]?.weight ?? 0));
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
export function uniqueNames(layout: TextLayout): string[] {
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
