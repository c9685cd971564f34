/**
 * What compilers decided about a method, over all its compilations in many runs: for each callsite (the chain of callsites from
 * the compiled method, each with bytecode index and callee) what became of it, and for each optimization event and position
 * whether it happened. All compilations of a method in one run count together; a decision is in a run or it is not. Methods are
 * told apart by their names without the addresses of hidden classes.
 */
import type { CompilationTrees } from '../model/compilation.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { type CallsiteKind, callsiteKind, type InliningNode } from '../model/inlining-tree.js';
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

/** Of native programs: the line of source on each side, null where it is not there. */
export interface PlaceSource {
	a: string | null;
	b: string | null;
}

export interface SiteDecision {
	readonly kind: CallsiteKind;
	readonly runs: RunSet;
	/** The inliner's last words on it, where it was met first on each side. */
	readonly reasons: { a: readonly string[]; b: readonly string[] };
	/** By the last of those words: the runs in which they were said. */
	readonly byReason: Map<string, RunSet>;
}

export interface Site {
	/** null for the compiled method itself. */
	readonly parent: Site | null;
	readonly methodName: string | null;
	readonly bci: number;
	/** null where nothing is told of it. */
	source: PlaceSource | null;
	readonly decisions: Map<CallsiteKind, SiteDecision>;
	readonly children: Map<string, Site>;
}

export interface OptimizationDecision {
	readonly name: string;
	readonly event: string;
	readonly position: Position;
	source: PlaceSource | null;
	/** The phase it happened in; of several the one whose path comes first in the alphabet, whichever side it is on. */
	phase: PhaseSite;
	readonly runs: RunSet;
}

/** A phase under certain others. */
interface PhaseSite {
	readonly name: string;
	/** The phases around it and itself, outermost first, the root left out. */
	readonly path: readonly string[];
	/** Of the compiled method itself, not of a graph that was inlined into it. */
	readonly isOwn: boolean;
	readonly runs: RunSet;
	readonly children: Map<string, PhaseSite>;
}

/** Decisions by position, from the compiled method inwards: names are looked up, never put together. */
interface PlaceNode {
	readonly inner: Map<string, Map<number, PlaceNode>>;
	/** Those whose position ends here; few. */
	readonly decisions: OptimizationDecision[];
}

export interface MethodDecisions {
	readonly methodName: string;
	/** Runs in which the method was compiled. */
	readonly compiled: RunSet;
	readonly root: Site;
	readonly optimizations: OptimizationDecision[];
	/** The same by position. */
	readonly places: PlaceNode;
	/** The root phase, which stands for the whole compilation. */
	readonly phases: PhaseSite;
	/** Names without the addresses of hidden classes, by the names as they were logged. */
	readonly stableNames: Map<string, string>;
}

export function createMethodDecisions(methodName: string): MethodDecisions {
	return {
		methodName,
		compiled: { a: 0, b: 0 },
		root: { parent: null, methodName, bci: -1, source: null, decisions: new Map(), children: new Map() },
		optimizations: [],
		places: newPlace(),
		phases: { name: '', path: [], isOwn: true, runs: { a: 0, b: 0 }, children: new Map() },
		stableNames: new Map(),
	};
}

/** Adds one compilation of run number `run` (from 0) of a side. */
export function addCompilation(method: MethodDecisions, trees: CompilationTrees, side: Side, run: number): void {
	const bit = 1 << run;
	method.compiled[side] |= bit;
	addSites(method, trees.inlining, side, bit);
	addOptimizations(method, trees.optimization, side, bit);
}

