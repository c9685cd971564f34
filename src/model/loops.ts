/**
 * Basic blocks and loops of machine code, from its own jumps. Loops are the strongly connected parts (Tarjan 1972) of the graph of
 * blocks, and again of each such part without the edges to its header, as in Steensgaard's nesting forest (1993): with code
 * that has one way into each loop these are the natural loops, and a second way in, as exception handlers give, hides none.
 */
import { directJumps } from './direct-jumps.js';
import type { FlowColumns } from './flow-columns.js';
import { Flow, type Instructions, instructionAt, isCallWithoutReturn, lookAt } from './instructions.js';
import { RecentlyMade } from './recent-columns.js';

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
	/** The first instruction of each block, and the end of the last one. */
	readonly starts: Int32Array;
	/** Made each time: of all that is compiled there are millions. */
	block(number: number): Block;
	/** Inner loops before those around them. */
	readonly loops: readonly Loop[];
	/** The smallest loop that each block lies in, -1 for none. */
	readonly loopOfBlock: Int32Array;
	/** Whether execution can go on in `to` right after a block. */
	leadsTo(block: number, to: number): boolean;
}

/** Blocks in columns. */
interface BlockColumns {
	readonly length: number;
	/** One more than there are blocks. */
	readonly starts: Int32Array;
	/** The blocks that execution goes on in, -1 for none: without a jump, and by one. */
	readonly next: Int32Array;
	readonly jump: Int32Array;
}

const RECENT = new RecentlyMade(
	1 << 22,
	(code: Instructions): ControlFlow => new CodeFlow(lookAt(code, (columns) => basicBlocks(code, columns))),
	({ starts }) => BYTES_OF_BLOCK * starts.length,
);
/** About: with what is known of loops. */
const BYTES_OF_BLOCK = 24;

/** Kept for the code that was looked at last. */
export function controlFlow(code: Instructions): ControlFlow {
	return RECENT.of(code);
}

class CodeFlow implements ControlFlow {
	readonly starts: Int32Array;
	readonly loops: readonly Loop[];
	readonly loopOfBlock: Int32Array;
	private readonly columns: BlockColumns;

	constructor(columns: BlockColumns) {
		this.columns = columns;
		this.starts = columns.starts;
		this.loops = findLoops(columns);
		this.loopOfBlock = new Int32Array(columns.length).fill(-1);
		for (let i = this.loops.length - 1; i >= 0; i--) {
			for (const block of this.loops[i]!.blocks) {
				this.loopOfBlock[block] = i;
			}
		}
	}

	leadsTo(block: number, to: number): boolean {
		return this.columns.next[block] === to || this.columns.jump[block] === to;
	}

	block(number: number): Block {
		const { starts, next, jump } = this.columns;
		const successors: number[] = [];
		if (next[number]! >= 0) {
			successors.push(next[number]!);
		}
		if (jump[number]! >= 0) {
			successors.push(jump[number]!);
		}
		return { from: starts[number]!, to: starts[number + 1]!, successors };
	}
}

/** By instruction the block that it lies in; -1 behind the last one. */
export function blockOfEach(flow: ControlFlow): Int32Array {
	return byInstruction(flow, (block) => block);
}

/** By instruction the smallest loop around it; -1 for none, and behind the last one. */
export function loopOfEach(flow: ControlFlow): Int32Array {
	return byInstruction(flow, (block) => flow.loopOfBlock[block]!);
}

function byInstruction({ starts }: ControlFlow, ofBlock: (block: number) => number): Int32Array {
	const blocks = starts.length - 1;
	const result = new Int32Array(starts[blocks]! + 1).fill(-1);
	for (let block = 0; block < blocks; block++) {
		result.fill(ofBlock(block), starts[block]!, starts[block + 1]!);
	}
	return result;
}

/** For one piece of code after the other. */
let leaders = new Uint8Array(1 << 12);
let jumpTargets = new Int32Array(1 << 12);
let blocksAt = new Int32Array(1 << 12);

