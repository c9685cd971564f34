/**
 * The decisions that differ between two sides, each with its evidence: in how many runs of each side it occurs, what share of
 * the time is behind it, and whether another change explains it.
 */
import type { CallsiteKind } from '../model/inlining-tree.js';
import { isDifference, type Presence, splitProbability } from '../statistics/exact-test.js';
import { differencesByLuck, type PresencePattern } from '../statistics/relabelling.js';
import { countRuns, type MethodDecisions, type OptimizationDecision, type RunSet, type Site, type SiteDecision, sitePath } from './decisions.js';
import type { PhaseKnowledge } from './options.js';

/** What kind of change it is. */
export type ChangeCategory =
	| 'lost-inlining'
	| 'new-inlining'
	| 'new-indirect'
	| 'lost-indirect'
	| 'other-call'
	| 'lost-optimization'
	| 'new-optimization'
	| 'compiled-only-in-a'
	| 'compiled-only-in-b';

/** A place in a compiled method: callsites from the root inwards. */
export interface Place {
	readonly methodName: string | null;
	readonly bci: number;
}

interface ChangeBase extends Presence {
	readonly methodName: string;
	readonly categories: readonly ChangeCategory[];
	/** true: also varies within a side, or splits the runs in a way that chance gives too easily. null: without repeats nobody knows. */
	readonly noise: boolean | null;
	/** One-sided probability of such a split under exchangeable runs; null without repeats. */
	readonly pValue: number | null;
	/** Share of the side's total period behind it, 0 to 1, the mean over its runs; null without profiles. */
	readonly periodShareA: number | null;
	readonly periodShareB: number | null;
	/** The change of an enclosing call that takes this one along; null for a change in its own right. */
	cause: Change | null;
}

/** A call that was handled differently. */
export interface CallsiteChange extends ChangeBase {
	readonly kind: 'callsite';
	/** What it was on the sides; null: it was not there. One of them is the decision that the run counts are about. */
	readonly before: CallsiteKind | null;
	readonly after: CallsiteKind | null;
	/** The chain of callsites: bytecode index of a call, and its callee; the call itself last. */
	readonly where: readonly Place[];
	readonly reasonsBefore: readonly string[];
	readonly reasonsAfter: readonly string[];
}

/** An optimization that happened on one side. */
export interface OptimizationChange extends ChangeBase {
	readonly kind: 'optimization';
	readonly name: string;
	readonly event: string;
	/** Whether it is the first side that has it. */
	readonly isInA: boolean;
	/** Method and bytecode index from the compiled root inwards; empty when the compiler gave no position. */
	readonly where: readonly Place[];
	readonly phases: readonly string[];
	/** Made by a phase that tidies up after others: canonicalization and the like. */
	readonly isDetail: boolean;
}

/** A method that only one side compiled at the top tier. */
interface CompilationChange extends ChangeBase {
	readonly kind: 'compilation';
	readonly isInA: boolean;
	readonly where: readonly Place[];
}

/** A decision that differs between two sides. */
export type Change = CallsiteChange | OptimizationChange | CompilationChange;

/** Runs of the two sides: the one that was named first, and its repeats. */
export interface RunCounts {
	readonly a: number;
	readonly b: number;
}

export interface MethodShares {
	readonly a: number | null;
	readonly b: number | null;
}

export interface DecisionChanges {
	/** Most expensive first; noise after everything else. */
	readonly changes: readonly Change[];
	/** How many of the differences shuffled labels give, on average; null when it cannot be told. */
	readonly byLuck: number | null;
}

/** `shares` gives the period behind a method, as a share of each side's total. */
export function findChanges(
	methods: readonly MethodDecisions[],
	runs: RunCounts,
	shares: (methodName: string) => MethodShares,
	phases: PhaseKnowledge,
): DecisionChanges {
	const hasRepeats = runs.a + runs.b > 2;
	const changes: Change[] = [];
	const patterns = new Patterns();
	for (const method of methods) {
		const context = new MethodContext(method, runs, hasRepeats, shares(method.methodName), patterns, phases);
		for (const change of context.changes()) {
			changes.push(change);
		}
	}
	sortChanges(changes);
	return { changes, byLuck: hasRepeats ? differencesByLuck(runs.a, runs.b, patterns.all()) : null };
}

