/**
 * Differences of ordered trees: Selkow's edit distance (Information Processing Letters 6, 1977). Whole subtrees are inserted
 * or deleted, a node at a time costs 1; a node is paired with a node at the same depth only, at the cost that the policy gives.
 * The roots are always paired. Of several scripts of least cost the one is given that Graal's profdiff gives: going back from
 * the end of two lists of siblings, an insertion is preferred, then a deletion, then a pair.
 *
 * Time and memory: two lists of m and n siblings need m × n steps and, to trace the script back, 2 bits a step: two flat trees
 * of 10,000 nodes take 25 MB and about a second. Costs of pairs of subtrees are computed when a table asks for them, by rows, and
 * kept only for pairs that are large (the product of their sizes at least {@link KEPT_PRODUCT}): at most some ten thousand
 * of those exist on a level. Subtrees that are the same to the last node are recognized by their class and cost nothing.
 */
import type { DeltaNode } from './results.js';

/** What the algorithm has to know of nodes of some kind. */
export interface DiffPolicy<Node> {
	children(node: Node): readonly Node[];
	/** Two nodes are equal, their children aside, exactly if these are the same. */
	identity(node: Node): string;
	/** Nodes that are not equal, but whose values here are the same, may be paired at cost 1; null: never. */
	relabelIdentity(node: Node): string | null;
}

/** The difference of two trees and its cost. */
export interface TreeDifference<Node> {
	readonly root: DeltaNode<Node>;
	/** Sum of the costs of the script. Roots that cannot be paired otherwise count {@link FORCED_PAIR_COST}. */
	readonly cost: number;
}

/** What pairing two nodes costs that have nothing in common: only the roots are paired like that. */
export const FORCED_PAIR_COST = 1_000_000_000;

const KEPT_PRODUCT = 2048;
const PAIR = 0;
const INSERT = 1;
const DELETE = 2;

export function countNodes<Node>(root: Node, children: (node: Node) => readonly Node[]): number {
	const work = [root];
	let count = 0;
	for (let node = work.pop(); node !== undefined; node = work.pop()) {
		count++;
		for (const child of children(node)) {
			work.push(child);
		}
	}
	return count;
}

/** The cheapest way from one tree to another (Selkow, 1977): equal nodes are paired at no cost, insertions and deletions cost a step a node. */
export function diffTrees<Node>(left: Node, right: Node, policy: DiffPolicy<Node>): TreeDifference<Node> {
	const classes = new Classes();
	return new Matcher(flatten(left, policy, classes), flatten(right, policy, classes)).difference();
}

/** Numbers for identities and for shapes of whole subtrees, shared by both trees. */
class Classes {
	private readonly numbers = new Map<string, number>();

	of(identity: string): number {
		let number = this.numbers.get(identity);
		if (number === undefined) {
			number = this.numbers.size;
			this.numbers.set(identity, number);
		}
		return number;
	}
}

/** A tree as columns. Nodes are in breadth-first order: the children of one node stand side by side. */
interface FlatTree<Node> {
	readonly nodes: readonly Node[];
	readonly firstChild: Int32Array;
	readonly childCount: Int32Array;
	/** Nodes of the subtree. */
	readonly size: Int32Array;
	readonly identity: Int32Array;
	/** -1: never relabelled. */
	readonly relabel: Int32Array;
	/** The same for subtrees that are equal throughout. */
	readonly shape: Int32Array;
}

function flatten<Node>(root: Node, policy: DiffPolicy<Node>, classes: Classes): FlatTree<Node> {
	const nodes: Node[] = [root];
	const firstChild: number[] = [];
	for (let i = 0; i < nodes.length; i++) {
		firstChild.push(nodes.length);
		for (const child of policy.children(nodes[i] as Node)) {
			nodes.push(child);
		}
	}
	firstChild.push(nodes.length);
	const count = nodes.length;
	const tree = {
		nodes,
		firstChild: Int32Array.from(firstChild),
		childCount: new Int32Array(count),
		size: new Int32Array(count),
		identity: new Int32Array(count),
		relabel: new Int32Array(count).fill(-1),
		shape: new Int32Array(count),
	};
	for (let i = count - 1; i >= 0; i--) {
		const node = nodes[i] as Node;
		const first = tree.firstChild[i]!;
		const end = tree.firstChild[i + 1]!;
		const identity = classes.of(`=${policy.identity(node)}`);
		const relabelIdentity = policy.relabelIdentity(node);
		let size = 1;
		for (let child = first; child < end; child++) {
			size += tree.size[child]!;
		}
		tree.childCount[i] = end - first;
		tree.size[i] = size;
		tree.identity[i] = identity;
		tree.relabel[i] = relabelIdentity === null ? -1 : classes.of(`~${relabelIdentity}`);
		tree.shape[i] = classes.of(`#${identity}:${tree.shape.subarray(first, end).join(',')}`);
	}
	return tree;
}

