/**
 * Loops that C2 split: one loop of the bytecode became a nest of an outer loop that polls and inner ones that do not. Strip mining (JDK-8186027) gives an int loop
 * an outer loop that goes round once in LoopStripMiningIter iterations of the inner one: the index is carried on through both, and both compare it. A
 * loop over a long index (JDK 17 on) becomes an outer loop over 64 bits, which hardly ever goes round, around int loops that start again each time, whose index is a part of the long one; each of these may be strip-mined itself.
 * Told by that structure; the limit, iterations times stride, only says how long a strip is.
 */
import { Flow, type Instructions, isCallWithoutReturn, isPoll } from '../model/instructions.js';
import { type ControlFlow, controlFlow } from '../model/loops.js';
import { carriedIndex } from './carried-index.js';
import { loopIndex } from './loop-index.js';
import { allPlaces, framesAt, isDescribed, Place } from './safepoint-places.js';

export interface SplitLoop {
	readonly kind: 'strip' | 'long';
	/** Of a strip: iterations of the inner loop, as the code limits them (one of an unrolled loop is several of the source); null where it does not show. */
	readonly iterations: number | null;
}

/** Control flow and split loops of code: each is found once, for the chain and for the loops that are told. */
export function loopStructure(code: Instructions): { readonly flow: ControlFlow; readonly splits: ReadonlyMap<number, SplitLoop> } {
	let structure = STRUCTURES.get(code);
	if (structure === undefined) {
		const flow = controlFlow(code);
		structure = { flow, splits: splitLoops(code, flow) };
		STRUCTURES.set(code, structure);
	}
	return structure;
}

const STRUCTURES = new WeakMap<Instructions, ReturnType<typeof loopStructure>>();

/** By the number of the outer loop. */
export function splitLoops(code: Instructions, flow: ControlFlow): Map<number, SplitLoop> {
	const { loops } = flow;
	const result = new Map<number, SplitLoop>();
	const children = loops.map((): number[] => []);
	loops.forEach(({ parent }, number) => {
		children[parent]?.push(number);
	});
	// Inner loops come first.
	loops.forEach((_, number) => {
		const inner = children[number]!;
		if (inner.length === 0) {
			return;
		}
		const own = ownInstructions(flow, number);
		const places = allPlaces(code);
		if (!own.some((i) => places[i] === Place.LoopPoll)) {
			return;
		}
		const split = stripOf(code, flow, own, inner, children) ?? longOf(code, flow, own, inner, children, result);
		if (split !== null) {
			result.set(number, split);
		}
	});
	return result;
}

/** Instructions of a loop, those of inner loops left out, ascending. */
export function ownInstructions({ starts, loops, loopOfBlock }: ControlFlow, number: number): number[] {
	return (loops[number]?.blocks ?? []).filter((block) => loopOfBlock[block] === number).flatMap((block) => range(starts[block]!, starts[block + 1]!));
}

/** The only inner loop stops nowhere, and the outer one goes on with its index. */
function stripOf(code: Instructions, flow: ControlFlow, own: readonly number[], inner: readonly number[], children: readonly number[][]): SplitLoop | null {
	const [only] = inner;
	if (only === undefined || inner.length > 1 || children[only]!.length > 0 || !neverStops(code, ownInstructions(flow, only))) {
		return null;
	}
	const body = ownInstructions(flow, only);
	const index = indexOf(code, flow, only, body);
	if (index === null) {
		const exit = exitComparison(code, flow, own, flow.loops[only]!.parent);
		return pollsFor(code, own, body) && !(exit >= 0 && is64Bit(code, exit)) ? { kind: 'strip', iterations: null } : null;
	}
	const { goesOn, comparisons } = carriedIndex(code, afterLoop(flow, only, own), body, index.register);
	return goesOn && comparisons.length > 0 ? { kind: 'strip', iterations: stripLength(code, own, index.step) } : null;
}

/** Inner loops that stop nowhere or are strip-mined, in one that compares 64 bits made from their index. */
function longOf(
	code: Instructions,
	flow: ControlFlow,
	own: readonly number[],
	inner: readonly number[],
	children: readonly number[][],
	splits: ReadonlyMap<number, SplitLoop>,
): SplitLoop | null {
	const exit = exitComparison(code, flow, own, flow.loops[inner[0]!]!.parent);
	const isStrip = (number: number): boolean => splits.get(number)?.kind === 'strip';
	const areInner = inner.every((number) => isStrip(number) || (children[number]!.length === 0 && neverStops(code, ownInstructions(flow, number))));
	if (!areInner || exit < 0 || !is64Bit(code, exit)) {
		return null;
	}
	const isOfIndex = inner.some((number) => {
		const main = isStrip(number) ? children[number]![0]! : number;
		const body = ownInstructions(flow, main);
		const index = indexOf(code, flow, main, body);
		const all = main === number ? body : [...body, ...ownInstructions(flow, number)].sort((a, b) => a - b);
		return index === null ? pollsFor(code, own, body) : carriedIndex(code, afterLoop(flow, number, own), all, index.register).comparisons.includes(exit);
	});
	return isOfIndex ? { kind: 'long', iterations: null } : null;
}