/** Side by side, so that the changes from B to A come in the same order. */
function sortChanges(changes: Change[]): void {
	const identities = new Map(changes.map((change) => [change, changeIdentity(change)]));
	changes.sort(
		(x, y) =>
			Number(x.noise === true) - Number(y.noise === true) ||
			cost(y) - cost(x) ||
			compareText(x.methodName, y.methodName) ||
			Number(x.cause !== null) - Number(y.cause !== null) ||
			weight(x) - weight(y) ||
			x.where.length - y.where.length ||
			compareText(identities.get(x)!, identities.get(y)!),
	);
}

/** The larger of the shares behind a change; 0 without profiles. */
export function cost(change: Change): number {
	return Math.max(change.periodShareA ?? 0, change.periodShareB ?? 0);
}

/** Says which decision a change is about, whichever side is A. */
export function changeIdentity(change: Change): string {
	const place = JSON.stringify(change.where.map(({ methodName, bci }) => [bci, methodName]));
	return `${change.methodName} ${change.kind} ${change.kind === 'optimization' ? `${change.name} ${change.event} ` : ''}${place}`;
}

/** Within a method: what was inlined or dispatched first, then optimizations, calls that only went away, details. */
function weight(change: Change): number {
	if (change.kind === 'optimization') {
		return change.isDetail ? 3 : 1;
	}
	return change.categories[0] === 'other-call' ? 2 : 0;
}

/** Kinds of callsites by how much they tell; of equally strong evidence the first counts. */
const CALLSITE_KINDS: readonly CallsiteKind[] = ['inlined', 'devirtualized', 'indirect', 'direct', 'deleted', 'root'];

class MethodContext {
	private readonly method: MethodDecisions;
	private readonly runs: RunCounts;
	private readonly hasRepeats: boolean;
	private readonly shares: MethodShares;
	private readonly patterns: Patterns;
	private readonly phases: PhaseKnowledge;
	private readonly bySite = new Map<Site, CallsiteChange>();

	constructor(method: MethodDecisions, runs: RunCounts, hasRepeats: boolean, shares: MethodShares, patterns: Patterns, phases: PhaseKnowledge) {
		this.method = method;
		this.runs = runs;
		this.hasRepeats = hasRepeats;
		this.shares = shares;
		this.patterns = patterns;
		this.phases = phases;
	}

	changes(): Change[] {
		const { compiled } = this.method;
		const everyRun = { a: 2 ** this.runs.a - 1, b: 2 ** this.runs.b - 1 };
		this.patterns.note(this.pattern(everyRun, compiled));
		if (compiled.a === 0 || compiled.b === 0) {
			return [this.compilationChange()];
		}
		return [...this.callsiteChanges(), ...this.optimizationChanges()];
	}

	/** The decisions of a method that one side never compiled are no decisions changed: the method is the change. */
	private compilationChange(): CompilationChange {
		const { compiled, methodName } = this.method;
		const presence = { ofA: this.runs.a, ofB: this.runs.b, runsA: countRuns(compiled.a), runsB: countRuns(compiled.b) };
		const isInA = presence.runsA > 0;
		const category: ChangeCategory = isInA ? 'compiled-only-in-a' : 'compiled-only-in-b';
		return { kind: 'compilation', methodName, isInA, where: [], categories: [category], ...this.evidence(presence) };
	}

	private callsiteChanges(): CallsiteChange[] {
		const changes: CallsiteChange[] = [];
		const work: Site[] = [this.method.root];
		for (let site = work.pop(); site !== undefined; site = work.pop()) {
			const change = this.callsiteChange(site);
			if (change !== null) {
				this.bySite.set(site, change);
				change.cause = this.causeAbove(site.parent, change);
				changes.push(change);
			}
			for (const child of site.children.values()) {
				work.push(child);
			}
		}
		return changes;
	}

