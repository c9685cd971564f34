/**
 * Loops that C2 split in two: one loop of the bytecode became a nest of an outer loop with a poll and inner ones without. Strip mining
 * gives int loops an outer loop of LoopStripMiningIter (1000) iterations each; a loop over a long index becomes int loops inside an outer
 * one that hardly ever goes round. Told by the tests: inner and outer ones belong to the same bytecode of the same method.
 */
import { Flow, type Instructions } from '../model/instructions.js';
import type { ControlFlow } from '../model/loops.js';
import { Place, placeOf } from './safepoint-places.js';

export type SplitKind = 'strip' | 'long';

/** By the number of the outer loop. */
export function splitLoops(code: Instructions, { blocks, loops, loopOfBlock }: ControlFlow): Map<number, SplitKind> {
	const result = new Map<number, SplitKind>();
	loops.forEach((loop, number) => {
		const inner = loop.blocks.filter((block) => loopOfBlock[block] !== number);
		const outer = loop.blocks.filter((block) => loopOfBlock[block] === number);
		const instructionsOf = (of: readonly number[]): number[] =>
			of.flatMap((block) => {
				const { from, to } = blocks[block] as { from: number; to: number };
				return Array.from({ length: to - from }, (_, i) => from + i);
			});
		const inside = instructionsOf(inner);
		const around = instructionsOf(outer);
		const isPoll = (i: number): boolean => placeOf(code, i) === Place.LoopPoll;
		if (inner.length === 0 || inside.some(isPoll) || !around.some(isPoll)) {
			return;
		}
		const tests = (of: readonly number[]): string[] => of.filter((i) => code.flow[i] === Flow.Branch && isDescribed(code, i)).map((i) => siteOf(code, i));
		const outerTests = new Set(tests(around));
		const methods = new Set([...inside, ...around].filter((i) => isDescribed(code, i)).map((i) => code.positions[code.position[i] as number]?.[0]?.method));
		if (methods.size === 1 && tests(inside).some((site) => site !== '' && outerTests.has(site))) {
			result.set(number, [...inside, ...around].some((i) => /\$0x3e8\b/.test(code.text[i] as string)) ? 'strip' : 'long');
		}
	});
	return result;
}

/** Method and bytecode, with all inlining around. */
function siteOf({ position, positions }: Instructions, i: number): string {
	return (positions[position[i] as number] ?? []).map(({ method, bci }) => `${method}@${bci}`).join(' ');
}

/** Whether debug information stands beside the instruction itself: what is inherited from a later one may be of code behind the loop. */
function isDescribed({ comments }: Instructions, i: number): boolean {
	return (comments[i] as readonly string[]).some((comment) => comment.startsWith('- '));
}
