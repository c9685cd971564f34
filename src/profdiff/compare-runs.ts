/** Two sides of one or more runs each: what is compared, what changed, what moved, what is hot on one side only. */

import { withoutHiddenAddress } from '../model/hidden-class.js';
import { TOP_TIER } from '../model/jit-compilation.js';
import { comparableMethodName } from '../model/method-name.js';
import { InputError, type Problem } from '../model/problem.js';
import { type Change, type DecisionChanges, findChanges, type MethodShares } from './changes.js';
import { addCompilation, createMethodDecisions, type MethodDecisions, type Side, sitesBelow } from './decisions.js';
import type { CompilationUnit, Experiment } from './experiment.js';
import { inlinedParts } from './fragments.js';
import { selectHotUnits } from './hot.js';
import { findMoves, type Move } from './moves.js';
import type { PhaseKnowledge, ProfdiffOptions } from './options.js';

/** The runs of both sides. */
export interface Sides {
	/** The first one was named first, the others are its repeats. */
	readonly a: readonly Experiment[];
	readonly b: readonly Experiment[];
}

/** A method that was compared, with the share of the period in all its code on each side, 0 to 1: of every tier, on-stack replacement too. */
export interface ComparedMethod {
	readonly name: string;
	readonly shareA: number | null;
	readonly shareB: number | null;
	/** Its part of the time, 0 to 1: the mean of the shares, without profiles of what was counted when it was compiled. */
	readonly weight: number;
	/** Of each run, in their order; null where it has no profile. */
	readonly sharesA: readonly (number | null)[];
	readonly sharesB: readonly (number | null)[];
	/** Ids of its compilations in the first run of each side. */
	readonly compileIdsA: readonly string[];
	readonly compileIdsB: readonly string[];
	/** Whether it is hot in the first run of a side; null when that has no profile. */
	readonly hotInA: boolean | null;
	readonly hotInB: boolean | null;
}

/** What two sides differ in. */
export interface RunsComparison extends DecisionChanges {
	/** Highest share first. */
	readonly methods: readonly ComparedMethod[];
	readonly moves: readonly Move[];
	/** Of methods that only one side compiled: those that they are inlined into on each side, most expensive first. */
	readonly inlinedInto: ReadonlyMap<string, { readonly a: readonly string[]; readonly b: readonly string[] }>;
	/** Methods that were compiled in some run and not compared, because no run has samples in them. */
	readonly unsampledMethods: number;
	/** Compilations that could not be read: left out. */
	readonly problems: readonly Problem[];
	readonly hasProfiles: boolean;
	/** Without profiles, whether methods are weighed by what was counted when they were compiled. */
	readonly hasCounts: boolean;
}

/** What is compared, and what counts as hot. */
export interface CompareRunsOptions extends Pick<ProfdiffOptions, 'hotMinLimit' | 'hotMaxLimit' | 'hotPercentile'> {
	/** Compare methods without samples too. */
	readonly all: boolean;
	/** At most so many of the most expensive methods, of each run; null: no limit. */
	readonly maxMethods: number | null;
	readonly phases: PhaseKnowledge;
	/** Call what tells the sides apart a change also where other splits of the runs differ as much: false where it is left out. */
	readonly evenIfChance?: boolean;
	/** Compiled ahead of time: that a function has code of its own follows from what became of its calls, and stands behind that. Left out: compiled by a JIT compiler. */
	readonly isAheadOfTime?: boolean;
	/** Called between compilations: for progress. */
	readonly onProgress?: (done: number, total: number) => Promise<void>;
}

/** All decisions that differ between two sides, most expensive first, noise marked. Compilations that cannot be read are among the problems. */
export async function compareRuns({ a, b }: Sides, options: CompareRunsOptions): Promise<RunsComparison> {
	const sides = { a: a.map(createRun), b: b.map(createRun) };
	const runs = [...sides.a, ...sides.b];
	const hasProfiles = runs.some(({ experiment }) => experiment.profile !== null);
	const { names, unsampledMethods } = comparedNames(runs, options, hasProfiles);
	const problems: Problem[] = [];
	const { decisions, inlinedDecisions } = await collectDecisions(sides, names, problems, options.onProgress);
	const share = (name: string): MethodShares => ({ a: meanShare(sides.a, name), b: meanShare(sides.b, name) });
	const weight = weights(runs, names, hasProfiles);
	const found = findChanges(
		decisions,
		inlinedDecisions,
		{ a: sides.a.length, b: sides.b.length },
		{
			shares: share,
			weight: (name) => weight.get(name) ?? 0,
			phases: options.phases,
			evenIfChance: options.evenIfChance ?? false,
			isAheadOfTime: options.isAheadOfTime ?? false,
		},
	);
	const [firstA, firstB] = [sides.a[0]!, sides.b[0]!];
	const hot = { a: hotNames(firstA.experiment, options), b: hotNames(firstB.experiment, options) };
	const methods = names.map((name): ComparedMethod => {
		const shares = share(name);
		return {
			name,
			shareA: shares.a,
			shareB: shares.b,
			weight: weight.get(name) ?? 0,
			sharesA: sides.a.map((run) => meanShare([run], name)),
			sharesB: sides.b.map((run) => meanShare([run], name)),
			compileIdsA: compileIds(firstA, name),
			compileIdsB: compileIds(firstB, name),
			hotInA: hot.a?.has(name) ?? null,
			hotInB: hot.b?.has(name) ?? null,
		};
	});
	methods.sort((x, y) => largerShare(y) - largerShare(x) || (hasProfiles ? 0 : y.weight - x.weight) || (x.name < y.name ? -1 : x.name > y.name ? 1 : 0));
	return {
		...found,
		methods,
		moves: findMoves(found.changes, decisions),
		inlinedInto: inlinedInto(found.changes, decisions, weight),
		unsampledMethods,
		problems,
		hasProfiles,
		hasCounts: runs.some((run) => [...run.methods.values()].some(({ counted }) => counted > 0)),
	};
}

