/**
 * Orders of first execution from many runs into one, without the program at hand: what most of the weight runs comes first (functions that run in the same
 * runs stay together), and within that by the mean of the places in the runs, weighted (Borda's count). Ties keep the order of
 * the runs as given. Takes time and memory in proportion to what the runs have together; only where they are few is each compared with each.
 */
import { kendallTau, ranksOf } from '../statistics/ranks.js';
import type { Disagreement, MergedOrder, ScenarioPair } from './results.js';

export interface Scenario {
	readonly name: string;
	readonly weight: number;
	/** First to run first, each once. */
	readonly symbols: readonly string[];
}

/** Larger spreads of places are disagreements. */
const LEAST_SPREAD = 0.1;
const MAX_DISAGREEMENTS = 1000;
/** Of more runs each is compared with the merged order instead of each other: 780 pairs are as many as anybody reads. */
const MOST_PAIRED = 40;
/** What the merged order is called where runs are compared with it. */
const MERGED_ORDER = 'merged order';

export function mergeOrders(scenarios: readonly Scenario[]): MergedOrder {
	const numbers = new Map<string, number>();
	const runs = scenarios.map(({ name, weight, symbols }) => ({ name, weight, functions: Int32Array.from(symbols, (symbol) => numberOf(numbers, symbol)) }));
	const symbols = [...numbers.keys()];
	const rows = symbols.map(() => ({ runs: 0, lastRun: 0, weight: 0, sum: 0 }));
	runs.forEach(({ weight, functions }, run) => {
		functions.forEach((f, place) => {
			const row = rows[f]!;
			row.runs++;
			row.lastRun = run;
			row.weight += weight;
			row.sum += weight * place;
		});
	});
	const firstOfSet = firstOfSets(
		runs.map(({ functions }) => functions),
		symbols.length,
	);
	const means = rows.map(({ sum, weight }) => sum / weight);
	const order = Int32Array.from(symbols.keys()).sort(
		(a, b) => rows[b]!.weight - rows[a]!.weight || firstOfSet[a]! - firstOfSet[b]! || means[a]! - means[b]! || a - b,
	);
	const own = new Int32Array(runs.length);
	for (const row of rows) {
		own[row.lastRun]! += row.runs === 1 ? 1 : 0;
	}
	const total = runs.reduce((sum, { weight }) => sum + weight, 0);
	const isPaired = runs.length <= MOST_PAIRED;
	const { pairs, disagreements } = isPaired ? comparedWithEachOther(runs, symbols) : comparedWithMerged(runs, order, symbols);
	return {
		symbols: Array.from(order, (f) => symbols[f]!),
		functions: Array.from(order, (f) => ({ symbol: symbols[f]!, runs: rows[f]!.runs, share: rows[f]!.weight / total, meanPlace: means[f]! })),
		scenarios: runs.map(({ name, weight, functions }, run) => ({ name, weight, functions: functions.length, own: own[run]! })),
		inAll: rows.reduce((count, row) => count + (row.runs === runs.length ? 1 : 0), 0),
		comparedWith: isPaired ? 'each other' : MERGED_ORDER,
		pairs,
		disagreements: [...disagreements].sort((a, b) => b.spread - a.spread).slice(0, MAX_DISAGREEMENTS),
	};
}

/** A run with its functions as numbers. */
interface Run {
	readonly name: string;
	readonly weight: number;
	readonly functions: Int32Array;
}

interface Compared {
	readonly pairs: readonly ScenarioPair[];
	readonly disagreements: Iterable<Disagreement>;
}

function numberOf(numbers: Map<string, number>, symbol: string): number {
	const known = numbers.get(symbol);
	if (known !== undefined) {
		return known;
	}
	numbers.set(symbol, numbers.size);
	return numbers.size - 1;
}

/** Of each function the first one that is in the same runs. Classes of functions are split by one run after the other (partition refinement). */
function firstOfSets(runs: readonly Int32Array[], count: number): Int32Array {
	const classes = new Int32Array(count);
	let next = 1;
	for (const functions of runs) {
		const split = new Map<number, number>();
		for (const f of functions) {
			const before = classes[f]!;
			let after = split.get(before);
			if (after === undefined) {
				after = next++;
				split.set(before, after);
			}
			classes[f] = after;
		}
	}
	const first = new Map<number, number>();
	return classes.map((own, f) => {
		const known = first.get(own) ?? f;
		first.set(own, known);
		return known;
	});
}

