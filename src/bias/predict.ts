/**
 * The profile that a profiler would print that can look at threads only at safepoints, from unbiased samples: a thread that is sampled
 * at a moment runs on to the next poll, and what it shows there is what that profiler sees. An absorbing Markov chain over the blocks
 * of each compilation gives the polls that are reached next (Kemeny and Snell 1960); calls are entered, returns go to the callers, and
 * threads in native code are followed from the calls that lead there.
 */
import type { Frame } from '../model/instructions.js';
import { addBlame, type Blame, type BlameKey, emptyBlame, keyOfFrames } from './blame.js';
import type { Callers } from './callers.js';
import { type ExplainedStep, type Explanation, RULES, wayTo } from './explain.js';
import { type FittedChain, samplesByBlock } from './fitted-chain.js';
import { spreadNative } from './native-sites.js';
import { coldPlaces, type PredictionInput, type SampledCode } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, Place, type PlaceKind } from './safepoint-places.js';
import { Walks } from './walks.js';

const DEEPEST_EXPLAINED = 10;
const MOST_TRIED = 20;

export interface Predicted {
	readonly blame: Blame;
	/** Whose time lands on whom: by the method or line that was executing, `(native)` for native code and stubs. */
	readonly transfers: ReadonlyMap<string, ReadonlyMap<string, number>>;
	/** What a part of the samples is blamed on; branches stay fitted to all of them. */
	blameOf(part: readonly SampledCode[]): Blame;
	/** Why the time of one lands on another; null where it does not, or came from native code. */
	explain(from: string, to: string): Explanation | null;
}

/** A way by which time of one method lands on another: where the walks through a compilation ended. */
interface Route {
	readonly sampled: SampledCode;
	/** Samples of the victim only. */
	readonly own: Float64Array;
	readonly block: number;
	readonly frames: readonly Frame[];
	readonly amount: number;
}

interface Transfer {
	amount: number;
	/** The one with the largest amount; null where no walk led there. */
	route: Route | null;
}

/** Amounts are samples. What is not described by any text is blamed on `(unknown)`. `by`: what transfers and explanations are between. */
export function predict(input: PredictionInput, walks: Walks = new Walks(input), by: BlameKey = 'method'): Predicted {
	return new Prediction(walks, by).run();
}

class Prediction {
	private readonly input: PredictionInput;
	private readonly walks: Walks;
	private readonly callers: Callers;
	private readonly by: BlameKey;
	private blame = emptyBlame();
	/** From whom to whom. */
	private readonly transfers = new Map<string, Map<string, Transfer>>();
	/** Whether blame is part of the prediction. */
	private isCounted = true;
	private victim = '';
	private route: Omit<Route, 'frames' | 'amount'> | null = null;

	constructor(walks: Walks, by: BlameKey) {
		this.walks = walks;
		this.by = by;
		this.input = walks.input;
		this.callers = walks.callers;
	}

	run(): Predicted {
		const { sampled } = this.input;
		for (const { method, counts, ...time } of sampled) {
			for (const [leaf, own] of byLeaf(method, counts, this.by)) {
				this.victim = leaf;
				this.follow({ method, counts, ...time }, samplesByBlock(this.chain(method).graph, own), own);
			}
		}
		this.route = null;
		for (const row of this.input.inKernel ?? []) {
			for (const [leaf, own] of byLeaf(row.method, row.counts, this.by)) {
				this.victim = leaf;
				this.follow(row, samplesByBlock(this.chain(row.method).graph, own), null);
			}
		}
		for (const { frames, count } of coldPlaces(this.input)) {
			this.victim = keyOfFrames(frames, this.by);
			this.add(frames, count);
		}
		const chains = sampled.map(({ method }) => this.chain(method));
		const starts = spreadNative(chains, this.input.native, (frames, amount, isOwn) => {
			this.victim = isOwn ? keyOfFrames(frames, this.by) : '(native)';
			this.add(frames, amount);
		});
		this.victim = '(native)';
		sampled.forEach((row, i) => {
			this.follow(row, starts[i]!, null);
		});
		const transfers = new Map([...this.transfers].map(([from, row]) => [from, new Map([...row].map(([to, { amount }]) => [to, amount]))]));
		return { blame: this.blame, transfers, blameOf: (part) => this.blameOf(part), explain: (from, to) => this.explain(from, to) };
	}

