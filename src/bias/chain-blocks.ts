/**
 * Machine code as states of a Markov chain: blocks that end at each jump, call and poll. Probabilities are of the branches; the first
 * guess of each comes from the shape of the code: what leads only to traps is not executed, slow paths into the VM are rare, loops go on.
 */
import { directJumps } from '../model/direct-jumps.js';
import { Flow, type Instructions } from '../model/instructions.js';
import { type ControlFlow, loopOfEach } from '../model/loops.js';
import type { PrintedMethod } from './printed-method.js';
import { profiledBranch } from './profiled-branches.js';
import { allPlaces, Place, type PlaceKind } from './safepoint-places.js';
import { loopStructure } from './split-loops.js';

export interface ChainBlock {
	/** Instructions [from, to). */
	readonly from: number;
	readonly to: number;
	/** What its last instruction is. */
	readonly place: PlaceKind;
	readonly returns: boolean;
	/** The block after it, -1 where execution does not go on there. */
	readonly fall: number;
	/** Where its jump goes to, -1 for none and for jumps out of the code. */
	readonly jump: number;
}

export interface ChainGraph {
	readonly blocks: readonly ChainBlock[];
	readonly blockOf: Int32Array;
	readonly entry: number;
	readonly flow: ControlFlow;
	/** Logit of the probability of each block's jump as first guessed, and how far from it that may be. Of branches only. */
	readonly guess: Float64Array;
	/** 0: certain. */
	readonly width: Float64Array;
}

