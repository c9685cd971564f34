/**
 * The decisions that differ between two sides, each with its evidence: in how many runs of each side it occurs, what share of
 * the time is behind it, and whether another change explains it.
 */
import type { CallsiteKind } from '../model/inlining-tree.js';
import { isDifference, type Presence, splitProbability } from '../statistics/exact-test.js';
import {
	countRuns,
	everyRun,
	type MethodDecisions,
	type OptimizationDecision,
	type PlaceSource,
	type RunSet,
	type Site,
	type SiteDecision,
	sitePath,
} from './decisions.js';
import { type NoiseResult, type NoiseTest, type RunCounts, type Shift, testNoise, withoutNumbers } from './noise.js';
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
	| 'refusal'
	| 'compiled-only-in-a'
	| 'compiled-only-in-b';

/** A place in a compiled method: callsites from the root inwards. */
export interface Place {
	readonly methodName: string | null;
	readonly bci: number;
	/** Left out where nothing is told of it. */
	readonly source?: Readonly<PlaceSource>;
}

interface ChangeBase extends Presence {
	readonly methodName: string;
	readonly categories: readonly ChangeCategory[];
	/** true: also varies within a side, or is among what chance gives too easily. null: without repeats nobody knows. */
	readonly noise: boolean | null;
	/** One-sided probability of such a split under exchangeable runs; null without repeats. */
	readonly pValue: number | null;
	/** Share of the side's total period behind it, 0 to 1, the mean over its runs; null without profiles. */
	readonly periodShareA: number | null;
	readonly periodShareB: number | null;
	/** Its method's part of the time, 0 to 1: the mean of the shares, without profiles of what was counted when it was compiled. */
	readonly weight: number;
	/** Of a call: what it is one of, the same words being said more often on the side that says them here. Never of noise. */
	readonly shift: Shift | null;
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
	/** Made by a phase that tidies up after others, canonicalization and the like; or what other decisions bring with them, such as a trap. */
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

export interface MethodShares {
	readonly a: number | null;
	readonly b: number | null;
}

export interface DecisionChanges {
	/** Most expensive first; noise after everything else. */
	readonly changes: readonly Change[];
	/** null without repeats. */
	readonly noiseTest: NoiseTest | null;
	/** Kinds of decisions that are made more often on one side, widest gap first; empty without repeats, and where the sides differ by no more than chance. */
	readonly shifts: readonly Shift[];
	/** Places at which both sides say that a pass did nothing, and give other reasons, or other words: no changes. */
	readonly rewordedRefusals: number;
}

export interface FindChangesOptions {
	/** The period behind a method, as a share of each side's total. */
	readonly shares: (methodName: string) => MethodShares;
	/** A method's part of the time, 0 to 1, as well as it is known. */
	readonly weight: (methodName: string) => number;
	readonly phases: PhaseKnowledge;
	/** Call what tells the sides apart a change also where other splits of the runs differ as much. */
	readonly evenIfChance: boolean;
	/** Compiled ahead of time: that a function has code of its own follows from what became of its calls, and stands behind that. Left out: compiled by a JIT compiler. */
	readonly isAheadOfTime?: boolean;
}

/**
 * `inlined`: of methods that only one side compiled, its compilations beside what the other side's callers made of them. What differs there comes with the change
 * that says which side compiled the method, where that is one.
 */
export function findChanges(
	methods: readonly MethodDecisions[],
	inlined: readonly MethodDecisions[],
	runs: RunCounts,
	options: FindChangesOptions,
): DecisionChanges {
	const noise = runs.a + runs.b > 2 ? testNoise(methods, runs, options.weight) : null;
	const changes: Change[] = [];
	let rewordedRefusals = 0;
	for (const method of methods) {
		const context = new MethodContext(method, runs, noise, options);
		for (const change of context.changes()) {
			changes.push(change);
		}
		rewordedRefusals += context.reworded.size;
	}
	const compilations = new Map(changes.flatMap((change) => (change.kind === 'compilation' && change.noise !== true ? [[change.methodName, change]] : [])));
	const parts = inlined.filter(({ methodName }) => compilations.has(methodName));
	// Kinds of decisions are counted over whole runs only.
	const noiseOfParts = noise === null ? null : { ...testNoise(parts, runs, options.weight), shifts: [] };
	for (const part of parts) {
		for (const change of new MethodContext(part, runs, noiseOfParts, options).changes()) {
			// A part has no share in what the compiler tells without a place.
			if (change.kind !== 'optimization' || change.where.length > 0) {
				change.cause ??= compilations.get(part.methodName)!;
				changes.push(change);
			}
		}
	}
	sortChanges(changes, options.isAheadOfTime === true);
	return { changes, noiseTest: noise?.test ?? null, shifts: noise?.shifts ?? [], rewordedRefusals };
}

/**
 * What has most time behind it first; before it what is one of a shift, which is told by the whole program, and has the time of all its methods. Side by side,
 * so that the changes from B to A come in the same order.
 */
function sortChanges(changes: Change[], isAheadOfTime: boolean): void {
	const identities = new Map(changes.map((change) => [change, changeIdentity(change)]));
	const methodsOf = new Map<Shift, Map<string, number>>();
	for (const change of changes) {
		const { shift } = change;
		if (shift !== null) {
			const methods = methodsOf.get(shift) ?? new Map<string, number>();
			methodsOf.set(shift, methods.set(change.methodName, rankingCost(change)));
		}
	}
	const costs = new Map([...methodsOf].map(([shift, methods]) => [shift, [...methods.values()].reduce((sum, one) => sum + one, 0)]));
	const costBehind = (change: Change): number => {
		const { shift } = change;
		return shift === null ? rankingCost(change) : costs.get(shift)!;
	};
	changes.sort(
		(x, y) =>
			Number(x.noise === true) - Number(y.noise === true) ||
			Number(isRefusal(x)) - Number(isRefusal(y)) ||
			(isAheadOfTime ? Number(isOfOwnCode(x)) - Number(isOfOwnCode(y)) : 0) ||
			Number(x.shift === null) - Number(y.shift === null) ||
			costBehind(y) - costBehind(x) ||
			rankingCost(y) - rankingCost(x) ||
			compareText(x.methodName, y.methodName) ||
			Number(x.cause !== null) - Number(y.cause !== null) ||
			rankInMethod(x) - rankInMethod(y) ||
			x.where.length - y.where.length ||
			compareText(identities.get(x)!, identities.get(y)!),
	);
}

/** Nothing was done, on neither side: behind all that was. */
function isRefusal({ categories }: Change): boolean {
	return categories.includes('refusal');
}

function isOfOwnCode(change: Change): boolean {
	return change.kind === 'compilation' || change.cause?.kind === 'compilation';
}

/** The larger of the shares behind a change; 0 without profiles. */
export function cost(change: Change): number {
	return Math.max(change.periodShareA ?? 0, change.periodShareB ?? 0);
}

/** Without profiles by the method's weight. */
function rankingCost(change: Change): number {
	return change.periodShareA === null && change.periodShareB === null ? change.weight : cost(change);
}

/** Says which decision a change is about, whichever side is A. */
export function changeIdentity(change: Change): string {
	const place = JSON.stringify(change.where.map(({ methodName, bci }) => [bci, methodName]));
	return `${change.methodName} ${change.kind} ${change.kind === 'optimization' ? `${change.name} ${change.event} ` : ''}${place}`;
}

/** Within a method: what was inlined or dispatched first, then optimizations, other calls, details. */
function rankInMethod(change: Change): number {
	if (change.kind === 'optimization') {
		return change.isDetail ? 4 : 2;
	}
	if (change.categories[0] === 'other-call') {
		return 3;
	}
	// A call that is made on one side and not on the other, before one that is gone.
	return change.kind === 'callsite' && (change.before === null || change.after === null) ? 1 : 0;
}

/** Kinds of callsites by how much they tell; of equally strong evidence the first counts. */
const CALLSITE_KINDS: readonly CallsiteKind[] = ['inlined', 'devirtualized', 'indirect', 'direct', 'deleted', 'root'];

class MethodContext {
	private readonly method: MethodDecisions;
	private readonly runs: RunCounts;
	private readonly noise: NoiseResult | null;
	private readonly options: FindChangesOptions;
	private readonly shares: MethodShares;
	private readonly weight: number;
	private readonly bySite = new Map<Site, CallsiteChange>();
	/** What both sides say was not done, for other reasons or in other words. */
	readonly reworded = new Set<string>();

