/**
 * Why the time of one method is blamed on another: the instructions from where most of its samples were to the poll that is most
 * probably reached. The most probable way through the blocks is Dijkstra's shortest one over the logarithms of the branches.
 */
import type { GeneratedCode } from '../model/generated-code.js';
import { Flow, type Frame } from '../model/instructions.js';
import { loopOfEach } from '../model/loops.js';
import type { FittedChain } from './fitted-chain.js';
import { Place, type PlaceKind } from './safepoint-places.js';

/** An instruction on the way, or how many were left out. */
export type ExplainedStep =
	| {
			readonly kind: 'instruction';
			readonly address: number;
			readonly text: string;
			readonly code: GeneratedCode;
			/** The bytecode that it belongs to, with the methods around it; empty where nothing is described. */
			readonly frames: readonly Frame[];
			readonly note: string | null;
	  }
	| { readonly kind: 'skipped'; readonly instructions: number };

export interface Explanation {
	readonly from: string;
	readonly to: string;
	/** Samples of `from` that are blamed on `to`. */
	readonly amount: number;
	/** The part of them that takes this way: compilation and poll. */
	readonly share: number;
	readonly code: GeneratedCode;
	/** Where most samples of `from` are in that compilation. */
	readonly sampledAddress: number;
	readonly sampledCount: number;
	/** Of a thread that is there: how probable it is that it stops at this poll. */
	readonly probability: number;
	readonly steps: readonly ExplainedStep[];
	readonly pollAddress: number;
	readonly place: PlaceKind;
	/** What is shown there, the innermost first. */
	readonly frames: readonly Frame[];
	/** Why these frames are shown. */
	readonly rule: string;
}

export const RULES = {
	loop: 'a poll in a loop shows the state described at the instruction before it',
	return: 'at a return poll the frame is gone: the caller is shown, at its call',
	callReturns: 'what is called stops at its return poll, where its frame is gone: the call is shown',
	callDeep: 'a method further inside this call stops there',
	callUnknown: 'what is called is not printed: the call is shown',
	native: 'a native method is called: a thread in it is seen there at once',
	vm: 'the call into the VM stops there: its frames are shown',
	none: 'the text ends here: nothing tells what is shown',
} as const;

/** Of an instruction's run more than these are left out. */
const FIRST = 3;
const LAST = 4;

/** Instructions from one to the end of a block, shortened; empty where no way leads there. */
export function wayTo({ graph, method, jumpShares }: FittedChain, start: number, block: number): ExplainedStep[] {
	const { instructions, code } = method;
	const { flow, blockOf, blocks } = graph;
	const way = mostProbable(graph.blocks, jumpShares, blockOf[start]!, block);
	const all = way.flatMap((number, i) => {
		const { from, to } = blocks.at(number);
		const first = i === 0 ? Math.max(from, start) : from;
		return Array.from({ length: to - first }, (_, n) => first + n);
	});
	const loopOf = loopOfEach(flow);
	const contains = (outer: number, inner: number): boolean => {
		for (let at = inner; at >= 0; at = flow.loops[at]?.parent ?? -1) {
			if (at === outer) {
				return true;
			}
		}
		return false;
	};
	const noteOf = (at: number): string | null => {
		const i = all[at]!;
		const next = all[at + 1];
		if (next === undefined || instructions.flow[i] === Flow.Next || instructions.flow[i] === Flow.Call) {
			return null;
		}
		const loop = loopOf[i]!;
		if (loop >= 0 && !contains(loop, loopOf[next]!)) {
			return 'leaves the loop';
		}
		return instructions.flow[i] === Flow.Branch ? (next === i + 1 ? 'falls through' : 'jumps') : null;
	};
	const isShown = all.map((_, at) => at < FIRST || at >= all.length - LAST || noteOf(at) === 'leaves the loop');
	const steps: ExplainedStep[] = [];
	all.forEach((i, at) => {
		// A single one left out takes as much room as itself.
		if (!(isShown[at] || (isShown[at - 1] && isShown[at + 1]))) {
			const last = steps.at(-1);
			if (last?.kind === 'skipped') {
				steps[steps.length - 1] = { kind: 'skipped', instructions: last.instructions + 1 };
			} else {
				steps.push({ kind: 'skipped', instructions: 1 });
			}
			return;
		}
		steps.push({
			kind: 'instruction',
			address: instructions.address[i]!,
			text: instructions.text[i]!,
			code,
			frames: instructions.frames(i),
			note: noteOf(at),
		});
	});
	return steps;
}

function mostProbable(blocks: FittedChain['graph']['blocks'], jumpShares: Float64Array, start: number, goal: number): number[] {
	const cost = new Float64Array(blocks.length).fill(Number.POSITIVE_INFINITY);
	const before = new Int32Array(blocks.length).fill(-1);
	const open = new Set([start]);
	cost[start] = 0;
	while (open.size > 0) {
		const at = [...open].reduce((best, block) => (cost[block]! < cost[best]! ? block : best));
		open.delete(at);
		const { fall, jump, place } = blocks.at(at);
		if (at === goal) {
			break;
		}
		if (place !== Place.None && place !== Place.LeafCall && place !== Place.EntryBarrier) {
			continue;
		}
		const share = fall >= 0 && jump >= 0 ? jumpShares[at]! : 1;
		for (const [to, probability] of [
			[jump, share],
			[fall, jump >= 0 ? 1 - share : 1],
		] as const) {
			const total = cost[at]! - Math.log(Math.max(probability, 1e-300));
			if (to >= 0 && total < cost[to]!) {
				cost[to] = total;
				before[to] = at;
				open.add(to);
			}
		}
	}
	if (start !== goal && before[goal] === -1) {
		return [];
	}
	const way = [goal];
	for (let at = goal; at !== start; at = before[at]!) {
		way.unshift(before[at]!);
	}
	return way;
}
