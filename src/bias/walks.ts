/**
 * Where walks through compiled code end, from any block of any compilation: the chains of compilations, fitted to their samples, and what a call comes to.
 * Each is computed once; what draws samples again only weighs it anew.
 */
import type { Frame } from '../model/instructions.js';
import { type CalleeShare, Callers } from './callers.js';
import { type FittedChain, fittedChain } from './fitted-chain.js';
import type { PredictionInput, SampledCode } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, inNative, Place } from './safepoint-places.js';

/** What walks from one place come to. */
export interface Outcome {
	readonly stops: readonly { readonly frames: readonly Frame[]; readonly share: number }[];
	/** Share of the walks that return to the caller. */
	readonly returns: number;
}

const RETURNS_AT_ONCE: Outcome = { stops: [], returns: 1 };
const DEEPEST = 40;
const MOST_UNSAMPLED = 100;
/** Methods that call each other; where there are more, what calls back is taken to return at once. */
const LARGEST_CYCLE = 100;
const MOST_ROUNDS = 10;
/** What changes less is found. */
const SETTLED = 1e-3;
const NOTHING = Number.POSITIVE_INFINITY;
/** Walks that are as rare as this are left out. */
const RAREST = 1e-12;
/** Of one walk in so many it is told where it stops. */
const SELDOM = 1e-4;

interface Begun {
	readonly method: PrintedMethod;
	readonly from: number;
	readonly to: number;
	readonly ends: readonly (readonly [block: number, share: number])[];
	outcome: Outcome;
	/** How far out the outermost code was entered that it calls back; its own depth, if it is entered and nothing further out is known. */
	callsBack: number;
}

export class Walks {
	readonly input: PredictionInput;
	readonly callers: Callers;
	private readonly isRedrawn: boolean;
	/** Of code without samples, mostly only looked at once, the last ones. */
	private readonly unsampled: FittedChain[] = [];
	private readonly chains = new Map<PrintedMethod, FittedChain>();
	private readonly sampledBy: ReadonlyMap<PrintedMethod, SampledCode>;
	private readonly outcomes = new Map<PrintedMethod, Outcome>();
	/** Of calls that go to several methods. */
	private readonly ofSeveral = new Map<readonly CalleeShare[], Outcome>();
	/** Code whose calls are followed, and what was found behind them in code that calls back. */
	private readonly begun = new Map<PrintedMethod, Begun>();
	/** The same in the order in which it was begun. */
	private readonly cycle: Begun[] = [];
	/** How much of it is entered. */
	private depth = 0;
	/** Where the outermost of it was that was called back since. */
	private callsBack = NOTHING;
	/** Code that was never met stays so. */
	private isSettling = false;

	/** `isRedrawn`: samples are drawn again, so that what chains learned while they were fitted is kept. */
	constructor(input: PredictionInput, isRedrawn = true) {
		this.input = input;
		this.isRedrawn = isRedrawn;
		this.sampledBy = new Map(input.sampled.map((sampled) => [sampled.method, sampled]));
		this.callers = new Callers(input, (method) => this.chain(method));
	}

	chain(method: PrintedMethod): FittedChain {
		let chain = this.chains.get(method);
		if (chain === undefined) {
			const counts = this.sampledBy.get(method)?.counts ?? null;
			chain = fittedChain(method, counts?.some((count) => count > 0) === true ? counts : null, this.isRedrawn);
			this.chains.set(method, chain);
			if (!this.sampledBy.has(method)) {
				this.unsampled.push(chain);
			}
			if (this.unsampled.length > MOST_UNSAMPLED) {
				this.unsampled.shift()?.release();
			}
		}
		return chain;
	}

	/** Of a call, in code that was there between the two times, seconds of the JVM's clock. */
	ofCall(caller: PrintedMethod, call: number, from: number, to: number): Outcome {
		const native = this.ofNative(caller, call, from, to);
		if (native !== null) {
			return native;
		}
		const callees = this.callers.callees(caller, call, from, to);
		if (callees.length < 2) {
			return this.ofCallees(callees, from, to);
		}
		// Asked for by each method that is inlined before the call.
		let outcome = this.ofSeveral.get(callees);
		if (outcome === undefined) {
			outcome = this.ofCallees(callees, from, to);
			this.ofSeveral.set(callees, outcome);
		}
		return outcome;
	}

	/** Of a call of a native method; null: it is none. */
	private ofNative(caller: PrintedMethod, call: number, from: number, to: number): Outcome | null {
		const native = this.callers.nativeMethod(caller, call, from, to);
		return native === null ? null : { stops: [{ frames: [inNative(native)], share: 1 }], returns: 0 };
	}

	/** Of a call that goes to these; none where that is not known. */
	private ofCallees(callees: readonly CalleeShare[], from: number, to: number): Outcome {
		const [only] = callees;
		if (only === undefined || callees.length === 1) {
			return only === undefined ? RETURNS_AT_ONCE : this.ofCode(only.method, from, to);
		}
		const stops = new Stops();
		let returns = 0;
		for (const { method, share } of callees) {
			const outcome = this.ofCode(method, from, to);
			returns += share * outcome.returns;
			stops.addAll(outcome.stops, share);
		}
		return stops.outcome(returns);
	}

