/**
 * How sure a prediction is as far as its samples go: the same prediction from samples drawn again with replacement (Efron 1979). What the code is like, which
 * compilation a call goes to and what comes of that call are found once; a draw fits the branches of the hottest compilations anew, from where they are, and
 * weighs who calls whom.
 */
import type { Frame } from '../model/instructions.js';
import { percentile } from '../statistics/percentiles.js';
import { xorshift32 } from '../statistics/random.js';
import { sumOf } from '../statistics/sums.js';
import { type BlameKey, keyOfFrames } from './blame.js';
import { type Candidate, likeliest, MOST_SAMPLES } from './callers.js';
import { type FittedChain, samplesByBlock } from './fitted-chain.js';
import { isMethod } from './method-shares.js';
import { goesOnAt, groupsOf, nativeSites } from './native-sites.js';
import { coldPlaces } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, Place } from './safepoint-places.js';
import type { Outcome, Walks } from './walks.js';

export interface PredictedInterval {
	/** Percent of what is predicted for methods, or for their lines. */
	readonly low: number;
	readonly high: number;
}

/** What a walk that ends with a block comes to: `share[i]` lands on `blamed[i]`. */
interface Landing {
	readonly blamed: Int32Array;
	readonly share: Float64Array;
	/** Share that returns to the callers of the compilation. */
	readonly returns: number;
}

interface End {
	/** What a call at the end may go to; empty where there is no choice. */
	readonly candidates: readonly Candidate[];
	/** By what it calls; null where there is no choice. */
	readonly landings: Map<PrintedMethod | null, Landing>;
}

/** Samples of native code that came by the same calls. */
interface Group {
	readonly sites: readonly Site[];
	/** What is blamed where there is no site; -1: nothing. */
	readonly blamed: number;
}

/** A call that native code came by. */
interface Site {
	readonly row: number;
	readonly block: number;
	/** The block where the thread goes on, -1 where {@link blamed} is blamed at once. */
	readonly start: number;
	/** -1: none. */
	readonly blamed: number;
}

/** A caller of a compilation: `row` of the sampled compilations, -1 without samples. */
interface Caller {
	readonly row: number;
	readonly weight: number;
	readonly blamed: number;
}

/** By method or line, the 5th and the 95th of a hundred. The draws are the same in each run. */
export function bootstrap(walks: Walks, rounds: number, by: BlameKey = 'method'): Map<string, PredictedInterval> {
	const redraw = new Redraw(walks, by);
	const random = xorshift32(0x2545f491);
	const shares = Array.from({ length: rounds }, () => redraw.draw(random));
	return new Map(
		redraw.names.flatMap((name, blamed): [string, PredictedInterval][] => {
			const sorted = Float64Array.from(shares, (round) => round[blamed] ?? 0).sort();
			return sorted.at(-1) === 0 ? [] : [[name, { low: percentile(sorted, 0.05) ?? 0, high: percentile(sorted, 0.95) ?? 0 }]];
		}),
	);
}

/** Compilations with a smaller share of the samples keep their branches: what they move is less than what is drawn. */
const FITTED_SHARE = 0.002;
/** How often a compilation without samples in a draw is executed, of what it was. */
const RAREST = 1e-3;

class Redraw {
	/** What is blamed: methods, or lines. */
	readonly names: string[] = [];
	private readonly by: BlameKey;
	private readonly walks: Walks;
	/** By row. */
	private readonly chains: readonly FittedChain[];
	private readonly numbers = new Map<string, number>();
	private readonly rows: ReadonlyMap<PrintedMethod, number>;
	private readonly groups: Group[] = [];
	/** What samples of cold code are blamed on: where they are. */
	private readonly cold: number[] = [];
	/** By row and block at which walks end. */
	private readonly ends: (End | undefined)[][];
	/** By row and block at which walks start, with branches as they were fitted; null where samples decide what a call goes to. */
	private readonly walked: (Landing | null | undefined)[][];
	/** By row. */
	private readonly callers: (readonly Caller[] | undefined)[];
	/** For each sample its block, counted through all rows, or behind them all a group of calls that native code came by, or cold code. */
	private readonly owners: Int32Array;
	/** Of each row its first block in that count, and their number. */
	private readonly firsts: Int32Array;
	private readonly totals: Float64Array;

