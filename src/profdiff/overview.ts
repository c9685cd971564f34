/** One experiment at a glance: where the time went, and what the compiler did in the hot compilations. */

import type { CompilationTrees } from '../model/compilation.js';
import { type CallsiteKind, callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import { TOP_TIER } from '../model/jit-compilation.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Profile } from '../model/profile.js';
import { allUnits, byPeriod, type CompilationUnit, type Experiment } from './experiment.js';

/** A compilation with the numbers of its calls and optimizations. */
export interface CompilationOverview {
	readonly unit: CompilationUnit;
	/** Of the profile's total, 0 to 1; null without a profile. */
	readonly share: number | null;
	/** How many calls became what, the compiled method itself left out. */
	readonly calls: Readonly<Partial<Record<CallsiteKind, number>>>;
	readonly optimizations: number;
	readonly trees: CompilationTrees;
}

/** Something about a hot compilation that is worth a look. */
export type ReportFinding =
	| {
			/** A call that is dispatched although few classes receive it. */
			readonly kind: 'dispatched-call';
			readonly unit: CompilationUnit;
			readonly share: number | null;
			readonly node: InliningNode;
			readonly receivers: number;
			/** Probability of the two most frequent receivers together. */
			readonly topTwo: number;
	  }
	| {
			/** A call in a hot compilation that was considered and not inlined. */
			readonly kind: 'not-inlined';
			readonly unit: CompilationUnit;
			readonly share: number | null;
			readonly node: InliningNode;
			readonly reason: string;
	  };

/** Parts of the total that belong to no compilation of the log. */
interface OtherTime {
	readonly label: 'interpreter' | 'lower tiers' | 'stubs and native wrappers' | 'top tier, not in the log' | 'outside compiled code';
	readonly share: number;
}

/** What one run's compilations come to, and what is worth a look. */
export interface ExperimentOverview {
	readonly experiment: Experiment;
	/** Hottest first; without a profile those with the largest records first. */
	readonly compilations: readonly CompilationOverview[];
	/** Compilations that are not among these, and their share together. */
	readonly otherCompilations: number;
	readonly otherShare: number | null;
	readonly otherTime: readonly OtherTime[];
	readonly findings: readonly ReportFinding[];
	readonly problems: readonly Problem[];
}

const MAX_FINDINGS = 5;
export interface OverviewOptions {
	/** How many compilations are looked into; null: all. */
	readonly limit: number | null;
	/** Only the compilations with this id. */
	readonly compileId?: string | undefined;
	readonly onProgress?: (done: number, total: number) => Promise<void>;
}

/** Looks into the hottest compilations of a run; those that cannot be read are left out and told of. */
export async function overview(experiment: Experiment, options: OverviewOptions): Promise<ExperimentOverview> {
	const { profile } = experiment;
	const total = profile?.totalPeriod ?? 0;
	const share = (period: number): number | null => (profile === null || total <= 0 ? null : period / total);
	const ranked = rank(experiment, options);
	const problems: Problem[] = [];
	const compilations: CompilationOverview[] = [];
	for (const unit of ranked) {
		try {
			const trees = unit.readTrees();
			compilations.push({ unit, share: share(unit.period), calls: countCalls(trees.inlining), optimizations: countOptimizations(trees), trees });
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			problems.push({ ...error.problem, severity: 'warning', action: 'the compilation is left out' });
		}
		await options.onProgress?.(compilations.length, ranked.length);
	}
	const shown = new Set(ranked);
	const others = allUnits(experiment).filter((unit) => !shown.has(unit));
	return {
		experiment,
		compilations,
		otherCompilations: others.length,
		otherShare: share(others.reduce((sum, unit) => sum + unit.period, 0)),
		otherTime: profile === null || total <= 0 ? [] : otherTime(experiment, profile, total),
		findings: findings(compilations),
		problems,
	};
}

/** With a profile those with samples, hottest first. */
function rank(experiment: Experiment, { limit, compileId }: OverviewOptions): CompilationUnit[] {
	const units = allUnits(experiment);
	if (compileId !== undefined) {
		return units.filter((unit) => unit.compileId === compileId);
	}
	const ranked = experiment.profile === null ? [...units].sort((a, b) => b.sizeBytes - a.sizeBytes) : byPeriod(units);
	const candidates = limit === null || experiment.profile === null ? ranked : ranked.filter((unit) => unit.period > 0);
	return candidates.slice(0, limit ?? candidates.length);
}

function otherTime(experiment: Experiment, profile: Profile, total: number): OtherTime[] {
	const sums = new Map<OtherTime['label'], number>();
	const add = (label: OtherTime['label'], period: number): void => {
		sums.set(label, (sums.get(label) ?? 0) + period);
	};
	let inEntries = 0;
	let topTier = 0;
	for (const { level, name, period } of profile.entries) {
		inEntries += period;
		if (profile.kind === 'AOT' || level === TOP_TIER) {
			topTier += period;
		} else if (level !== null && level > 0) {
			add('lower tiers', period);
		} else {
			add(name === 'Interpreter' ? 'interpreter' : 'stubs and native wrappers', period);
		}
	}
	add('top tier, not in the log', Math.max(0, topTier - experiment.compiledPeriod));
	add('outside compiled code', Math.max(0, total - inEntries));
	return [...sums].map(([label, period]) => ({ label, share: period / total })).filter((one) => one.share > 0);
}

function countCalls(root: InliningNode): Partial<Record<CallsiteKind, number>> {
	const counts: Partial<Record<CallsiteKind, number>> = {};
	const work = [...root.children];
	for (let node = work.pop(); node !== undefined; node = work.pop()) {
		const kind = callsiteKind(node, false);
		counts[kind] = (counts[kind] ?? 0) + 1;
		for (const child of node.children) {
			work.push(child);
		}
	}
	return counts;
}

function countOptimizations({ optimization }: CompilationTrees): number {
	let count = 0;
	const work = [optimization];
	for (let phase = work.pop(); phase !== undefined; phase = work.pop()) {
		for (const child of phase.children) {
			if (child.kind === 'phase') {
				work.push(child);
			} else {
				count++;
			}
		}
	}
	return count;
}

/** Per compilation the call that a reader would ask about first: dispatched to few receivers, else considered and refused. */
function findings(compilations: readonly CompilationOverview[]): ReportFinding[] {
	return compilations
		.flatMap(({ unit, share, trees }): ReportFinding[] => {
			const nodes: InliningNode[] = [];
			const work = [...trees.inlining.children];
			for (let node = work.pop(); node !== undefined; node = work.pop()) {
				nodes.push(node);
				for (const child of node.children) {
					work.push(child);
				}
			}
			const dispatched = nodes
				.flatMap((node) => {
					const types = callsiteKind(node, false) === 'indirect' ? (node.receiverTypes?.types ?? []) : [];
					return types.length === 0 ? [] : [{ node, ...receivers(types) }];
				})
				.sort((x, y) => y.topTwo - x.topTwo || compareNodes(x.node, y.node))[0];
			if (dispatched !== undefined) {
				return [{ kind: 'dispatched-call', unit, share, ...dispatched }];
			}
			const refused = nodes.filter((node) => callsiteKind(node, false) === 'direct' && node.reasons.length > 1).sort(compareNodes)[0];
			return refused === undefined ? [] : [{ kind: 'not-inlined', unit, share, node: refused, reason: refused.reasons[refused.reasons.length - 1]! }];
		})
		.slice(0, MAX_FINDINGS);
}

function receivers(types: readonly { readonly probability: number }[]): { receivers: number; topTwo: number } {
	const probabilities = types.map((type) => type.probability).sort((a, b) => b - a);
	return { receivers: probabilities.length, topTwo: (probabilities[0] ?? 0) + (probabilities[1] ?? 0) };
}

function compareNodes(x: InliningNode, y: InliningNode): number {
	return x.bci - y.bci || ((x.methodName ?? '') < (y.methodName ?? '') ? -1 : 1);
}
