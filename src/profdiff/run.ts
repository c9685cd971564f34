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
import type { ContextNode, MethodSection, MethodSide, PairComparison, ProfdiffSink, TreeComparison, UnitTrees } from './results.js';
import { countNodes, type DiffPolicy, diffTrees } from './tree-diff.js';

/** Trees are not compared when the product of their sizes is larger. */
const MAX_SIZE_PRODUCT = 100_000_000;

/** What is shown of a method; trees are read when they are asked for. */
export type ReportPart =
	| { readonly kind: 'compilation'; readonly unit: CompilationUnit; readonly experiment: Experiment; readonly trees: () => UnitTrees }
	| { readonly kind: 'pair'; readonly left: CompilationUnit; readonly right: CompilationUnit; readonly compare: () => PairComparison };

/** A method of a report. */
export interface ReportSection {
	readonly section: MethodSection;
	/** Each made when it is taken. */
	readonly parts: Iterable<ReportPart>;
}

/** One experiment. Without a profile all methods and compilations, else the hot ones. */
export function* reportSections(experiment: Experiment, hot: HotUnits, options: ProfdiffOptions, phases: PhaseKnowledge): Generator<ReportSection> {
	const hasProfile = experiment.profile !== null;
	for (const method of byPeriod([...experiment.methods.values()])) {
		const hotUnits = method.units.filter((unit) => hot.has(unit));
		if (hasProfile && hotUnits.length === 0) {
			continue;
		}
		yield {
			section: { methodName: method.name, sides: [{ experiment, units: byPeriod(method.units), hotUnits }], hotOnlyIn: null },
			parts: unitParts(hasProfile ? hotUnits : method.units, experiment, options, phases),
		};
	}
}

/** Two experiments: for each method that is hot in one of them, its hot compilations, pair by pair. */
export function* comparisonSections(
	left: Experiment,
	right: Experiment,
	hot: HotUnits,
	options: ProfdiffOptions,
	phases: PhaseKnowledge,
): Generator<ReportSection> {
	for (const section of matchMethods(left, right, hot, options)) {
		yield { section, parts: options.diffCompilations ? pairParts(section, options, phases) : sideParts(section, options, phases) };
	}
}

/**
 * Two replays of the same recorded compilations, as `compare-replayed` of Graal's profdiff pairs them: all methods, those of the left first, and of each the
 * compilations of one id. Of several with one id the right side's last is meant.
 */
export function* replayedSections(left: Experiment, right: Experiment, options: ProfdiffOptions, phases: PhaseKnowledge): Generator<ReportSection> {
	for (const methodName of new Set([...left.methods.keys(), ...right.methods.keys()])) {
		const [leftUnits = [], rightUnits = []] = [left, right].map(({ methods }) => methods.get(methodName)?.units);
		const sides = [
			{ experiment: left, units: leftUnits, hotUnits: [] },
			{ experiment: right, units: rightUnits, hotUnits: [] },
		];
		yield { section: { methodName, sides, hotOnlyIn: null }, parts: parts(leftUnits, new Map(rightUnits.map((unit) => [unit.compileId, unit]))) };
	}
	function* parts(units: readonly CompilationUnit[], byId: ReadonlyMap<string, CompilationUnit>): Generator<ReportPart> {
		for (const unit of units) {
			const other = byId.get(unit.compileId);
			if (other !== undefined) {
				yield { kind: 'pair', left: unit, right: other, compare: () => comparePair(unit, other, options, phases) };
			}
		}
	}
}

/** {@link reportSections} told to a sink. */
export function runReport(experiment: Experiment, hot: HotUnits, options: ProfdiffOptions, phases: PhaseKnowledge, sink: ProfdiffSink): void {
	tellSections(reportSections(experiment, hot, options, phases), sink);
}

/** {@link comparisonSections} told to a sink. */
export function runComparison(left: Experiment, right: Experiment, hot: HotUnits, options: ProfdiffOptions, phases: PhaseKnowledge, sink: ProfdiffSink): void {
	tellSections(comparisonSections(left, right, hot, options, phases), sink);
}

export function tellSections(sections: Iterable<ReportSection>, sink: ProfdiffSink): void {
	for (const { section, parts } of sections) {
		sink.methodSection(section);
		for (const part of parts) {
			if (part.kind === 'pair') {
				sink.pair(part.left, part.right);
				sink.pairComparison(part.compare());
			} else {
				sink.unit(part.unit, part.experiment);
				sink.unitTrees(part.trees());
			}
		}
	}
}

function* pairParts({ sides }: MethodSection, options: ProfdiffOptions, phases: PhaseKnowledge): Generator<ReportPart> {
	const [leftSide, rightSide] = sides as [MethodSide, MethodSide];
	for (const left of byPeriod(leftSide.hotUnits)) {
		for (const right of byPeriod(rightSide.hotUnits)) {
			if (left.fragment === null || right.fragment === null) {
				yield { kind: 'pair', left, right, compare: () => comparePair(left, right, options, phases) };
			}
		}
	}
}

function* sideParts({ sides }: MethodSection, options: ProfdiffOptions, phases: PhaseKnowledge): Generator<ReportPart> {
	for (const { experiment, hotUnits } of sides) {
		yield* unitParts(hotUnits, experiment, options, phases);
	}
}

function* unitParts(units: readonly CompilationUnit[], experiment: Experiment, options: ProfdiffOptions, phases: PhaseKnowledge): Generator<ReportPart> {
	for (const unit of units) {
		yield { kind: 'compilation', unit, experiment, trees: () => treesOf(unit, options, phases) };
	}
}

function treesOf(unit: CompilationUnit, options: ProfdiffOptions, phases: PhaseKnowledge): UnitTrees {
	const trees = preprocess(unit.readTrees(), options, phases);
	return options.optimizationContextTree ? { kind: 'context', tree: createContextTree(trees) } : { kind: 'separate', trees };
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
