/**
 * Basic blocks and loops of machine code, from its own jumps. Loops are the strongly connected parts (Tarjan 1972) of the graph of
 * blocks, and again of each such part without the edges to its header, as in Steensgaard's nesting forest (1993): with code
 * that has one way into each loop these are the natural loops, and a second way in, as exception handlers give, hides none.
 */
import { Flow, type Instructions, instructionAt, isCallWithoutReturn } from './instructions.js';

interface Block {
	/** Instructions [from, to). */
	readonly from: number;
	readonly to: number;
	/** Blocks that execution can go on in; calls are passed over, but those that never come back. Jumps through registers and out of the code have none. */
	readonly successors: readonly number[];
}

interface Loop {
	/** Block that the loop is entered at. */
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

const known = new WeakMap<Instructions, ControlFlow>();

/** Found once for each code. */
export function controlFlow(code: Instructions): ControlFlow {
	let flow = known.get(code);
	if (flow === undefined) {
		const blocks = basicBlocks(code);
		const loops = findLoops(blocks);
		const loopOfBlock = new Int32Array(blocks.length).fill(-1);
		for (let i = loops.length - 1; i >= 0; i--) {
			for (const block of loops[i]!.blocks) {
				loopOfBlock[block] = i;
			}
		}
		flow = { blocks, loops, loopOfBlock };
		known.set(code, flow);
	}
	return flow;
}

function basicBlocks(code: Instructions): Block[] {
	const { length, address, end, flow, target } = code;
	const isLeader = new Uint8Array(length + 1);
	isLeader[0] = 1;
	for (let i = 0; i < length; i++) {
		const kind = flow[i]!;
		if (kind === Flow.Next || (kind === Flow.Call && !isCallWithoutReturn(code, i))) {
			isLeader[i + 1] = i + 1 < length && end[i] !== address[i + 1] ? 1 : isLeader[i + 1]!;
			continue;
		}
		isLeader[i + 1] = 1;
		const to = instructionAt(address, target[i]!);
		if (to >= 0) {
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
		const kind = flow[last]!;
		const successors: number[] = [];
		const jumpsTo = kind === Flow.Jump || kind === Flow.Branch ? instructionAt(address, target[last]!) : -1;
		const goesOn = kind === Flow.Next || (kind === Flow.Call && !isCallWithoutReturn(code, last)) || kind === Flow.Branch;
		if (goesOn && to < length && end[last] === address[to]) {
			successors.push(blockAt[to]!);
		}
		if (jumpsTo >= 0) {
			successors.push(blockAt[jumpsTo]!);
		}
		return { from, to, successors };
	});
}

function findLoops(blocks: readonly Block[]): Loop[] {
	// Whoever comes back to a block jumps back: most code has no such jump.
	if (blocks.every(({ successors }, block) => successors.every((to) => to > block))) {
		return [];
	}
	const result: { header: number; blocks: number[]; parent: number; depth: number }[] = [];
	const parts = new Parts(blocks);
	const waiting = parts.within(blocks.map((_, block) => block)).map((members) => ({ members, parent: -1 }));
	const order = waiting.length === 0 ? new Int32Array(0) : depthFirstOrder(blocks);
	for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
		const { members, parent } = part;
		const header = parts.headerOf(members, order);
		const number = result.push({ header, blocks: members, parent, depth: parent < 0 ? 1 : result[parent]!.depth + 1 }) - 1;
		waiting.push(...parts.within(members, header).map((inner) => ({ members: inner, parent: number })));
	}
	return innerFirst(result);
}

function innerFirst(loops: readonly Loop[]): Loop[] {
	const sorted = loops.map((loop, number) => ({ loop, number })).sort((a, b) => a.loop.blocks.length - b.loop.blocks.length || b.number - a.number);
	const position = new Map(sorted.map(({ number }, i) => [number, i]));
	return sorted.map(({ loop }) => ({ ...loop, parent: position.get(loop.parent) ?? -1 }));
}