/** The set of all of so many runs. */
export function everyRun(runs: number): number {
	return 2 ** runs - 1;
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

/** All callsites of a method, in no order. */
export function* sitesBelow(root: Site): Generator<Site> {
	const work = [...root.children.values()];
	for (let site = work.pop(); site !== undefined; site = work.pop()) {
		yield site;
		for (const child of site.children.values()) {
			work.push(child);
		}
	}
}

function stableName({ stableNames }: MethodDecisions, name: string): string {
	const stable = stableNames.get(name) ?? withoutHiddenAddress(name);
	stableNames.set(name, stable);
	return stable;
}

function addSites(method: MethodDecisions, tree: InliningNode, side: Side, bit: number): void {
	const work: { node: InliningNode; site: Site }[] = [{ node: tree, site: method.root }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		for (const node of item.node.children) {
			const name = node.methodName === null ? null : stableName(method, node.methodName);
			const site = childSite(item.site, node.bci, name);
			noteSource(site, node.source, side);
			const kind = callsiteKind(node, false);
			let decision = site.decisions.get(kind);
			if (decision === undefined) {
				decision = { kind, runs: { a: 0, b: 0 }, reasons: { a: [], b: [] }, byReason: new Map() };
				site.decisions.set(kind, decision);
			}
			if (decision.runs[side] === 0) {
				decision.reasons[side] = node.reasons;
			}
			decision.runs[side] |= bit;
			noteReason(decision, node.reasons[node.reasons.length - 1], side, bit);
			if (node.children.length > 0) {
				work.push({ node, site });
			}
		}
	}
}

/** What is told first counts. */
function noteSource(one: { source: PlaceSource | null }, source: string | undefined, side: Side): void {
	if (source !== undefined) {
		one.source ??= { a: null, b: null };
		one.source[side] ??= source;
	}
}

function noteReason({ byReason }: SiteDecision, reason: string | undefined, side: Side, bit: number): void {
	if (reason !== undefined) {
		let runs = byReason.get(reason);
		if (runs === undefined) {
			runs = { a: 0, b: 0 };
			byReason.set(reason, runs);
		}
		runs[side] |= bit;
	}
}

function childSite(parent: Site, bci: number, methodName: string | null): Site {
	const key = `${bci} ${methodName ?? ''}`;
	let site = parent.children.get(key);
	if (site === undefined) {
		site = { parent, methodName, bci, source: null, decisions: new Map(), children: new Map() };
		parent.children.set(key, site);
	}
	return site;
}

function addOptimizations(method: MethodDecisions, root: OptimizationPhase, side: Side, bit: number): void {
	const work: { phase: OptimizationPhase; site: PhaseSite }[] = [{ phase: root, site: method.phases }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { phase, site } = item;
		for (const child of phase.children) {
			if (child.kind === 'optimization') {
				addOptimization(method, child, site, side, bit);
				continue;
			}
			// A root phase further down is that of a graph that was inlined.
			const childSite = phaseSite(site, child.name, child.name !== root.name);
			childSite.runs[side] |= bit;
			if (child.children.length > 0) {
				work.push({ phase: child, site: childSite });
			}
		}
	}
}

function phaseSite(parent: PhaseSite, name: string, isOwnName: boolean): PhaseSite {
	let site = parent.children.get(name);
	if (site === undefined) {
		site = { name, path: [...parent.path, name], isOwn: parent.isOwn && isOwnName, runs: { a: 0, b: 0 }, children: new Map() };
		parent.children.set(name, site);
	}
	return site;
}

function addOptimization(method: MethodDecisions, optimization: Optimization, phase: PhaseSite, side: Side, bit: number): void {
	const { name, event, position, source } = optimization;
	let place = method.places;
	for (let i = position.bcis.length - 1; i >= 0; i--) {
		place = innerPlace(place, stableName(method, position.methodNames[i]!), position.bcis[i]!);
	}
	let decision = place.decisions.find((known) => known.event === event && known.name === name);
	if (decision === undefined) {
		const stable = { methodNames: position.methodNames.map((one) => stableName(method, one)), bcis: position.bcis };
		decision = { name, event, position: stable, source: null, phase, runs: { a: 0, b: 0 } };
		place.decisions.push(decision);
		method.optimizations.push(decision);
	} else if (phase !== decision.phase && phase.path.join() < decision.phase.path.join()) {
		decision.phase = phase;
	}
	noteSource(decision, source, side);
	decision.runs[side] |= bit;
}

function innerPlace(place: PlaceNode, methodName: string, bci: number): PlaceNode {
	let byBci = place.inner.get(methodName);
	if (byBci === undefined) {
		byBci = new Map();
		place.inner.set(methodName, byBci);
	}
	let inner = byBci.get(bci);
	if (inner === undefined) {
		inner = newPlace();
		byBci.set(bci, inner);
	}
	return inner;
}

function newPlace(): PlaceNode {
	return { inner: new Map(), decisions: [] };
}
