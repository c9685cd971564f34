/**
 * An experiment: the compilations of one run and, where there is a profile, how long each was executed.
 * Linking rules of Graal's profdiff: JIT profiles by compile id, top tier only; AOT profiles by method name.
 */

import type { CompilationKind, CompilationTrees, LoggedCompilation } from '../model/compilation.js';
import { TOP_TIER } from '../model/jit-compilation.js';
import type { Profile } from '../model/profile.js';
import type { InliningPath } from './inlining-path.js';
import type { TreeCache } from './tree-cache.js';

/** 1 and 2 are compared; 0 lends its profile. */
export type ExperimentNumber = 0 | 1 | 2;

/** A compilation, or a fragment of one, with its period. */
export interface CompilationUnit {
	readonly experiment: ExperimentNumber;
	/** With `#n` at the end for a fragment. */
	readonly compileId: string;
	readonly methodName: string;
	readonly multiMethodKey: string | null;
	/** Period of the whole compilation, also for a fragment. */
	readonly period: number;
	readonly fragment: Fragment | null;
	/** Size of the record that the trees are read from; for a fragment that of the whole. */
	readonly sizeBytes: number;
	readonly readTrees: () => CompilationTrees;
}

/** The part of a compilation that came from inlining one method at one place. */
export interface Fragment {
	readonly parent: CompilationUnit;
	/** From the compiled root to the fragment's method, both included. */
	readonly path: InliningPath;
}

/** All compilations of a method in one run. */
export interface Method {
	readonly name: string;
	readonly units: readonly CompilationUnit[];
	/** Sum over `units`. */
	readonly period: number;
	/** Invocations and loop iterations that were counted when it was compiled, summed; 0 where nothing is known. */
	readonly counted: number;
}

/** A run's compilations with its profile. */
export interface Experiment {
	readonly number: ExperimentNumber;
	/** null when nothing says it. */
	readonly kind: CompilationKind | null;
	readonly profile: Profile | null;
	/** By name, in order of first appearance in the log. */
	readonly methods: ReadonlyMap<string, Method>;
	readonly unitCount: number;
	/** Sum over all units. */
	readonly compiledPeriod: number;
	/** Compile ids that the profile has at the top tier and the log has not, in the order of the profile. */
	readonly unknownCompileIds: readonly string[];
}

/** `kept` holds trees that were read, for experiments whose compilations are looked at several times. */
export function createExperiment(
	number: ExperimentNumber,
	compilations: readonly LoggedCompilation[],
	profile: Profile | null,
	kind: CompilationKind | null,
	kept: TreeCache | null = null,
): Experiment {
	const periods = new Float64Array(compilations.length);
	const unknownCompileIds: string[] = [];
	if (profile?.kind === 'JIT') {
		linkByCompileId(compilations, profile, periods, unknownCompileIds);
	} else if (profile !== null) {
		linkByName(compilations, profile, periods);
	}
	const methods = new Map<string, { name: string; units: CompilationUnit[]; period: number; counted: number }>();
	let compiledPeriod = 0;
	compilations.forEach((compilation, index) => {
		const period = periods[index]!;
		let method = methods.get(compilation.methodName);
		if (method === undefined) {
			method = { name: compilation.methodName, units: [], period: 0, counted: 0 };
			methods.set(compilation.methodName, method);
		}
		method.units.push({
			experiment: number,
			compileId: compilation.compileId,
			methodName: compilation.methodName,
			multiMethodKey: compilation.multiMethodKey,
			period,
			fragment: null,
			sizeBytes: compilation.sizeBytes,
			readTrees: kept === null ? compilation.readTrees : () => kept.read(compilation),
		});
		method.period += period;
		method.counted += compilation.counted ?? 0;
		compiledPeriod += period;
	});
	return {
		number,
		kind: profile?.kind ?? kind,
		profile,
		methods,
		unitCount: compilations.length,
		compiledPeriod,
		unknownCompileIds,
	};
}

/** The same experiment with further methods at the end of its table, which it did not compile. */
export function withMethods(experiment: Experiment, names: readonly string[]): Experiment {
	const methods = new Map(experiment.methods);
	for (const name of names) {
		if (!methods.has(name)) {
			methods.set(name, { name, units: [], period: 0, counted: 0 });
		}
	}
	return { ...experiment, methods };
}

/** The same experiment with some of its methods only. */
export function withMethodsOnly(experiment: Experiment, isMeant: (name: string) => boolean): Experiment {
	const methods = new Map([...experiment.methods].filter(([name]) => isMeant(name)));
	const all = [...methods.values()];
	return {
		...experiment,
		methods,
		unitCount: all.reduce((sum, { units }) => sum + units.length, 0),
		compiledPeriod: all.reduce((sum, { period }) => sum + period, 0),
	};
}

/** Later entries overwrite earlier ones; of several compilations with one id the last one is meant. */
function linkByCompileId(compilations: readonly LoggedCompilation[], profile: Profile, periods: Float64Array, unknownCompileIds: string[]): void {
	const indexById = new Map<string, number>();
	compilations.forEach((compilation, index) => {
		indexById.set(compilation.compileId, index);
	});
	for (const entry of profile.entries) {
		if (entry.level !== TOP_TIER || entry.compileId === null) {
			continue;
		}
		const index = indexById.get(entry.compileId);
		if (index === undefined) {
			unknownCompileIds.push(entry.compileId);
		} else {
			periods[index] = entry.period;
		}
	}
}

/** A name stands for all its compilations: each gets the whole period. */
function linkByName(compilations: readonly LoggedCompilation[], profile: Profile, periods: Float64Array): void {
	const periodByName = new Map<string, number>();
	for (const entry of profile.entries) {
		periodByName.set(entry.name, entry.period);
	}
	compilations.forEach((compilation, index) => {
		periods[index] = periodByName.get(compilation.fullName) ?? 0;
	});
}

/** Highest period first; equal ones keep their order. */
export function byPeriod<T extends { readonly period: number }>(items: readonly T[]): T[] {
	return [...items].sort((a, b) => b.period - a.period);
}

/** All compilations, method by method. */
export function allUnits(experiment: Experiment): CompilationUnit[] {
	return [...experiment.methods.values()].flatMap((method) => method.units);
}
