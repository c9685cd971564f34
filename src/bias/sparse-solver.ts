/**
 * Solves (I - P) x = b and its transpose for substochastic P of one fixed pattern, by Gaussian elimination without pivoting, which is stable
 * for such matrices. The order of elimination (least degree first) and the fill-in are found once; code has few edges across, so both stay small.
 */
export class SparseSolver {
	private readonly size: number;
	/** By order of elimination: the state. */
	private readonly order: Int32Array;
	/** The slot (k,k) of each state. */
	private readonly diagonal: Int32Array;
	/** Of each step, from `…From[step]` on: pairs of the slot (i,k) and i, and of (k,j) and j, of what is left. */
	private readonly columns: Int32Array;
	private readonly columnsFrom: Int32Array;
	private readonly rows: Int32Array;
	private readonly rowsFrom: Int32Array;
	/** Of each step: triples of slots (i,j), (i,k), (k,j). */
	private readonly updates: Int32Array;
	private readonly updatesFrom: Int32Array;
	private readonly edgeSlots: Int32Array;
	private readonly values: Float64Array;

	/** Edges lead from `from[edge]` to `to[edge]`, states below `size`. */
	constructor(size: number, from: Int32Array, to: Int32Array) {
		this.size = size;
		const pattern = new Pattern(size, from, to);
		this.edgeSlots = pattern.edgeSlots;
		this.diagonal = new Int32Array(size);
		for (let k = 0; k < size; k++) {
			this.diagonal[k] = k;
		}
		this.order = new Int32Array(size);
		this.columnsFrom = new Int32Array(size + 1);
		this.rowsFrom = new Int32Array(size + 1);
		this.updatesFrom = new Int32Array(size + 1);
		const columns = COLUMNS.begin();
		const rows = ROWS.begin();
		const updates = UPDATES.begin();
		for (let step = 0; step < size; step++) {
			const k = pattern.cheapest();
			this.order[step] = k;
			pattern.eliminate(k, columns, rows, updates);
			this.columnsFrom[step + 1] = columns.length;
			this.rowsFrom[step + 1] = rows.length;
			this.updatesFrom[step + 1] = updates.length;
		}
		this.columns = columns.all();
		this.rows = rows.all();
		this.updates = updates.all();
		this.values = new Float64Array(pattern.slots);
	}

	/** Takes the probability of each edge, in the order given to the constructor. */
	factor(probabilities: Float64Array): void {
		const { diagonal, updates, updatesFrom, order, values, edgeSlots, size } = this;
		values.fill(0);
		for (let i = 0; i < edgeSlots.length; i++) {
			const slot = edgeSlots[i]!;
			values[slot] = values[slot]! - probabilities[i]!;
		}
		for (let i = 0; i < size; i++) {
			const slot = diagonal[i]!;
			values[slot] = values[slot]! + 1;
		}
		for (let step = 0; step < size; step++) {
			const pivot = values[diagonal[order[step]!]!]!;
			const end = updatesFrom[step + 1]!;
			for (let i = updatesFrom[step]!; i < end; i += 3) {
				const slot = updates[i]!;
				values[slot] = values[slot]! - (values[updates[i + 1]!]! * values[updates[i + 2]!]!) / pivot;
			}
		}
	}

	/** x of (I - P) x = b. */
	solve(b: Float64Array): Float64Array {
		return this.substitute(b, this.columns, this.columnsFrom, this.rows, this.rowsFrom);
	}

	/** x of (I - P)^T x = b: how often each state is visited when b is how often the walk starts in each. */
	solveTransposed(b: Float64Array): Float64Array {
		return this.substitute(b, this.rows, this.rowsFrom, this.columns, this.columnsFrom);
	}

	private substitute(b: Float64Array, lower: Int32Array, lowerFrom: Int32Array, upper: Int32Array, upperFrom: Int32Array): Float64Array {
		const { order, values, diagonal, size } = this;
		const x = b.slice();
		for (let step = 0; step < size; step++) {
			const k = order[step]!;
			if (x[k] === 0) {
				continue;
			}
			const share = x[k]! / values[diagonal[k]!]!;
			const end = lowerFrom[step + 1]!;
			for (let i = lowerFrom[step]!; i < end; i += 2) {
				const row = lower[i + 1]!;
				x[row] = x[row]! - values[lower[i]!]! * share;
			}
		}
		for (let step = size - 1; step >= 0; step--) {
			const k = order[step]!;
			let sum = x[k]!;
			const end = upperFrom[step + 1]!;
			for (let i = upperFrom[step]!; i < end; i += 2) {
				sum -= values[upper[i]!]! * x[upper[i + 1]!]!;
			}
			x[k] = sum / values[diagonal[k]!]!;
		}
		return x;
	}
}

/** Numbers of a length that is not known before, in room that is used again. */
class Numbers {
	length = 0;
	private room = new Int32Array(1 << 10);

	begin(): this {
		this.length = 0;
		return this;
	}

	push(value: number): void {
		if (this.length === this.room.length) {
			this.room = twiceAsLong(this.room);
		}
		this.room[this.length++] = value;
	}

	all(): Int32Array {
		return this.room.slice(0, this.length);
	}
}

const COLUMNS = new Numbers();
const ROWS = new Numbers();
const UPDATES = new Numbers();

