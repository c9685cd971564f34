/**
 * Machine code as states of a Markov chain: blocks that end at each jump, call and poll. Probabilities are of the branches; the first
 * guess of each comes from the shape of the code: what leads only to traps is not executed, slow paths into the VM are rare, loops go on.
 */
import { directJumps } from '../model/direct-jumps.js';
import { Flow, type Instructions } from '../model/instructions.js';
import { type ControlFlow, loopOfEach } from '../model/loops.js';
import { ChainBlocks } from './chain-block-columns.js';
import type { PrintedMethod } from './printed-method.js';
import { profiledBranch } from './profiled-branches.js';
import { allPlaces, Place } from './safepoint-places.js';
import { loopStructure } from './split-loops.js';

export interface ChainGraph {
	readonly blocks: ChainBlocks;
	readonly blockOf: Int32Array;
	readonly entry: number;
	readonly flow: ControlFlow;
	/** Logit of the probability of each block's jump as first guessed, and how far from it that may be. Of branches only. */
	readonly guess: Float64Array;
	/** 0: certain. */
	readonly width: Float64Array;
}

function logit(probability: number): number {
	return Math.log(probability / (1 - probability));
}

const COLD = logit(1e-9);
const RARE = logit(2e-3);
const STAYS = logit(0.9);
/** The test before a loop: what is seldom there at all is seldom looped over. */
const ENTERS = logit(0.97);
const FALLS = logit(0.9);
/** Of what a profile has counted: it was made before, of other calls too where the method is inlined at several places. */
const PROFILED_WIDTH = 1;
/** In a nest that C2 made of one loop over a long index the outer loop goes on only every 2^31 iterations or so. */
const NEST_STAYS = logit(1e-3);

/** `samples` by instruction; null for code without any. */
export function chainGraph({ code, instructions, labels, branches }: PrintedMethod, samples: Float64Array | null = null): ChainGraph {
	const { blocks, blockOf } = cut(instructions);
	const { from } = blocks;
	const { flow, splits } = loopStructure(instructions);
	const guess = new Float64Array(blocks.length);
	const width = new Float64Array(blocks.length);
	const cold = coldBlocks(blocks);
	const loopOf = loopOfEach(flow);
	const profile = branches?.() ?? null;
	const isDeadEnd = deadEnds(blocks, flow, loopOf, cold, samples);
	/** The smallest loop around a branch that one of its ways leaves and the other does not; -1: none. */
	const loopLeft = (block: number): number => {
		const jump = from[blocks.jump[block]!]!;
		const fall = from[blocks.fall[block]!]!;
		for (let loop = loopOf[from[block + 1]! - 1]!; loop >= 0; loop = flow.loops[loop]?.parent ?? -1) {
			const jumpStays = isInside(flow, loopOf, jump, loop);
			if (jumpStays !== isInside(flow, loopOf, fall, loop)) {
				return loop;
			}
			if (jumpStays) {
				return -1;
			}
		}
		return -1;
	};
	const decide = (block: number): void => {
		const jump = blocks.jump[block]!;
		const fall = blocks.fall[block]!;
		const prefer = (prefersJump: boolean, logOdds: number, tau: number): void => {
			guess[block] = prefersJump ? logOdds : -logOdds;
			width[block] = tau;
		};
		const jumpCold = cold[jump] === 1;
		const fallCold = cold[fall] === 1;
		if (jumpCold !== fallCold) {
			if (isDeadEnd[loopLeft(block)] === 1) {
				prefer(fallCold, STAYS, 2);
			} else {
				prefer(jumpCold, COLD, 0);
			}
			return;
		}
		const jumpSlow = leadsToVm(blocks, jump);
		if (jumpSlow !== leadsToVm(blocks, fall)) {
			prefer(jumpSlow, RARE, 0.7);
			return;
		}
		const left = loopLeft(block);
		if (left >= 0) {
			const isNest = splits.get(left)?.kind === 'long';
			prefer(isInside(flow, loopOf, from[jump]!, left), isNest ? NEST_STAYS : STAYS, isNest ? 0.3 : 2);
			return;
		}
		const profiled = profile === null ? null : profiledBranch(blocks, block, instructions, profile);
		if (profiled !== null) {
			prefer(true, Math.log((profiled.jumps + 0.5) / (profiled.falls + 0.5)), PROFILED_WIDTH);
			return;
		}
		const enters = (next: number): boolean => entersLoop(blocks, flow, loopOf, isDeadEnd, block, next);
		const jumpEnters = enters(jump);
		if (jumpEnters !== enters(fall)) {
			prefer(jumpEnters, ENTERS, 1);
			return;
		}
		// C2 lays out the way that the profile of the branch prefers right behind it.
		const isLaidOut = code.compiler === 'c2' && from[jump]! >= from[block + 1]!;
		prefer(false, isLaidOut ? FALLS : 0, 1.5);
	};
	for (let block = 0; block < blocks.length; block++) {
		if (blocks.isBranch(block)) {
			decide(block);
		}
	}
	return { blocks, blockOf, entry: blockOf[entryOf(code.osrBci !== null, instructions, labels)]!, flow, guess, width };
}