	constructor(method: MethodDecisions, runs: RunCounts, noise: NoiseResult | null, options: FindChangesOptions) {
		this.method = method;
		this.runs = runs;
		this.noise = noise;
		this.options = options;
		this.shares = options.shares(method.methodName);
		this.weight = options.weight(method.methodName);
	}

	changes(): Change[] {
		const { compiled } = this.method;
		if (compiled.a === 0 || compiled.b === 0) {
			return [this.compilationChange()];
		}
		return [...this.callsiteChanges(), ...this.optimizationChanges()];
	}

	/** The decisions of a method that one side never compiled are no decisions changed: the method is the change. */
	private compilationChange(): CompilationChange {
		const { compiled, methodName } = this.method;
		const possible = { a: everyRun(this.runs.a), b: everyRun(this.runs.b) };
		const presence = { ofA: this.runs.a, ofB: this.runs.b, runsA: countRuns(compiled.a), runsB: countRuns(compiled.b) };
		const isInA = presence.runsA > 0;
		const category: ChangeCategory = isInA ? 'compiled-only-in-a' : 'compiled-only-in-b';
		return { kind: 'compilation', methodName, isInA, where: [], categories: [category], ...this.evidence(presence, possible, compiled) };
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
		const evidence = this.evidence(presence, this.method.compiled, decision.runs);
		const shift = this.shiftOf(before, after);
		return {
			kind: 'callsite',
			methodName: this.method.methodName,
			before: before?.kind ?? null,
			after: after?.kind ?? null,
			where: sitePath(site).map(({ methodName, bci, source }) => ({ methodName, bci, ...(source === null ? {} : { source }) })),
			reasonsBefore: before?.reasons.a ?? [],
			reasonsAfter: after?.reasons.b ?? [],
			categories: this.callsiteCategories(before, after),
			...evidence,
			noise: evidence.noise === true && shift !== null ? false : evidence.noise,
			shift,
		};
	}