function comparedWithEachOther(runs: readonly Run[], symbols: readonly string[]): Compared {
	const pairs: ScenarioPair[] = [];
	const largest = new Map<number, Disagreement>();
	const places = runs.map(({ functions }) => placesOf(functions, symbols.length));
	runs.forEach((a, i) => {
		for (let other = i + 1; other < runs.length; other++) {
			const compared = comparePair(a, runs[other]!, places[other]!);
			pairs.push(compared.pair);
			noteDisagreements(largest, compared, symbols);
		}
	});
	return { pairs, disagreements: largest.values() };
}

/** Of each function its place in an order; -1: it is not there. */
function placesOf(order: Int32Array, count: number): Int32Array {
	const places = new Int32Array(count).fill(-1);
	order.forEach((f, place) => {
		places[f] = place;
	});
	return places;
}

interface ComparedPair {
	readonly pair: ScenarioPair;
	/** Functions that both run, in the order of the first, and the rank of each in the second. */
	readonly common: Int32Array;
	readonly ranks: Int32Array;
}

function comparePair(a: Run, b: Run, placeInB: Int32Array): ComparedPair {
	const common = a.functions.filter((f) => placeInB[f]! >= 0);
	const ranks = ranksOf(common.map((f) => placeInB[f]!));
	const pair = {
		a: a.name,
		b: b.name,
		common: common.length,
		onlyA: a.functions.length - common.length,
		onlyB: b.functions.length - common.length,
		tau: kendallTau(ranks),
	};
	return { pair, common, ranks };
}

/** Of each function the two runs that differ most about it; places are counted among the functions that both run. */
function noteDisagreements(largest: Map<number, Disagreement>, { pair, common, ranks }: ComparedPair, symbols: readonly string[]): void {
	const last = Math.max(1, common.length - 1);
	common.forEach((f, i) => {
		const rank = ranks[i]!;
		const spread = Math.abs(i - rank) / last;
		if (spread >= LEAST_SPREAD && spread > (largest.get(f)?.spread ?? 0)) {
			const [earlyIn, lateIn] = i < rank ? [pair.a, pair.b] : [pair.b, pair.a];
			largest.set(f, { symbol: symbols[f]!, earlyIn, earlyPlace: Math.min(i, rank) / last, lateIn, latePlace: Math.max(i, rank) / last, spread });
		}
	});
}

/**
 * Of each function the runs in which it comes earliest and latest, by how far its place is from that in the merged order, both counted among the functions of the
 * run: a run of few functions has other places than one of many.
 */
function comparedWithMerged(runs: readonly Run[], order: Int32Array, symbols: readonly string[]): Compared {
	const placeInMerged = placesOf(order, order.length);
	const early = order.map(() => -1);
	const late = order.map(() => -1);
	const least = new Float64Array(order.length).fill(Number.POSITIVE_INFINITY);
	const most = new Float64Array(order.length).fill(Number.NEGATIVE_INFINITY);
	const merged: Run = { name: MERGED_ORDER, weight: 1, functions: order };
	const pairs = runs.map((one, run) => {
		const { pair, common, ranks } = comparePair(one, merged, placeInMerged);
		const last = Math.max(1, common.length - 1);
		common.forEach((f, place) => {
			const moved = (place - ranks[place]!) / last;
			if (moved < least[f]!) {
				least[f] = moved;
				early[f] = run;
			}
			if (moved > most[f]!) {
				most[f] = moved;
				late[f] = run;
			}
		});
		return pair;
	});
	const last = Math.max(1, order.length - 1);
	const disagreements: Disagreement[] = [];
	for (const [place, f] of order.entries()) {
		const spread = most[f]! - least[f]!;
		if (spread >= LEAST_SPREAD) {
			const within = (moved: number): number => Math.min(1, Math.max(0, place / last + moved));
			disagreements.push({
				symbol: symbols[f]!,
				earlyIn: runs[early[f]!]!.name,
				earlyPlace: within(least[f]!),
				lateIn: runs[late[f]!]!.name,
				latePlace: within(most[f]!),
				spread,
			});
		}
	}
	return { pairs, disagreements };
}