function inlinedInto(changes: readonly Change[], decisions: readonly MethodDecisions[], weight: ReadonlyMap<string, number>): RunsComparison['inlinedInto'] {
	const callers = new Map<string, { a: string[]; b: string[] }>();
	for (const { kind, methodName } of changes) {
		if (kind === 'compilation') {
			callers.set(methodName, { a: [], b: [] });
		}
	}
	for (const { methodName, root } of [...decisions].sort((x, y) => (weight.get(y.methodName) ?? 0) - (weight.get(x.methodName) ?? 0))) {
		for (const site of sitesBelow(root)) {
			const known = site.methodName === null ? undefined : callers.get(site.methodName);
			const runs = site.decisions.get('inlined')?.runs;
			for (const side of ['a', 'b'] as const) {
				if (known !== undefined && (runs?.[side] ?? 0) !== 0 && known[side].at(-1) !== methodName) {
					known[side].push(methodName);
				}
			}
		}
	}
	return callers;
}

/** A run, its compilations by the stable names of their methods. */
interface Run {
	readonly experiment: Experiment;
	readonly methods: ReadonlyMap<string, RunMethod>;
	/** Periods of code of other tiers than the one that is compared, by the comparable names of methods. */
	readonly otherTiers: ReadonlyMap<string, number>;
}

interface RunMethod {
	readonly name: string;
	readonly units: CompilationUnit[];
	period: number;
	/** Invocations and loop iterations. */
	counted: number;
}

interface RunSides {
	readonly a: readonly Run[];
	readonly b: readonly Run[];
}

function createRun(experiment: Experiment): Run {
	const methods = new Map<string, RunMethod>();
	for (const method of experiment.methods.values()) {
		const name = withoutHiddenAddress(method.name);
		let known = methods.get(name);
		if (known === undefined) {
			known = { name, units: [], period: 0, counted: 0 };
			methods.set(name, known);
		}
		for (const unit of method.units) {
			known.units.push(unit);
		}
		known.period += method.period;
		known.counted += method.counted;
	}
	return { experiment, methods, otherTiers: otherTiers(experiment) };
}

function otherTiers({ profile }: Experiment): ReadonlyMap<string, number> {
	const periods = new Map<string, number>();
	if (profile?.kind !== 'JIT') {
		return periods;
	}
	const others = profile.otherEntries ?? profile.entries.filter(({ level, compileId }) => level !== null && level !== TOP_TIER && compileId !== null);
	for (const { name, period } of others) {
		// Profiles of Graal's tools put the compile id before the name.
		const key = comparableMethodName(withoutHiddenAddress(name.replace(/^\d+%?: /, '')));
		periods.set(key, (periods.get(key) ?? 0) + period);
	}
	return periods;
}

/** Of all code of the method, whichever compiler made it. */
function periodOf({ methods, otherTiers }: Run, name: string): number {
	return (methods.get(name)?.period ?? 0) + (otherTiers.get(comparableMethodName(name)) ?? 0);
}

/** With profiles, the methods that have samples in some run, as many as wanted; without, all. */
function comparedNames(runs: readonly Run[], options: CompareRunsOptions, hasProfiles: boolean): { names: string[]; unsampledMethods: number } {
	const all = new Set(runs.flatMap((run) => [...run.methods.keys()]));
	if (options.all || !hasProfiles) {
		return { names: [...all], unsampledMethods: 0 };
	}
	const sampled = new Set<string>();
	for (const run of runs) {
		const methods = [...run.methods.values()].filter((method) => method.period > 0).sort((x, y) => y.period - x.period);
		for (const { name } of methods.slice(0, options.maxMethods ?? methods.length)) {
			sampled.add(name);
		}
	}
	return { names: [...sampled], unsampledMethods: all.size - sampled.size };
}

