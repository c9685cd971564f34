/**
 * The Markov chain of a compilation with its branches fitted to the samples: how often blocks are executed, times what their
 * instructions cost, has to be as often as they were sampled, as far as the samples tell; the rest stays with the first guess. The
 * gradient takes one solution of the adjoint system.
 */
import type { Instructions } from '../model/instructions.js';
import { sumOf } from '../statistics/sums.js';
import type { ChainBlocks } from './chain-block-columns.js';
import { type ChainGraph, chainGraph } from './chain-blocks.js';
import { minimize, type Step } from './minimize.js';
import type { PrintedMethod } from './printed-method.js';
import { Place } from './safepoint-places.js';
import { SparseSolver } from './sparse-solver.js';

/** So much is lost on each edge that a loop without an exit has a finite solution. */
const LOSS = 1e-10;
/** Samples of a block that has none, and of which none is expected: what was never sampled is hardly executed. */
const BACKGROUND = 0.03;
/** A count is known as well as if so many more had been seen. */
const UNCERTAIN = 2;
/** Of code without samples, where nothing is fitted. */
const SELDOM_SAMPLED = 0.3;
/** How far, in logarithms, costs of blocks are from what is assumed. */
const COST_WIDTH = 0.6;
const FEWEST_SAMPLES = 5;
const EVALUATIONS = 150;
/** Shares of walks that are as rare as this are left out where walks are told one by one. */
const RAREST_END = 1e-12;
/** Samples that are drawn again move branches a little; what is known of the curvature makes four as good as eight without. */
const EVALUATIONS_REDRAWN = 4;

/** What depends on the samples. */
interface ChainWeights {
	/** Executions of each block, in a unit that all chains share: samples times their cost. */
	readonly executions: Float64Array;
	/** Where walks end that start in the blocks as often as given: visits of each block at which a walk ends. */
	absorb(starts: Float64Array): Float64Array;
}

interface WalkEnds {
	readonly blocks: Int32Array;
	readonly shares: Float64Array;
}

export interface FittedChain extends ChainWeights {
	readonly method: PrintedMethod;
	readonly graph: ChainGraph;
	/** Of each block that ends with a branch: the probability that it jumps. */
	readonly jumpShares: Float64Array;
	/** Where walks end that start in a block: blocks and the shares that end there. */
	endsFrom(start: number): WalkEnds;
	/** The same code with samples drawn again, by block: branches move from where they are, a few steps. Null where there are too few to fit any. */
	refitted(counts: Float64Array): ChainWeights | null;
	/** How often everything is executed, of what it was, where so many samples are drawn and branches stay. */
	timesOf(samples: number): number;
	/** Lets go of what takes most memory; it is made anew when somebody asks. */
	release(): void;
}

/** `samples` by instruction; null for code without any. `isRedrawn`: what {@link FittedChain.refitted} needs is kept for it; without it is found once more. */
export function fittedChain(method: PrintedMethod, samples: Float64Array | null, isRedrawn = true): FittedChain {
	const graph = chainGraph(method, samples);
	const total = sumOf(samples ?? []);
	const chain = new Chain(graph, total >= FEWEST_SAMPLES);
	const costs = new Costs(method.instructions, graph);
	if (samples === null || total < FEWEST_SAMPLES) {
		const unit = (visits: Float64Array): number => Math.max(total, SELDOM_SAMPLED) / Math.max(costOfVisits(visits, costs.ofBlocks), 1e-9);
		return new FittedMethod(method, graph, chain, total, new Weights(chain, graph.guess, unit), () => null);
	}
	const find = (): Found => foundFit(graph, chain, costs.ofBlocks, samplesByBlock(graph, samples));
	const found = find();
	return new FittedMethod(method, graph, chain, total, weightsOf(chain, found), refit(chain, find, isRedrawn ? found : null));
}

interface Found {
	readonly fit: Fit;
	readonly x: Float64Array;
	readonly steps: readonly Step[];
}

function foundFit(graph: ChainGraph, chain: Chain, costs: Float64Array, counts: Float64Array): Found {
	const fit = new Fit(graph, chain, costs, counts);
	const steps: Step[] = [];
	return { fit, x: fit.fitted(null, fit.counts, EVALUATIONS, steps), steps };
}