/**
 * Of each state the states that it has an edge to, or from, with the slot of that edge, in the order in which they were found: lists in room that is used
 * again, because arrays of a state each are most of what a run of many methods would leave to the garbage collector.
 */
class EdgeLists {
	/** By state. */
	first = new Int32Array(1 << 10);
	count = new Int32Array(1 << 10);
	/** By entry. */
	state = new Int32Array(1 << 12);
	slot = new Int32Array(1 << 12);
	/** Behind the last -1. */
	next = new Int32Array(1 << 12);
	private last = new Int32Array(1 << 10);
	private length = 0;

	begin(states: number): this {
		if (states > this.first.length) {
			this.first = new Int32Array(2 * states);
			this.last = new Int32Array(2 * states);
			this.count = new Int32Array(2 * states);
		}
		this.first.fill(-1, 0, states);
		this.count.fill(0, 0, states);
		this.length = 0;
		return this;
	}

	add(of: number, state: number, slot: number): void {
		const entry = this.length++;
		if (entry === this.state.length) {
			this.state = twiceAsLong(this.state);
			this.slot = twiceAsLong(this.slot);
			this.next = twiceAsLong(this.next);
		}
		this.state[entry] = state;
		this.slot[entry] = slot;
		this.next[entry] = -1;
		if (this.first[of]! < 0) {
			this.first[of] = entry;
		} else {
			this.next[this.last[of]!] = entry;
		}
		this.last[of] = entry;
		this.count[of]!++;
	}

	/** The slot of an edge; -1: there is none. */
	find(of: number, state: number): number {
		for (let entry = this.first[of]!; entry >= 0; entry = this.next[entry]!) {
			if (this.state[entry] === state) {
				return this.slot[entry]!;
			}
		}
		return -1;
	}

	/** Takes one out that is in it. */
	drop(of: number, state: number): void {
		let before = -1;
		let entry = this.first[of]!;
		while (this.state[entry] !== state) {
			before = entry;
			entry = this.next[entry]!;
		}
		const behind = this.next[entry]!;
		if (before < 0) {
			this.first[of] = behind;
		} else {
			this.next[before] = behind;
		}
		if (behind < 0) {
			this.last[of] = before;
		}
		this.count[of]!--;
	}
}

const BEFORE = new EdgeLists();
const AFTER = new EdgeLists();

/** What is left of the matrix while states are eliminated; one at a time. The slot of (k,k) is k. */
class Pattern {
	readonly edgeSlots: Int32Array;
	slots: number;
	private readonly before: EdgeLists;
	private readonly after: EdgeLists;
	/** What is left, ascending: the next of each state, behind the last `size`. */
	private readonly next: Int32Array;
	private readonly previous: Int32Array;

	constructor(size: number, from: Int32Array, to: Int32Array) {
		this.slots = size;
		this.before = BEFORE.begin(size);
		this.after = AFTER.begin(size);
		this.edgeSlots = new Int32Array(from.length);
		for (let edge = 0; edge < from.length; edge++) {
			this.edgeSlots[edge] = this.connect(from[edge]!, to[edge]!);
		}
		// Around the states stands one that is none, which ends the list.
		this.next = new Int32Array(size + 1);
		this.previous = new Int32Array(size + 1);
		for (let i = 0; i <= size; i++) {
			this.next[i] = i === size ? 0 : i + 1;
			this.previous[i] = i === 0 ? size : i - 1;
		}
	}

	/** Of what is left the first with the fewest edges to be made when it goes. */
	cheapest(): number {
		const { next } = this;
		const before = this.before.count;
		const after = this.after.count;
		const none = next.length - 1;
		let result = -1;
		let least = Number.POSITIVE_INFINITY;
		for (let k = next[none]!; k !== none; k = next[k]!) {
			const cost = before[k]! * after[k]!;
			if (cost < least) {
				least = cost;
				result = k;
				if (cost <= 1) {
					break;
				}
			}
		}
		return result;
	}

	eliminate(k: number, columns: Numbers, rows: Numbers, updates: Numbers): void {
		const { next, previous, before, after } = this;
		next[previous[k]!] = next[k]!;
		previous[next[k]!] = previous[k]!;
		for (let a = before.first[k]!; a >= 0; a = before.next[a]!) {
			const i = before.state[a]!;
			const own = before.slot[a]!;
			after.drop(i, k);
			columns.push(own);
			columns.push(i);
			for (let b = after.first[k]!; b >= 0; b = after.next[b]!) {
				updates.push(this.connect(i, after.state[b]!));
				updates.push(own);
				updates.push(after.slot[b]!);
			}
		}
		for (let b = after.first[k]!; b >= 0; b = after.next[b]!) {
			const j = after.state[b]!;
			before.drop(j, k);
			rows.push(after.slot[b]!);
			rows.push(j);
		}
	}

	/** The slot (i,j), which is made where there is none. */
	private connect(i: number, j: number): number {
		if (i === j) {
			return i;
		}
		const known = this.after.find(i, j);
		if (known >= 0) {
			return known;
		}
		const slot = this.slots++;
		this.after.add(i, j, slot);
		this.before.add(j, i, slot);
		return slot;
	}
}

function twiceAsLong(column: Int32Array): Int32Array<ArrayBuffer> {
	const larger = new Int32Array(2 * column.length);
	larger.set(column);
	return larger;
}