	/** Of the kinds that a callsite has, the one whose runs tell the sides apart best. */
	private callsiteChange(site: Site): CallsiteChange | null {
		this.patterns.note(...[...site.decisions.values()].map((decision) => this.pattern(this.method.compiled, decision.runs)));
		let best: { decision: SiteDecision; presence: Presence; probability: number } | null = null;
		for (const kind of CALLSITE_KINDS) {
			const decision = site.decisions.get(kind);
			if (decision === undefined) {
				continue;
			}
			const presence = this.presence(decision.runs);
			if (presence.runsA * presence.ofB === presence.runsB * presence.ofA) {
				continue;
			}
			const probability = splitProbability(presence);
			if (best === null || probability < best.probability) {
				best = { decision, presence, probability };
			}
		}
		if (best === null) {
			return null;
		}
		const { decision, presence } = best;
		const isInA = presence.runsA * presence.ofB > presence.runsB * presence.ofA;
		const other = usualOther(site, decision.kind, isInA ? 'b' : 'a');
		const [before, after] = isInA ? [decision, other] : [other, decision];
		return {
			kind: 'callsite',
			methodName: this.method.methodName,
			before: before?.kind ?? null,
			after: after?.kind ?? null,
			where: sitePath(site).map(({ methodName, bci }) => ({ methodName, bci })),
			reasonsBefore: before?.reasons.a ?? [],
			reasonsAfter: after?.reasons.b ?? [],
			categories: this.callsiteCategories(before, after),
			...this.evidence(presence),
		};
	}

	private optimizationChanges(): OptimizationChange[] {
		const changes: OptimizationChange[] = [];
		for (const decision of this.method.optimizations) {
			this.patterns.note(this.pattern(this.method.compiled, decision.runs));
			const presence = this.presence(decision.runs);
			const difference = presence.runsA * presence.ofB - presence.runsB * presence.ofA;
			if (difference === 0) {
				continue;
			}
			const change = this.optimizationChange(decision, presence, difference > 0);
			change.cause = this.causeAbove(this.enclosingSite(decision), change);
			changes.push(change);
		}
		return changes;
	}

	private optimizationChange(decision: OptimizationDecision, presence: Presence, isInA: boolean): OptimizationChange {
		const { name, event, position, phase } = decision;
		const phases = phase.path;
		return {
			kind: 'optimization',
			methodName: this.method.methodName,
			name,
			event,
			isInA,
			where: position.bcis.map((bci, index) => ({ methodName: position.methodNames[index]!, bci })).reverse(),
			phases,
			isDetail: this.phases.detailed.some((suffix) => phases[phases.length - 1]?.endsWith(suffix)),
			categories: [isInA ? 'lost-optimization' : 'new-optimization'],
			...this.evidence(presence),
		};
	}

	/** The innermost callsite that an optimization's position leads to. */
	private enclosingSite({ position }: OptimizationDecision): Site | null {
		let site = this.method.root;
		for (let i = position.bcis.length - 2; i >= 0; i--) {
			const inner = innerSite(site, `${position.bcis[i + 1]} ${position.methodNames[i]}`);
			if (inner === undefined) {
				break;
			}
			site = inner;
		}
		return site;
	}

	/**
	 * The outermost enclosing call whose change took this one along: it was inlined, or replaced by what it may call, on the
	 * same side only. Noise explains nothing but noise.
	 */
	private causeAbove(site: Site | null, change: Change): CallsiteChange | null {
		const isLost = isInA(change);
		let cause: CallsiteChange | null = null;
		for (let current = site; current !== null; current = current.parent) {
			const above = this.bySite.get(current);
			if (above !== undefined && isInA(above) === isLost && (above.noise !== true || change.noise === true)) {
				const kind = isLost ? above.before : above.after;
				if (kind === 'inlined' || kind === 'devirtualized') {
					cause = above;
				}
			}
		}
		return cause;
	}