/** These keep nothing of the fit. */
function weightsOf(chain: Chain, { fit, x }: Pick<Found, 'fit' | 'x'>): Weights {
	return new Weights(chain, fit.logitsOf(x), constant(fit.scaleOf(x)));
}

function constant(value: number): () => number {
	return () => value;
}

function refit(chain: Chain, find: () => Found, kept: Found | null): FittedChain['refitted'] {
	let known = kept;
	return (counts) => {
		known ??= find();
		const { fit, x, steps } = known;
		return weightsOf(chain, { fit, x: fit.fitted(x, counts, EVALUATIONS_REDRAWN, [...steps]) });
	};
}

class FittedMethod implements FittedChain {
	readonly method: PrintedMethod;
	readonly graph: ChainGraph;
	readonly absorb: FittedChain['absorb'];
	readonly endsFrom: FittedChain['endsFrom'];
	readonly refitted: FittedChain['refitted'];
	private readonly chain: Chain;
	private readonly weights: Weights;
	private readonly total: number;

	/** `total`: its samples. */
	constructor(method: PrintedMethod, graph: ChainGraph, chain: Chain, total: number, weights: Weights, refitted: FittedChain['refitted']) {
		this.method = method;
		this.graph = graph;
		this.chain = chain;
		this.total = total;
		this.weights = weights;
		this.absorb = weights.absorb;
		this.endsFrom = endsFrom(weights, graph.blocks.length);
		this.refitted = refitted;
	}

	get jumpShares(): Float64Array {
		return this.weights.jumpShares;
	}

	get executions(): Float64Array {
		return this.weights.executions;
	}

	timesOf(samples: number): number {
		return Math.max(samples, SELDOM_SAMPLED) / Math.max(this.total, SELDOM_SAMPLED);
	}

	release(): void {
		this.chain.release();
	}
}

/** Of blocks; found when they are first asked for. */
class Costs {
	private readonly code: Instructions;
	private readonly graph: ChainGraph;
	private found: Float64Array | null = null;

	constructor(code: Instructions, graph: ChainGraph) {
		this.code = code;
		this.graph = graph;
	}

	get ofBlocks(): Float64Array {
		if (this.found === null) {
			const { blocks } = this.graph;
			this.found = new Float64Array(blocks.length);
			for (let block = 0; block < blocks.length; block++) {
				this.found[block] = costOf(this.code, blocks.from[block]!, blocks.from[block + 1]!);
			}
		}
		return this.found;
	}
}

/** A chain with given branches. Of much code nobody asks how often it is executed. */
class Weights implements ChainWeights {
	readonly absorb: (starts: Float64Array) => Float64Array;
	private readonly chain: Chain;
	private readonly logits: Float64Array;
	private readonly unit: (visits: Float64Array) => number;
	private executed: Float64Array | null = null;

	/** `unit`: how many executions a visit is, told from all visits for one entry. */
	constructor(chain: Chain, logits: Float64Array, unit: (visits: Float64Array) => number) {
		this.chain = chain;
		this.logits = logits;
		this.unit = unit;
		this.absorb = (starts) => {
			chain.set(logits);
			return chain.absorb(starts);
		};
	}

	get executions(): Float64Array {
		if (this.executed === null) {
			this.chain.set(this.logits);
			const visits = this.chain.visits();
			const times = this.unit(visits);
			for (let block = 0; block < visits.length; block++) {
				visits[block] = visits[block]! * times;
			}
			this.executed = visits;
		}
		return this.executed;
	}

	get jumpShares(): Float64Array {
		return this.logits.map((logit) => 1 / (1 + Math.exp(-logit)));
	}
}

/** Of each start once. */
function endsFrom({ absorb }: ChainWeights, size: number): (start: number) => WalkEnds {
	const known = new Map<number, WalkEnds>();
	return (start) => {
		let ends = known.get(start);
		if (ends === undefined) {
			const starts = new Float64Array(size);
			starts[start] = 1;
			const reached = absorb(starts);
			const blocks: number[] = [];
			for (let block = 0; block < size; block++) {
				if (reached[block]! > RAREST_END) {
					blocks.push(block);
				}
			}
			ends = { blocks: Int32Array.from(blocks), shares: Float64Array.from(blocks, (block) => reached[block]!) };
			known.set(start, ends);
		}
		return ends;
	};
}

