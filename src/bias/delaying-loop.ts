/**
 * The loops of machine code with an eye on safepoint polls: does a thread inside stop soon? C2 takes the poll out of loops that count with an
 * int by a constant step (-XX:-UseCountedLoopSafepoints, the default without G1, ZGC and Shenandoah), or puts it into a loop around
 * strips of them (loop strip mining, JDK-8186027); C1 and the interpreter poll on every backward jump.
 */
import { Flow, type Instructions, isPoll } from '../model/instructions.js';
import { blockOfEach, type ControlFlow } from '../model/loops.js';
import { loopStructure, ownInstructions, type SplitLoop } from './split-loops.js';

/** Polls on every iteration; only in a loop around it; nowhere. */
type LoopPoll = 'iteration' | 'strip' | 'none';

export interface DelayingLoop {
	/** Address that it is entered at. */
	readonly header: number;
	/** The byte after its last instruction. Blocks of other loops may lie between. */
	readonly end: number;
	/** Numbers of its instructions, inner loops left out. */
	readonly instructions: readonly number[];
	readonly poll: LoopPoll;
	/** Whether it calls methods: these poll when they return. */
	readonly callsMethods: boolean;
}

/** The smallest loop around each instruction, found when first asked for. */
export class DelayingLoops {
	private readonly code: Instructions;
	private readonly flow: ControlFlow;
	private readonly blockOf: Int32Array;
	private readonly splits: ReadonlyMap<number, SplitLoop>;
	private readonly known = new Map<number, DelayingLoop>();

	constructor(code: Instructions) {
		this.code = code;
		const { flow, splits } = loopStructure(code);
		this.flow = flow;
		this.splits = splits;
		this.blockOf = blockOfEach(flow);
	}

	/** Null outside of loops. */
	around(instruction: number): DelayingLoop | null {
		const loop = this.flow.loopOfBlock[this.blockOf[instruction]!] ?? -1;
		return loop < 0 ? null : this.describe(loop);
	}

	all(): DelayingLoop[] {
		return this.flow.loops.map((_, loop) => this.describe(loop));
	}

	private describe(loop: number): DelayingLoop {
		const found = this.known.get(loop);
		if (found !== undefined) {
			return found;
		}
		const { code, flow } = this;
		const instructions = ownInstructions(this.flow, loop);
		const header = flow.starts[flow.loops[loop]!.header]!;
		const result: DelayingLoop = {
			header: code.address[header]!,
			end: instructions.reduce((end, i) => Math.max(end, code.end[i]!), 0),
			instructions,
			poll: this.hasPoll(loop) ? 'iteration' : this.isInsideSplit(loop) ? 'strip' : 'none',
			callsMethods: instructions.some((i) => code.flow[i] === Flow.Call && code.comments[i]?.some((text) => METHOD_CALL.test(text))),
		};
		this.known.set(loop, result);
		return result;
	}

	/** In a nest that C2 made of one loop; a loop of the source around it polls only when this one has ended. */
	private isInsideSplit(loop: number): boolean {
		for (let outer = this.flow.loops[loop]?.parent ?? -1; outer >= 0; outer = this.flow.loops[outer]?.parent ?? -1) {
			if (this.splits.has(outer)) {
				return true;
			}
		}
		return false;
	}

	private hasPoll(loop: number): boolean {
		return ownInstructions(this.flow, loop).some((i) => isPoll(this.code, i));
	}
}

const METHOD_CALL = /^\{(?:(?:optimized )?virtual_call|static_call)/;
