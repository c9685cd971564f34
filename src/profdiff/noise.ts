/**
 * Whether two sides of several runs differ by more than chance. The true split of the runs is ranked among all splits into sides of the same sizes by how much
 * the sides differ in them (a permutation test), which asks nothing of how decisions depend on each other: one method that is compiled otherwise moves hundreds.
 *
 * Two things are looked at. **Causes**: decisions of one method that are in the same runs come and go together, and count once, with the method's part of the
 * time. **Shifts**: how often a kind of decision was made in a run, such as "inlining too deep", over all methods; a flag moves one a little in many methods.
 * docs/decisions/noise.md has the numbers that this was chosen by.
 */
import type { CallsiteKind } from '../model/inlining-tree.js';
import { isDifference, type Presence, separationProbability, splitProbability } from '../statistics/exact-test.js';
import { FALSE_DISCOVERY_RATE, isSignificant, TWO_SIDED_LEVEL } from '../statistics/significance.js';
import { discoveryThreshold, otherSplits, rankAmong, type Split } from '../statistics/splits.js';
import { countRuns, everyRun, type MethodDecisions, type RunSet, sitesBelow } from './decisions.js';

/** How many runs each side has. */
export interface RunCounts {
	readonly a: number;
	readonly b: number;
}

/** A kind of decision that is made more often on one side. */
export interface Shift {
	/** What became of the calls; or optimizations. */
	readonly kind: CallsiteKind | 'optimization';
	/** The inliner's words, or the optimization's name and event; numbers in them as `#`. null: no words. */
	readonly text: string | null;
	/** How many decisions of this kind each run has. */
	readonly countsA: readonly number[];
	readonly countsB: readonly number[];
	readonly isMoreInA: boolean;
	/** Between the nearest runs of the two sides, in square roots of counts: a standard deviation is about a half. */
	readonly gap: number;
}

/** What the ranks of the splits say. */
export interface NoiseTest {
	/** `changed`: the rank is rare enough, and some cause or shift is. `too few runs`: the best of ranks would not be rare enough. */
	readonly verdict: 'changed' | 'within chance' | 'too few runs';
	/** Of the true split among those that were tried: 1 if the sides of no other differ as much. */
	readonly rank: number;
	/** Splits that were tried, the true one among them. */
	readonly tried: number;
	/** Splits that there are. */
	readonly splits: number;
}

export interface NoiseResult {
	readonly test: NoiseTest;
	/** Those that are called, widest gap first. */
	readonly shifts: readonly Shift[];
	/** Whether what these runs have, of those that could have it, is among the causes that are called. */
	isCalled(methodName: string, possible: RunSet, present: RunSet): boolean;
}

/** Of a method: which runs have each of its decisions. */
interface MethodPatterns {
	readonly name: string;
	/** Part of the time, 0 to 1. */
	readonly weight: number;
	readonly patterns: ReadonlyMap<string, Pattern>;
}

interface Pattern {
	readonly possible: RunSet;
	readonly present: RunSet;
}

interface KindCounts {
	readonly kind: CallsiteKind | 'optimization';
	readonly text: string | null;
	readonly a: number[];
	readonly b: number[];
}

/** So much of each is no difference yet: where hardly anything differs, the part that is random is not blown up. */
const LITTLE_SHIFT = 0.5;
const LITTLE_TIME = 0.01;
/** A narrower gap is no shift: two standard deviations of a count. */
const LEAST_GAP = 1;