	constructor(walks: Walks, by: BlameKey) {
		this.walks = walks;
		this.by = by;
		const { sampled, native, inKernel = [] } = walks.input;
		this.rows = new Map(sampled.map(({ method }, row) => [method, row]));
		this.totals = Float64Array.from(sampled, ({ counts }) => sumOf(counts));
		this.ends = sampled.map(() => []);
		this.walked = sampled.map(() => []);
		this.callers = sampled.map(() => undefined);
		this.firsts = new Int32Array(sampled.length + 1);
		const owners: number[] = [];
		sampled.forEach(({ method, counts }, row) => {
			const { blockOf, blocks } = walks.chain(method).graph;
			const first = this.firsts[row]!;
			this.firsts[row + 1] = first + blocks.length;
			for (let i = 0; i < counts.length; i++) {
				for (let n = 0; n < counts[i]!; n++) {
					owners.push(first + blockOf[i]!);
				}
			}
		});
		const chains = sampled.map(({ method }) => walks.chain(method));
		this.chains = chains;
		for (const { sites, frames, isVm, count } of groupsOf(nativeSites(chains), native)) {
			for (let n = 0; n < count; n++) {
				owners.push(this.firsts.at(-1)! + this.groups.length);
			}
			const ofSites = sites.map(({ chain: row, block }) => {
				const { method, graph } = chains[row]!;
				const { to, place } = graph.blocks.at(block);
				const start = goesOnAt(chains[row]!, block, isVm);
				return { row, block, start, blamed: start < 0 ? this.number(framesAt(method.instructions, to - 1, place)) : -1 };
			});
			this.groups.push({ sites: ofSites, blamed: frames.length > 0 ? this.number(frames) : -1 });
		}
		for (const { method, counts } of inKernel) {
			const row = this.rows.get(method)!;
			samplesByBlock(walks.chain(method).graph, counts).forEach((count, block) => {
				for (let n = 0; n < count; n++) {
					owners.push(this.firsts.at(-1)! + this.groups.length);
				}
				if (count > 0) {
					this.groups.push({ sites: [{ row, block, start: block, blamed: -1 }], blamed: -1 });
				}
			});
		}
		for (const { frames, count } of coldPlaces(walks.input)) {
			const method = this.number(frames);
			for (let n = 0; n < count; n++) {
				owners.push(this.firsts.at(-1)! + this.groups.length + this.cold.length);
			}
			this.cold.push(method);
		}
		this.owners = Int32Array.from(owners);
	}

	/** Percent by number of what is blamed; missing at the end, and 0 everywhere where nothing lands on a method. */
	draw(random: () => number): readonly number[] {
		const { owners, firsts, groups, cold } = this;
		const { sampled } = this.walks.input;
		const blocks = firsts.at(-1)!;
		const starts = new Float64Array(blocks + groups.length + cold.length);
		for (let n = 0; n < owners.length; n++) {
			const owner = owners[Math.floor(random() * owners.length)]!;
			starts[owner] = starts[owner]! + 1;
		}
		const ofRow = (row: number): Float64Array => starts.subarray(firsts[row]!, firsts[row + 1]!);
		const chains = this.chains;
		const refitted = chains.map((chain, row) => (this.totals[row]! >= FITTED_SHARE * owners.length ? chain.refitted(ofRow(row)) : null));
		const totals = this.totals.map((_, row) => sumOf(ofRow(row)));
		const times = totals.map((total, row) => chains[row]!.timesOf(total));
		const samplesOf = (method: PrintedMethod): number => totals[this.rows.get(method) ?? -1] ?? 0;
		const more = totals.map((total, row) => total / this.totals[row]!);
		const blame: number[] = [];
		const land = (blamed: number, amount: number): void => {
			if (blamed >= 0) {
				blame[blamed] = (blame[blamed] ?? 0) + amount;
			}
		};
		cold.forEach((method, i) => {
			land(method, starts[blocks + groups.length + i]!);
		});
		groups.forEach(({ sites, blamed }, group) => {
			const count = starts[blocks + group]!;
			land(blamed, count);
			// A call that was seen is the only one.
			const weightOf = ({ row, block }: Site): number =>
				sites.length === 1 ? 1 : (refitted[row]?.executions[block] ?? chains[row]!.executions[block]! * times[row]!);
			const total = count > 0 ? sites.reduce((sum, site) => sum + weightOf(site), 0) : 0;
			for (const site of total > 0 ? sites : []) {
				const amount = (count * weightOf(site)) / total;
				land(site.blamed, amount);
				if (site.start >= 0) {
					const at = firsts[site.row]! + site.start;
					starts[at] = starts[at]! + amount;
				}
			}
		});
		sampled.forEach((_, row) => {
			const own = ofRow(row);
			if (!own.some((amount) => amount > 0)) {
				return;
			}
			let returned = 0;
			const landAll = ({ blamed, share, returns }: Landing, amount: number): void => {
				for (let i = 0; i < blamed.length; i++) {
					land(blamed[i]!, amount * share[i]!);
				}
				returned += amount * returns;
			};
			const ends = refitted[row]?.absorb(own) ?? null;
			if (ends !== null) {
				for (let block = 0; block < ends.length; block++) {
					if (ends[block]! > 0) {
						landAll(this.landing(row, block, samplesOf), ends[block]!);
					}
				}
			} else {
				for (let start = 0; start < own.length; start++) {
					if (own[start]! > 0) {
						this.landFrom(row, start, own[start]!, samplesOf, landAll);
					}
				}
			}
			const callers = returned > 0 ? this.callersOf(row) : [];
			const weightOf = (caller: Caller): number => caller.weight * (caller.row < 0 ? 1 : Math.max(more[caller.row]!, RAREST));
			const total = callers.reduce((sum, caller) => sum + weightOf(caller), 0);
			for (const caller of callers) {
				land(caller.blamed, (returned * weightOf(caller)) / total);
			}
		});
		const total = blame.reduce((sum, amount) => sum + amount, 0);
		return Array.from(blame, (amount) => (total > 0 ? (100 * (amount ?? 0)) / total : 0));
	}

