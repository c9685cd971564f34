/**
 * Solves (I - P) x = b and its transpose for substochastic P of one fixed pattern, by Gaussian elimination without pivoting, which is stable
 * for such matrices. The order of elimination (least degree first) and the fill-in are found once; code has few edges across, so both stay small.
 */
export class SparseSolver {
	private readonly size: number;
	/** By order of elimination: the state. */
	private readonly order: Int32Array;
	private readonly diagonal: Int32Array;
	private readonly slots = new Map<number, number>();
	/** For each step: slots (i,k) with i, and (k,j) with j, of what is left. */
	private readonly columns: Int32Array[] = [];
	private readonly rows: Int32Array[] = [];
	/** For each step: triples of slots (i,j), (i,k), (k,j). */
	private readonly updates: Int32Array[] = [];
	private readonly edgeSlots: Int32Array;
	private readonly edges: readonly (readonly [number, number])[];
	private readonly values: Float64Array;

	constructor(size: number, edges: readonly (readonly [number, number])[]) {
		this.size = size;
		this.edges = edges;
		const from = Array.from({ length: size }, () => new Set<number>());
		const to = Array.from({ length: size }, () => new Set<number>());
		for (const [a, b] of edges) {
			if (a !== b) {
				from[b]!.add(a);
				to[a]!.add(b);
			}
			this.slot(a, b);
		}
		this.diagonal = Int32Array.from({ length: size }, (_, i) => this.slot(i, i));
		this.edgeSlots = Int32Array.from(edges, ([a, b]) => this.slot(a, b));
		this.order = new Int32Array(size);
		const left = new Set(Array.from({ length: size }, (_, i) => i));
		for (let step = 0; step < size; step++) {
			const k = cheapest(left, from, to);
			left.delete(k);
			this.order[step] = k;
			this.eliminate(k, from, to);
		}
		this.values = new Float64Array(this.slots.size);
	}

	/** Takes the probability of each edge, in the order given to the constructor. */
	factor(probabilities: Float64Array): void {
		const { diagonal, updates, order } = this;
		const { values } = this;
		values.fill(0);
		for (let i = 0; i < this.edges.length; i++) {
			const slot = this.edgeSlots[i]!;
			values[slot] = values[slot]! - probabilities[i]!;
		}
		for (let i = 0; i < this.size; i++) {
			const slot = diagonal[i]!;
			values[slot] = values[slot]! + 1;
		}
		for (let step = 0; step < this.size; step++) {
			const pivot = values[diagonal[order[step]!]!]!;
			const ops = updates[step]!;
			for (let i = 0; i < ops.length; i += 3) {
				const slot = ops[i]!;
				values[slot] = values[slot]! - (values[ops[i + 1]!]! * values[ops[i + 2]!]!) / pivot;
			}
		}
	}

	/** x of (I - P) x = b. */
	solve(b: Float64Array): Float64Array {
		return this.substitute(b, this.columns, this.rows);
	}

	/** x of (I - P)^T x = b: how often each state is visited when b is how often the walk starts in each. */
	solveTransposed(b: Float64Array): Float64Array {
		return this.substitute(b, this.rows, this.columns);
	}

	private substitute(b: Float64Array, lower: readonly Int32Array[], upper: readonly Int32Array[]): Float64Array {
		const { order, values, diagonal, size } = this;
		const x = Float64Array.from(b);
		for (let step = 0; step < size; step++) {
			const k = order[step]!;
			const share = x[k]! / values[diagonal[k]!]!;
			const pairs = lower[step]!;
			for (let i = 0; i < pairs.length; i += 2) {
				const row = pairs[i + 1]!;
				x[row] = x[row]! - values[pairs[i]!]! * share;
			}
		}
		for (let step = size - 1; step >= 0; step--) {
			const k = order[step]!;
			let sum = x[k]!;
			const pairs = upper[step]!;
			for (let i = 0; i < pairs.length; i += 2) {
				sum -= values[pairs[i]!]! * x[pairs[i + 1]!]!;
			}
			x[k] = sum / values[diagonal[k]!]!;
		}
		return x;
	}

	private eliminate(k: number, from: Set<number>[], to: Set<number>[]): void {
		const before = [...from[k]!];
		const after = [...to[k]!];
		const ops: number[] = [];
		for (const i of before) {
			to[i]!.delete(k);
			for (const j of after) {
				ops.push(this.slot(i, j), this.slot(i, k), this.slot(k, j));
				if (i !== j) {
					to[i]!.add(j);
					from[j]!.add(i);
				}
			}
		}
		for (const j of after) {
			from[j]!.delete(k);
		}
		this.columns.push(Int32Array.from(before.flatMap((i) => [this.slot(i, k), i])));
		this.rows.push(Int32Array.from(after.flatMap((j) => [this.slot(k, j), j])));
		this.updates.push(Int32Array.from(ops));
	}

	private slot(i: number, j: number): number {
		const key = i * this.size + j;
		let slot = this.slots.get(key);
		if (slot === undefined) {
			slot = this.slots.size;
			this.slots.set(key, slot);
		}
		return slot;
	}
}

function cheapest(left: ReadonlySet<number>, from: readonly Set<number>[], to: readonly Set<number>[]): number {
	let result = -1;
	let least = Number.POSITIVE_INFINITY;
	for (const k of left) {
		const cost = from[k]!.size * to[k]!.size;
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
