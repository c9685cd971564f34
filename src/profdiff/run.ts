/**
 * The reports of profdiff as a sequence of results, in the order in which they are shown. Trees are read when their turn
 * comes, so a consumer has seen everything before an unreadable one.
 */
import type { OptimizationNode } from '../model/optimization-tree.js';
import { createContextTree } from './context-tree.js';

import { byPeriod, type CompilationUnit, type Experiment } from './experiment.js';
import { createFragments } from './fragments.js';
import type { HotUnits } from './hot.js';
import type { PhaseKnowledge, ProfdiffOptions } from './options.js';
import { CONTEXT_POLICY, inliningPolicy, isRemark, OPTIMIZATION_POLICY } from './policies.js';
import { preprocess } from './preprocess.js';
import { pruneIdentities } from './prune-identities.js';
import type { ContextNode, MethodSection, MethodSide, PairComparison, ProfdiffSink, TreeComparison } from './results.js';
import { countNodes, type DiffPolicy, diffTrees } from './tree-diff.js';

/** Trees are not compared when the product of their sizes is larger. */
const MAX_SIZE_PRODUCT = 100_000_000;

/** One experiment. Without a profile all methods and compilations, else the hot ones. */
export function runReport(experiment: Experiment, hot: HotUnits, options: ProfdiffOptions, phases: PhaseKnowledge, sink: ProfdiffSink): void {
	const hasProfile = experiment.profile !== null;
	for (const method of byPeriod([...experiment.methods.values()])) {
		const hotUnits = method.units.filter((unit) => hot.has(unit));
		if (hasProfile && hotUnits.length === 0) {
			continue;
		}
		sink.methodSection({ methodName: method.name, sides: [{ experiment, units: byPeriod(method.units), hotUnits }], hotOnlyIn: null });
		for (const unit of hasProfile ? hotUnits : method.units) {
			showUnit(unit, experiment, options, phases, sink);
		}
	}
}

/** Two experiments: for each method that is hot in one of them, its hot compilations, pair by pair. */
export function runComparison(left: Experiment, right: Experiment, hot: HotUnits, options: ProfdiffOptions, phases: PhaseKnowledge, sink: ProfdiffSink): void {
	for (const section of matchMethods(left, right, hot, options)) {
		sink.methodSection(section);
		const [leftSide, rightSide] = section.sides as [MethodSide, MethodSide];
		if (!options.diffCompilations) {
			for (const { experiment, hotUnits } of [leftSide, rightSide]) {
				for (const unit of hotUnits) {
					showUnit(unit, experiment, options, phases, sink);
				}
			}
			continue;
		}
		for (const leftUnit of byPeriod(leftSide.hotUnits)) {
			for (const rightUnit of byPeriod(rightSide.hotUnits)) {
				if (leftUnit.fragment === null || rightUnit.fragment === null) {
					sink.pair(leftUnit, rightUnit);
					sink.pairComparison(comparePair(leftUnit, rightUnit, options, phases));
				}
			}
		}
	}
}

