/**
 * Basic blocks and natural loops of machine code, from its own jumps. Dominators as in Cooper, Harvey and Kennedy, "A Simple, Fast
 * Dominance Algorithm" (2001); a loop is the set of blocks that reach a back edge without passing its header, loops of one
 * header are one loop.
 */
import { Flow, type Instructions } from '../model/instructions.js';

export interface Block {
	/** Instructions [from, to). */
	readonly from: number;
	readonly to: number;
	/** Blocks that execution can go on in, calls passed over. Jumps through registers and out of the code have none. */
	readonly successors: readonly number[];
}

export interface Loop {
	/** Block that all others are entered through. */
	readonly header: number;
	/** Ascending. */
	readonly blocks: readonly number[];
	/** The smallest loop around it, -1 where there is none. */
	readonly parent: number;
	/** 1 for an outermost loop. */
	readonly depth: number;
}

export interface ControlFlow {
	readonly blocks: readonly Block[];
	/** Inner loops before those around them. */
	readonly loops: readonly Loop[];
	/** The smallest loop that each block lies in, -1 for none. */
	readonly loopOfBlock: Int32Array;
}

export function controlFlow(code: Instructions): ControlFlow {
	const blocks = basicBlocks(code);
	const loops = naturalLoops(blocks);
	const loopOfBlock = new Int32Array(blocks.length).fill(-1);
	for (let i = loops.length - 1; i >= 0; i--) {
		for (const block of (loops[i] as Loop).blocks) {
			loopOfBlock[block] = i;
		}
	}
	return { blocks, loops, loopOfBlock };
}

function basicBlocks(code: Instructions): Block[] {
	const { length, address, end, flow, target } = code;
	const numbers = new Map<number, number>();
	for (let i = 0; i < length; i++) {
		numbers.set(address[i] as number, i);
	}
	const isLeader = new Uint8Array(length + 1);
	isLeader[0] = 1;
	for (let i = 0; i < length; i++) {
		const kind = flow[i] as number;
		if (kind === Flow.Next || kind === Flow.Call) {
			isLeader[i + 1] = i + 1 < length && end[i] !== address[i + 1] ? 1 : (isLeader[i + 1] as number);
			continue;
		}
		isLeader[i + 1] = 1;
		const to = numbers.get(target[i] as number);
		if (to !== undefined) {
			isLeader[to] = 1;
		}
	}
	const starts: number[] = [];
	const blockAt = new Int32Array(length);
	for (let i = 0; i < length; i++) {
		if (isLeader[i] === 1) {
			starts.push(i);
		}
		blockAt[i] = starts.length - 1;
	}
	return starts.map((from, i) => {
		const to = starts[i + 1] ?? length;
		const last = to - 1;
		const kind = flow[last] as number;
		const successors: number[] = [];
		const jumpsTo = kind === Flow.Jump || kind === Flow.Branch ? numbers.get(target[last] as number) : undefined;
		const goesOn = kind === Flow.Next || kind === Flow.Call || kind === Flow.Branch;
		if (goesOn && to < length && end[last] === address[to]) {
			successors.push(blockAt[to] as number);
		}
		if (jumpsTo !== undefined) {
			successors.push(blockAt[jumpsTo] as number);
		}
		return { from, to, successors };
	});
}

function naturalLoops(blocks: readonly Block[]): Loop[] {
	const { order, predecessors, dominator, rank } = dominators(blocks);
	const dominates = (a: number, b: number): boolean => {
		let at = b;
		while (at !== a && (rank[at] as number) > (rank[a] as number)) {
			at = dominator[at] as number;
		}
		return at === a;
	};
	const bodies = new Map<number, Set<number>>();
	for (const block of order) {
		for (const header of (blocks[block] as Block).successors) {
			if (dominates(header, block)) {
				addBody(bodies, header, block, predecessors);
			}
		}
	}
	const sorted = [...bodies]
		.map(([header, body]) => ({ header, blocks: [...body].sort((a, b) => a - b), body }))
		.sort((a, b) => a.blocks.length - b.blocks.length);
	const parents = sorted.map((loop, i) => sorted.findIndex((other, j) => j > i && other.body.has(loop.header) && other.header !== loop.header));
	const depth = new Array<number>(sorted.length).fill(1);
	for (let i = sorted.length - 1; i >= 0; i--) {
		const parent = parents[i] as number;
		depth[i] = parent < 0 ? 1 : (depth[parent] as number) + 1;
	}
	return sorted.map(({ header, blocks: members }, i) => ({ header, blocks: members, parent: parents[i] as number, depth: depth[i] as number }));
}

function addBody(bodies: Map<number, Set<number>>, header: number, tail: number, predecessors: readonly number[][]): void {
	let body = bodies.get(header);
	if (body === undefined) {
		body = new Set([header]);
		bodies.set(header, body);
	}
	const waiting = [tail];
	for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
		if (!body.has(block)) {
			body.add(block);
			waiting.push(...(predecessors[block] as number[]));
		}
	}
}

interface Dominators {
	/** Blocks in reverse postorder; the root, numbered `blocks.length`, is not among them. */
	readonly order: readonly number[];
	readonly predecessors: readonly number[][];
	readonly dominator: Int32Array;
	/** Position in reverse postorder, the root's is 0. */
	readonly rank: Int32Array;
}

/** Of all blocks: a root goes to the first block, to each that nothing goes to, and to one of each cycle that nothing enters. */
function dominators(blocks: readonly Block[]): Dominators {
	const root = blocks.length;
	const predecessors: number[][] = blocks.map(() => []);
	blocks.forEach(({ successors }, block) => {
		for (const successor of successors) {
			(predecessors[successor] as number[]).push(block);
		}
	});
	const seen = new Uint8Array(root + 1);
	const postorder: number[] = [];
	const isEntry = new Uint8Array(root);
	const visit = (entry: number): void => {
		isEntry[entry] = 1;
		const stack: { block: number; next: number }[] = [{ block: entry, next: 0 }];
		seen[entry] = 1;
		for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
			const successor = (blocks[top.block] as Block).successors[top.next++];
			if (successor === undefined) {
				postorder.push(top.block);
				stack.pop();
			} else if (seen[successor] === 0) {
				seen[successor] = 1;
				stack.push({ block: successor, next: 0 });
			}
		}
	};
	for (let block = 0; block < root; block++) {
		if (seen[block] === 0 && (block === 0 || (predecessors[block] as number[]).length === 0)) {
			visit(block);
		}
	}
	for (let block = 0; block < root; block++) {
		if (seen[block] === 0) {
			visit(block);
		}
	}
	const order = postorder.reverse();
	const rank = new Int32Array(root + 1);
	order.forEach((block, i) => {
		rank[block] = i + 1;
	});
	const dominator = new Int32Array(root + 1).fill(-1);
	dominator[root] = root;
	const intersect = (a: number, b: number): number => {
		let x = a;
		let y = b;
		while (x !== y) {
			while ((rank[x] as number) > (rank[y] as number)) {
				x = dominator[x] as number;
			}
			while ((rank[y] as number) > (rank[x] as number)) {
				y = dominator[y] as number;
			}
		}
		return x;
	};
	for (let changed = true; changed; ) {
		changed = false;
		for (const block of order) {
			let result = isEntry[block] === 1 ? root : -1;
			for (const predecessor of predecessors[block] as number[]) {
				if (dominator[predecessor] !== -1) {
					result = result < 0 ? predecessor : intersect(result, predecessor);
				}
			}
			if (dominator[block] !== result) {
				dominator[block] = result;
				changed = true;
			}
		}
	}
	return { order, predecessors, dominator, rank };
}