	/** What is called a shift of all decisions is one of each that says so on that side only, in whichever of its runs. */
	private shiftOf(before: SiteDecision | null, after: SiteDecision | null): Shift | null {
		for (const shift of this.noise?.shifts ?? []) {
			const decision = shift.isMoreInA ? before : after;
			if (decision?.kind === shift.kind && before !== null && after !== null) {
				const said = [...decision.byReason].filter(([reason]) => withoutNumbers(reason) === shift.text).map(([, runs]) => runs);
				const [more, less] = shift.isMoreInA ? (['a', 'b'] as const) : (['b', 'a'] as const);
				if (said.some((runs) => runs[more] !== 0) && said.every((runs) => runs[less] === 0)) {
					return shift;
				}
			}
		}
		return null;
	}

	private optimizationChanges(): OptimizationChange[] {
		const changes: OptimizationChange[] = [];
		const refused = this.refusedOnBothSides();
		for (const decision of this.method.optimizations) {
			const presence = this.presence(decision.runs);
			const difference = presence.runsA * presence.ofB - presence.runsB * presence.ofA;
			if (difference === 0) {
				continue;
			}
			const refusal = this.refusalOf(decision);
			if (refusal !== null && refused.has(refusal)) {
				this.reworded.add(refusal);
				continue;
			}
			const change = this.optimizationChange(decision, presence, difference > 0);
			change.cause = this.causeAbove(this.enclosingSite(decision), change);
			changes.push(change);
		}
		return changes;
	}

	/** The pass and the place of what was not done; null: it is something else. */
	private refusalOf({ name, position }: OptimizationDecision): string | null {
		return this.options.phases.refusals?.includes(name) === true ? JSON.stringify([name.split(' ', 1)[0], position.methodNames, position.bcis]) : null;
	}

	private refusedOnBothSides(): ReadonlySet<string> {
		const sides = new Map<string, { a: number; b: number }>();
		for (const decision of this.method.optimizations) {
			const refusal = this.refusalOf(decision);
			if (refusal !== null) {
				const known = sides.get(refusal) ?? { a: 0, b: 0 };
				sides.set(refusal, { a: known.a | decision.runs.a, b: known.b | decision.runs.b });
			}
		}
		return new Set([...sides].filter(([, { a, b }]) => a !== 0 && b !== 0).map(([refusal]) => refusal));
	}

	private optimizationChange(decision: OptimizationDecision, presence: Presence, isInA: boolean): OptimizationChange {
		const { name, event, position, source, phase } = decision;
		const last = position.bcis.length === 0 || source === null ? {} : { source };
		const phases = phase.path;
		const { detailed, consequences = [] } = this.options.phases;
		return {
			kind: 'optimization',
			methodName: this.method.methodName,
			name,
			event,
			isInA,
			where: position.bcis.map((bci, index) => ({ methodName: position.methodNames[index]!, bci, ...(index === 0 ? last : {}) })).reverse(),
			phases,
			isDetail: detailed.some((suffix) => phases[phases.length - 1]?.endsWith(suffix)) || consequences.includes(name),
			categories: [this.refusalOf(decision) !== null ? 'refusal' : isInA ? 'lost-optimization' : 'new-optimization'],
			...this.evidence(presence, this.method.compiled, decision.runs),
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

	private evidence(presence: Presence, possible: RunSet, present: RunSet): Omit<ChangeBase, 'methodName' | 'categories'> {
		const { noise, options } = this;
		const isCalled = noise !== null && isDifference(presence) && (options.evenIfChance || noise.isCalled(this.method.methodName, possible, present));
		return {
			...presence,
			noise: noise === null ? null : !isCalled,
			pValue: noise === null ? null : splitProbability(presence),
			periodShareA: this.shares.a,
			periodShareB: this.shares.b,
			weight: this.weight,
			shift: null,
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