function basicBlocks(code: Instructions, { address, end, flow, target }: FlowColumns): BlockColumns {
	const { length: instructions } = code;
	if (leaders.length <= instructions) {
		leaders = new Uint8Array(2 * instructions);
		jumpTargets = new Int32Array(2 * instructions);
		blocksAt = new Int32Array(2 * instructions);
	}
	const isLeader = leaders.fill(0, 0, instructions + 1);
	/** Where jumps and branches lead to in this code, -1 for elsewhere. */
	const jumpsTo = jumpTargets.fill(-1, 0, instructions);
	isLeader[0] = 1;
	for (let i = 0; i < instructions; i++) {
		const kind = flow[i]!;
		if (kind === Flow.Next || (kind === Flow.Call && !isCallWithoutReturn(code, i))) {
			isLeader[i + 1] = i + 1 < instructions && end[i] !== address[i + 1] ? 1 : isLeader[i + 1]!;
			continue;
		}
		isLeader[i + 1] = 1;
		// A call into the same code that never comes back.
		const to = kind === Flow.Call && !Number.isNaN(target[i]!) ? instructionAt(address, target[i]!) : -1;
		if (to >= 0) {
			isLeader[to] = 1;
		}
	}
	const jumps = directJumps(code);
	for (let k = 0; k < jumps.from.length; k++) {
		isLeader[jumps.to[k]!] = 1;
		jumpsTo[jumps.from[k]!] = jumps.to[k]!;
	}
	let length = 0;
	const blockAt = blocksAt;
	for (let i = 0; i < instructions; i++) {
		length += isLeader[i]!;
		blockAt[i] = length - 1;
	}
	const starts = new Int32Array(length + 1);
	const next = new Int32Array(length).fill(-1);
	const jump = new Int32Array(length).fill(-1);
	starts[length] = instructions;
	for (let i = 0; i < instructions; i++) {
		const block = blockAt[i]!;
		if (isLeader[i] === 1) {
			starts[block] = i;
		}
		if (i + 1 < instructions && isLeader[i + 1] === 0) {
			continue;
		}
		const kind = flow[i]!;
		const goesOn = kind === Flow.Next || (kind === Flow.Call && !isCallWithoutReturn(code, i)) || kind === Flow.Branch;
		next[block] = goesOn && i + 1 < instructions && end[i] === address[i + 1] ? block + 1 : -1;
		jump[block] = jumpsTo[i]! < 0 ? -1 : blockAt[jumpsTo[i]!]!;
	}
	return { length, starts, next, jump };
}

function findLoops(blocks: BlockColumns): Loop[] {
	// Whoever comes back to a block jumps back: much code has no such jump.
	if (!blocks.jump.some((to, block) => to >= 0 && to <= block)) {
		return [];
	}
	const result: { header: number; blocks: number[]; parent: number; depth: number }[] = [];
	PARTS.begin(blocks);
	const parts = PARTS;
	const waiting = parts.within(numbersBelow(blocks.length)).map((members) => ({ members, parent: -1 }));
	const order = waiting.length === 0 ? new Int32Array(0) : depthFirstOrder(blocks);
	for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
		const { members, parent } = part;
		const header = parts.headerOf(members, order);
		const number = result.push({ header, blocks: members, parent, depth: parent < 0 ? 1 : result[parent]!.depth + 1 }) - 1;
		waiting.push(...parts.within(members, header).map((inner) => ({ members: inner, parent: number })));
	}
	return innerFirst(result);
}

let numbers = new Int32Array(0);

/** From 0 on; good until the next call. */
function numbersBelow(length: number): Int32Array {
	if (numbers.length < length) {
		numbers = new Int32Array(2 * length).map((_, i) => i);
	}
	return numbers.subarray(0, length);
}

function innerFirst(loops: readonly Loop[]): Loop[] {
	const sorted = loops.map((loop, number) => ({ loop, number })).sort((a, b) => a.loop.blocks.length - b.loop.blocks.length || b.number - a.number);
	const position = new Map(sorted.map(({ number }, i) => [number, i]));
	return sorted.map(({ loop }) => ({ ...loop, parent: position.get(loop.parent) ?? -1 }));
}

/** When a walk from the first block comes to each; what it does not reach comes after all that it does. */
function depthFirstOrder({ length, next: fall, jump }: BlockColumns): Int32Array {
	const order = new Int32Array(length).fill(-1);
	/** A block may wait twice for each that leads to it. */
	const stack = new Int32Array(2 * length + 1);
	let next = 0;
	for (let start = 0; start < length; start++) {
		let waiting = 0;
		if (order[start] === -1) {
			stack[waiting++] = start;
		}
		while (waiting > 0) {
			const block = stack[--waiting]!;
			if (order[block] !== -1) {
				continue;
			}
			order[block] = next++;
			if (jump[block]! >= 0) {
				stack[waiting++] = jump[block]!;
			}
			if (fall[block]! >= 0) {
				stack[waiting++] = fall[block]!;
			}
		}
	}
	return order;
}

/** The blocks that lead to each: those of a block are `of` from `starts[block]` up to `starts[block + 1]`. */
function predecessorsOf({ length, next, jump }: BlockColumns): { readonly starts: Int32Array; readonly of: Int32Array } {
	const starts = new Int32Array(length + 2);
	for (const column of [next, jump]) {
		for (const to of column) {
			starts[to + 2]! += to < 0 ? 0 : 1;
		}
	}
	for (let block = 1; block < starts.length; block++) {
		starts[block]! += starts[block - 1]!;
	}
	const of = new Int32Array(starts[length + 1]!);
	for (const column of [next, jump]) {
		for (let block = 0; block < length; block++) {
			const to = column[block]!;
			if (to >= 0) {
				of[starts[to + 1]!++] = block;
			}
		}
	}
	return { starts, of };
}