export function samplesByBlock({ blocks, blockOf }: ChainGraph, samples: Float64Array): Float64Array {
	const result = new Float64Array(blocks.length);
	for (let i = 0; i < samples.length; i++) {
		if (samples[i]! > 0) {
			const block = blockOf[i]!;
			result[block] = result[block]! + samples[i]!;
		}
	}
	return result;
}

/** Whether a walk to the next safepoint ends with a block. */
function endsWalk({ place, returns, fall, jump }: ChainBlocks, block: number): boolean {
	return returns[block] === 1 || (fall[block]! < 0 && jump[block]! < 0) || ENDS.has(place[block]!);
}

const ENDS: ReadonlySet<number> = new Set([Place.LoopPoll, Place.ReturnPoll, Place.JavaCall, Place.VmCall, Place.Trap]);

class Chain {
	private readonly graph: ChainGraph;
	/** null: not asked for, or released. */
	private solver: SparseSolver | null = null;
	private edges: Edges | null = null;
	private readonly ends: Uint8Array;
	private logits: Float64Array;
	/** Whether the solver holds the matrix of walks that end at safepoints. */
	private stops = false;
	private readonly isFitted: boolean;

	/** `isFitted`: its equations are solved for all blocks anyway. */
	constructor(graph: ChainGraph, isFitted: boolean) {
		const { blocks, guess } = graph;
		this.graph = graph;
		this.isFitted = isFitted;
		this.logits = guess;
		this.ends = new Uint8Array(blocks.length);
		for (let block = 0; block < blocks.length; block++) {
			this.ends[block] = endsWalk(blocks, block) ? 1 : 0;
		}
	}

	/** Lets go of what solves the equations; it is made anew when somebody asks. */
	release(): void {
		this.solver = null;
		this.stops = false;
		this.edges = null;
	}

	private get allEdges(): Edges {
		this.edges ??= edgesBetween(this.graph.blocks);
		return this.edges;
	}

	private get equations(): SparseSolver {
		const { from, to } = this.allEdges;
		this.solver ??= new SparseSolver(this.graph.blocks.length, from, to);
		return this.solver;
	}

	set(logits: Float64Array): void {
		if (logits !== this.logits) {
			this.logits = logits;
			this.stops = false;
		}
	}

	/** Visits of each block for one entry; calls and polls are passed. */
	visits(): Float64Array {
		this.stops = false;
		this.equations.factor(probabilities(this.allEdges, this.logits, null));
		const start = new Float64Array(this.graph.blocks.length);
		start[this.graph.entry] = 1;
		return this.equations.solveTransposed(start);
	}

	/** After {@link visits}. */
	adjoint(gradient: Float64Array): Float64Array {
		return this.equations.solve(gradient);
	}

	absorb(starts: Float64Array): Float64Array {
		// Walks end soon: most reach few blocks of a large compilation. What was asked before changes no digit of it.
		if (!this.isFitted) {
			return new Part(this.graph.blocks, this.ends, this.logits, starts).absorb(starts);
		}
		if (!this.stops) {
			this.equations.factor(probabilities(this.allEdges, this.logits, this.ends));
			this.stops = true;
		}
		const visits = this.equations.solveTransposed(starts);
		for (let block = 0; block < visits.length; block++) {
			if (this.ends[block] === 0) {
				visits[block] = 0;
			}
		}
		return visits;
	}
}

/** What walks from some blocks reach before they end. */
class Part {
	/** Those that are reached. */
	private readonly blocks: number[] = [];
	private readonly ends: Uint8Array;
	private readonly solver: SparseSolver;