/** `weight` gives a method's part of the time. There have to be more than two runs. */
export function testNoise(methods: readonly MethodDecisions[], runs: RunCounts, weight: (methodName: string) => number): NoiseResult {
	const causes = methods.map((method) => patternsOf(method, runs, weight(method.methodName)));
	const kinds = new Kinds(methods, runs);
	const { others, total } = otherSplits(runs.a, runs.b);
	const truth: Split = { a: everyRun(runs.a), b: 0 };
	const causeScores = [truth, ...others].map((split) => causes.flatMap((method) => scoresOf(method, split, runs)));
	const gaps = [truth, ...others].map((split) => kinds.gaps(split));
	const differences = addUp(
		causeScores.map((scores) => scores.reduce((sum, { best, score }) => sum + (best ? score : 0), 0)),
		gaps.map((all) => all.reduce((sum, gap) => sum + gap * gap, 0)),
	);
	const rank = rankAmong(differences[0]!, differences.slice(1));
	const tried = others.length + 1;
	const causeThreshold = discoveryThreshold(
		causeScores[0]!.map(({ score }) => score),
		causeScores.slice(1).flatMap((scores) => scores.map(({ score }) => score)),
		others.length,
		FALSE_DISCOVERY_RATE,
	);
	const gapThreshold = discoveryThreshold(gaps[0]!, gaps.slice(1).flat(), others.length, FALSE_DISCOVERY_RATE);
	const called = new Set(causeScores[0]!.filter(({ score }) => score >= causeThreshold).map(({ name, key }) => `${name} ${key}`));
	const shifts = kinds.shifts(gaps[0]!, Math.max(gapThreshold, LEAST_GAP));
	const isRare = rank / tried <= TWO_SIDED_LEVEL && called.size + shifts.length > 0;
	const verdict = !isSignificant(separationProbability(runs.a, runs.b)) ? 'too few runs' : isRare ? 'changed' : 'within chance';
	return {
		test: { verdict, rank, tried, splits: total },
		shifts: verdict === 'changed' ? shifts : [],
		isCalled: (methodName, possible, present) => verdict === 'changed' && called.has(`${methodName} ${patternKey(possible, present)}`),
	};
}

function told(rates: readonly number[]): number[] {
	return rates.filter((rate) => !Number.isNaN(rate));
}

/** Between the nearest of two sides; 0 where they overlap, or where one has none. Of every ten of a side one may be out of line. */
function gapBetween(first: readonly number[], second: readonly number[]): number {
	if (first.length === 0 || second.length === 0) {
		return 0;
	}
	const [one, other] = [first, second].map((side) => {
		const sorted = side.toSorted((x, y) => x - y);
		const outside = Math.floor(side.length / 10);
		return { least: sorted[outside]!, most: sorted[side.length - 1 - outside]! };
	}) as [Range, Range];
	return Math.max(0, one.least - other.most, other.least - one.most);
}

interface Range {
	readonly least: number;
	readonly most: number;
}

