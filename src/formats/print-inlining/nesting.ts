/** Lines of inlining to decisions: which compilation they are of, and from which calls in which the call is reached. */
import { type InliningLine, type PrintedReceiver, ROOT_COLUMN, type Verdict } from './line.js';

/** A line of PrintInlining: what was decided about a callee, and inside of which call. */
export interface PrintedDecision extends Verdict {
	/** Of the compilation, with `%` behind that of an OSR compilation; null where no line of a compilation was found before. */
	readonly compileId: string | null;
	/** Bytecode indices of the calls, from the root's to this one. */
	readonly bcis: readonly number[];
	/** Receiver types in the profile of the call, as far as C2 told. The decisions of one call share them. */
	readonly receivers: readonly PrintedReceiver[];
	/** Line in the file in which it ends, from 1. */
	readonly line: number;
}

interface OpenCall {
	readonly column: number;
	readonly bci: number;
	readonly receivers: PrintedReceiver[];
}

/** What one compiler's lines are nested in. */
export class Nesting {
	/** The compilation that its lines are of. */
	private compileId: string | null = null;
	private open: OpenCall[] = [];
	/** The call that was nested in each level last: another decision for it may follow. */
	private readonly latest = new Map<number, OpenCall>();
	/** Columns of the first lines of compilations, with how often: the most frequent is that of calls in the compilation's own method. */
	private readonly firstColumns = new Map<number, number>();
	private base = 0;
	private isFirst = true;

	begin(compileId: string): void {
		this.compileId = compileId;
		this.open = [];
		this.latest.clear();
		this.isFirst = true;
	}

	/** Adds the decisions of a line; false if the call around it was not printed, so that its place is not known. */
	decide(line: InliningLine, number: number, decisions: PrintedDecision[]): boolean {
		const { column, bci } = line;
		if (column < ROOT_COLUMN) {
			return false;
		}
		this.learnBase(column);
		while (this.open.length > 0 && this.open.at(-1)!.column >= column) {
			this.open.pop();
		}
		const parent = this.open.at(-1)?.column ?? this.base - 2;
		if (column !== parent + 2) {
			return false;
		}
		const previous = this.latest.get(column);
		const call = previous?.bci === bci ? previous : { column, bci, receivers: [] };
		for (const receiver of line.receivers) {
			call.receivers.push(receiver);
		}
		this.open.push(call);
		this.latest.set(column, call);
		this.latest.delete(column + 2);
		const bcis = this.open.map((each) => each.bci);
		for (const verdict of line.verdicts) {
			decisions.push({ compileId: this.compileId, bcis, ...verdict, receivers: call.receivers, line: number });
		}
		return true;
	}

	private learnBase(column: number): void {
		if (!this.isFirst && this.base > 0) {
			return;
		}
		this.isFirst = false;
		const count = (this.firstColumns.get(column) ?? 0) + 1;
		this.firstColumns.set(column, count);
		if (count >= (this.firstColumns.get(this.base) ?? 0)) {
			this.base = column;
		}
	}

	/** A receiver type of the call that was printed last at this column; false if there is none. */
	addReceiver(column: number, receiver: PrintedReceiver): boolean {
		const call = this.latest.get(column);
		call?.receivers.push(receiver);
		return call !== undefined;
	}
}