	constructor({ length, fall, jump }: ChainBlocks, ends: Uint8Array, logits: Float64Array, starts: Float64Array) {
		this.ends = ends;
		/** From 1 on; 0: not reached. */
		const numbers = new Int32Array(length);
		const reach = (block: number): void => {
			if (block >= 0 && numbers[block] === 0) {
				numbers[block] = this.blocks.push(block);
			}
		};
		for (let block = 0; block < starts.length; block++) {
			if (starts[block] !== 0) {
				reach(block);
			}
		}
		for (let at = 0; at < this.blocks.length; at++) {
			const block = this.blocks[at]!;
			if (ends[block] === 0) {
				reach(fall[block]!);
				reach(jump[block]!);
			}
		}
		const from: number[] = [];
		const to: number[] = [];
		const probability: number[] = [];
		this.blocks.forEach((block, number) => {
			if (ends[block] === 1) {
				return;
			}
			const jumpsTo = jump[block]!;
			const fallsTo = fall[block]!;
			const jumps = 1 / (1 + Math.exp(-logits[block]!));
			if (jumpsTo >= 0) {
				from.push(number);
				to.push(numbers[jumpsTo]! - 1);
				probability.push((fallsTo >= 0 ? jumps : 1) * (1 - LOSS));
			}
			if (fallsTo >= 0) {
				from.push(number);
				to.push(numbers[fallsTo]! - 1);
				probability.push((jumpsTo >= 0 ? 1 - jumps : 1) * (1 - LOSS));
			}
		});
		this.solver = new SparseSolver(this.blocks.length, Int32Array.from(from), Int32Array.from(to));
		this.solver.factor(Float64Array.from(probability));
	}

	absorb(starts: Float64Array): Float64Array {
		const { blocks, ends } = this;
		const own = new Float64Array(blocks.length);
		for (let number = 0; number < own.length; number++) {
			own[number] = starts[blocks[number]!]!;
		}
		const visits = this.solver.solveTransposed(own);
		const result = new Float64Array(starts.length);
		for (let number = 0; number < own.length; number++) {
			const block = blocks[number]!;
			result[block] = ends[block] === 1 ? visits[number]! : 0;
		}
		return result;
	}
}

interface Edges {
	readonly from: Int32Array;
	readonly to: Int32Array;
	/** 0 certain, 1 the jump of a branch, 2 what it falls to. */
	readonly roles: Uint8Array;
	/** Room for what {@link probabilities} tells. */
	readonly probability: Float64Array;
}

function edgesBetween(blocks: ChainBlocks): Edges {
	const { fall, jump } = blocks;
	let length = 0;
	for (let block = 0; block < blocks.length; block++) {
		length += (jump[block]! >= 0 ? 1 : 0) + (fall[block]! >= 0 ? 1 : 0);
	}
	const from = new Int32Array(length);
	const to = new Int32Array(length);
	const roles = new Uint8Array(length);
	let edge = 0;
	const add = (block: number, target: number, role: number): void => {
		from[edge] = block;
		to[edge] = target;
		roles[edge++] = role;
	};
	for (let block = 0; block < blocks.length; block++) {
		const isBranch = blocks.isBranch(block);
		if (jump[block]! >= 0) {
			add(block, jump[block]!, isBranch ? 1 : 0);
		}
		if (fall[block]! >= 0) {
			add(block, fall[block]!, isBranch ? 2 : 0);
		}
	}
	return { from, to, roles, probability: new Float64Array(length) };
}

/** Of each edge; `ends`: nothing goes on behind these blocks. */
function probabilities({ from, roles, probability }: Edges, logits: Float64Array, ends: Uint8Array | null): Float64Array {
	for (let edge = 0; edge < from.length; edge++) {
		const block = from[edge]!;
		const role = roles[edge]!;
		if (ends !== null && ends[block] === 1) {
			probability[edge] = 0;
		} else if (role === 0) {
			probability[edge] = 1 - LOSS;
		} else {
			const jump = 1 / (1 + Math.exp(-logits[block]!));
			probability[edge] = (role === 1 ? jump : 1 - jump) * (1 - LOSS);
		}
	}
	return probability;
}

/** Branches and scale that fit the samples of blocks: deviations from what is assumed, in widths, the last one of the scale. */
class Fit {
	readonly counts: Float64Array;
	private readonly graph: ChainGraph;
	private readonly chain: Chain;
	private readonly costs: Float64Array;
	private readonly free: readonly number[];
	private readonly isReachable: Float64Array;
	private readonly logScale: number;