/** Both against their means over all splits: neither drowns the other because its numbers are larger. */
function addUp(times: readonly number[], shifts: readonly number[]): number[] {
	const [time, shift] = [LITTLE_TIME + mean(times), LITTLE_SHIFT + mean(shifts)];
	return times.map((value, i) => value / time + shifts[i]! / shift);
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function patternsOf(method: MethodDecisions, runs: RunCounts, weight: number): MethodPatterns {
	const { compiled, root, optimizations } = method;
	const patterns = new Map<string, Pattern>();
	const note = (possible: RunSet, present: RunSet): void => {
		if (present.a !== possible.a || present.b !== possible.b) {
			patterns.set(patternKey(possible, present), { possible, present });
		}
	};
	note({ a: everyRun(runs.a), b: everyRun(runs.b) }, compiled);
	for (const site of sitesBelow(root)) {
		for (const decision of site.decisions.values()) {
			note(compiled, decision.runs);
		}
	}
	for (const decision of optimizations) {
		note(compiled, decision.runs);
	}
	return { name: method.methodName, weight, patterns };
}

/** What is in exactly the other runs comes and goes with it: a call that is inlined in some runs is not in the others. */
function patternKey(possible: RunSet, present: RunSet): string {
	const [a, b] = [possible.a & ~present.a, possible.b & ~present.b];
	const isTurned = a < present.a || (a === present.a && b < present.b);
	return `${possible.a} ${possible.b} ${isTurned ? `${a} ${b}` : `${present.a} ${present.b}`}`;
}

interface CauseScore {
	readonly name: string;
	readonly key: string;
	/** The method's part of the time, times how improbable the split of its runs is. */
	readonly score: number;
	/** Whether it is the highest of its method: a method's time counts once. */
	readonly best: boolean;
}

/** Only of causes that tell the sides of the split apart. */
function scoresOf({ name, weight, patterns }: MethodPatterns, split: Split, runs: RunCounts): CauseScore[] {
	const scores: { key: string; score: number }[] = [];
	if (weight <= 0) {
		return [];
	}
	for (const [key, pattern] of patterns) {
		if (!isApart(split, pattern)) {
			continue;
		}
		const presence = presenceIn(split, pattern, runs);
		if (isDifference(presence)) {
			scores.push({ key, score: -weight * Math.log10(splitProbability(presence)) });
		}
	}
	scores.sort((x, y) => y.score - x.score);
	return scores.map(({ key, score }, i) => ({ name, key, score, best: i === 0 }));
}

/** Whether all runs of one side have it that could, and none of the other: few do, and this is asked of each pattern in each split. */
function isApart({ a, b }: Split, { possible, present }: Pattern): boolean {
	return (present.a === (possible.a & a) && present.b === (possible.b & b)) || (present.a === (possible.a & ~a) && present.b === (possible.b & ~b));
}

function presenceIn(split: Split, { possible, present }: Pattern, runs: RunCounts): Presence {
	const other = { a: everyRun(runs.a) & ~split.a, b: everyRun(runs.b) & ~split.b };
	const count = (set: RunSet, side: Split): number => countRuns(set.a & side.a) + countRuns(set.b & side.b);
	return { ofA: count(possible, split), ofB: count(possible, other), runsA: count(present, split), runsB: count(present, other) };
}

/** A reason without the numbers that differ from call to call, and without Graal's lists of them in brackets. */
export function withoutNumbers(text: string): string {
	return text.replace(/ ?\([^()]*\)/g, (list) => (list.includes('=') ? '' : list)).replace(/\d+(?:\.\d+)?(?:E-?\d+)?/g, '#');
}

/** How often each kind of decision was made in each run. */
class Kinds {
	private readonly runs: RunCounts;
	private readonly counts = new Map<string, KindCounts>();
	/** In square roots, of as many decisions as the mean run has: a run that compiled more has more of all. */
	private readonly rates: { readonly a: readonly number[]; readonly b: readonly number[] }[];

	constructor(methods: readonly MethodDecisions[], runs: RunCounts) {
		this.runs = runs;
		for (const { root, optimizations } of methods) {
			for (const site of sitesBelow(root)) {
				for (const { kind, runs: all, byReason } of site.decisions.values()) {
					if (byReason.size === 0) {
						this.add(kind, null, all);
					}
					for (const [reason, some] of byReason) {
						this.add(kind, withoutNumbers(reason), some);
					}
				}
			}
			for (const { name, event, runs: all } of optimizations) {
				this.add('optimization', `${name} ${event}`, all);
			}
		}
		const totals = { a: this.totals('a'), b: this.totals('b') };
		const usual = mean([...totals.a, ...totals.b]);
		// A run that decided nothing at all tells of no kind how often it is decided.
		const rates = (counts: readonly number[], of: readonly number[]): number[] =>
			counts.map((count, run) => (of[run] === 0 ? Number.NaN : Math.sqrt((count * usual) / of[run]!)));
		this.rates = [...this.counts.values()].map(({ a, b }) => ({ a: rates(a, totals.a), b: rates(b, totals.b) }));
	}

	/** Of each kind: between the nearest runs of the two sides of a split; 0 where they overlap. */
	gaps(split: Split): number[] {
		return this.rates.map(({ a, b }) => {
			const first: number[] = [];
			const second: number[] = [];
			a.forEach((rate, run) => {
				(split.a & (1 << run) ? first : second).push(rate);
			});
			b.forEach((rate, run) => {
				(split.b & (1 << run) ? first : second).push(rate);
			});
			return gapBetween(told(first), told(second));
		});
	}

	/** Those with a gap as wide as the threshold, widest first. */
	shifts(gaps: readonly number[], threshold: number): Shift[] {
		return [...this.counts.values()]
			.map(({ kind, text, a, b }, i): Shift => {
				const rates = this.rates[i]!;
				return { kind, text, countsA: a, countsB: b, isMoreInA: mean(told(rates.a)) > mean(told(rates.b)), gap: gaps[i]! };
			})
			.filter(({ gap }) => gap >= threshold)
			.sort((x, y) => y.gap - x.gap || (`${x.kind} ${x.text}` < `${y.kind} ${y.text}` ? -1 : 1));
	}

	private add(kind: KindCounts['kind'], text: string | null, runs: RunSet): void {
		const key = `${kind} ${text}`;
		let counts = this.counts.get(key);
		if (counts === undefined) {
			counts = { kind, text, a: new Array<number>(this.runs.a).fill(0), b: new Array<number>(this.runs.b).fill(0) };
			this.counts.set(key, counts);
		}
		for (const [side, set] of [
			[counts.a, runs.a],
			[counts.b, runs.b],
		] as const) {
			for (let run = 0; run < side.length; run++) {
				side[run] = side[run]! + ((set >> run) & 1);
			}
		}
	}

	private totals(side: 'a' | 'b'): number[] {
		const totals = new Array<number>(this.runs[side]).fill(0);
		for (const counts of this.counts.values()) {
			counts[side].forEach((count, run) => {
				totals[run] = totals[run]! + count;
			});
		}
		return totals;
	}
}
