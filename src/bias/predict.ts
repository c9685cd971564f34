/**
 * The profile that a profiler would print that can look at threads only at safepoints, from unbiased samples: a thread that is sampled
 * at a moment runs on to the next poll, and what it shows there is what that profiler sees. An absorbing Markov chain over the blocks
 * of each compilation gives the polls that are reached next (Kemeny and Snell 1960); calls are entered, returns go to the callers, and
 * threads in native code are followed from the calls that lead there.
 */
import type { Frame } from '../model/instructions.js';
import { addBlame, type Blame, emptyBlame } from './blame.js';
import { Callers } from './callers.js';
import { type FittedChain, fittedChain, samplesByBlock } from './fitted-chain.js';
import { leafSites, vmSites } from './native-sites.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, Place } from './safepoint-places.js';

/** Samples of the chosen threads and time, counted. */
export interface SampledCode {
	readonly method: PrintedMethod;
	/** By instruction. */
	readonly counts: Float64Array;
	/** Seconds of the JVM's clock of the first and last sample; infinite where there is no clock. */
	readonly from: number;
	readonly to: number;
}

export interface SampledNative {
	readonly symbol: string;
	readonly library: string;
	/** The JVM's own library: the thread came by a call that describes its frames. */
	readonly isVm: boolean;
	readonly count: number;
}

export interface PredictionInput {
	readonly sampled: readonly SampledCode[];
	/** All compilations that were printed, those with samples too. */
	readonly methods: readonly PrintedMethod[];
	readonly native: readonly SampledNative[];
}

/** What a walk from a method's entry comes to. */
interface Outcome {
	readonly stops: readonly { readonly frames: readonly Frame[]; readonly share: number }[];
	/** Share of the walks that return to the caller. */
	readonly returns: number;
}

const RETURNS_AT_ONCE: Outcome = { stops: [], returns: 1 };
const DEEPEST = 40;

export interface Predicted {
	readonly blame: Blame;
	/** Whose time lands on whom: by the method that was executing, `(native)` for native code and stubs. */
	readonly transfers: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Amounts are samples. What is not described by any text is blamed on `(unknown)`. */
export function predict(input: PredictionInput): Predicted {
	return new Prediction(input).run();
}

class Prediction {
	private readonly input: PredictionInput;
	private readonly chains = new Map<PrintedMethod, FittedChain>();
	private readonly sampledBy: Map<PrintedMethod, SampledCode>;
	private readonly outcomes = new Map<PrintedMethod, Outcome>();
	private readonly open = new Set<PrintedMethod>();
	private readonly callers: Callers;
	private readonly blame = emptyBlame();
	private readonly transfers = new Map<string, Map<string, number>>();
	private victim = '';

	constructor(input: PredictionInput) {
		this.input = input;
		this.sampledBy = new Map(input.sampled.map((sampled) => [sampled.method, sampled]));
		this.callers = new Callers(input, (method) => this.chain(method));
	}

	run(): Predicted {
		const { sampled } = this.input;
		for (const { method, counts, ...time } of sampled) {
			for (const [leaf, own] of byLeaf(method, counts)) {
				this.victim = leaf;
				this.follow({ method, counts, ...time }, samplesByBlock(this.chain(method).graph, own));
			}
		}
		this.victim = '(native)';
		const starts = sampled.map(({ method }) => new Float64Array(this.chain(method).graph.blocks.length));
		this.addNative(starts);
		sampled.forEach((row, i) => {
			this.follow(row, starts[i] as Float64Array);
		});
		return { blame: this.blame, transfers: this.transfers };
	}

	private add(frames: readonly Frame[], amount: number): void {
		addBlame(this.blame, frames, amount);
		const culprit = frames[0]?.method ?? '(unknown)';
		const row = this.transfers.get(this.victim) ?? new Map<string, number>();
		row.set(culprit, (row.get(culprit) ?? 0) + amount);
		this.transfers.set(this.victim, row);
	}

