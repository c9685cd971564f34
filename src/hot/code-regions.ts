/** Regions of one piece of code: what belongs together by control flow, or by the distance of sampled addresses. */
import { Flow, type Instructions } from '../model/instructions.js';
import { type ControlFlow, controlFlow } from '../model/loops.js';

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
	/** Ascending. */
	readonly instructions: readonly number[];
	readonly weight: number;
	readonly loop: RegionLoop | null;
}

/**
 * Each loop with what is outside of its inner loops; outside of loops runs of blocks with samples, no further apart than
 * `gapBytes`. Every instruction with weight is in exactly one region.
 */
export function regionsByControlFlow(code: Instructions, weights: Float64Array, gapBytes: number): CodeRegion[] {
	const flow = controlFlow(code);
	const byLoop = new Map<number, number[]>();
	const result: CodeRegion[] = [];
	let run: number[] = [];
	let runWeight = 0;
	let waiting: number[] = [];
	const endRun = (): void => {
		if (run.length > 0) {
			result.push({ instructions: run, weight: runWeight, loop: null });
		}
		run = [];
		runWeight = 0;
		waiting = [];
	};
	flow.blocks.forEach(({ from, to }, block) => {
		const instructions = range(from, to);
		const loop = flow.loopOfBlock[block]!;
		if (loop >= 0) {
			const members = byLoop.get(loop) ?? [];
			members.push(...instructions);
			byLoop.set(loop, members);
			endRun();
			return;
		}
		const weight = weightOf(instructions, weights);
		if (weight === 0) {
			if (run.length > 0) {
				waiting.push(...instructions);
			}
			return;
		}
		const last = run.at(-1);
		if (last !== undefined && code.address[from]! - code.end[last]! > gapBytes) {
			endRun();
		}
		run.push(...waiting, ...instructions);
		runWeight += weight;
		waiting = [];
	});
	endRun();
	for (const [loop, instructions] of byLoop) {
		const weight = weightOf(instructions, weights);
		if (weight > 0) {
			result.push({ instructions, weight, loop: describeLoop(code, flow, loop, instructions) });
		}
	}
	return result;
}

/** As JMH finds regions: addresses with samples, each at most `gapBytes` from the one before; within one piece of code. */
export function regionsByDistance(code: Instructions, weights: Float64Array, gapBytes: number): CodeRegion[] {
	const result: CodeRegion[] = [];
	let first = -1;
	let last = -1;
	const end = (): void => {
		if (first >= 0) {
			const instructions = range(first, last + 1);
			result.push({ instructions, weight: weightOf(instructions, weights), loop: null });
		}
	};
	for (let i = 0; i < code.length; i++) {
		if (weights[i] === 0) {
			continue;
		}
		if (first < 0 || code.address[i]! - code.address[last]! > gapBytes) {
			end();
			first = i;
		}
		last = i;
	}
	end();
	return result;
}

function describeLoop(code: Instructions, { blocks, loops }: ControlFlow, number: number, own: readonly number[]): RegionLoop {
	const loop = loops[number]!;
	const header = blocks[loop.header]?.from as number;
	let backEdge = header;
	let instructions = 0;
	for (const member of loop.blocks) {
		const { from, to, successors } = blocks[member]!;
		instructions += to - from;
		if (successors.includes(loop.header)) {
			backEdge = to - 1;
		}
	}
	const outer = loops[loop.parent];
	return {
		depth: loop.depth,
		instructions,
		header,
		backEdge,
		hasPoll: own.some((i) => code.comments[i]?.includes('{poll}')),
		outerHeader: outer === undefined ? -1 : (blocks[outer.header]?.from as number),
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

function weightOf(instructions: readonly number[], weights: Float64Array): number {
	let result = 0;
	for (const i of instructions) {
		result += weights[i]!;
	}
	return result;
}

function range(from: number, to: number): number[] {
	return Array.from({ length: to - from }, (_, i) => from + i);
}
