/**
 * Skid: a timer's interrupt is taken when the instruction that holds everything up retires, so the sample names the instruction that
 * comes after it in control flow. `moveSkid` moves samples back by the rule of a measured study: 149 assembly loops with one known slow
 * instruction each, and 22 Java loops; `calibrateSkid` tells from the samples whether a recording has this shift at all.
 *
 * What follows from the rule: a sample on the instruction after a call moves to the call, where the callee's return waited, and one at
 * the target of a mispredicted branch to the branch. Neither is a slow instruction.
 */
import { firstWhere } from '../model/binary-search.js';
import type { FlowColumns } from '../model/flow-columns.js';
import { Flow, type Instructions, lookAt } from '../model/instructions.js';
import { SparseColumn } from '../model/sparse-column.js';
import { ControlFlow, type NoPredecessor } from './control-flow.js';
import { costOf, isRepString, isSerializing, SLOW } from './instruction-cost.js';

/** Why weight stays where it was seen; `rep`: a repeated string instruction, which is interrupted between its steps. */
export type StayReason = 'rep' | NoPredecessor;

/** Weight that went from one basic block to another; positions of instructions. */
export interface BlockCrossing {
	readonly from: number;
	readonly to: number;
	readonly weight: number;
}

/** Weights after moving, and which stayed and why. */
export interface MovedSkid {
	/** Weight of each instruction after moving; adds up to what was seen. */
	readonly analysed: Float64Array;
	readonly left: Readonly<Record<StayReason, number>>;
	/** Both below are found when they are asked for. Position of the first instruction of each basic block, ascending. Calls do not end a block. */
	readonly blockStarts: Int32Array;
	/** The weight of a block changes by these and nothing else. */
	readonly crossings: readonly BlockCrossing[];
}

/**
 * @param seen weight of each instruction: samples, or periods; any unit
 * @param entries addresses that are entered from outside, besides the first instruction: verified entry points, handlers, OSR entries
 */
export function moveSkid(code: Instructions, seen: Float64Array, entries: Iterable<number> = []): MovedSkid {
	// All columns are looked at: block starts are found later.
	const { flow, weights, left, moves } = movedWeights(code, code, seen, entries);
	const analysed = new Float64Array(code.length);
	for (const [at, weight] of weights) {
		analysed[at] = weight;
	}
	let blockStarts: Int32Array | null = null;
	const starts = (): Int32Array => {
		blockStarts ??= flow.blockStarts();
		return blockStarts;
	};
	return {
		analysed,
		left,
		get blockStarts() {
			return starts();
		},
		get crossings() {
			const blocks = new BlockLookup(starts());
			return moves.filter(({ from, to }) => blocks.of(from) !== blocks.of(to));
		},
	};
}

interface MovedWeights {
	readonly flow: ControlFlow;
	/** By instruction. */
	readonly weights: ReadonlyMap<number, number>;
	readonly left: MovedSkid['left'];
	readonly moves: readonly BlockCrossing[];
}

/** The same without columns of weights. `columns`: those of the code. */
export function movedWeights(code: Instructions, columns: FlowColumns, seen: Float64Array, entries: Iterable<number>): MovedWeights {
	const flow = new ControlFlow(code, columns, entries);
	const weights = new Map<number, number>();
	const left: Record<StayReason, number> = { rep: 0, entry: 0, 'no predecessor': 0, gap: 0 };
	const moves: BlockCrossing[] = [];
	const add = (at: number, weight: number): void => {
		weights.set(at, (weights.get(at) ?? 0) + weight);
	};
	for (let from = 0; from < code.length; from++) {
		const weight = seen[from] ?? 0;
		if (weight === 0) {
			continue;
		}
		const origins = isRepString(code.formAt(from)) ? 'rep' : originsOf(code, flow, from);
		if (typeof origins === 'string') {
			left[origins] += weight;
			add(from, weight);
			continue;
		}
		for (const { at, share } of origins) {
			add(at, weight * share);
			moves.push({ from, to: at, weight: weight * share });
		}
	}
	return { flow, weights, left, moves };
}

/** Whether a recording's samples are late, by where they lie around slow instructions. */
export interface SkidCalibration {
	/** Of the weight on slow instructions and the ones right after them, the part on the slow ones: near 0 with skid, near 1 without. */
	readonly share: number | null;
	/** That weight. */
	readonly samples: number;
	/** Whether to show moved weights; `undecided`: show only what was seen, with the reason. */
	readonly verdict: 'shift' | 'no shift' | 'undecided';
	readonly reason: string;
}

/** The limits were chosen between what was measured with skid (0.01 to 0.16) and 1; recordings without skid were not at hand. */
const SHIFT_BELOW = 0.3;
const NO_SHIFT_ABOVE = 0.7;
export const ENOUGH_SAMPLES = 50;

