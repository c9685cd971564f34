/** Which instructions of a compilation lead to which: predecessors and basic blocks, from fall-through and direct jumps. */
import { directJumps } from '../model/direct-jumps.js';
import { Flow, type Instructions, instructionAt } from '../model/instructions.js';
import { isNop } from './instruction-cost.js';

/** Entered from outside; reached by nothing but, perhaps, an indirect jump; the text before it is missing. */
export type NoPredecessor = 'entry' | 'no predecessor' | 'gap';

export class ControlFlow {
	private readonly code: Instructions;
	private readonly isEntry: Uint8Array;
	/** 1 where execution comes from the instruction before. */
	private readonly fallsInto: Uint8Array;
	/** The jumps to an instruction are those in `jumps` from `jumpStart[i]` up to `jumpStart[i + 1]`. */
	private readonly jumpStart: Int32Array;
	private readonly jumps: Int32Array;

	constructor(code: Instructions, entries: Iterable<number>) {
		this.code = code;
		this.isEntry = new Uint8Array(code.length);
		for (const address of entries) {
			const at = instructionAt(code.address, address);
			if (at >= 0) {
				this.isEntry[at] = 1;
			}
		}
		const { starts, sources } = jumpsByTarget(code);
		this.jumpStart = starts;
		this.jumps = sources;
		this.fallsInto = this.findFallThrough();
		if (code.length > 0) {
			this.isEntry[0] = 1;
		}
	}

	/** Positions, each once; or why there are none to move to. */
	predecessors(at: number): number[] | NoPredecessor {
		if (this.isEntry[at] === 1) {
			return 'entry';
		}
		const result = this.fallsInto[at] === 1 ? [at - 1] : [];
		for (let i = this.jumpStart[at]!; i < this.jumpStart[at + 1]!; i++) {
			const source = this.jumps[i]!;
			// A branch to the next instruction leads there once.
			if (source !== result[0]) {
				result.push(source);
			}
		}
		return result.length > 0 ? result : this.isAfterGap(at) ? 'gap' : 'no predecessor';
	}

	blockStarts(): Int32Array {
		const starts: number[] = [];
		for (let i = 0; i < this.code.length; i++) {
			const endsBlock = this.code.flow[i - 1] === Flow.Branch || this.fallsInto[i] === 0;
			if (endsBlock || this.isEntry[i] === 1 || this.isJumpTarget(i)) {
				starts.push(i);
			}
		}
		return Int32Array.from(starts);
	}

	/** Padding between pieces of code, nops that nothing leads to, does not fall into what follows it. */
	private findFallThrough(): Uint8Array {
		const { length, flow } = this.code;
		const result = new Uint8Array(length);
		let isBeforeReached = false;
		for (let i = 0; i < length; i++) {
			if (i > 0 && isBeforeReached && goesOn(flow[i - 1]!) && !this.isAfterGap(i)) {
				result[i] = 1;
			}
			isBeforeReached = result[i] === 1 || this.isEntry[i] === 1 || this.isJumpTarget(i) || !isNop(this.code.formAt(i));
		}
		return result;
	}

	private isAfterGap(at: number): boolean {
		return at > 0 && this.code.end[at - 1] !== this.code.address[at];
	}

	private isJumpTarget(at: number): boolean {
		return this.jumpStart[at + 1]! > this.jumpStart[at]!;
	}
}

function goesOn(flow: number): boolean {
	return flow === Flow.Next || flow === Flow.Branch || flow === Flow.Call;
}

/** Direct jumps and branches inside the code, grouped by the position of their target. */
function jumpsByTarget(code: Instructions): { readonly starts: Int32Array; readonly sources: Int32Array } {
	const { length } = code;
	const { from, to } = directJumps(code);
	const starts = new Int32Array(length + 1);
	for (const at of to) {
		starts[at + 1] = starts[at + 1]! + 1;
	}
	for (let i = 0; i < length; i++) {
		starts[i + 1] = starts[i + 1]! + starts[i]!;
	}
	const filled = starts.slice();
	const sources = new Int32Array(starts[length]!);
	for (let k = 0; k < from.length; k++) {
		const at = to[k]!;
		const slot = filled[at]!;
		sources[slot] = from[k]!;
		filled[at] = slot + 1;
	}
	return { starts, sources };
}