	private follow({ method, from, to }: SampledCode, starts: Float64Array): void {
		const { graph } = this.chain(method);
		this.chain(method)
			.absorb(starts)
			.forEach((mass, number) => {
				if (mass <= 0) {
					return;
				}
				const { place, returns, to: end } = graph.blocks[number] as (typeof graph.blocks)[number];
				const frames = framesAt(method.instructions, end - 1, place);
				if (place === Place.ReturnPoll || returns) {
					for (const caller of this.callers.of(method, from, to)) {
						this.add(caller.frames, mass * caller.share);
					}
				} else if (place === Place.JavaCall) {
					this.enter(method, end - 1, frames, mass, from, to);
				} else {
					this.add(place === Place.None ? [] : frames, mass);
				}
			});
	}

	private enter(method: PrintedMethod, call: number, frames: readonly Frame[], mass: number, from: number, to: number): void {
		const callee = this.callers.calledBy(method, call, from, to);
		const { stops, returns } = callee === null ? RETURNS_AT_ONCE : this.outcome(callee, from, to);
		for (const stop of stops) {
			this.add(stop.frames, mass * stop.share);
		}
		this.add(frames, mass * returns);
	}

	private outcome(method: PrintedMethod, from: number, to: number): Outcome {
		const known = this.outcomes.get(method);
		if (known !== undefined) {
			return known;
		}
		if (this.open.has(method) || this.open.size > DEEPEST) {
			return RETURNS_AT_ONCE;
		}
		this.open.add(method);
		const chain = this.chain(method);
		const { blocks, entry } = chain.graph;
		const starts = new Float64Array(blocks.length);
		starts[entry] = 1;
		const stops: { frames: readonly Frame[]; share: number }[] = [];
		let returns = 0;
		chain.absorb(starts).forEach((share, number) => {
			const { place, returns: isReturn, to: end } = blocks[number] as (typeof blocks)[number];
			if (share < 1e-12) {
				return;
			}
			const frames = framesAt(method.instructions, end - 1, place);
			if (place === Place.ReturnPoll || isReturn) {
				returns += share;
			} else if (place === Place.JavaCall) {
				const callee = this.callers.calledBy(method, end - 1, from, to);
				const inner = callee === null ? RETURNS_AT_ONCE : this.outcome(callee, from, to);
				stops.push(...inner.stops.map((stop) => ({ frames: stop.frames, share: stop.share * share })), { frames, share: share * inner.returns });
			} else {
				stops.push({ frames: place === Place.None ? [] : frames, share });
			}
		});
		this.open.delete(method);
		const result = { stops, returns };
		this.outcomes.set(method, result);
		return result;
	}

	/** Native code runs on to its caller, and from there to the next poll; calls into the VM stop where they were made. */
	private addNative(starts: readonly Float64Array[]): void {
		const chains = this.input.sampled.map(({ method }) => this.chain(method));
		for (const native of this.input.native) {
			const sites = native.isVm ? vmSites(chains) : leafSites(chains, native);
			const total = sites.reduce((sum, { weight }) => sum + weight, 0);
			if (total <= 0) {
				this.add([], native.count);
				continue;
			}
			for (const { chain, block, weight } of sites) {
				const { method, graph } = chains[chain] as FittedChain;
				const { to, place, fall } = graph.blocks[block] as (typeof graph.blocks)[number];
				const mass = (native.count * weight) / total;
				if (native.isVm || fall < 0) {
					this.add(framesAt(method.instructions, to - 1, place), mass);
				} else {
					const row = starts[chain] as Float64Array;
					row[fall] = (row[fall] as number) + mass;
				}
			}
		}
	}

	private chain(method: PrintedMethod): FittedChain {
		let chain = this.chains.get(method);
		if (chain === undefined) {
			const sampled = this.sampledBy.get(method);
			chain = fittedChain(method, sampled?.counts ?? null);
			this.chains.set(method, chain);
		}
		return chain;
	}
}

/** Samples by instruction, apart for each innermost method. */
function byLeaf({ code, instructions }: PrintedMethod, counts: Float64Array): Map<string, Float64Array> {
	const result = new Map<string, Float64Array>();
	counts.forEach((count, i) => {
		if (count > 0) {
			const leaf = instructions.positions[instructions.position[i] as number]?.[0]?.method ?? code.name;
			const own = result.get(leaf) ?? new Float64Array(counts.length);
			own[i] = count;
			result.set(leaf, own);
		}
	});
	return result;
}