	/** From the entry on. What calls itself, at once or through others, is followed as often as it does. */
	ofCode(method: PrintedMethod, from: number, to: number): Outcome {
		const known = this.outcomes.get(method);
		if (known !== undefined) {
			return known;
		}
		const begun = this.begun.get(method);
		if (begun !== undefined) {
			this.callsBack = Math.min(this.callsBack, begun.callsBack);
			return begun.outcome;
		}
		if (this.isSettling || this.depth > DEEPEST) {
			return RETURNS_AT_ONCE;
		}
		const { depth, callsBack } = this;
		const first = this.cycle.length;
		const own: Begun = { method, from, to, ends: this.endsOf(method), outcome: RETURNS_AT_ONCE, callsBack: depth };
		this.begun.set(method, own);
		this.cycle.push(own);
		this.depth++;
		this.callsBack = NOTHING;
		own.outcome = this.outcomeOf(own);
		own.callsBack = this.callsBack;
		this.depth--;
		if (own.callsBack < depth) {
			// A part of what began further out.
			this.callsBack = Math.min(callsBack, own.callsBack);
			return own.outcome;
		}
		const members = this.cycle.splice(first);
		if (own.callsBack === depth && members.length <= LARGEST_CYCLE) {
			this.settle(members);
		}
		for (const member of members) {
			this.begun.delete(member.method);
			this.outcomes.set(member.method, member.outcome);
		}
		this.callsBack = callsBack;
		return own.outcome;
	}

	/** Follows calls of each other until that changes nothing: those made last first, which lead to the others. */
	private settle(members: readonly Begun[]): void {
		this.isSettling = true;
		for (let round = 0; round < MOST_ROUNDS; round++) {
			let change = 0;
			for (const member of members.toReversed()) {
				const before = member.outcome;
				member.outcome = this.outcomeOf(member);
				change = Math.max(change, differenceOf(before, member.outcome));
			}
			if (change < SETTLED) {
				break;
			}
		}
		this.isSettling = false;
	}

	/** The blocks that walks from the entry end with. */
	private endsOf(method: PrintedMethod): readonly (readonly [block: number, share: number])[] {
		const { graph, absorb } = this.chain(method);
		const starts = new Float64Array(graph.blocks.length);
		starts[graph.entry] = 1;
		const ends: [number, number][] = [];
		absorb(starts).forEach((share, block) => {
			if (share >= RAREST) {
				ends.push([block, share]);
			}
		});
		return ends;
	}

	private outcomeOf({ method, from, to, ends }: Begun): Outcome {
		const stops = new Stops();
		let returns = 0;
		for (const [block, share] of ends) {
			const end = this.ofEnd(method, block, from, to);
			returns += share * end.returns;
			stops.addAll(end.stops, share);
		}
		return stops.outcome(returns);
	}

	/** Of a walk that ends with this block. */
	ofEnd(method: PrintedMethod, block: number, from: number, to: number): Outcome {
		const { place, to: end } = this.chain(method).graph.blocks.at(block);
		if (place !== Place.JavaCall) {
			return this.ofEndCalling(method, block, [], from, to);
		}
		return this.ofNative(method, end - 1, from, to) ?? this.ofEndCalling(method, block, this.callers.callees(method, end - 1, from, to), from, to);
	}

	/** The same where a call at its end goes to these. */
	ofEndCalling(method: PrintedMethod, block: number, callees: readonly CalleeShare[], from: number, to: number): Outcome {
		const { place, returns, to: end } = this.chain(method).graph.blocks.at(block);
		if (place === Place.ReturnPoll || returns) {
			return RETURNS_AT_ONCE;
		}
		const frames = place === Place.None ? [] : framesAt(method.instructions, end - 1, place);
		if (place !== Place.JavaCall) {
			return { stops: [{ frames, share: 1 }], returns: 0 };
		}
		const inner = this.ofCallees(callees, from, to);
		return { stops: [...inner.stops, { frames, share: inner.returns }], returns: 0 };
	}
}

/** Shares of places, the innermost frame of which tells them apart. */
class Stops {
	private readonly byLeaf = new Map<string, { frames: readonly Frame[]; share: number }>();

	addAll(stops: Outcome['stops'], part: number): void {
		for (const { frames, share } of stops) {
			const leaf = frames[0];
			const key = leaf === undefined ? '' : `${leaf.method}\0${leaf.bci}\0${leaf.line}`;
			const known = this.byLeaf.get(key);
			if (known === undefined) {
				this.byLeaf.set(key, { frames, share: part * share });
			} else {
				known.share += part * share;
			}
		}
	}

	/** What is seldom reached counts as returned: it is put at the call. */
	outcome(returns: number): Outcome {
		let rare = 0;
		const stops: { frames: readonly Frame[]; share: number }[] = [];
		for (const stop of this.byLeaf.values()) {
			if (stop.share < SELDOM) {
				rare += stop.share;
			} else {
				stops.push(stop);
			}
		}
		return { stops, returns: returns + rare };
	}
}

/** The largest of a share. Stops keep their order, and come behind those that were there. */
function differenceOf(before: Outcome, after: Outcome): number {
	let most = Math.abs(after.returns - before.returns);
	after.stops.forEach(({ share }, i) => {
		most = Math.max(most, Math.abs(share - (before.stops[i]?.share ?? 0)));
	});
	return most;
}