	private callersOf(row: number): readonly Caller[] {
		let callers = this.callers[row];
		if (callers === undefined) {
			const { method, from, to } = this.walks.input.sampled[row]!;
			callers = this.walks.callers.of(method, from, to).flatMap(({ frames, parts }) => {
				const number = this.number(frames);
				return [...parts].map(([caller, share]) => ({ row: caller === null ? -1 : (this.rows.get(caller) ?? -1), weight: share, blamed: number }));
			});
			this.callers[row] = callers;
		}
		return callers;
	}

	/** Of walks from a block, with branches as they were fitted. */
	private landFrom(
		row: number,
		start: number,
		amount: number,
		samplesOf: (method: PrintedMethod) => number,
		land: (landing: Landing, amount: number) => void,
	): void {
		const walked = this.walked[row]!;
		const known = walked[start];
		if (known) {
			land(known, amount);
			return;
		}
		const { blocks, shares } = this.chains[row]!.endsFrom(start);
		for (let i = 0; i < blocks.length; i++) {
			land(this.landing(row, blocks[i]!, samplesOf), amount * shares[i]!);
		}
		if (known === undefined) {
			const hasChoice = blocks.some((block) => this.ends[row]![block]!.candidates.length > 1);
			walked[start] = hasChoice
				? null
				: together(
						Array.from(blocks, (block) => this.landing(row, block, samplesOf)),
						shares,
					);
		}
	}

	private landing(row: number, block: number, samplesOf: (method: PrintedMethod) => number): Landing {
		const { method, from, to } = this.walks.input.sampled[row]!;
		const ends = this.ends[row]!;
		let end = ends[block];
		if (end === undefined) {
			end = { candidates: this.candidates(method, block, from, to), landings: new Map() };
			ends[block] = end;
		}
		const callee = likeliest(end.candidates, samplesOf);
		let landing = end.landings.get(callee);
		if (landing === undefined) {
			const seen = end.candidates.length === 0;
			const outcome = seen
				? this.walks.ofEnd(method, block, from, to)
				: this.walks.ofEndCalling(method, block, callee === null ? [] : [{ method: callee, share: 1 }], from, to);
			landing = this.landingOf(outcome);
			end.landings.set(callee, landing);
		}
		return landing;
	}

	/** Those that samples can decide between; none where it was seen what is called, or is a native method. */
	private candidates(method: PrintedMethod, block: number, from: number, to: number): readonly Candidate[] {
		const { place, to: end } = this.walks.chain(method).graph.blocks.at(block);
		const { callers } = this.walks;
		const isTold = place !== Place.JavaCall || callers.isSeen(method, end - 1) || callers.nativeMethod(method, end - 1, from, to) !== null;
		const all = isTold ? [] : callers.candidates(method, end - 1, from, to);
		const best = all.reduce((highest, { score }) => Math.max(highest, score), Number.NEGATIVE_INFINITY);
		return all.filter(({ method: callee, score }) => score === best || (this.rows.has(callee) && score >= best - MOST_SAMPLES));
	}

	private landingOf({ stops, returns }: Outcome): Landing {
		const shares = new Map<number, number>();
		for (const { frames, share } of stops) {
			const number = this.number(frames);
			if (number >= 0) {
				shares.set(number, (shares.get(number) ?? 0) + share);
			}
		}
		return { blamed: Int32Array.from(shares.keys()), share: Float64Array.from(shares.values()), returns };
	}

	/** -1: nothing describes it, or no method. */
	private number(frames: readonly Frame[]): number {
		const name = keyOfFrames(frames, this.by);
		if (!isMethod(name)) {
			return -1;
		}
		let number = this.numbers.get(name);
		if (number === undefined) {
			number = this.names.length;
			this.names.push(name);
			this.numbers.set(name, number);
		}
		return number;
	}
}

function together(landings: readonly Landing[], shares: Float64Array): Landing {
	const blamed = new Map<number, number>();
	let returns = 0;
	landings.forEach((landing, k) => {
		landing.blamed.forEach((number, i) => {
			blamed.set(number, (blamed.get(number) ?? 0) + shares[k]! * landing.share[i]!);
		});
		returns += shares[k]! * landing.returns;
	});
	return { blamed: Int32Array.from(blamed.keys()), share: Float64Array.from(blamed.values()), returns };
}