/** When a walk from the first block comes to each; what it does not reach comes after all that it does. */
function depthFirstOrder(blocks: readonly Block[]): Int32Array {
	const order = new Int32Array(blocks.length).fill(-1);
	let next = 0;
	for (let start = 0; start < blocks.length; start++) {
		const stack = [start];
		for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
			if (order[block] === -1) {
				order[block] = next++;
				const { successors } = blocks[block]!;
				for (let i = successors.length - 1; i >= 0; i--) {
					stack.push(successors[i]!);
				}
			}
		}
	}
	return order;
}

/** Strongly connected parts of a graph, and of parts of it; edges to the header of a part that was taken apart count no more. */
class Parts {
	private readonly blocks: readonly Block[];
	private readonly isHeader: Uint8Array;
	/** Which blocks are looked at, by the number of the look. */
	private readonly inside: Int32Array;
	private looks = 0;
	/** 0: not visited. */
	private readonly index: Int32Array;
	private readonly low: Int32Array;
	private readonly isOpen: Uint8Array;
	/** Where walks stand: blocks, and which of their edges is next. */
	private readonly path: Int32Array;
	private readonly next: Int32Array;

	constructor(blocks: readonly Block[]) {
		const { length } = blocks;
		this.blocks = blocks;
		this.isHeader = new Uint8Array(length);
		this.inside = new Int32Array(length);
		this.index = new Int32Array(length);
		this.low = new Int32Array(length);
		this.isOpen = new Uint8Array(length);
		this.path = new Int32Array(length);
		this.next = new Int32Array(length);
	}

	/** Of the blocks that are entered from outside the one that a walk from the start of the code reaches first. */
	headerOf(members: readonly number[], order: Int32Array): number {
		const look = this.look(members);
		let best = -1;
		for (let block = 0; block < this.blocks.length; block++) {
			if (this.inside[block] === look) {
				continue;
			}
			for (const to of this.blocks[block]!.successors) {
				if (this.inside[to] === look && (best < 0 || order[to]! < order[best]!)) {
					best = to;
				}
			}
		}
		return best >= 0 ? best : members.reduce((first, block) => (order[block]! < order[first]! ? block : first));
	}

	/** The parts of `members` in which each block leads to each other, over edges to no header; single blocks only where they lead to themselves. */
	within(members: readonly number[], header = -1): number[][] {
		if (header >= 0) {
			this.isHeader[header] = 1;
		}
		const look = this.look(members);
		for (const member of members) {
			this.index[member] = 0;
		}
		const result: number[][] = [];
		const open: number[] = [];
		let visited = 0;
		for (const root of members) {
			if (this.index[root] === 0) {
				visited = this.walk(root, look, visited, open, result);
			}
		}
		return result;
	}

	private walk(root: number, look: number, before: number, open: number[], result: number[][]): number {
		const { blocks, index, low, isOpen, path, next, inside, isHeader } = this;
		let visited = before;
		let depth = -1;
		let entered = root;
		for (;;) {
			if (entered >= 0) {
				index[entered] = ++visited;
				low[entered] = visited;
				open.push(entered);
				isOpen[entered] = 1;
				path[++depth] = entered;
				next[depth] = 0;
				entered = -1;
			}
			const block = path[depth]!;
			const { successors } = blocks[block]!;
			if (next[depth]! < successors.length) {
				const to = successors[next[depth]!]!;
				next[depth] = next[depth]! + 1;
				if (isHeader[to] === 1 || inside[to] !== look) {
					continue;
				}
				if (index[to] === 0) {
					entered = to;
				} else if (isOpen[to] === 1) {
					low[block] = Math.min(low[block]!, index[to]!);
				}
				continue;
			}
			if (low[block] === index[block]) {
				const part = open.splice(open.lastIndexOf(block));
				for (const member of part) {
					isOpen[member] = 0;
				}
				if (part.length > 1 || (successors.includes(block) && isHeader[block] === 0)) {
					result.push(part.sort((a, b) => a - b));
				}
			}
			if (--depth < 0) {
				return visited;
			}
			const above = path[depth]!;
			low[above] = Math.min(low[above]!, low[block]!);
		}
	}

	private look(members: readonly number[]): number {
		this.looks++;
		for (const member of members) {
			this.inside[member] = this.looks;
		}
		return this.looks;
	}
}