/** Instructions of the loop around one as execution comes by: what is executed behind it before the outer one goes round, then the rest; of each what follows it in the code first. */
function afterLoop(flow: ControlFlow, number: number, own: readonly number[]): number[] {
	const { starts, loops } = flow;
	const loop = loops[number]!;
	const outer = loops[loop.parent]!;
	const around = new Set(outer.blocks);
	const reached = new Set<number>();
	const waiting = [...loop.blocks];
	for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
		for (const to of flow.block(block).successors) {
			if (around.has(to) && to !== outer.header && !loop.blocks.includes(to) && !reached.has(to)) {
				reached.add(to);
				waiting.push(to);
			}
		}
	}
	const isReached = new Set([...reached].flatMap((block) => range(starts[block]!, starts[block + 1]!)));
	const last = Math.max(...loop.blocks.map((block) => starts[block + 1]!));
	const inOrder = (of: readonly number[]): number[] => [...of.filter((i) => i >= last), ...of.filter((i) => i < last)];
	return [...inOrder(own.filter((i) => isReached.has(i))), ...inOrder(own.filter((i) => !isReached.has(i)))];
}

function range(from: number, to: number): number[] {
	return Array.from({ length: to - from }, (_, i) => from + i);
}

function neverStops(code: Instructions, of: readonly number[]): boolean {
	return of.every((i) => {
		const place = allPlaces(code)[i];
		return place !== Place.LoopPoll && place !== Place.JavaCall && place !== Place.VmCall;
	});
}

function indexOf(code: Instructions, flow: ControlFlow, number: number, body: readonly number[]): ReturnType<typeof loopIndex> {
	const { header, blocks: inside } = flow.loops[number]!;
	const isExit = (branch: number): boolean => {
		const block = inside.find((at) => flow.starts[at + 1] === branch + 1);
		return block !== undefined && flow.block(block).successors.some((to) => to === header || !inside.includes(to));
	};
	return loopIndex(code, body, () => true, isExit);
}

/** Whether the outer loop's poll describes a bytecode of the inner loop, as far as that is described at all. */
function pollsFor(code: Instructions, own: readonly number[], body: readonly number[]): boolean {
	const described = body.filter((i) => isDescribed(code, i)).flatMap((i) => code.frames(i).slice(0, 1));
	const [poll] = own.filter((i) => allPlaces(code)[i] === Place.LoopPoll).flatMap((i) => framesAt(code, i, Place.LoopPoll).slice(0, 1));
	const bytecodes = described.filter(({ method }) => method === poll?.method).map(({ bci }) => bci);
	return (
		poll !== undefined &&
		isOfLoop(
			bytecodes.sort((a, b) => a - b),
			poll.bci,
		)
	);
}

/** Whether a bytecode is of the loop with these, ascending: one of them, between them, or the jump back behind them. */
export function isOfLoop(bytecodes: readonly number[], bci: number): boolean {
	return bci >= (bytecodes[0] ?? Number.POSITIVE_INFINITY) && bci <= bytecodes.at(-1)! + TAIL_BYTES;
}

/** `istore iinc goto`: an outer loop's jump lies further away. */
const TAIL_BYTES = 5;

/** What the outer loop compares before it is left or goes round; -1 where that does not show. */
function exitComparison(code: Instructions, flow: ControlFlow, own: readonly number[], number: number): number {
	const { header, blocks: inside } = flow.loops[number]!;
	for (const i of [...own].reverse()) {
		const block = code.flow[i] === Flow.Branch ? inside.find((at) => flow.starts[at + 1] === i + 1) : undefined;
		// Checks of what was assumed lead to traps: they end no loop.
		if (block === undefined || !flow.block(block).successors.some((to) => to === header || (!inside.includes(to) && !leadsToTrap(code, flow, to)))) {
			continue;
		}
		for (let at = i - 1; at >= flow.starts[block]! && at >= i - NEAR; at--) {
			if (/^(?:cmp|test|subs)/.test(code.formAt(at)) && !isPoll(code, at)) {
				return at;
			}
		}
	}
	return -1;
}

function leadsToTrap(code: Instructions, flow: ControlFlow, start: number): boolean {
	let at = start;
	for (let steps = 0; steps < MOST_STEPS; steps++) {
		const { to, successors } = flow.block(at);
		if (successors.length !== 1) {
			return isCallWithoutReturn(code, to - 1);
		}
		at = successors[0]!;
	}
	return false;
}

const MOST_STEPS = 8;
/** How many instructions may stand between a comparison and its branch. */
const NEAR = 4;

function is64Bit(code: Instructions, i: number): boolean {
	return (code.formAt(i).match(/%\w+|\b[wx]\d+\b/g) ?? []).every((register) => /^%r(?:[a-z]{2}|\d+)$|^x/.test(register));
}

/** The constant that the outer loop limits the inner one's way by is a multiple of its step. */
function stripLength(code: Instructions, own: readonly number[], step: number): number | null {
	const lengths = constantsIn(
		code,
		own.filter((i) => /^cmp/.test(code.formAt(i))),
	)
		.filter((constant) => constant > 0 && constant < 2 ** 31 && constant % Math.abs(step) === 0)
		.map((constant) => constant / Math.abs(step));
	return lengths.length === 0 ? null : Math.max(...lengths);
}

function constantsIn(code: Instructions, of: readonly number[]): number[] {
	return of.flatMap((i) => [...code.textAt(i).matchAll(/[$#](0x[0-9a-f]+|\d+)\b/g)].map(([, constant]) => Number(constant)));
}