/** Strongly connected parts of a graph, and of parts of it; edges to the header of a part that was taken apart count no more. */
class Parts {
	private blocks: BlockColumns = NO_BLOCKS;
	private predecessors: ReturnType<typeof predecessorsOf> | null = null;
	private isHeader = new Uint8Array(0);
	/** Which blocks are looked at, by the number of the look. */
	private inside = new Int32Array(0);
	private looks = 0;
	/** 0: not visited. */
	private index = new Int32Array(0);
	private low = new Int32Array(0);
	private isOpen = new Uint8Array(0);
	private open = new Int32Array(0);
	/** Where walks stand: blocks, and which of their edges is next. */
	private path = new Int32Array(0);
	private next = new Int32Array(0);

	/** With other blocks. */
	begin(blocks: BlockColumns): void {
		const { length } = blocks;
		this.blocks = blocks;
		this.predecessors = null;
		this.looks = 0;
		if (length > this.index.length) {
			this.isHeader = new Uint8Array(2 * length);
			this.inside = new Int32Array(2 * length);
			this.index = new Int32Array(2 * length);
			this.low = new Int32Array(2 * length);
			this.isOpen = new Uint8Array(2 * length);
			this.open = new Int32Array(2 * length);
			this.path = new Int32Array(2 * length);
			this.next = new Int32Array(2 * length);
		} else {
			this.isHeader.fill(0, 0, length);
			this.inside.fill(0, 0, length);
		}
	}

	/** Of the blocks that are entered from outside the one that a walk from the start of the code reaches first. */
	headerOf(members: readonly number[], order: Int32Array): number {
		const look = this.look(members);
		this.predecessors ??= predecessorsOf(this.blocks);
		const { starts, of } = this.predecessors;
		let best = -1;
		for (const member of members) {
			if (best >= 0 && order[member]! >= order[best]!) {
				continue;
			}
			for (let i = starts[member]!; i < starts[member + 1]!; i++) {
				if (this.inside[of[i]!] !== look) {
					best = member;
					break;
				}
			}
		}
		return best >= 0 ? best : members.reduce((first, block) => (order[block]! < order[first]! ? block : first));
	}

	/** The parts of `members` in which each block leads to each other, over edges to no header; single blocks only where they lead to themselves. */
	within(members: readonly number[] | Int32Array, header = -1): number[][] {
		if (header >= 0) {
			this.isHeader[header] = 1;
		}
		const look = this.look(members);
		for (let i = 0; i < members.length; i++) {
			this.index[members[i]!] = 0;
		}
		const result: number[][] = [];
		let visited = 0;
		for (let i = 0; i < members.length; i++) {
			if (this.index[members[i]!] === 0) {
				visited = this.walk(members[i]!, look, visited, result);
			}
		}
		return result;
	}

	private walk(root: number, look: number, before: number, result: number[][]): number {
		const { blocks, index, low, isOpen, open, path, next, inside, isHeader } = this;
		const { next: fall, jump } = blocks;
		let visited = before;
		let opened = 0;
		let depth = -1;
		let entered = root;
		for (;;) {
			if (entered >= 0) {
				index[entered] = ++visited;
				low[entered] = visited;
				open[opened++] = entered;
				isOpen[entered] = 1;
				path[++depth] = entered;
				next[depth] = 0;
				entered = -1;
			}
			const block = path[depth]!;
			if (next[depth]! < 2) {
				const to = next[depth] === 0 ? fall[block]! : jump[block]!;
				next[depth] = next[depth]! + 1;
				if (to < 0 || isHeader[to] === 1 || inside[to] !== look) {
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
				let first = opened;
				do {
					isOpen[open[--first]!] = 0;
				} while (open[first] !== block);
				if (opened - first > 1 || ((fall[block] === block || jump[block] === block) && isHeader[block] === 0)) {
					result.push(Array.from(open.subarray(first, opened).sort()));
				}
				opened = first;
			}
			if (--depth < 0) {
				return visited;
			}
			const above = path[depth]!;
			low[above] = Math.min(low[above]!, low[block]!);
		}
	}

	private look(members: readonly number[] | Int32Array): number {
		this.looks++;
		for (let i = 0; i < members.length; i++) {
			this.inside[members[i]!] = this.looks;
		}
		return this.looks;
	}
}

const NO_BLOCKS: BlockColumns = { length: 0, starts: new Int32Array(1), next: new Int32Array(0), jump: new Int32Array(0) };
/** For one piece of code after the other: most are small. */
const PARTS = new Parts();