	private add(frames: readonly Frame[], amount: number): void {
		addBlame(this.blame, frames, amount);
		if (!this.isCounted) {
			return;
		}
		let row = this.transfers.get(this.victim);
		if (row === undefined) {
			row = new Map();
			this.transfers.set(this.victim, row);
		}
		const culprit = keyOfFrames(frames, this.by);
		const transfer = row.get(culprit);
		const route = this.route !== null && amount > (transfer?.route?.amount ?? 0) ? { ...this.route, frames, amount } : null;
		if (transfer === undefined) {
			row.set(culprit, { amount, route });
		} else {
			transfer.amount += amount;
			transfer.route = route ?? transfer.route;
		}
	}

	private blameOf(part: readonly SampledCode[]): Blame {
		const whole = this.blame;
		const result = emptyBlame();
		this.blame = result;
		this.victim = '';
		this.isCounted = false;
		for (const row of part) {
			this.follow(row, samplesByBlock(this.chain(row.method).graph, row.counts), null);
		}
		this.blame = whole;
		this.isCounted = true;
		return result;
	}

	private explain(from: string, to: string): Explanation | null {
		const transfer = this.transfers.get(from)?.get(to);
		const route = transfer?.route ?? null;
		if (transfer === undefined || route === null) {
			return null;
		}
		const { sampled, own, block, frames, amount } = route;
		const { method } = sampled;
		const chain = this.chain(method);
		const { graph } = chain;
		const reach = (start: number): number => chain.absorb(oneHot(graph.blocks.length, graph.blockOf[start]!))[block]!;
		// Of the instructions with most samples the first from which that poll is likely to be reached.
		const hottest = [...own.keys()].filter((i) => own[i]! > 0).sort((a, b) => own[b]! - own[a]!);
		const start =
			hottest.slice(0, MOST_TRIED).find((i) => reach(i) > 0.01) ?? hottest.slice(0, MOST_TRIED).reduce((best, i) => (reach(i) > reach(best) ? i : best));
		const { to: end, place, returns } = graph.blocks.at(block);
		const ending = place === Place.JavaCall ? this.insideCall(method, end - 1, frames, sampled) : { steps: [], rule: ruleOf(place, returns), poll: null };
		return {
			from,
			to,
			amount: transfer.amount,
			share: amount / transfer.amount,
			code: method.code,
			sampledAddress: method.instructions.address[start]!,
			sampledCount: own[start]!,
			probability: Math.min(1, reach(start)),
			steps: [...wayTo(chain, start, block), ...ending.steps],
			pollAddress: ending.poll ?? method.instructions.address[end - 1]!,
			place,
			frames,
			rule: ending.rule,
		};
	}

	/** From a call on: into the callee, as long as the frames that are shown are of something inside. */
	private insideCall(
		caller: PrintedMethod,
		call: number,
		shown: readonly Frame[],
		{ from, to }: SampledCode,
	): { steps: readonly ExplainedStep[]; rule: string; poll: number | null } {
		const steps: ExplainedStep[] = [];
		const seen = new Set([caller]);
		let at = { method: caller, instruction: call };
		for (let depth = 0; depth < DEEPEST_EXPLAINED; depth++) {
			const native = this.callers.nativeMethod(at.method, at.instruction, from, to);
			const callee = native === null ? this.calleeThatShows(at.method, at.instruction, shown, from, to) : null;
			if (callee === null) {
				return { steps, rule: native === null ? RULES.callUnknown : RULES.native, poll: at.method.instructions.address[at.instruction]! };
			}
			const isHere = isSame(framesAt(at.method.instructions, at.instruction, Place.JavaCall), shown);
			const chain = this.chain(callee);
			const { blocks, entry } = chain.graph;
			const ends = chain.absorb(oneHot(blocks.length, entry));
			const leadsThere = (number: number): boolean => {
				const { place, returns, to: end } = blocks.at(number);
				if (place === Place.ReturnPoll || returns) {
					return isHere;
				}
				const frames = framesAt(callee.instructions, end - 1, place);
				if (place !== Place.JavaCall) {
					return isSame(frames, shown);
				}
				return isSame(frames, shown) || this.walks.ofCall(callee, end - 1, from, to).stops.some((stop) => isSame(stop.frames, shown));
			};
			if (seen.has(callee)) {
				break;
			}
			seen.add(callee);
			const candidates = [...ends.keys()].filter((number) => ends[number]! > 0 && leadsThere(number));
			if (candidates.length === 0) {
				break;
			}
			const best = candidates.reduce((a, b) => (ends[b]! > ends[a]! ? b : a));
			const { place, returns, to: end, from: first } = blocks.at(best);
			steps.push(...wayTo(chain, blocks.from[entry] ?? first, best));
			const poll = callee.instructions.address[end - 1]!;
			if (place === Place.ReturnPoll || returns) {
				return { steps, rule: RULES.callReturns, poll };
			}
			if (place !== Place.JavaCall) {
				return { steps, rule: ruleOf(place, returns), poll };
			}
			at = { method: callee, instruction: end - 1 };
		}
		return { steps, rule: RULES.callDeep, poll: null };
	}

