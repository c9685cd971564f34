/** Regions of one piece of code: what belongs together by control flow, or by the distance of sampled addresses. */
import type { FlowColumns } from '../model/flow-columns.js';
import { Flow, type Instructions, isPoll, lookAt } from '../model/instructions.js';
import { type ControlFlow, controlFlow } from '../model/loops.js';
import { type LineRanges, someIn, sumIn } from './line-ranges.js';

export interface RegionLoop {
	/** 1 for an outermost loop. */
	readonly depth: number;
	/** Instructions of the loop, those of inner loops among them. */
	readonly instructions: number;
	/** Instruction that the loop is entered at. */
	readonly header: number;
	/** The last jump back to it. */
	readonly backEdge: number;
	/** Whether some instruction outside of inner loops polls for a safepoint. */
	readonly hasPoll: boolean;
	/** The heading of the loop around it, -1 where there is none. */
	readonly outerHeader: number;
}

export interface CodeRegion {
	/** Its instructions. */
	readonly ranges: LineRanges;
	readonly weight: number;
	readonly loop: RegionLoop | null;
}

/**
 * Each loop with what is outside of its inner loops; outside of loops runs of blocks with samples, no further apart than
 * `gapBytes`. Every instruction with weight is in exactly one region.
 */
export function regionsByControlFlow(code: Instructions, weights: Float64Array, gapBytes: number): CodeRegion[] {
	return lookAt(code, (columns) => regionsIn(code, columns, weights, gapBytes));
}

function regionsIn(code: Instructions, { address, end }: FlowColumns, weights: Float64Array, gapBytes: number): CodeRegion[] {
	const flow = controlFlow(code);
	const byLoop = new Map<number, number[]>();
	const result: CodeRegion[] = [];
	// The blocks of a run: its first instruction, and the end of its last block with weight. What no block with weight follows is left out.
	let first = -1;
	let last = -1;
	let runWeight = 0;
	const endRun = (): void => {
		if (first >= 0) {
			result.push({ ranges: Int32Array.of(first, last), weight: runWeight, loop: null });
		}
		first = -1;
		runWeight = 0;
	};
	const weighted = loopsWithWeight(flow, weights);
	const { starts, loopOfBlock } = flow;
	for (let block = 0; block < loopOfBlock.length; block++) {
		const from = starts[block]!;
		const to = starts[block + 1]!;
		const loop = loopOfBlock[block]!;
		if (loop >= 0) {
			endRun();
			if (weighted[loop] === 1) {
				const members = byLoop.get(loop) ?? [];
				byLoop.set(loop, members);
				if (members.at(-1) === from) {
					members.pop();
					members.push(to);
				} else {
					members.push(from, to);
				}
			}
			continue;
		}
		const weight = weightBetween(weights, from, to);
		if (weight === 0) {
			continue;
		}
		if (first >= 0 && address[from]! - end[last - 1]! > gapBytes) {
			endRun();
		}
		first = first < 0 ? from : first;
		last = to;
		runWeight += weight;
	}
	endRun();
	for (const [loop, members] of byLoop) {
		const ranges = Int32Array.from(members);
		result.push({ ranges, weight: sumIn(ranges, weights), loop: describeLoop(code, flow, loop, ranges) });
	}
	return result;
}

/** 1 for each loop that has weight outside of its inner loops. */
function loopsWithWeight({ starts, loops, loopOfBlock }: ControlFlow, weights: Float64Array): Uint8Array {
	const result = new Uint8Array(loops.length);
	for (let block = 0; block < loopOfBlock.length; block++) {
		const loop = loopOfBlock[block]!;
		if (loop >= 0 && result[loop] === 0 && weightBetween(weights, starts[block]!, starts[block + 1]!) > 0) {
			result[loop] = 1;
		}
	}
	return result;
}

function weightBetween(weights: Float64Array, from: number, to: number): number {
	let result = 0;
	for (let i = from; i < to; i++) {
		result += weights[i]!;
	}
	return result;
}

/** As JMH finds regions: addresses with samples, each at most `gapBytes` from the one before; within one piece of code. */
export function regionsByDistance({ address }: FlowColumns, weights: Float64Array, gapBytes: number): CodeRegion[] {
	const result: CodeRegion[] = [];
	let first = -1;
	let last = -1;
	const end = (): void => {
		if (first >= 0) {
			const ranges = Int32Array.of(first, last + 1);
			result.push({ ranges, weight: sumIn(ranges, weights), loop: null });
		}
	};
	for (let i = 0; i < address.length; i++) {
		if (weights[i] === 0) {
			continue;
		}
		if (first < 0 || address[i]! - address[last]! > gapBytes) {
			end();
			first = i;
		}
		last = i;
	}
	end();
	return result;
}

function describeLoop(code: Instructions, flow: ControlFlow, number: number, own: LineRanges): RegionLoop {
	const { starts, loops } = flow;
	const loop = loops[number]!;
	const header = starts[loop.header]!;
	let backEdge = header;
	let instructions = 0;
	for (const member of loop.blocks) {
		instructions += starts[member + 1]! - starts[member]!;
		if (flow.leadsTo(member, loop.header)) {
			backEdge = starts[member + 1]! - 1;
		}
	}
	const outer = loops[loop.parent];
	return {
		depth: loop.depth,
		instructions,
		header,
		backEdge,
		hasPoll: someIn(own, (i) => isPoll(code, i)),
		outerHeader: outer === undefined ? -1 : starts[outer.header]!,
	};
}

/** Jumps between instructions of a region, for drawing: [from, to] as positions in `instructions`. */
export function jumpsInside(code: Instructions, instructions: readonly number[]): [number, number][] {
	const positions = new Map(instructions.map((i, position) => [code.address[i]!, position]));
	const result: [number, number][] = [];
	instructions.forEach((i, position) => {
		const to = code.flow[i] === Flow.Jump || code.flow[i] === Flow.Branch ? positions.get(code.target[i]!) : undefined;
		if (to !== undefined) {
			result.push([position, to]);
		}
	});
	return result;
}