function entryOf(isOsr: boolean, { length }: Instructions, labels: PrintedMethod['labels']): number {
	for (const [instruction, label] of labels) {
		if ((isOsr ? /^OSR Entry|^Verified Entry/ : /^Verified Entry/).test(label) && instruction < length) {
			return instruction;
		}
	}
	return 0;
}

function cut(code: Instructions): { blocks: ChainBlocks; blockOf: Int32Array } {
	const { length, address, end, flow } = code;
	const places = allPlaces(code);
	const leads = new Uint8Array(length + 1);
	leads[0] = 1;
	for (let i = 0; i < length; i++) {
		const kind = flow[i]!;
		const isApart = i + 1 < length && end[i] !== address[i + 1];
		if (kind !== Flow.Next || places[i] !== Place.None || isApart) {
			leads[i + 1] = 1;
		}
	}
	const jumps = directJumps(code);
	for (let k = 0; k < jumps.from.length; k++) {
		leads[jumps.to[k]!] = 1;
	}
	const blockOf = new Int32Array(length);
	let count = 0;
	for (let i = 0; i < length; i++) {
		count += leads[i]!;
		blockOf[i] = count - 1;
	}
	const from = new Int32Array(count + 1);
	from[count] = length;
	for (let i = length - 1; i >= 0; i--) {
		from[blockOf[i]!] = i;
	}
	const blocks = new ChainBlocks(from);
	for (let block = 0; block < count; block++) {
		const to = from[block + 1]!;
		const last = to - 1;
		const kind = flow[last]!;
		const place = places[last]!;
		const goesOn = (kind === Flow.Next || kind === Flow.Call || kind === Flow.Branch) && place !== Place.Trap;
		blocks.place[block] = place;
		blocks.returns[block] = kind === Flow.Return ? 1 : 0;
		if (goesOn && to < length && end[last] === address[to]) {
			blocks.fall[block] = block + 1;
		}
	}
	for (let k = 0; k < jumps.from.length; k++) {
		blocks.jump[blockOf[jumps.from[k]!]!] = blockOf[jumps.to[k]!]!;
	}
	return { blocks, blockOf };
}

/** Blocks from which nothing is reached but traps and the way out. */
function coldBlocks(blocks: ChainBlocks): Uint8Array {
	const { place, returns } = blocks;
	const { before, from } = blocksBefore(blocks);
	const cold = new Uint8Array(blocks.length).fill(1);
	const stack: number[] = [];
	for (let block = 0; block < blocks.length; block++) {
		const kind = place[block];
		if (returns[block] === 1 || kind === Place.LoopPoll || kind === Place.ReturnPoll || kind === Place.JavaCall) {
			stack.push(block);
		}
	}
	for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
		if (cold[block] === 1) {
			cold[block] = 0;
			for (let i = from[block]!; i < from[block + 1]!; i++) {
				stack.push(before[i]!);
			}
		}
	}
	return cold;
}