async function collectDecisions(
	sides: RunSides,
	names: readonly string[],
	problems: Problem[],
	onProgress: CompareRunsOptions['onProgress'],
): Promise<{ decisions: MethodDecisions[]; inlinedDecisions: MethodDecisions[] }> {
	const byName = new Map(names.map((name) => [name, createMethodDecisions(name)]));
	const inlined = { a: missingMethods(sides.a, sides.b, names), b: missingMethods(sides.b, sides.a, names) };
	// Run by run, method by method in the order of the log: files are read forwards.
	const work = (['a', 'b'] as const).flatMap((side) => sides[side].map((run, number) => ({ side, run, number })));
	const methodsOf = (run: Run): RunMethod[] => [...run.methods.values()].filter((method) => byName.has(method.name));
	const total = work.reduce((sum, { run }) => sum + methodsOf(run).length, 0);
	let done = 0;
	for (const { side, run, number } of work) {
		for (const method of methodsOf(run)) {
			const own = [byName.get(method.name), inlined[side === 'a' ? 'b' : 'a'].get(method.name)].filter((one) => one !== undefined);
			addMethod(own, inlined[side], method, side, number, problems);
			done++;
			await onProgress?.(done, total);
		}
	}
	return {
		decisions: [...byName.values()].filter((decisions) => !isUnread(decisions, sides)),
		inlinedDecisions: [...inlined.a.values(), ...inlined.b.values()].filter(({ compiled }) => compiled.a !== 0 && compiled.b !== 0),
	};
}

/** Of the methods that no run of a side compiled, and a run of the other did: for what became of them where the side inlined them, and in those compilations. */
function missingMethods(runs: readonly Run[], others: readonly Run[], names: readonly string[]): ReadonlyMap<string, MethodDecisions> {
	const isCompiled = (some: readonly Run[], name: string): boolean => some.some(({ methods }) => methods.has(name));
	return new Map(names.filter((name) => !isCompiled(runs, name) && isCompiled(others, name)).map((name) => [name, createMethodDecisions(name)]));
}

/** A side compiled the method, and none of its compilations there can be read: what it would be compared with is not known. */
function isUnread({ methodName, compiled }: MethodDecisions, sides: RunSides): boolean {
	return (['a', 'b'] as const).some((side) => compiled[side] === 0 && sides[side].some(({ methods }) => (methods.get(methodName)?.units.length ?? 0) > 0));
}

/** Adds the compilations of a method to what is known of it, and the parts that came from inlining to what is known of those methods. */
function addMethod(
	own: readonly MethodDecisions[],
	inlined: ReadonlyMap<string, MethodDecisions>,
	method: RunMethod,
	side: Side,
	run: number,
	problems: Problem[],
): void {
	for (const unit of method.units) {
		try {
			const trees = unit.readTrees();
			for (const decisions of own) {
				addCompilation(decisions, trees, side, run);
			}
			if (inlined.size > 0) {
				for (const part of inlinedParts(trees, (name) => inlined.has(withoutHiddenAddress(name)))) {
					addCompilation(inlined.get(withoutHiddenAddress(part.methodName))!, part.trees, side, run);
				}
			}
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			problems.push({ ...error.problem, severity: 'warning', action: 'the compilation is left out of the comparison' });
		}
	}
}

/**
 * Parts of the time, means over the runs: of the samples; without profiles of the invocations and loop iterations that were counted when methods were compiled;
 * where not even these are known all methods weigh the same.
 */
function weights(runs: readonly Run[], names: readonly string[], hasProfiles: boolean): ReadonlyMap<string, number> {
	const known = runs.flatMap((run): ((name: string) => number)[] => {
		const { methods } = run;
		const { profile } = run.experiment;
		const counted = [...methods.values()].reduce((sum, method) => sum + method.counted, 0);
		const total = hasProfiles ? (profile?.totalPeriod ?? 0) : counted;
		return total > 0 ? [(name) => (hasProfiles ? periodOf(run, name) : (run.methods.get(name)?.counted ?? 0)) / total] : [];
	});
	return new Map(names.map((name) => [name, known.length === 0 ? 1 / names.length : known.reduce((sum, share) => sum + share(name), 0) / known.length]));
}

/** Mean over the runs of a side that have a profile. */
function meanShare(runs: readonly Run[], name: string): number | null {
	const shares = runs.flatMap((run) => {
		const { profile } = run.experiment;
		return profile === null || profile.totalPeriod <= 0 ? [] : [periodOf(run, name) / profile.totalPeriod];
	});
	return shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function largerShare({ shareA, shareB }: ComparedMethod): number {
	return Math.max(shareA ?? 0, shareB ?? 0);
}

function compileIds(run: Run, name: string): string[] {
	return run.methods.get(name)?.units.map((unit) => unit.compileId) ?? [];
}

function hotNames(experiment: Experiment, options: CompareRunsOptions): Set<string> | null {
	return experiment.profile === null ? null : new Set([...selectHotUnits(experiment, options)].map((unit) => withoutHiddenAddress(unit.methodName)));
}