	/** Of what a call goes to the one called most often of those that show such frames inside; where none does the one called most often, null where none is known. */
	private calleeThatShows(caller: PrintedMethod, call: number, shown: readonly Frame[], from: number, to: number): PrintedMethod | null {
		const callees = [...this.callers.callees(caller, call, from, to)].sort((a, b) => b.share - a.share);
		const showing = callees.find(({ method }) => this.walks.ofCode(method, from, to).stops.some(({ frames }) => isSame(frames, shown)));
		return (showing ?? callees[0])?.method ?? null;
	}

	/** `own`: samples of one method by instruction, null for what came from native code. */
	private follow(sampled: SampledCode, starts: Float64Array, own: Float64Array | null): void {
		const { method, from, to } = sampled;
		const { graph, absorb } = this.chain(method);
		const ends = absorb(starts);
		for (let number = 0; number < ends.length; number++) {
			const mass = ends[number]!;
			if (mass <= 0) {
				continue;
			}
			this.route = own === null ? null : { sampled, own, block: number };
			const { place, returns, to: end } = graph.blocks.at(number);
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
		}
	}

	private enter(method: PrintedMethod, call: number, frames: readonly Frame[], mass: number, from: number, to: number): void {
		const { stops, returns } = this.walks.ofCall(method, call, from, to);
		for (const stop of stops) {
			this.add(stop.frames, mass * stop.share);
		}
		this.add(frames, mass * returns);
	}

	private chain(method: PrintedMethod): FittedChain {
		return this.walks.chain(method);
	}
}

/** Samples by instruction, apart for each innermost method or line. */
export function byLeaf({ code, instructions }: PrintedMethod, counts: Float64Array, by: BlameKey): Map<string, Float64Array> {
	const result = new Map<string, Float64Array>();
	for (let i = 0; i < counts.length; i++) {
		if (counts[i]! > 0) {
			const frames = instructions.frames(i);
			const leaf = keyOfFrames(frames.length > 0 ? frames : [{ method: code.name, bci: -1, line: null }], by);
			let own = result.get(leaf);
			if (own === undefined) {
				own = new Float64Array(counts.length);
				result.set(leaf, own);
			}
			own[i] = counts[i]!;
		}
	}
	return result;
}

function oneHot(length: number, at: number): Float64Array {
	const result = new Float64Array(length);
	result[at] = 1;
	return result;
}

function isSame(a: readonly Frame[], b: readonly Frame[]): boolean {
	return a.length > 0 && a[0]?.method === b[0]?.method && a[0]?.bci === b[0]?.bci && a[0]?.line === b[0]?.line;
}

function ruleOf(place: PlaceKind, returns: boolean): string {
	if (place === Place.ReturnPoll || returns) {
		return RULES.return;
	}
	return place === Place.LoopPoll ? RULES.loop : place === Place.VmCall || place === Place.Trap ? RULES.vm : RULES.none;
}