/**
 * By loop: 1 where it has no samples and is left to nothing but traps, as on a way that the program never took on to its end. If it stayed in there until a trap as rare as others,
 * all time would be spent there. A loop with samples, as of code that was entered in its only loop, does.
 */
function deadEnds(blocks: ChainBlocks, flow: ControlFlow, loopOf: Int32Array, cold: Uint8Array, samples: Float64Array | null): Uint8Array {
	const result = new Uint8Array(flow.loops.length).fill(1);
	const { from, fall, jump, returns } = blocks;
	const leaves = (next: number, loop: number): boolean => next >= 0 && cold[next] === 0 && !isInside(flow, loopOf, from[next]!, loop);
	for (let block = 0; block < blocks.length; block++) {
		for (let loop = loopOf[from[block + 1]! - 1]!; loop >= 0; loop = flow.loops[loop]?.parent ?? -1) {
			if (returns[block] === 1 || leaves(fall[block]!, loop) || leaves(jump[block]!, loop)) {
				result[loop] = 0;
			}
		}
	}
	samples?.forEach((count, instruction) => {
		if (count > 0) {
			for (let loop = loopOf[instruction]!; loop >= 0; loop = flow.loops[loop]?.parent ?? -1) {
				result[loop] = 0;
			}
		}
	});
	return result;
}

/** Blocks that lead to each block: `before` from `from[block]` on. */
function blocksBefore({ length, fall, jump }: ChainBlocks): { readonly before: Int32Array; readonly from: Int32Array } {
	const from = new Int32Array(length + 1);
	const count = (to: number): void => {
		if (to >= 0) {
			from[to + 1] = from[to + 1]! + 1;
		}
	};
	for (let block = 0; block < length; block++) {
		count(fall[block]!);
		count(jump[block]!);
	}
	for (let block = 0; block < length; block++) {
		from[block + 1] = from[block + 1]! + from[block]!;
	}
	const before = new Int32Array(from[length]!);
	const next = from.slice();
	const put = (to: number, block: number): void => {
		if (to >= 0) {
			before[next[to]!] = block;
			next[to] = next[to]! + 1;
		}
	};
	for (let block = 0; block < length; block++) {
		put(fall[block]!, block);
		put(jump[block]!, block);
	}
	return { before, from };
}

/** Whether a few blocks without a branch lead to a call into the VM. */
function leadsToVm(blocks: ChainBlocks, start: number): boolean {
	let at = start;
	for (let steps = 0; steps < 3; steps++) {
		if (at < 0 || blocks.isBranch(at)) {
			return false;
		}
		const place = blocks.place[at];
		if (place === Place.VmCall || place === Place.EntryBarrier) {
			return true;
		}
		if (place !== Place.None && place !== Place.LeafCall) {
			return false;
		}
		at = blocks.fall[at]! >= 0 ? blocks.fall[at]! : blocks.jump[at]!;
	}
	return false;
}

/** Whether a few blocks without a branch lead into a loop that the branch is not in, and that the program goes on behind. */
function entersLoop(blocks: ChainBlocks, flow: ControlFlow, loopOf: Int32Array, isDeadEnd: Uint8Array, branch: number, start: number): boolean {
	let at = start;
	for (let steps = 0; steps < 3; steps++) {
		if (at < 0) {
			return false;
		}
		const loop = loopOf[blocks.from[at]!]!;
		if (loop >= 0 && !isInside(flow, loopOf, blocks.from[branch + 1]! - 1, loop)) {
			return isDeadEnd[loop] === 0;
		}
		const place = blocks.place[at];
		if (blocks.isBranch(at) || (place !== Place.None && place !== Place.LeafCall)) {
			return false;
		}
		at = blocks.fall[at]! >= 0 ? blocks.fall[at]! : blocks.jump[at]!;
	}
	return false;
}

function isInside({ loops }: ControlFlow, loopOf: Int32Array, instruction: number, loop: number): boolean {
	for (let at = loopOf[instruction]!; at >= 0; at = loops[at]?.parent ?? -1) {
		if (at === loop) {
			return true;
		}
	}
	return false;
}