/** A table of pair costs in the making: the children of `x` against those of `y`, row by row. */
interface Frame {
	readonly x: number;
	readonly y: number;
	/** Children compared, after those that are the same at both ends were put aside. */
	readonly xs: number;
	readonly ys: number;
	readonly rows: number;
	readonly columns: number;
	/** What the pair of x and y itself costs. */
	readonly own: number;
	i: number;
	j: number;
	previous: Int32Array;
	current: Int32Array;
}

class Matcher<Node> {
	private readonly left: FlatTree<Node>;
	private readonly right: FlatTree<Node>;
	private readonly kept = new Map<number, number>();

	constructor(left: FlatTree<Node>, right: FlatTree<Node>) {
		this.left = left;
		this.right = right;
	}

	difference(): TreeDifference<Node> {
		type Open = { x: number; y: number; children: DeltaNode<Node>[] };
		const open = (x: number, y: number): { delta: DeltaNode<Node>; item: Open } => {
			const children: DeltaNode<Node>[] = [];
			const operation = this.left.identity[x] === this.right.identity[y] ? 'identity' : 'relabel';
			return {
				delta: { operation, left: this.left.nodes[x] as Node, right: this.right.nodes[y] as Node, children },
				item: { x, y, children },
			};
		};
		const root = open(0, 0);
		const work = [root.item];
		let cost = this.pairCost(0, 0, FORCED_PAIR_COST);
		for (let item = work.pop(); item !== undefined; item = work.pop()) {
			for (const step of this.script(item.x, item.y)) {
				if (step.operation === PAIR) {
					const pair = open(step.x, step.y);
					cost += this.pairCost(step.x, step.y, FORCED_PAIR_COST);
					item.children.push(pair.delta);
					work.push(pair.item);
				} else if (step.operation === INSERT) {
					cost += this.right.size[step.y]!;
					item.children.push({ operation: 'insert', left: null, right: this.right.nodes[step.y] as Node, children: [] });
				} else {
					cost += this.left.size[step.x]!;
					item.children.push({ operation: 'delete', left: this.left.nodes[step.x] as Node, right: null, children: [] });
				}
			}
		}
		return { root: root.delta, cost };
	}

	/** What pairing two nodes costs, their children aside; `otherwise` when it is not allowed. */
	private pairCost(x: number, y: number, otherwise: number): number {
		if (this.left.identity[x] === this.right.identity[y]) {
			return 0;
		}
		const relabel = this.left.relabel[x]!;
		return relabel >= 0 && relabel === this.right.relabel[y] ? 1 : otherwise;
	}

	/** The cheapest way from the children of x to those of y, first child first. */
	private script(x: number, y: number): { operation: number; x: number; y: number }[] {
		const { left, right } = this;
		const xs = left.firstChild[x]!;
		const ys = right.firstChild[y]!;
		const rows = left.childCount[x]!;
		const columns = right.childCount[y]!;
		const steps: { operation: number; x: number; y: number }[] = [];
		if (left.shape[x] === right.shape[y]) {
			for (let i = 0; i < rows; i++) {
				steps.push({ operation: PAIR, x: xs + i, y: ys + i });
			}
			return steps;
		}
		const directions = this.directions(xs, rows, ys, columns);
		let i = rows;
		let j = columns;
		while (i > 0 || j > 0) {
			const cell = i * (columns + 1) + j;
			const operation = i === 0 ? INSERT : j === 0 ? DELETE : (directions[cell >> 2]! >> ((cell & 3) * 2)) & 3;
			if (operation !== DELETE) {
				j--;
			}
			if (operation !== INSERT) {
				i--;
			}
			steps.push({ operation, x: xs + i, y: ys + j });
		}
		return steps.reverse();
	}

