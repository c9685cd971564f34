/**
 * Where walks through compiled code end, from any block of any compilation: the chains of compilations, fitted to their samples, and what a call comes to.
 * Each is computed once; what draws samples again only weighs it anew.
 */
import type { Frame } from '../model/instructions.js';
import { type CalleeShare, Callers } from './callers.js';
import { type FittedChain, fittedChain } from './fitted-chain.js';
import type { PredictionInput, SampledCode } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, Place } from './safepoint-places.js';

/** What walks from one place come to. */
export interface Outcome {
	readonly stops: readonly { readonly frames: readonly Frame[]; readonly share: number }[];
	/** Share of the walks that return to the caller. */
	readonly returns: number;
}

const RETURNS_AT_ONCE: Outcome = { stops: [], returns: 1 };
const DEEPEST = 40;
const MOST_UNSAMPLED = 100;
/** Walks that are as rare as this are left out. */
const RAREST = 1e-12;

export class Walks {
	readonly input: PredictionInput;
	readonly callers: Callers;
	/** Of code without samples, mostly only looked at once, the last ones. */
	private readonly unsampled: FittedChain[] = [];
	private readonly chains = new Map<PrintedMethod, FittedChain>();
	private readonly sampledBy: ReadonlyMap<PrintedMethod, SampledCode>;
	private readonly outcomes = new Map<PrintedMethod, Outcome>();
	private readonly open = new Set<PrintedMethod>();

	constructor(input: PredictionInput) {
		this.input = input;
		this.sampledBy = new Map(input.sampled.map((sampled) => [sampled.method, sampled]));
		this.callers = new Callers(input, (method) => this.chain(method));
	}

	chain(method: PrintedMethod): FittedChain {
		let chain = this.chains.get(method);
		if (chain === undefined) {
			const counts = this.sampledBy.get(method)?.counts ?? null;
			chain = fittedChain(method, counts?.some((count) => count > 0) === true ? counts : null);
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
		return this.ofCallees(this.callers.callees(caller, call, from, to), from, to);
	}

	/** Of a call that goes to these; none where that is not known. */
	private ofCallees(callees: readonly CalleeShare[], from: number, to: number): Outcome {
		const [only] = callees;
		if (only === undefined || callees.length === 1) {
			return only === undefined ? RETURNS_AT_ONCE : this.ofCode(only.method, from, to);
		}
		const stops: { frames: readonly Frame[]; share: number }[] = [];
		let returns = 0;
		for (const { method, share } of callees) {
			const outcome = this.ofCode(method, from, to);
			returns += share * outcome.returns;
			for (const stop of outcome.stops) {
				stops.push({ frames: stop.frames, share: share * stop.share });
			}
		}
		return { stops, returns };
	}

	/** From the entry on. */
	ofCode(method: PrintedMethod, from: number, to: number): Outcome {
		const known = this.outcomes.get(method);
		if (known !== undefined) {
			return known;
		}
		if (this.open.has(method) || this.open.size > DEEPEST) {
			return RETURNS_AT_ONCE;
		}
		this.open.add(method);
		const { graph, absorb } = this.chain(method);
		const starts = new Float64Array(graph.blocks.length);
		starts[graph.entry] = 1;
		const stops = new Map<string, { frames: readonly Frame[]; share: number }>();
		let returns = 0;
		absorb(starts).forEach((share, block) => {
			if (share < RAREST) {
				return;
			}
			const end = this.ofEnd(method, block, from, to);
			returns += share * end.returns;
			for (const stop of end.stops) {
				const leaf = stop.frames[0];
				const key = leaf === undefined ? '' : `${leaf.method}\0${leaf.bci}\0${leaf.line}`;
				const known = stops.get(key) ?? { frames: stop.frames, share: 0 };
				known.share += share * stop.share;
				stops.set(key, known);
			}
		});
		this.open.delete(method);
		const result = { stops: [...stops.values()], returns };
		this.outcomes.set(method, result);
		return result;
	}

	/** Of a walk that ends with this block. */
	ofEnd(method: PrintedMethod, block: number, from: number, to: number): Outcome {
		const { place, to: end } = this.chain(method).graph.blocks[block]!;
		return this.ofEndCalling(method, block, place === Place.JavaCall ? this.callers.callees(method, end - 1, from, to) : [], from, to);
	}

	/** The same where a call at its end goes to these. */
	ofEndCalling(method: PrintedMethod, block: number, callees: readonly CalleeShare[], from: number, to: number): Outcome {
		const { place, returns, to: end } = this.chain(method).graph.blocks[block]!;
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