export function isBranch({ fall, jump }: ChainBlock): boolean {
	return fall >= 0 && jump >= 0;
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
	const { flow, splits } = loopStructure(instructions);
	const guess = new Float64Array(blocks.length);
	const width = new Float64Array(blocks.length);
	const cold = coldBlocks(blocks);
	const slow = blocks.map((_, block) => leadsToVm(blocks, block));
	const loopOf = loopOfEach(flow);
	const profile = branches?.() ?? null;
	const isDeadEnd = deadEnds(blocks, flow, loopOf, cold, samples);
	/** The smallest loop around a block that one of its ways leaves and the other does not; -1: none. */
	const loopLeft = (block: ChainBlock): number => {
		for (let loop = loopOf[block.to - 1]!; loop >= 0; loop = flow.loops[loop]?.parent ?? -1) {
			const jumpStays = isInside(flow, loopOf, blocks[block.jump]!.from, loop);
			const fallStays = isInside(flow, loopOf, blocks[block.fall]!.from, loop);
			if (jumpStays !== fallStays) {
				return loop;
			}
			if (jumpStays) {
				return -1;
			}
		}
		return -1;
	};
	blocks.forEach((block, number) => {
		if (!isBranch(block)) {
			return;
		}
		const decide = (prefersJump: boolean, logOdds: number, tau: number): void => {
			guess[number] = prefersJump ? logOdds : -logOdds;
			width[number] = tau;
		};
		const jumpCold = cold[block.jump] === 1;
		const fallCold = cold[block.fall] === 1;
		if (jumpCold !== fallCold) {
			if (isDeadEnd[loopLeft(block)] === 1) {
				decide(fallCold, STAYS, 2);
			} else {
				decide(jumpCold, COLD, 0);
			}
			return;
		}
		const jumpSlow = slow[block.jump]!;
		if (jumpSlow !== slow[block.fall]) {
			decide(jumpSlow, RARE, 0.7);
			return;
		}
		const target = (to: number): number => blocks[to]!.from;
		const left = loopLeft(block);
		if (left >= 0) {
			const isNest = splits.get(left)?.kind === 'long';
			decide(isInside(flow, loopOf, target(block.jump), left), isNest ? NEST_STAYS : STAYS, isNest ? 0.3 : 2);
			return;
		}
		const profiled = profile === null ? null : profiledBranch(blocks, block, instructions, profile);
		if (profiled !== null) {
			decide(true, Math.log((profiled.jumps + 0.5) / (profiled.falls + 0.5)), PROFILED_WIDTH);
			return;
		}
		const enters = (next: number): boolean => entersLoop(blocks, flow, loopOf, isDeadEnd, block, next);
		const jumpEnters = enters(block.jump);
		if (jumpEnters !== enters(block.fall)) {
			decide(jumpEnters, ENTERS, 1);
			return;
		}
		// C2 lays out the way that the profile of the branch prefers right behind it.
		const isLaidOut = code.compiler === 'c2' && target(block.jump) >= block.to;
		decide(false, isLaidOut ? FALLS : 0, 1.5);
	});
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

function cut(code: Instructions): { blocks: ChainBlock[]; blockOf: Int32Array } {
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
	const jumpsTo = new Int32Array(length).fill(-1);
	for (let k = 0; k < jumps.from.length; k++) {
		leads[jumps.to[k]!] = 1;
		jumpsTo[jumps.from[k]!] = jumps.to[k]!;
	}
	const starts: number[] = [];
	const blockOf = new Int32Array(length);
	for (let i = 0; i < length; i++) {
		if (leads[i] === 1) {
			starts.push(i);
		}
		blockOf[i] = starts.length - 1;
	}
	const blocks = starts.map((from, number) => {
		const to = starts[number + 1] ?? length;
		const last = to - 1;
		const kind = flow[last]!;
		const place = places[last] as PlaceKind;
		const goesOn = (kind === Flow.Next || kind === Flow.Call || kind === Flow.Branch) && place !== Place.Trap;
		return {
			from,
			to,
			place,
			returns: kind === Flow.Return,
			fall: goesOn && to < length && end[last] === address[to] ? number + 1 : -1,
			jump: jumpsTo[last]! < 0 ? -1 : blockOf[jumpsTo[last]!]!,
		};
	});
	return { blocks, blockOf };
}

/** Blocks from which nothing is reached but traps and the way out. */
function coldBlocks(blocks: readonly ChainBlock[]): Uint8Array {
	const { before, from } = blocksBefore(blocks);
	const cold = new Uint8Array(blocks.length).fill(1);
	const stack: number[] = [];
	blocks.forEach(({ place, returns }, number) => {
		if (returns || place === Place.LoopPoll || place === Place.ReturnPoll || place === Place.JavaCall) {
			stack.push(number);
		}
	});
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
function deadEnds(blocks: readonly ChainBlock[], flow: ControlFlow, loopOf: Int32Array, cold: Uint8Array, samples: Float64Array | null): Uint8Array {
	const result = new Uint8Array(flow.loops.length).fill(1);
	const around = function* (instruction: number): Iterable<number> {
		for (let loop = loopOf[instruction]!; loop >= 0; loop = flow.loops[loop]?.parent ?? -1) {
			yield loop;
		}
	};
	for (const { to, fall, jump, returns } of blocks) {
		for (const loop of around(to - 1)) {
			const leaves = (next: number): boolean => next >= 0 && cold[next] === 0 && !isInside(flow, loopOf, blocks[next]!.from, loop);
			if (returns || leaves(fall) || leaves(jump)) {
				result[loop] = 0;
			}
		}
	}
	samples?.forEach((count, instruction) => {
		if (count > 0) {
			for (const loop of around(instruction)) {
				result[loop] = 0;
			}
		}
	});
	return result;
}

/** Blocks that lead to each block: `before` from `from[block]` on. */
function blocksBefore(blocks: readonly ChainBlock[]): { readonly before: Int32Array; readonly from: Int32Array } {
	const from = new Int32Array(blocks.length + 1);
	for (const { fall, jump } of blocks) {
		if (fall >= 0) {
			from[fall + 1] = from[fall + 1]! + 1;
		}
		if (jump >= 0) {
			from[jump + 1] = from[jump + 1]! + 1;
		}
	}
	for (let block = 0; block < blocks.length; block++) {
		from[block + 1] = from[block + 1]! + from[block]!;
	}
	const before = new Int32Array(from[blocks.length]!);
	const next = from.slice();
	const put = (to: number, block: number): void => {
		if (to >= 0) {
			before[next[to]!] = block;
			next[to] = next[to]! + 1;
		}
	};
	blocks.forEach(({ fall, jump }, block) => {
		put(fall, block);
		put(jump, block);
	});
	return { before, from };
}

/** Whether a few blocks without a branch lead to a call into the VM. */
function leadsToVm(blocks: readonly ChainBlock[], start: number): boolean {
	let at = start;
	for (let steps = 0; steps < 3; steps++) {
		const block = blocks[at];
		if (block === undefined || isBranch(block)) {
			return false;
		}
		if (block.place === Place.VmCall || block.place === Place.EntryBarrier) {
			return true;
		}
		if (block.place !== Place.None && block.place !== Place.LeafCall) {
			return false;
		}
		at = block.fall >= 0 ? block.fall : block.jump;
	}
	return false;
}

/** Whether a few blocks without a branch lead into a loop that the branch is not in, and that the program goes on behind. */
function entersLoop(blocks: readonly ChainBlock[], flow: ControlFlow, loopOf: Int32Array, isDeadEnd: Uint8Array, branch: ChainBlock, start: number): boolean {
	let at = start;
	for (let steps = 0; steps < 3; steps++) {
		const block = blocks[at];
		if (block === undefined) {
			return false;
		}
		const loop = loopOf[block.from]!;
		if (loop >= 0 && !isInside(flow, loopOf, branch.to - 1, loop)) {
			return isDeadEnd[loop] === 0;
		}
		if (isBranch(block) || (block.place !== Place.None && block.place !== Place.LeafCall)) {
			return false;
		}
		at = block.fall >= 0 ? block.fall : block.jump;
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
