import { allUnits, byPeriod, type CompilationUnit, type Experiment } from './experiment.js';
import type { ProfdiffOptions } from './options.js';

/** Compilations that are hot. */
export type HotUnits = ReadonlySet<CompilationUnit>;

/** The hottest compilations that make up the percentile, within the limits of the options; none without a profile. */
export function selectHotUnits(experiment: Experiment, options: Pick<ProfdiffOptions, 'hotMinLimit' | 'hotMaxLimit' | 'hotPercentile'>): HotUnits {
	const hot = new Set<CompilationUnit>();
	let budget = experiment.compiledPeriod * options.hotPercentile;
	byPeriod(allUnits(experiment)).forEach((unit, index) => {
		budget -= unit.period;
		if (index < options.hotMinLimit || (budget >= 0 && index < options.hotMaxLimit)) {
			hot.add(unit);
		}
	});
	return hot;
}

/** The methods that the hot compilations compiled or inlined, each once: method by method, then in preorder as logged. */
export function methodsIn(experiment: Experiment, hot: HotUnits): string[] {
	const names = new Set<string>();
	for (const unit of allUnits(experiment)) {
		if (!hot.has(unit)) {
			continue;
		}
		const work = [unit.readTrees().inlining];
		for (let node = work.pop(); node !== undefined; node = work.pop()) {
			if (node.inlined && node.methodName !== null) {
				names.add(node.methodName);
			}
			for (let i = node.children.length - 1; i >= 0; i--) {
				work.push(node.children[i]!);
			}
		}
	}
	return [...names];
}

/** For an experiment without a profile of its own: all compilations of the methods that are hot elsewhere. */
export function selectUnitsOf(experiment: Experiment, methodNames: readonly string[]): HotUnits {
	return new Set(methodNames.flatMap((name) => experiment.methods.get(name)?.units ?? []));
}
