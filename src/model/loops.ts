/**
 * Basic blocks and loops of machine code, from its own jumps. Loops are the strongly connected parts (Tarjan 1972) of the graph of
 * blocks, and again of each such part without the edges to its header, as in Steensgaard's nesting forest (1993): with code
 * that has one way into each loop these are the natural loops, and a second way in, as exception handlers give, hides none.
 */
import { isCallWithoutReturn } from './calls.js';
import { Flow, type Instructions } from './instructions.js';

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

export function controlFlow(code: Instructions): ControlFlow {
	const blocks = basicBlocks(code);
	const loops = findLoops(blocks);
	const loopOfBlock = new Int32Array(blocks.length).fill(-1);
	for (let i = loops.length - 1; i >= 0; i--) {
		for (const block of loops[i]!.blocks) {
			loopOfBlock[block] = i;
		}
	}
	return { blocks, loops, loopOfBlock };
}

function basicBlocks(code: Instructions): Block[] {
	const { length, address, end, flow, target } = code;
	const numbers = new Map<number, number>();
	for (let i = 0; i < length; i++) {
		numbers.set(address[i]!, i);
	}
	const isLeader = new Uint8Array(length + 1);
	isLeader[0] = 1;
	for (let i = 0; i < length; i++) {
		const kind = flow[i]!;
		if (kind === Flow.Next || (kind === Flow.Call && !isCallWithoutReturn(code, i))) {
			isLeader[i + 1] = i + 1 < length && end[i] !== address[i + 1] ? 1 : isLeader[i + 1]!;
			continue;
		}
		isLeader[i + 1] = 1;
		const to = numbers.get(target[i]!);
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
		const kind = flow[last]!;
		const successors: number[] = [];
		const jumpsTo = kind === Flow.Jump || kind === Flow.Branch ? numbers.get(target[last]!) : undefined;
		const goesOn = kind === Flow.Next || (kind === Flow.Call && !isCallWithoutReturn(code, last)) || kind === Flow.Branch;
		if (goesOn && to < length && end[last] === address[to]) {
			successors.push(blockAt[to]!);
		}
		if (jumpsTo !== undefined) {
			successors.push(blockAt[jumpsTo]!);
		}
		return { from, to, successors };
	});
}

function findLoops(blocks: readonly Block[]): Loop[] {
	const order = depthFirstOrder(blocks);
	const result: { header: number; blocks: number[]; parent: number; depth: number }[] = [];
	/** Edges to a header are taken away when its loop is found. */
	const isHeader = new Uint8Array(blocks.length);
	const waiting = stronglyConnected(
		blocks,
		blocks.map((_, block) => block),
		isHeader,
	).map((members) => ({ members, parent: -1 }));
	for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
		const { members, parent } = part;
		const header = headerOf(blocks, members, order);
		const number = result.push({ header, blocks: members, parent, depth: parent < 0 ? 1 : (result[parent] as Loop).depth + 1 }) - 1;
		isHeader[header] = 1;
		waiting.push(...stronglyConnected(blocks, members, isHeader).map((inner) => ({ members: inner, parent: number })));
	}
	return innerFirst(result);
}

function innerFirst(loops: readonly Loop[]): Loop[] {
	const sorted = loops.map((loop, number) => ({ loop, number })).sort((a, b) => a.loop.blocks.length - b.loop.blocks.length || b.number - a.number);
	const position = new Map(sorted.map(({ number }, i) => [number, i]));
	return sorted.map(({ loop }) => ({ ...loop, parent: position.get(loop.parent) ?? -1 }));
}

/** Of the blocks that are entered from outside the one that a walk from the start of the code reaches first. */
function headerOf(blocks: readonly Block[], members: readonly number[], order: Int32Array): number {
	const inside = new Set(members);
	const entered = new Set<number>();
	blocks.forEach(({ successors }, block) => {
		for (const successor of inside.has(block) ? [] : successors) {
			if (inside.has(successor)) {
				entered.add(successor);
			}
		}
	});
	const candidates = entered.size > 0 ? [...entered] : members;
	return candidates.reduce((best, block) => (order[block]! < order[best]! ? block : best));
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
				stack.push(...[...blocks[block]!.successors].reverse());
			}
		}
	}
	return order;
}

/** The parts of `members` in which each block leads to each other, over edges to no header; single blocks only where they lead to themselves. */
function stronglyConnected(blocks: readonly Block[], members: readonly number[], isHeader: Uint8Array): number[][] {
	const inside = new Set(members);
	const edges = (block: number): number[] => blocks[block]!.successors.filter((to) => isHeader[to] === 0 && inside.has(to));
	const index = new Map<number, number>();
	const low = new Map<number, number>();
	const open: number[] = [];
	const isOpen = new Set<number>();
	const result: number[][] = [];
	for (const root of members) {
		if (index.has(root)) {
			continue;
		}
		const stack: { block: number; to: number[]; next: number }[] = [];
		const enter = (block: number): void => {
			index.set(block, index.size);
			low.set(block, index.size - 1);
			open.push(block);
			isOpen.add(block);
			stack.push({ block, to: edges(block), next: 0 });
		};
		enter(root);
		for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
			const { block } = top;
			const to = top.to[top.next++];
			if (to !== undefined) {
				if (!index.has(to)) {
					enter(to);
				} else if (isOpen.has(to)) {
					low.set(block, Math.min(low.get(block)!, index.get(to)!));
				}
				continue;
			}
			stack.pop();
			const above = stack.at(-1)?.block;
			if (above !== undefined) {
				low.set(above, Math.min(low.get(above)!, low.get(block)!));
			}
			if (low.get(block) === index.get(block)) {
				const part = open.splice(open.lastIndexOf(block));
				for (const member of part) {
					isOpen.delete(member);
				}
				if (part.length > 1 || edges(block).includes(block)) {
					result.push(part.sort((a, b) => a - b));
				}
			}
		}
	}
	return result;
}