	private presence(runs: RunSet): Presence {
		const { compiled } = this.method;
		return { ofA: countRuns(compiled.a), ofB: countRuns(compiled.b), runsA: countRuns(runs.a), runsB: countRuns(runs.b) };
	}

	private evidence(presence: Presence): Omit<ChangeBase, 'methodName' | 'categories'> {
		return {
			...presence,
			noise: this.hasRepeats ? !isDifference(presence) : null,
			pValue: this.hasRepeats ? splitProbability(presence) : null,
			periodShareA: this.shares.a,
			periodShareB: this.shares.b,
			cause: null,
		};
	}

	private callsiteCategories(before: SiteDecision | null, after: SiteDecision | null): ChangeCategory[] {
		// Several compilations of one run may have decided differently: a kind is lost or new only if fewer or more runs have it.
		const lost = before !== null && this.balance(before) > 0 ? before.kind : null;
		const gained = after !== null && this.balance(after) < 0 ? after.kind : null;
		const categories: ChangeCategory[] = [];
		if (lost === 'inlined') {
			categories.push('lost-inlining');
		}
		if (gained === 'inlined') {
			categories.push('new-inlining');
		}
		if (gained === 'indirect') {
			categories.push('new-indirect');
		}
		if (lost === 'indirect') {
			categories.push('lost-indirect');
		}
		return categories.length === 0 ? ['other-call'] : categories;
	}

	/** Positive when relatively more runs of the first side have the decision. */
	private balance(decision: SiteDecision): number {
		const { ofA, ofB, runsA, runsB } = this.presence(decision.runs);
		return runsA * ofB - runsB * ofA;
	}

	private pattern(compiled: RunSet, present: RunSet): Pattern {
		const shift = 2 ** this.runs.a;
		return { possible: compiled.a + compiled.b * shift, present: present.a + present.b * shift };
	}
}

type Pattern = Pick<PresencePattern, 'possible' | 'present'>;

/** In which runs decisions are, counted: what shuffled labels are tried on. */
class Patterns {
	private readonly counts = new Map<string, { possible: number; present: number; count: number }>();

	/** Counts decisions that are one item of a report: of those that split the runs in the same way only one. */
	note(...decisions: readonly Pattern[]): void {
		const noted = new Set<string>();
		for (const { possible, present } of decisions) {
			if (present === possible) {
				continue;
			}
			const half = Math.min(present, possible - present);
			const key = `${possible} ${half}`;
			if (noted.has(key)) {
				continue;
			}
			noted.add(key);
			const known = this.counts.get(key);
			if (known === undefined) {
				this.counts.set(key, { possible, present: half, count: 1 });
			} else {
				known.count++;
			}
		}
	}

	all(): PresencePattern[] {
		return [...this.counts.values()];
	}
}

/** The callsite of a position's next element: positions do not tell the dispatched call that a callsite hangs under. */
function innerSite(site: Site, key: string): Site | undefined {
	const direct = site.children.get(key);
	if (direct !== undefined) {
		return direct;
	}
	for (const child of site.children.values()) {
		const behindDispatch = child.decisions.has('devirtualized') || child.decisions.has('indirect') ? child.children.get(key) : undefined;
		if (behindDispatch !== undefined) {
			return behindDispatch;
		}
	}
	return undefined;
}

/** What else a callsite was on a side, in most runs; null when it was not there. */
function usualOther(site: Site, kind: CallsiteKind, side: 'a' | 'b'): SiteDecision | null {
	let usual: SiteDecision | null = null;
	for (const otherKind of CALLSITE_KINDS) {
		const decision = site.decisions.get(otherKind);
		if (otherKind !== kind && decision !== undefined && countRuns(decision.runs[side]) > (usual === null ? 0 : countRuns(usual.runs[side]))) {
			usual = decision;
		}
	}
	return usual;
}

/** Whether the decision that a change is about belongs to the first side: lost, seen from there. */
function isInA(change: Change): boolean {
	return change.runsA * change.ofB > change.runsB * change.ofA;
}

function compareText(a: string, b: string): number {
	return a === b ? 0 : a < b ? -1 : 1;
}