/** The methods that are hot in either experiment, with their fragments; highest sum of periods first. */
export function matchMethods(left: Experiment, right: Experiment, hot: HotUnits, options: Pick<ProfdiffOptions, 'createFragments'>): MethodSection[] {
	const hotNames = new Set<string>();
	for (const experiment of [left, right]) {
		for (const method of experiment.methods.values()) {
			if (method.units.some((unit) => hot.has(unit))) {
				hotNames.add(method.name);
			}
		}
	}
	const fragments = options.createFragments ? createAllFragments(left, right, hotNames, hot) : new Map<Experiment, Map<string, CompilationUnit[]>>();
	// A fragment makes its method hot. The order in which methods of equal periods are shown is that of each experiment's
	// table of methods: as logged, then those that only the other experiment compiled.
	const names = new Set<string>();
	for (const experiment of [left, right]) {
		const added = fragments.get(experiment);
		for (const name of new Set([...experiment.methods.keys(), ...hotNames])) {
			if (added?.has(name) || experiment.methods.get(name)?.units.some((unit) => hot.has(unit))) {
				names.add(name);
			}
		}
	}
	const side = (experiment: Experiment, name: string): MethodSide => {
		const units = experiment.methods.get(name)?.units ?? [];
		const added = fragments.get(experiment)?.get(name) ?? [];
		return { experiment, units: byPeriod([...units, ...added]), hotUnits: [...units.filter((unit) => hot.has(unit)), ...added] };
	};
	const sections = [...names].map((methodName) => ({
		period: (left.methods.get(methodName)?.period ?? 0) + (right.methods.get(methodName)?.period ?? 0),
		sides: [side(left, methodName), side(right, methodName)] as const,
		methodName,
	}));
	return byPeriod(sections).map(({ methodName, sides }) => {
		const hotSides = sides.filter((one) => one.hotUnits.length > 0);
		return { methodName, sides, hotOnlyIn: hotSides.length === 1 ? hotSides[0]!.experiment : null };
	});
}

/** Fragments of the named methods, by experiment and method. Only hot compilations are cut, so fragments are hot. */
function createAllFragments(left: Experiment, right: Experiment, names: ReadonlySet<string>, hot: HotUnits): Map<Experiment, Map<string, CompilationUnit[]>> {
	let count = 0;
	const all = new Map<Experiment, Map<string, CompilationUnit[]>>([
		[left, new Map()],
		[right, new Map()],
	]);
	for (const name of names) {
		for (const [experiment, byName] of all) {
			for (const unit of experiment.methods.get(name)?.units ?? []) {
				if (!hot.has(unit)) {
					continue;
				}
				for (const fragment of createFragments(
					unit,
					(methodName) => names.has(methodName),
					() => ++count,
				)) {
					const siblings = byName.get(fragment.methodName);
					if (siblings === undefined) {
						byName.set(fragment.methodName, [fragment]);
					} else {
						siblings.push(fragment);
					}
				}
			}
		}
	}
	return all;
}

function showUnit(unit: CompilationUnit, experiment: Experiment, options: ProfdiffOptions, phases: PhaseKnowledge, sink: ProfdiffSink): void {
	sink.unit(unit, experiment);
	const trees = preprocess(unit.readTrees(), options, phases);
	sink.unitTrees(options.optimizationContextTree ? { kind: 'context', tree: createContextTree(trees) } : { kind: 'separate', trees });
}

/** What two compilations differ in: trees of decisions and optimizations, or of contexts. Throws an InputError where one cannot be read. */
export function comparePair(left: CompilationUnit, right: CompilationUnit, options: ProfdiffOptions, phases: PhaseKnowledge): PairComparison {
	const a = preprocess(left.readTrees(), options, phases);
	const b = preprocess(right.readTrees(), options, phases);
	if (options.optimizationContextTree) {
		const context = compareTrees<ContextNode>(createContextTree(a), createContextTree(b), CONTEXT_POLICY, options, isRemark);
		return { kind: 'context', context };
	}
	return {
		kind: 'separate',
		inlining: compareTrees(a.inlining, b.inlining, inliningPolicy(a.inlining, b.inlining), options),
		optimization: compareTrees<OptimizationNode>(a.optimization, b.optimization, OPTIMIZATION_POLICY, options),
	};
}

function compareTrees<Node>(
	left: Node,
	right: Node,
	policy: DiffPolicy<Node>,
	options: Pick<ProfdiffOptions, 'pruneIdentities'>,
	isKeptRemark?: (node: Node) => boolean,
): TreeComparison<Node> {
	if (countNodes(left, policy.children) * countNodes(right, policy.children) > MAX_SIZE_PRODUCT) {
		return { kind: 'too-big' };
	}
	const { root } = diffTrees(left, right, policy);
	const shown = options.pruneIdentities ? pruneIdentities(root, isKeptRemark) : root;
	return shown === null ? { kind: 'no-difference' } : { kind: 'difference', root: shown };
}
