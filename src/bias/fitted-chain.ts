/**
 * The Markov chain of a compilation with its branches fitted to the samples: how often blocks are executed, times what their
 * instructions cost, has to be as often as they were sampled, as far as the samples tell; the rest stays with the first guess. The
 * gradient takes one solution of the adjoint system.
 */
import type { Instructions } from '../model/instructions.js';
import { sumOf } from '../statistics/sums.js';
import { type ChainBlock, type ChainGraph, chainGraph, isBranch } from './chain-blocks.js';
import { minimize, type Step } from './minimize.js';
import type { PrintedMethod } from './printed-method.js';
import { Place, type PlaceKind } from './safepoint-places.js';
import { SparseSolver } from './sparse-solver.js';

/** So much is lost on each edge that a loop without an exit has a finite solution. */
const LOSS = 1e-10;
/** Samples of a block that has none. */
const BACKGROUND = 0.3;
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

/** `samples` by instruction; null for code without any. */
export function fittedChain(method: PrintedMethod, samples: Float64Array | null): FittedChain {
	const graph = chainGraph(method);
	const chain = new Chain(graph);
	const costs = Float64Array.from(graph.blocks, (block) => costOf(method.instructions, block));
	const total = sumOf(samples ?? []);
	const weights = (logits: Float64Array, unit: (visits: Float64Array) => number): ChainWeights => {
		chain.set(logits);
		const visits = chain.visits();
		const times = unit(visits);
		for (let block = 0; block < visits.length; block++) {
			visits[block] = visits[block]! * times;
		}
		return {
			executions: visits,
			absorb: (starts) => {
				chain.set(logits);
				return chain.absorb(starts);
			},
		};
	};
	const common = {
		method,
		graph,
		timesOf: (samples: number): number => Math.max(samples, BACKGROUND) / Math.max(total, BACKGROUND),
		release: () => chain.release(),
	};
	if (total < FEWEST_SAMPLES) {
		const first = weights(graph.guess, (visits) => Math.max(total, BACKGROUND) / Math.max(costOfVisits(visits, costs), 1e-9));
		return { ...common, jumpShares: jumpShares(graph.guess), ...first, endsFrom: endsFrom(first, graph.blocks.length), refitted: () => null };
	}
	const fit = new Fit(graph, chain, costs, samplesByBlock(graph, samples ?? new Float64Array(0)));
	const steps: Step[] = [];
	const x = fit.fitted(null, fit.counts, EVALUATIONS, steps);
	const logits = fit.logitsOf(x);
	const fitted = weights(logits, () => fit.scaleOf(x));
	return {
		...common,
		jumpShares: jumpShares(logits),
		...fitted,
		endsFrom: endsFrom(fitted, graph.blocks.length),
		refitted: (counts) => {
			const moved = fit.fitted(x, counts, EVALUATIONS_REDRAWN, [...steps]);
			return weights(fit.logitsOf(moved), () => fit.scaleOf(moved));
		},
	};
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

function jumpShares(logits: Float64Array): Float64Array {
	return logits.map((logit) => 1 / (1 + Math.exp(-logit)));
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

/** Whether a walk to the next safepoint ends with this block. */
function endsWalk({ place, returns, fall, jump }: ChainBlock): boolean {
	return returns || (fall < 0 && jump < 0) || (ENDS as readonly PlaceKind[]).includes(place);
}

const ENDS = [Place.LoopPoll, Place.ReturnPoll, Place.JavaCall, Place.VmCall, Place.Trap] as const;

class Chain {
	private readonly graph: ChainGraph;
	/** null: released. */
	private solver: SparseSolver | null = null;
	/** Where each edge begins and ends. */
	private readonly from: Int32Array;
	private readonly to: Int32Array;
	/** For each edge: 0 certain, 1 the jump of a branch, 2 what it falls to. */
	private readonly roles: Uint8Array;
	private readonly probability: Float64Array;
	private readonly ends: Uint8Array;
	private logits: Float64Array;
	/** Whether the solver holds the matrix of walks that end at safepoints. */
	private stops = false;

	constructor(graph: ChainGraph) {
		this.graph = graph;
		this.logits = graph.guess;
		this.ends = Uint8Array.from(graph.blocks, (block) => (endsWalk(block) ? 1 : 0));
		const from: number[] = [];
		const to: number[] = [];
		const roles: number[] = [];
		graph.blocks.forEach((block, number) => {
			const branch = isBranch(block);
			if (block.jump >= 0) {
				from.push(number);
				to.push(block.jump);
				roles.push(branch ? 1 : 0);
			}
			if (block.fall >= 0) {
				from.push(number);
				to.push(block.fall);
				roles.push(branch ? 2 : 0);
			}
		});
		this.from = Int32Array.from(from);
		this.to = Int32Array.from(to);
		this.roles = Uint8Array.from(roles);
		this.probability = new Float64Array(from.length);
	}

	/** Lets go of what solves the equations; it is made anew when somebody asks. */
	release(): void {
		this.solver = null;
		this.stops = false;
	}

	private get equations(): SparseSolver {
		this.solver ??= new SparseSolver(this.graph.blocks.length, this.from, this.to);
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
		this.equations.factor(this.probabilities(false));
		const start = new Float64Array(this.graph.blocks.length);
		start[this.graph.entry] = 1;
		return this.equations.solveTransposed(start);
	}

	/** After {@link visits}. */
	adjoint(gradient: Float64Array): Float64Array {
		return this.equations.solve(gradient);
	}

	absorb(starts: Float64Array): Float64Array {
		if (!this.stops) {
			this.equations.factor(this.probabilities(true));
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

	private probabilities(stops: boolean): Float64Array {
		const { from, roles, ends, logits, probability } = this;
		for (let edge = 0; edge < from.length; edge++) {
			const block = from[edge]!;
			const role = roles[edge]!;
			if (stops && ends[block] === 1) {
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
}

/** Branches and scale that fit the samples of blocks: deviations from what is assumed, in widths, the last one of the scale. */
class Fit {
	readonly counts: Float64Array;
	private readonly graph: ChainGraph;
	private readonly chain: Chain;
	private readonly costs: Float64Array;
	private readonly free: readonly number[];
	private readonly isReachable: readonly boolean[];
	private readonly logScale: number;

	constructor(graph: ChainGraph, chain: Chain, costs: Float64Array, counts: Float64Array) {
		this.graph = graph;
		this.chain = chain;
		this.costs = costs;
		this.counts = counts;
		this.free = graph.blocks.flatMap((block, number) => (isBranch(block) && graph.width[number]! > 0 ? [number] : []));
		chain.set(graph.guess);
		const first = chain.visits();
		this.isReachable = Array.from(first, (visit) => visit > 0);
		const seen = sumOf(counts.map((count, block) => (this.isReachable[block] ? count : 0)));
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
			if (!this.isReachable[block]) {
				continue;
			}
			const count = counts[block]! + BACKGROUND;
			const cost = scale * costs[block]!;
			const expected = Math.max(visits[block]!, 0) * cost + BACKGROUND;
			const weight = 1 / (COST_WIDTH * COST_WIDTH + 1 / count);
			const residual = Math.log(expected / count);
			value += (weight * residual * residual) / 2;
			byVisits[block] = (weight * residual * cost) / expected;
			gradient[free.length] = gradient[free.length]! + byVisits[block]! * visits[block]!;
		}
		const adjoint = chain.adjoint(byVisits);
		for (let i = 0; i < free.length; i++) {
			const block = free[i]!;
			const { fall, jump } = blocks[block]!;
			const jumps = 1 / (1 + Math.exp(-logits[block]!));
			const byLogit = jumps * (1 - jumps) * visits[block]! * (adjoint[jump]! - adjoint[fall]!);
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

/** Of one execution, about in cycles. */
export function costOf(code: Instructions, { from, to }: ChainBlock): number {
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