/** @param pieces compilations with the samples on each instruction, one event; counts, not periods */
export function calibrateSkid(pieces: Iterable<{ readonly code: Instructions; readonly seen: Float64Array }>): SkidCalibration {
	const calibrator = new SkidCalibrator();
	for (const { code, seen } of pieces) {
		calibrator.add(code, SparseColumn.of(seen));
	}
	return calibrator.result();
}

/** The same, one piece after the other. */
export class SkidCalibrator {
	private on = 0;
	private after = 0;

	add(code: Instructions, { rows, values }: SparseColumn): void {
		lookAt(code, (columns) => {
			for (let k = 0; k < rows.length; k++) {
				const i = rows[k]!;
				// Each pair of neighbours with samples once.
				if (rows[k - 1] !== i - 1) {
					this.pair(code, columns, i - 1, 0, values[k]!);
				}
				this.pair(code, columns, i, values[k]!, rows[k + 1] === i + 1 ? values[k + 1]! : 0);
			}
		});
	}

	private pair(code: Instructions, columns: FlowColumns, i: number, own: number, next: number): void {
		if (i >= 0 && i + 1 < code.length && isLoneSlow(code, columns, i)) {
			this.on += own;
			this.after += next;
		}
	}

	result(): SkidCalibration {
		const { on, after } = this;
		const samples = on + after;
		if (samples < ENOUGH_SAMPLES) {
			const reason = `${samples} samples on slow instructions (divisions, atomics, fences …) or right after them; ${ENOUGH_SAMPLES} are needed to tell`;
			return { share: samples > 0 ? on / samples : null, samples, verdict: 'undecided', reason };
		}
		const share = on / samples;
		const verdict = share < SHIFT_BELOW ? 'shift' : share > NO_SHIFT_ABOVE ? 'no shift' : 'undecided';
		const limits = verdict === 'undecided' ? `; below ${SHIFT_BELOW * 100} % samples are late, above ${NO_SHIFT_ABOVE * 100} % they are not` : '';
		const reason = `${(share * 100).toFixed(0)} % of ${samples} samples lie on slow instructions, the others on the ones right after them${limits}`;
		return { share, samples, verdict, reason };
	}
}

/** Modifiers of an event, at its end after a colon or slash: `cycles:upp`, `cpu/event=0x3c/ppp`. */
const MODIFIERS = /[:/]([ukhHGSDIWepPb]+)$/;
const PRECISE = /^(ibs_(op|fetch)|arm_spe)|(^|\W)mem-(loads|stores)/;

/** Whether samples of an event, named as in perf's output, name the very instruction: they are never moved. */
export function isPreciseEvent(name: string): boolean {
	return PRECISE.test(name) || /p/i.test(MODIFIERS.exec(name)?.[1] ?? '');
}

interface Origin {
	readonly at: number;
	/** Of the weight; all add up to 1. */
	readonly share: number;
}

/** The predecessors, in proportion to their cost; behind a cheap one the serializing one before it. */
function originsOf(code: Instructions, flow: ControlFlow, at: number): Origin[] | NoPredecessor {
	const predecessors = flow.predecessors(at);
	if (typeof predecessors === 'string') {
		return predecessors;
	}
	const costs = predecessors.length === 1 ? [1] : predecessors.map((i) => costOf(code.formAt(i)));
	const total = costs.reduce((sum, cost) => sum + cost, 0);
	return predecessors.flatMap((predecessor, i) => {
		const share = total === 0 ? 1 / predecessors.length : costs[i]! / total;
		const holding = serializingBefore(code, flow, predecessor);
		return holding.length === 0 ? [{ at: predecessor, share }] : holding.map((before) => ({ at: before, share: share / holding.length }));
	});
}

function serializingBefore(code: Instructions, flow: ControlFlow, at: number): number[] {
	const predecessors = flow.predecessors(at);
	const holding = typeof predecessors === 'string' ? [] : predecessors.filter((i) => isSerializing(code.formAt(i)));
	return holding.length > 0 && costOf(code.formAt(at)) <= 1 ? holding : [];
}

/** Slow, goes on to the next line, and that one is not slow itself. */
function isLoneSlow(code: Instructions, { flow, address, end }: FlowColumns, i: number): boolean {
	if (flow[i] !== Flow.Next || end[i] !== address[i + 1]) {
		return false;
	}
	const text = code.formAt(i);
	return costOf(text) >= SLOW && !isRepString(text) && costOf(code.formAt(i + 1)) < SLOW;
}

class BlockLookup {
	private readonly starts: Int32Array;

	constructor(starts: Int32Array) {
		this.starts = starts;
	}

	of(at: number): number {
		return firstWhere(this.starts.length, (i) => this.starts[i]! > at) - 1;
	}
}
