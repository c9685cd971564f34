/** Which instructions of a compilation lead to which: predecessors and basic blocks, from fall-through and direct jumps. */
import { directJumps } from '../model/direct-jumps.js';
import type { FlowColumns } from '../model/flow-columns.js';
import { Flow, type Instructions, instructionAt } from '../model/instructions.js';
import { isNop } from './instruction-cost.js';

/** Entered from outside; reached by nothing but, perhaps, an indirect jump; the text before it is missing. */
export type NoPredecessor = 'entry' | 'no predecessor' | 'gap';

const Fall = { Unknown: 0, Into: 1, Not: 2 } as const;

export class ControlFlow {
	private readonly code: Instructions;
	private readonly columns: FlowColumns;
	private readonly isEntry: Uint8Array;
	/** Whether an entry was named there. */
	private readonly isStartEntered: boolean;
	/** What is known of each: it is asked for near samples. */
	private readonly fall: Uint8Array;
	/** The jumps to an instruction are those in `jumps` from `jumpStart[i]` up to `jumpStart[i + 1]`. */
	private readonly jumpStart: Int32Array;
	private readonly jumps: Int32Array;

	/** `columns`: those of the code. */
	constructor(code: Instructions, columns: FlowColumns, entries: Iterable<number>) {
		this.code = code;
		this.columns = columns;
		this.isEntry = new Uint8Array(code.length);
		for (const address of entries) {
			const at = instructionAt(columns.address, address);
			if (at >= 0) {
				this.isEntry[at] = 1;
			}
		}
		const { starts, sources } = jumpsByTarget(code);
		this.isStartEntered = this.isEntry[0] === 1;
		this.fall = new Uint8Array(code.length);
		this.jumpStart = starts;
		this.jumps = sources;
		if (code.length > 0) {
			this.isEntry[0] = 1;
		}
	}

	/** Positions, each once; or why there are none to move to. */
	predecessors(at: number): number[] | NoPredecessor {
		if (this.isEntry[at] === 1) {
			return 'entry';
		}
		const result = this.fallsInto(at) ? [at - 1] : [];
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
			const endsBlock = this.columns.flow[i - 1] === Flow.Branch || !this.fallsInto(i);
			if (endsBlock || this.isEntry[i] === 1 || this.isJumpTarget(i)) {
				starts.push(i);
			}
		}
		return Int32Array.from(starts);
	}

	/** Whether execution comes from the instruction before. Padding between pieces of code, nops that nothing leads to, does not fall into what follows it. */
	private fallsInto(at: number): boolean {
		const { fall } = this;
		const { flow } = this.columns;
		let first = at;
		while (fall[first] === Fall.Unknown && first > 0 && goesOn(flow[first - 1]!) && !this.isAfterGap(first) && !this.isReached(first - 1)) {
			first--;
		}
		if (fall[first] === Fall.Unknown) {
			fall[first] = first > 0 && goesOn(flow[first - 1]!) && !this.isAfterGap(first) ? Fall.Into : Fall.Not;
		}
		fall.fill(fall[first]!, first + 1, at + 1);
		return fall[at] === Fall.Into;
	}

	/** Whatever lies before it. */
	private isReached(at: number): boolean {
		return (at === 0 ? this.isStartEntered : this.isEntry[at] === 1) || this.isJumpTarget(at) || !isNop(this.code.formAt(at));
	}

	private isAfterGap(at: number): boolean {
		return at > 0 && this.columns.end[at - 1] !== this.columns.address[at];
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
