/** How often a thread in a loop can be stopped: on every iteration, in the outer part of a loop that C2 split, or not at all; and why. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import { type ControlFlow, controlFlow } from '../model/loops.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, Place, type PlaceKind, placeOf } from './safepoint-places.js';
import { type SplitKind, splitLoops } from './split-loops.js';

export interface LoopPoll {
	readonly code: GeneratedCode;
	/** The inlined method that the loop's first described instruction belongs to. */
	readonly method: string;
	/** Address of the loop's first instruction. */
	readonly header: number;
	readonly line: number | null;
	readonly poll: 'iteration' | 'strip' | 'none';
	readonly reason: string;
}

const SPLIT_REASONS: Record<SplitKind | 'once', string> = {
	strip: 'strip-mined: the poll is in an outer loop, reached once in LoopStripMiningIter (1000) iterations',
	once: 'strip-mined: the outer loop ran at most once, so the compiler took it away and left its poll behind the loop',
	long: 'split by the compiler: int loops without a poll inside an outer loop with one, which a long index hardly ever reaches',
};

/** Outer loops before inner ones. */
export function loopPolls({ code, instructions }: PrintedMethod): LoopPoll[] {
	const flow = controlFlow(instructions);
	const { blocks, loops } = flow;
	const places = blocks.map(({ from, to }) => Array.from({ length: to - from }, (_, i) => placeOf(instructions, from + i)));
	const splits = splitLoops(instructions, flow);
	return loops
		.map((loop, number): LoopPoll => {
			const first = (blocks[loop.header] as ControlFlow['blocks'][number]).from;
			const frame = instructions.positions[instructions.position[first] as number]?.[0];
			return {
				code,
				method: frame?.method ?? code.name,
				header: instructions.address[first] as number,
				line: frame?.line ?? null,
				...kindOf(flow, places, number, splits.get(number) ?? splits.get(loop.parent) ?? pollsBehind(instructions, flow, places, number)),
			};
		})
		.reverse();
}

function kindOf(
	flow: ControlFlow,
	places: readonly PlaceKind[][],
	number: number,
	split: keyof typeof SPLIT_REASONS | undefined,
): Pick<LoopPoll, 'poll' | 'reason'> {
	if (split !== undefined) {
		return { poll: 'strip', reason: SPLIT_REASONS[split] };
	}
	const polls = (block: number): boolean => (places[block] as PlaceKind[]).includes(Place.LoopPoll);
	const calls = (block: number): boolean => (places[block] as PlaceKind[]).some((place) => place === Place.JavaCall || place === Place.VmCall);
	if (!goesRound(flow, number, polls)) {
		return { poll: 'iteration', reason: 'a poll on every way round' };
	}
	if (!goesRound(flow, number, (block) => polls(block) || calls(block))) {
		return { poll: 'iteration', reason: 'a poll or a call on every way round' };
	}
	const hasPoll = flow.loops[number]?.blocks.some((block) => polls(block) || calls(block)) ?? false;
	return {
		poll: 'none',
		reason: hasPoll
			? 'polls or calls on some ways round only'
			: 'counted: the compiler removed the poll, since an int index with a constant stride is taken to end soon (-XX:-UseCountedLoopSafepoints)',
	};
}

/** A loop without polls that is left to a poll of its own bytecode: what is left of strip mining when the outer loop runs once. */
function pollsBehind(code: Instructions, { blocks, loops }: ControlFlow, places: readonly PlaceKind[][], number: number): 'once' | undefined {
	const inside = new Set(loops[number]?.blocks);
	if ([...inside].some((block) => places[block]?.includes(Place.LoopPoll))) {
		return undefined;
	}
	for (const block of inside) {
		const { to: end, successors } = blocks[block] as ControlFlow['blocks'][number];
		for (const exit of successors) {
			const poll = inside.has(exit) ? -1 : (places[exit]?.indexOf(Place.LoopPoll) ?? -1);
			const own = code.positions[code.position[end - 1] as number]?.[0];
			const described = poll < 0 ? undefined : framesAt(code, (blocks[exit]?.from ?? 0) + poll, Place.LoopPoll)[0];
			if (own !== undefined && described?.method === own.method && described.bci === own.bci) {
				return 'once';
			}
		}
	}
	return undefined;
}

/** Whether the loop's header leads back to itself over blocks where nothing stops. */
function goesRound({ blocks, loops }: ControlFlow, number: number, stops: (block: number) => boolean): boolean {
	const loop = loops[number] as ControlFlow['loops'][number];
	const inside = new Set(loop.blocks);
	if (stops(loop.header)) {
		return false;
	}
	const seen = new Set<number>();
	const stack = [loop.header];
	for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
		for (const to of (blocks[block] as ControlFlow['blocks'][number]).successors) {
			if (to === loop.header) {
				return true;
			}
			if (inside.has(to) && !seen.has(to) && !stops(to)) {
				seen.add(to);
				stack.push(to);
			}
		}
	}
	return false;
}