	constructor(graph: ChainGraph, chain: Chain, costs: Float64Array, counts: Float64Array) {
		this.graph = graph;
		this.chain = chain;
		this.costs = costs;
		this.counts = counts;
		const free: number[] = [];
		for (let block = 0; block < graph.blocks.length; block++) {
			if (graph.blocks.isBranch(block) && graph.width[block]! > 0) {
				free.push(block);
			}
		}
		this.free = free;
		chain.set(graph.guess);
		const first = chain.visits();
		this.isReachable = first.map((visit) => (visit > 0 ? 1 : 0));
		const seen = sumOf(counts.map((count, block) => (this.isReachable[block] === 1 ? count : 0)));
		this.logScale = Math.log(Math.max(seen, 1) / Math.max(costOfVisits(first, costs), 1e-9));
	}

	/** `from`: null for the first guess. */
	fitted(from: Float64Array | null, counts: Float64Array, evaluations: number, steps: Step[]): Float64Array {
		return minimize(from ?? new Float64Array(this.free.length + 1), (x) => this.evaluate(x, counts), evaluations, steps);
	}

	logitsOf(x: Float64Array): Float64Array {
		const { guess, width } = this.graph;
		const result = guess.slice();
		for (let i = 0; i < this.free.length; i++) {
			const block = this.free[i]!;
			result[block] = guess[block]! + width[block]! * x[i]!;
		}
		return result;
	}

	scaleOf(x: Float64Array): number {
		return Math.exp(this.logScale + x[this.free.length]!);
	}

	private evaluate(x: Float64Array, counts: Float64Array): { value: number; gradient: Float64Array } {
		const { graph, chain, costs, free } = this;
		const { blocks, width } = graph;
		const logits = this.logitsOf(x);
		chain.set(logits);
		const visits = chain.visits();
		const scale = this.scaleOf(x);
		const byVisits = new Float64Array(blocks.length);
		const gradient = new Float64Array(x.length);
		let value = 0;
		for (let block = 0; block < blocks.length; block++) {
			if (this.isReachable[block] === 0) {
				continue;
			}
			const count = counts[block]! + BACKGROUND;
			const cost = scale * costs[block]!;
			const expected = Math.max(visits[block]!, 0) * cost + BACKGROUND;
			const weight = 1 / (COST_WIDTH * COST_WIDTH + 1 / (counts[block]! + UNCERTAIN));
			const residual = Math.log(expected / count);
			value += (weight * residual * residual) / 2;
			byVisits[block] = (weight * residual * cost) / expected;
			gradient[free.length] = gradient[free.length]! + byVisits[block]! * visits[block]!;
		}
		const adjoint = chain.adjoint(byVisits);
		for (let i = 0; i < free.length; i++) {
			const block = free[i]!;
			const jumps = 1 / (1 + Math.exp(-logits[block]!));
			const byLogit = jumps * (1 - jumps) * visits[block]! * (adjoint[blocks.jump[block]!]! - adjoint[blocks.fall[block]!]!);
			const away = x[i]!;
			value += (away * away) / 2;
			gradient[i] = byLogit * width[block]! + away;
		}
		return { value, gradient };
	}
}

function costOfVisits(visits: Float64Array, costs: Float64Array): number {
	let sum = 0;
	for (let block = 0; block < visits.length; block++) {
		sum += visits[block]! * costs[block]!;
	}
	return sum;
}

/** Of one execution of these instructions, about in cycles. */
export function costOf(code: Instructions, from: number, to: number): number {
	let sum = 0;
	for (let i = from; i < to; i++) {
		const form = code.formAt(i);
		let cost = COSTS.get(form);
		if (cost === undefined) {
			cost = costOfForm(form);
			if (COSTS.size < MOST_COSTS) {
				COSTS.set(form, cost);
			}
		}
		sum += cost;
	}
	return sum;
}

/** By what instructions look like, of which code has few. */
const COSTS = new Map<string, number>();
const MOST_COSTS = 10_000;

function costOfForm(form: string): number {
	if (form.startsWith('nop')) {
		return 0.1;
	}
	if (/^i?div/.test(form)) {
		return 15;
	}
	return form.startsWith('rep') ? 10 : form.startsWith('call') ? 3 : /[([]/.test(form) ? 2 : 1;
}