	/** The table of steps back, four to a byte. */
	private directions(xs: number, rows: number, ys: number, columns: number): Uint8Array {
		const directions = new Uint8Array((((rows + 1) * (columns + 1)) >> 2) + 1);
		let previous = new Int32Array(columns + 1);
		let current = new Int32Array(columns + 1);
		for (let j = 1; j <= columns; j++) {
			previous[j] = previous[j - 1]! + this.right.size[ys + j - 1]!;
		}
		for (let i = 1; i <= rows; i++) {
			const x = xs + i - 1;
			const deletion = this.left.size[x]!;
			current[0] = previous[0]! + deletion;
			for (let j = 1; j <= columns; j++) {
				const y = ys + j - 1;
				const insert = current[j - 1]! + this.right.size[y]!;
				const remove = previous[j]! + deletion;
				let best = insert;
				let operation = INSERT;
				if (remove < best) {
					best = remove;
					operation = DELETE;
				}
				const diagonal = previous[j - 1]!;
				if (diagonal < best) {
					const pair = diagonal + this.distance(x, y);
					if (pair < best) {
						best = pair;
						operation = PAIR;
					}
				}
				current[j] = best;
				const cell = i * (columns + 1) + j;
				directions[cell >> 2] = directions[cell >> 2]! | (operation << ((cell & 3) * 2));
			}
			[previous, current] = [current, previous];
		}
		return directions;
	}

	/** The cost of turning subtree x into subtree y with their roots paired. */
	private distance(x: number, y: number): number {
		const simple = this.simpleDistance(x, y);
		return simple >= 0 ? simple : this.tableDistance(x, y);
	}

	/** The cost where it is plain, or kept; else -1. */
	private simpleDistance(x: number, y: number): number {
		const { left, right } = this;
		if (left.shape[x] === right.shape[y]) {
			return 0;
		}
		const own = this.pairCost(x, y, FORCED_PAIR_COST);
		if (own === FORCED_PAIR_COST || left.childCount[x] === 0 || right.childCount[y] === 0) {
			return own + left.size[x]! + right.size[y]! - 2;
		}
		return this.kept.get(this.key(x, y)) ?? -1;
	}

	private key(x: number, y: number): number {
		return x * this.right.nodes.length + y;
	}

	private tableDistance(x: number, y: number): number {
		const frames: Frame[] = [this.open(x, y)];
		for (;;) {
			const frame = frames[frames.length - 1]!;
			const nested = this.advance(frame);
			if (nested !== null) {
				frames.push(nested);
				continue;
			}
			frames.pop();
			const cost = frame.own + frame.previous[frame.columns]!;
			if (this.left.size[frame.x]! * this.right.size[frame.y]! >= KEPT_PRODUCT) {
				this.kept.set(this.key(frame.x, frame.y), cost);
			}
			const outer = frames[frames.length - 1];
			if (outer === undefined) {
				return cost;
			}
			this.settle(outer, cost);
		}
	}

	private open(x: number, y: number): Frame {
		const { left, right } = this;
		let xs = left.firstChild[x]!;
		let ys = right.firstChild[y]!;
		let rows = left.childCount[x]!;
		let columns = right.childCount[y]!;
		// Equal subtrees at both ends cost nothing in some cheapest script: only the cost is wanted here, not the script.
		while (rows > 0 && columns > 0 && left.shape[xs] === right.shape[ys]) {
			xs++;
			ys++;
			rows--;
			columns--;
		}
		while (rows > 0 && columns > 0 && left.shape[xs + rows - 1] === right.shape[ys + columns - 1]) {
			rows--;
			columns--;
		}
		const previous = new Int32Array(columns + 1);
		const current = new Int32Array(columns + 1);
		for (let j = 1; j <= columns; j++) {
			previous[j] = previous[j - 1]! + right.size[ys + j - 1]!;
		}
		return { x, y, xs, ys, rows, columns, own: this.pairCost(x, y, FORCED_PAIR_COST), i: 0, j: 0, previous, current };
	}

	/** Fills the table on; the frame of a pair whose cost is wanted first, or null when the table is full. */
	private advance(frame: Frame): Frame | null {
		const { left } = this;
		while (frame.i < frame.rows) {
			const x = frame.xs + frame.i;
			if (frame.j === 0) {
				frame.current[0] = frame.previous[0]! + left.size[x]!;
				frame.j = 1;
			}
			while (frame.j <= frame.columns) {
				const y = frame.ys + frame.j - 1;
				const cost = this.simpleDistance(x, y);
				if (cost < 0) {
					return this.open(x, y);
				}
				this.settle(frame, cost);
			}
			[frame.previous, frame.current] = [frame.current, frame.previous];
			frame.i++;
			frame.j = 0;
		}
		return null;
	}

	/** Fills the cell at which a frame stands, given what its pair costs. */
	private settle(frame: Frame, pairCost: number): void {
		const { j } = frame;
		const insert = frame.current[j - 1]! + this.right.size[frame.ys + j - 1]!;
		const remove = frame.previous[j]! + this.left.size[frame.xs + frame.i]!;
		const pair = frame.previous[j - 1]! + pairCost;
		frame.current[j] = Math.min(insert, remove, pair);
		frame.j = j + 1;
	}
}
