/**
 * Orders of first execution from many runs into one, without the program at hand: what most of the weight runs comes first (functions that run in the same
 * runs stay together), and within that by the mean of the places in the runs, weighted (Borda's count). Ties keep the order of
 * the runs as given.
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

export function mergeOrders(scenarios: readonly Scenario[]): MergedOrder {
	const places = new Map<string, (number | null)[]>();
	scenarios.forEach(({ symbols }, run) => {
		symbols.forEach((symbol, i) => {
			let known = places.get(symbol);
			if (known === undefined) {
				known = scenarios.map(() => null);
				places.set(symbol, known);
			}
			known[run] ??= i;
		});
	});
	const rows = [...places].map(([symbol, own], i) => {
		let weight = 0;
		let sum = 0;
		own.forEach((place, run) => {
			if (place !== null) {
				const { weight: runWeight } = scenarios[run]!;
				weight += runWeight;
				sum += runWeight * place;
			}
		});
		return { symbol, own, weight, mean: sum / weight, set: own.map((place) => (place === null ? '0' : '1')).join(''), i };
	});
	const firstOfSet = new Map<string, number>();
	for (const { set, i } of rows) {
		firstOfSet.set(set, firstOfSet.get(set) ?? i);
	}
	const sorted = [...rows].sort((a, b) => b.weight - a.weight || firstOfSet.get(a.set)! - firstOfSet.get(b.set)! || a.mean - b.mean);
	const pairs = scenarios.flatMap((a, i) => scenarios.slice(i + 1).map((b) => comparePair(a, b)));
	return {
		symbols: sorted.map(({ symbol }) => symbol),
		scenarios: scenarios.map(({ name, weight, symbols }, run) => ({
			name,
			weight,
			functions: symbols.length,
			own: rows.filter(({ own }) => own.every((place, i) => (place !== null) === (i === run))).length,
		})),
		inAll: rows.filter(({ own }) => own.every((place) => place !== null)).length,
		pairs: pairs.map(({ pair }) => pair),
		disagreements: disagreements(pairs),
	};
}

interface ComparedPair {
	readonly pair: ScenarioPair;
	/** Functions that both run, in the order of the first, and the rank of each in the second. */
	readonly common: readonly string[];
	readonly ranks: Int32Array;
}

function comparePair(a: Scenario, b: Scenario): ComparedPair {
	const placeInB = new Map(b.symbols.map((symbol, i) => [symbol, i]));
	const common = a.symbols.filter((symbol) => placeInB.has(symbol));
	const places = Int32Array.from(common, (symbol) => placeInB.get(symbol)!);
	const ranks = ranksOf(places);
	const pair = {
		a: a.name,
		b: b.name,
		common: common.length,
		onlyA: a.symbols.length - common.length,
		onlyB: b.symbols.length - common.length,
		tau: kendallTau(ranks),
	};
	return { pair, common, ranks };
}

/** Of each function the two runs that differ most about it; places are counted among the functions that both run. */
function disagreements(pairs: readonly ComparedPair[]): Disagreement[] {
	const largest = new Map<string, Disagreement>();
	for (const { pair, common, ranks } of pairs) {
		const last = Math.max(1, common.length - 1);
		common.forEach((symbol, i) => {
			const rank = ranks[i]!;
			const spread = Math.abs(i - rank) / last;
			if (spread >= LEAST_SPREAD && spread > (largest.get(symbol)?.spread ?? 0)) {
				const [earlyIn, lateIn] = i < rank ? [pair.a, pair.b] : [pair.b, pair.a];
				largest.set(symbol, { symbol, earlyIn, earlyPlace: Math.min(i, rank) / last, lateIn, latePlace: Math.max(i, rank) / last, spread });
			}
		});
	}
	return [...largest.values()].sort((a, b) => b.spread - a.spread).slice(0, MAX_DISAGREEMENTS);
}
