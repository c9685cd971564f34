/**
 * Loops that C2 split in two: one loop of the bytecode became a nest of an outer loop with a poll and inner ones without. Strip mining
 * gives int loops an outer loop of LoopStripMiningIter (1000) iterations each; a loop over a long index becomes int loops inside an outer
 * one that hardly ever goes round. Told by the tests: inner and outer ones belong to the same bytecode of the same method.
 */
import { Flow, type Instructions } from '../model/instructions.js';
import type { ControlFlow } from '../model/loops.js';
import { isDescribed, Place, placeOf } from './safepoint-places.js';

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
		const methods = new Set([...inside, ...around].filter((i) => isDescribed(code, i)).map((i) => code.positions[code.position[i]!]?.[0]?.method));
		if (methods.size === 1 && tests(inside).some((site) => site !== '' && outerTests.has(site))) {
			result.set(number, hasStripLimit(code, [...inside, ...around]) ? 'strip' : 'long');
		}
	});
	return result;
}

/** LoopStripMiningIter's default of 1000 among the operands, or 1000 iterations of an unrolled loop. */
export function hasStripLimit({ text }: Instructions, of: readonly number[]): boolean {
	return of.some((i) => [...text[i]!.matchAll(/[$#](0x[0-9a-f]+)\b/g)].some(([, constant]) => STRIP_LIMITS.has(Number(constant))));
}

const STRIP_LIMITS: ReadonlySet<number> = new Set([1, 2, 4, 8, 16, 32, 64].map((unrolled) => 1000 * unrolled));

/** Method and bytecode, with all inlining around. */
function siteOf({ position, positions }: Instructions, i: number): string {
	return (positions[position[i]!] ?? []).map(({ method, bci }) => `${method}@${bci}`).join(' ');
}
