/**
 * What compilers decided about a method, over all its compilations in many runs: for each callsite (the chain of callsites from
 * the compiled method, each with bytecode index and callee) what became of it, and for each optimization event and position
 * whether it happened. All compilations of a method in one run count together; a decision is in a run or it is not. Methods are
 * told apart by their stable names (see stableMethodName).
 */
import type { CompilationTrees } from '../model/compilation.js';
import { type CallsiteKind, callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import { stableMethodName } from '../model/method-name.js';
import type { Optimization, OptimizationPhase } from '../model/optimization-tree.js';
import type { Position } from '../model/position.js';

/** The runs that have something, one bit a run, for each side. */
export interface RunSet {
	a: number;
	b: number;
}

export type Side = 'a' | 'b';

/** So many runs a side fit a set. */
export const MAX_RUNS_PER_SIDE = 20;

export interface SiteDecision {
	readonly kind: CallsiteKind;
	readonly runs: RunSet;
	/** The inliner's last words on it, where it was met first on each side. */
	readonly reasons: { a: readonly string[]; b: readonly string[] };
}

export interface Site {
	/** null for the compiled method itself. */
	readonly parent: Site | null;
	readonly depth: number;
	readonly methodName: string | null;
	readonly bci: number;
	readonly decisions: Map<CallsiteKind, SiteDecision>;
	readonly children: Map<string, Site>;
}

export interface OptimizationDecision {
	readonly name: string;
	readonly event: string;
	readonly position: Position;
	/** Phases around it, outermost first; of several places the one that comes first in the alphabet, whichever side it is on. */
	phases: readonly string[];
	phaseKey: string;
	readonly runs: RunSet;
}

/** A phase under certain others. */
export interface PhaseOccurrence {
	readonly name: string;
	/** The phases around it, outermost first, the root left out. */
	readonly path: readonly string[];
	readonly runs: RunSet;
}

export interface MethodDecisions {
	readonly methodName: string;
	/** Runs in which the method was compiled. */
	readonly compiled: RunSet;
	readonly root: Site;
	readonly optimizations: Map<string, OptimizationDecision>;
	/** Those of the compiled method itself, not of graphs that were inlined into it. */
	readonly phases: Map<string, PhaseOccurrence>;
}

export function createMethodDecisions(methodName: string): MethodDecisions {
	return {
		methodName,
		compiled: { a: 0, b: 0 },
		root: { parent: null, depth: 0, methodName, bci: -1, decisions: new Map(), children: new Map() },
		optimizations: new Map(),
		phases: new Map(),
	};
}

/** Adds one compilation of run number `run` (from 0) of a side. */
export function addCompilation(method: MethodDecisions, trees: CompilationTrees, side: Side, run: number): void {
	const bit = 1 << run;
	method.compiled[side] |= bit;
	addSites(method.root, trees.inlining, side, bit);
	addOptimizations(method, trees.optimization, side, bit);
}

export function countRuns(runs: number): number {
	let count = 0;
	for (let rest = runs; rest !== 0; rest &= rest - 1) {
		count++;
	}
	return count;
}

/** The callsites from the compiled method, itself left out, to a site. */
export function sitePath(site: Site): Site[] {
	const path: Site[] = [];
	for (let current = site; current.parent !== null; current = current.parent) {
		path.push(current);
	}
	return path.reverse();
}

function addSites(root: Site, tree: InliningNode, side: Side, bit: number): void {
	const work: { node: InliningNode; site: Site }[] = [{ node: tree, site: root }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		for (const node of item.node.children) {
			const site = childSite(item.site, node);
			const kind = callsiteKind(node, false);
			let decision = site.decisions.get(kind);
			if (decision === undefined) {
				decision = { kind, runs: { a: 0, b: 0 }, reasons: { a: [], b: [] } };
				site.decisions.set(kind, decision);
			}
			if (decision.runs[side] === 0) {
				decision.reasons[side] = node.reasons;
			}
			decision.runs[side] |= bit;
			if (node.children.length > 0) {
				work.push({ node, site });
			}
		}
	}
}

function childSite(parent: Site, node: InliningNode): Site {
	const methodName = node.methodName === null ? null : stableMethodName(node.methodName);
	const key = `${node.bci} ${methodName ?? ''}`;
	let site = parent.children.get(key);
	if (site === undefined) {
		site = { parent, depth: parent.depth + 1, methodName, bci: node.bci, decisions: new Map(), children: new Map() };
		parent.children.set(key, site);
	}
	return site;
}

function addOptimizations(method: MethodDecisions, root: OptimizationPhase, side: Side, bit: number): void {
	type Item = { phase: OptimizationPhase; path: readonly string[]; key: string; isOwn: boolean };
	// The root phase stands for the whole compilation; one like it further down is a graph that was inlined.
	const work: Item[] = [{ phase: root, path: [], key: '', isOwn: true }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { phase, path, key, isOwn } = item;
		for (const child of phase.children) {
			if (child.kind === 'optimization') {
				addOptimization(method.optimizations, child, path, key, side, bit);
				continue;
			}
			const childKey = `${key} > ${child.name}`;
			const isChildOwn = isOwn && child.name !== root.name;
			if (isChildOwn) {
				addPhase(method.phases, child.name, path, childKey, side, bit);
			}
			if (child.children.length > 0) {
				work.push({ phase: child, path: [...path, child.name], key: childKey, isOwn: isChildOwn });
			}
		}
	}
}

function addOptimization(
	known: Map<string, OptimizationDecision>,
	optimization: Optimization,
	phases: readonly string[],
	phaseKey: string,
	side: Side,
	bit: number,
): void {
	const { name, event } = optimization;
	const position = { methodNames: optimization.position.methodNames.map(stableMethodName), bcis: optimization.position.bcis };
	const key = JSON.stringify([name, event, position.methodNames, position.bcis]);
	let decision = known.get(key);
	if (decision === undefined) {
		decision = { name, event, position, phases, phaseKey, runs: { a: 0, b: 0 } };
		known.set(key, decision);
	} else if (phaseKey < decision.phaseKey) {
		decision.phases = phases;
		decision.phaseKey = phaseKey;
	}
	decision.runs[side] |= bit;
}

function addPhase(known: Map<string, PhaseOccurrence>, name: string, path: readonly string[], key: string, side: Side, bit: number): void {
	let occurrence = known.get(key);
	if (occurrence === undefined) {
		occurrence = { name, path, runs: { a: 0, b: 0 } };
		known.set(key, occurrence);
	}
	occurrence.runs[side] |= bit;
}
