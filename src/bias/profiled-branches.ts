/**
 * How often branches of C2's code jump, as far as C2 was told: its log says of each branch of the bytecode how often the profile saw it taken. Which way of the
 * machine's branch is which of the bytecode's stands in the descriptions of where the two go on. Its condition does not tell: what was inlined may be negated.
 */
import { type BranchCounts, type BranchProfile, branchKey } from '../model/branch-profile.js';
import type { Frame, Instructions } from '../model/instructions.js';
import type { ChainBlocks } from './chain-block-columns.js';

/** With fewer the profile says little. */
const FEWEST = 10;
/** Blocks behind a branch that are looked at for a description. */
const MOST_BLOCKS = 3;

/** How often the branch at the end of a block jumps, and falls through, for that profile; null where nothing tells. */
export function profiledBranch(
	blocks: ChainBlocks,
	branch: number,
	code: Instructions,
	profile: BranchProfile,
): { readonly jumps: number; readonly falls: number } | null {
	const frames = code.frames(blocks.from[branch + 1]! - 1);
	const [at] = frames;
	const counts = at === undefined ? undefined : profile.get(branchKey(at.method, bcisOf(frames)));
	if (counts === undefined || counts.taken + counts.notTaken < FEWEST) {
		return null;
	}
	const { taken, notTaken } = counts;
	const jump = sideOf(blocks, blocks.jump[branch]!, code, frames, counts);
	const fall = sideOf(blocks, blocks.fall[branch]!, code, frames, counts);
	// Behind the target both ways may go on: only what lies before it is of one of them.
	if (jump === 'not taken' && fall !== 'not taken') {
		return { jumps: notTaken, falls: taken };
	}
	return fall === 'not taken' && jump !== 'not taken' ? { jumps: taken, falls: notTaken } : null;
}

function bcisOf(frames: readonly Frame[]): number[] {
	return frames.map(({ bci }) => bci);
}

type Side = 'taken' | 'not taken' | null;

/** Of what comes first that is described as of the same method, inlined at the same place. */
function sideOf(blocks: ChainBlocks, start: number, code: Instructions, frames: readonly Frame[], counts: BranchCounts): Side {
	let number = start;
	for (let steps = 0; steps < MOST_BLOCKS && number >= 0; steps++) {
		const { from, to, fall, jump } = blocks.at(number);
		for (let i = from; i < to; i++) {
			const bci = bciIn(code.frames(i), frames);
			const side = bci === null ? null : sideOfPlace(bci, frames[0]!.bci, counts.targetBci);
			if (side !== null) {
				return side;
			}
		}
		if (fall >= 0 && jump >= 0) {
			return null;
		}
		number = fall >= 0 ? fall : jump;
	}
	return null;
}

function sideOfPlace(bci: number, branchBci: number, targetBci: number): Side {
	if (bci > branchBci) {
		return targetBci > branchBci && bci >= targetBci ? 'taken' : 'not taken';
	}
	return targetBci < branchBci && bci >= targetBci && bci < branchBci ? 'taken' : null;
}

/** Where the innermost method of `frames` is in these, if it is inlined at the same place. */
function bciIn(deeper: readonly Frame[], frames: readonly Frame[]): number | null {
	const more = deeper.length - frames.length;
	const found = deeper[more];
	if (found?.method !== frames[0]!.method) {
		return null;
	}
	for (let depth = 1; depth < frames.length; depth++) {
		if (deeper[more + depth]!.bci !== frames[depth]!.bci || deeper[more + depth]!.method !== frames[depth]!.method) {
			return null;
		}
	}
	return found.bci;
}
