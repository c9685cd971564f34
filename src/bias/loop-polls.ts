/** How often a thread in a loop can be stopped: on every iteration, in the outer part of a loop that C2 split, or not at all; and why. */
import type { GeneratedCode } from '../model/generated-code.js';
import { DebugInfo, Flow, type Frame, type Instructions } from '../model/instructions.js';
import { blockOfEach, type ControlFlow } from '../model/loops.js';
import { type LoopIndex, loopIndex } from './loop-index.js';
import type { PrintedMethod } from './printed-method.js';
import { allPlaces, framesAt, isDescribed, Place, type PlaceKind } from './safepoint-places.js';
import { isOfLoop, loopStructure, ownInstructions, type SplitLoop } from './split-loops.js';

/**
 * `counted`: no poll, C2 took it out; `rest`: what unrolling left of such a loop. `strip-mined`, `long index`: the poll is in an outer loop that C2 made. `outer loop gone`: that ran once
 * at most. `inside a bytecode`: copying, comparing, an intrinsic. `calls`: the callees poll. `some ways`: polls or calls on some ways
 * round only. `counted with a poll`, `not counted`, `C1`: polls on every way round.
 */
export type LoopKind =
	| 'counted'
	| 'rest'
	| 'strip-mined'
	| 'outer loop gone'
	| 'long index'
	| 'inside a bytecode'
	| 'calls'
	| 'some ways'
	| 'counted with a poll'
	| 'not counted'
	| 'C1';

/** Where a thread in a loop is stopped, and the frames that it shows there, the innermost first. */
interface ReportedPoll {
	readonly address: number;
	readonly place: 'poll' | 'call';
	readonly frames: readonly Frame[];
}

export interface LoopPoll {
	readonly code: GeneratedCode;
	/** The inlined method that has the loop in its bytecode. */
	readonly method: string;
	readonly line: number | null;
	/** Bytecode indexes of that method that are described in the loop, inner loops left out, ascending. */
	readonly bytecodes: readonly number[];
	/** Address of the loop's first instruction. */
	readonly header: number;
	/** The byte after its last instruction; blocks of other loops may lie between. */
	readonly end: number;
	/** Positions of its instructions, inner loops left out. */
	readonly own: readonly number[];
	readonly index: LoopIndex | null;
	readonly poll: 'iteration' | 'strip' | 'none';
	readonly kind: LoopKind;
	readonly reason: string;
	/** Of the loop itself, inner loops left out; of a split loop those of its outer part. */
	readonly reported: readonly ReportedPoll[];
}

interface Verdict {
	readonly poll: LoopPoll['poll'];
	readonly kind: LoopKind;
	readonly reason: string;
}

const OUTER_LOOP_GONE: Verdict = {
	poll: 'strip',
	kind: 'outer loop gone',
	reason: 'strip-mined: the outer loop ran at most once, so the compiler took it away and left its poll behind the loop',
};

/** Of both loops of the nest. */
function splitVerdict({ kind, iterations }: SplitLoop): Verdict {
	return kind === 'strip'
		? {
				poll: 'strip',
				kind: 'strip-mined',
				reason: `strip-mined (-XX:+UseCountedLoopSafepoints): the poll is in an outer loop, reached once in LoopStripMiningIter${iterations === null ? '' : ` (${iterations})`} iterations`,
			}
		: {
				poll: 'strip',
				kind: 'long index',
				reason: 'split by the compiler: int loops without a poll inside an outer loop with one, which a long index hardly ever reaches',
			};
}

/** Outer loops before inner ones. What no walk from an entry comes to (stubs that jump to themselves) is no loop. */
export function loopPolls(method: PrintedMethod): LoopPoll[] {
	return loopsOfCode(method).told();
}

/** The loops of a compilation. */
export interface CodeLoops {
	/** Of each, from the samples of each instruction, those that lie in it, inner loops left out. */
	samples(counts: Float64Array): number[];
	/** Of each, in the same order, what {@link LoopPoll} tells: made when it is first asked for, which takes much longer. */
	told(): LoopPoll[];
}

export function loopsOfCode(method: PrintedMethod): CodeLoops {
	const { code, instructions } = method;
	const loops = foundLoops(method);
	let known: LoopPoll[] | null = null;
	return {
		samples: (counts) => loops.map(({ flow, number }) => samplesOf(flow, number, counts)),
		told: () => {
			if (known === null) {
				const isDescribedInside = describesMoreThanSafepoints(instructions);
				known = rests(loops.map((found) => told(code, instructions, isDescribedInside, found)));
			}
			return known;
		},
	};
}

function samplesOf({ loops, loopOfBlock, starts }: ControlFlow, number: number, counts: Float64Array): number {
	let sum = 0;
	for (const block of loops[number]!.blocks) {
		for (let i = starts[block]!; loopOfBlock[block] === number && i < starts[block + 1]!; i++) {
			sum += counts[i]!;
		}
	}
	return sum;
}

/** Only how often each of these loops polls, in the same order: much less is looked at. */
export function pollsOfLoops(method: PrintedMethod): LoopPoll['poll'][] {
	return foundLoops(method).map(({ flow, splits, places, number, site }) => {
		const { parent } = flow.loops[number]!;
		if (splits.has(number) || splits.has(parent) || pollsBehind(method.instructions, flow, places, number, () => site()?.bytecodes ?? [])) {
			return 'strip';
		}
		return goesRound(flow, number, (block) => pollsIn(flow, places, block) || callsIn(flow, places, block)) ? 'none' : 'iteration';
	});
}

/** A loop, and what tells where it is in the bytecode. */
interface FoundLoop {
	readonly flow: ControlFlow;
	readonly splits: ReadonlyMap<number, SplitLoop>;
	readonly places: Uint8Array;
	/** The block of each instruction; -1 behind the last. */
	readonly blockOf: Int32Array;
	readonly number: number;
	/** Looked for each time. */
	site(): Site | null;
}

function foundLoops({ instructions, labels }: PrintedMethod): FoundLoop[] {
	const { flow, splits } = loopStructure(instructions);
	const { starts, loops } = flow;
	if (loops.length === 0) {
		return [];
	}
	const blockOf = blockOfEach(flow);
	const places = allPlaces(instructions);
	const stubs = firstStub(instructions, labels);
	const result: FoundLoop[] = [];
	for (let number = loops.length - 1; number >= 0; number--) {
		if (starts[loops[number]!.header]! < stubs && !isSelfJump(instructions, flow, number)) {
			result.push({ flow, splits, places, blockOf, number, site: () => siteOfLoop(instructions, flow, blockOf, number) });
		}
	}
	return result;
}

function siteOfLoop(instructions: Instructions, flow: ControlFlow, blockOf: Int32Array, number: number): Site | null {
	const inside = new Set(flow.loops[number]!.blocks);
	/** Beside a branch that falls out of the loop stands what follows the loop. */
	const fallsOut = (i: number): boolean => instructions.flow[i] === Flow.Branch && !inside.has(blockOf[i + 1]!);
	const described = instructionsOf(flow, flow.loops[number]!.blocks).filter((i) => isDescribed(instructions, i));
	return siteOf(
		instructions,
		described.filter((i) => !fallsOut(i)),
		described.filter(fallsOut),
		new Set(ownInstructions(flow, number)),
	);
}

function told(code: GeneratedCode, instructions: Instructions, isDescribedInside: boolean, found: FoundLoop): Found {
	const { flow, splits, places, number } = found;
	const { starts, loops } = flow;
	const loop = loops[number]!;
	const first = starts[loop.header]!;
	const all = instructionsOf(flow, loop.blocks);
	const own = ownInstructions(flow, number);
	const inside = new Set(loop.blocks);
	const blockOf = (i: number): number => found.blockOf[i]!;
	const site = found.site();
	const frame = instructions.frames(first)[0];
	const isEvery = (i: number): boolean => !goesRound(flow, number, (block) => block === blockOf(i));
	const leaves = (to: number): boolean => to === loop.header || !inside.has(to);
	const decides = (branch: number, ends: (to: number) => boolean): boolean => flow.block(blockOf(branch)).successors.some(ends);
	const index =
		loopIndex(instructions, own, isEvery, (branch) => decides(branch, (to) => leaves(to) && (to === loop.header || !leadsToTrap(flow, places, to)))) ??
		// Never left so far: the way out is a trap.
		loopIndex(instructions, own, isEvery, (branch) => decides(branch, leaves));
	const isEntered = code.osrBci !== null && site !== null && site.method === code.name && isAtHeader(site.bytecodes, code.osrBci);
	const testsFirst = isEntered && index !== null && !stepsIn(instructions, flow.block(loop.header), index);
	const split = splits.get(number) ?? splits.get(loop.parent);
	const nest =
		split !== undefined ? splitVerdict(split) : pollsBehind(instructions, flow, places, number, () => site?.bytecodes ?? []) ? OUTER_LOOP_GONE : null;
	return {
		number,
		parent: loop.parent,
		code,
		method: site?.method ?? frame?.method ?? code.name,
		line: site === null ? (frame?.line ?? null) : site.line,
		bytecodes: site?.bytecodes ?? [],
		header: instructions.address[first]!,
		end: all.reduce((end, i) => Math.max(end, instructions.end[i]!), 0),
		own,
		index,
		...(nest ?? verdict({ code, instructions, flow, places, number, all, own, index, isDescribedInside, testsFirst })),
		reported: reportedIn(instructions, splits.has(loop.parent) ? ownInstructions(flow, loop.parent) : own),
	};
}

type Found = LoopPoll & { readonly number: number; readonly parent: number };

/** An unrolled loop leaves loops for the iterations before and after it. */
function rests(loops: readonly Found[]): LoopPoll[] {
	return loops.map(({ parent, number: _, ...loop }) => {
		const { index, kind, method, bytecodes } = loop;
		const isRest =
			kind === 'counted' &&
			index !== null &&
			loops.some(
				(other) =>
					(other.parent === parent ||
						loops.some(({ number: outer, parent: outside, kind }) => outer === other.parent && outside === parent && kind === 'strip-mined')) &&
					other.method === method &&
					Math.abs(other.index?.step ?? 0) > Math.abs(index.step) &&
					(other.bytecodes.some((bci) => bytecodes.includes(bci)) || other.bytecodes.length + bytecodes.length === 0),
			);
		return isRest ? { ...loop, kind: 'rest', reason: REST } : loop;
	});
}

const REST = 'the iterations that unrolling left over, before or after the main loop: few, and without a poll';

/** The first instruction of the stubs behind the method's own code. */
function firstStub({ length }: Instructions, labels: PrintedMethod['labels']): number {
	let first = length;
	for (const [i, label] of labels) {
		if (/Exception Handler|Deopt|Stub Code/.test(label)) {
			first = Math.min(first, i);
		}
	}
	return first;
}

/** -XX:+DebugNonSafepoints: other instructions than those with oop maps, polls and calls, are described. */
function describesMoreThanSafepoints(code: Instructions): boolean {
	return code.debugInfo.some((bits, i) => bits === DebugInfo.Frames && code.flow[i] !== Flow.Call);
}

/** `jmp` to itself: a call stub that is not resolved yet. */
function isSelfJump(code: Instructions, { starts, loops }: ControlFlow, number: number): boolean {
	const { blocks, header } = loops[number]!;
	const last = starts[header + 1]! - 1;
	return blocks.length === 1 && code.flow[last] === Flow.Jump && code.target[last] === code.address[last];
}

function instructionsOf({ starts }: ControlFlow, of: readonly number[]): number[] {
	return of.flatMap((block) => {
		const from = starts[block]!;
		return Array.from({ length: starts[block + 1]! - from }, (_, i) => from + i);
	});
}

/** The method that has the loop: as far as all that is described inside was inlined through the same calls. */
function siteOf(code: Instructions, describing: readonly number[], leaving: readonly number[], own: ReadonlySet<number>): Site | null {
	const chains = chainsOf(code, describing);
	const [some] = chains;
	if (some === undefined) {
		return null;
	}
	let depth = 0;
	const at = (chain: readonly Frame[], level: number): Frame | undefined => chain[chain.length - 1 - level];
	while (chains.every((chain) => chain.length > depth + 1 && at(chain, depth)?.bci === at(some, depth)?.bci)) {
		depth++;
		if (!chains.every((chain) => at(chain, depth)?.method === at(some, depth)?.method)) {
			depth--;
			break;
		}
	}
	const ownChains = chainsOf(
		code,
		describing.filter((i) => own.has(i)),
	);
	const frames = (ownChains.length > 0 ? ownChains : chains).map((chain) => at(chain, depth)!);
	const tests = chainsOf(code, leaving).filter((chain) => chain.length === depth + 1 && at(chain, depth)?.method === frames[0]?.method);
	const lowest = [...frames, ...tests.map((chain) => at(chain, depth)!)].reduce((best, frame) => (frame.bci < best.bci ? frame : best));
	return { method: lowest.method, line: lowest.line, bytecodes: [...new Set(frames.map(({ bci }) => bci))].sort((a, b) => a - b) };
}

interface Site {
	readonly method: string;
	readonly line: number | null;
	readonly bytecodes: readonly number[];
}

function chainsOf({ position, positions }: Instructions, of: readonly number[]): (readonly Frame[])[] {
	return [...new Set(of.map((i) => position[i]!))].flatMap((number) => {
		const chain = positions[number];
		return chain === undefined ? [] : [chain];
	});
}

function reportedIn(code: Instructions, own: readonly number[]): ReportedPoll[] {
	const places = allPlaces(code);
	return own.flatMap((i): ReportedPoll[] => {
		const place = places[i] as PlaceKind;
		const isCall = place === Place.JavaCall || place === Place.VmCall;
		return isCall || place === Place.LoopPoll ? [{ address: code.address[i]!, place: isCall ? 'call' : 'poll', frames: framesAt(code, i, place) }] : [];
	});
}

function verdict({
	code,
	instructions,
	flow,
	places,
	number,
	all,
	own,
	index,
	isDescribedInside,
	testsFirst,
}: {
	readonly code: GeneratedCode;
	readonly instructions: Instructions;
	readonly flow: ControlFlow;
	readonly places: Uint8Array;
	readonly number: number;
	readonly all: readonly number[];
	readonly own: readonly number[];
	readonly index: LoopIndex | null;
	readonly isDescribedInside: boolean;
	/** On-stack replacement enters the loop at its test, which stands before the step. */
	readonly testsFirst: boolean;
}): Verdict {
	const polls = (block: number): boolean => pollsIn(flow, places, block);
	const calls = (block: number): boolean => callsIn(flow, places, block);
	if (!goesRound(flow, number, polls)) {
		return everyTime(
			code,
			index,
			own.some((i) => places[i] === Place.LoopPoll),
			testsFirst,
		);
	}
	if (!goesRound(flow, number, (block) => polls(block) || calls(block))) {
		return {
			poll: 'iteration',
			kind: 'calls',
			reason: 'a poll or a call on every way round: what is called polls when it returns, so the loop needs none of its own',
		};
	}
	if (flow.loops[number]?.blocks.some((block) => polls(block) || calls(block)) ?? false) {
		return {
			poll: 'none',
			kind: 'some ways',
			reason: 'polls or calls on some ways round only (in inner loops, or where a condition holds); no poll of its own',
		};
	}
	// Where only safepoints are described, a loop without one is told by what it counts with: intrinsics count addresses.
	const isOfBytecodes = isDescribedInside ? all.some((i) => isDescribed(instructions, i)) : index !== null && index.bits === 32;
	if (code.compiler === 'c1' || !isOfBytecodes) {
		return {
			poll: 'none',
			kind: 'inside a bytecode',
			reason: 'no bytecode begins inside: an intrinsic, or copying, clearing, comparing of memory; such loops never poll',
		};
	}
	return {
		poll: 'none',
		kind: 'counted',
		reason: 'counted: the compiler removed the poll, since an int index with a constant stride is taken to end soon (-XX:-UseCountedLoopSafepoints)',
	};
}

/** The bytecodes of a loop that are described begin at most a few bytes behind its first. */
const HEADER_BYTES = 4;

function isAtHeader(bytecodes: readonly number[], bci: number): boolean {
	const [first] = bytecodes;
	return first !== undefined && first >= bci && first - bci <= HEADER_BYTES;
}

/** Whether a block steps the index. */
function stepsIn(code: Instructions, { from, to }: { readonly from: number; readonly to: number }, { register }: LoopIndex): boolean {
	return (
		loopIndex(
			code,
			Array.from({ length: to - from }, (_, i) => from + i),
			() => true,
			() => true,
		)?.register === register
	);
}

function everyTime({ compiler }: GeneratedCode, index: LoopIndex | null, isOwn: boolean, testsFirst: boolean): Verdict {
	if (compiler === 'c1') {
		return { poll: 'iteration', kind: 'C1', reason: 'compiled by C1, which polls on every backward jump' };
	}
	if (index !== null && isOwn) {
		return {
			poll: 'iteration',
			kind: 'counted with a poll',
			reason: testsFirst
				? 'a poll on every way round although an index has a constant stride: on-stack replacement enters at the test, which stays before the step, and C2 counts only loops that test what was stepped'
				: index.bits === 64
					? 'a poll on every way round: an index of 64 bits with a constant stride, which C2 does not take for counted here (before JDK 17 never)'
					: 'a poll on every way round although an index has a constant stride: -XX:+UseCountedLoopSafepoints with LoopStripMiningIter of 0 or 1, or a test or an exit that C2 does not count by',
		};
	}
	return {
		poll: 'iteration',
		kind: 'not counted',
		reason: 'a poll on every way round: not a counted loop (the stride or the bound changes, something else ends it, or it has a second way in)',
	};
}

function pollsIn(flow: ControlFlow, places: Uint8Array, block: number): boolean {
	return firstPlace(flow, places, block, Place.LoopPoll) >= 0;
}

function callsIn(flow: ControlFlow, places: Uint8Array, block: number): boolean {
	return firstPlace(flow, places, block, Place.JavaCall) >= 0 || firstPlace(flow, places, block, Place.VmCall) >= 0;
}

/** The first instruction of a block that is such a place; -1 for none. */
function firstPlace({ starts }: ControlFlow, places: Uint8Array, block: number, wanted: PlaceKind): number {
	const end = starts[block + 1]!;
	for (let i = starts[block]!; i < end; i++) {
		if (places[i] === wanted) {
			return i;
		}
	}
	return -1;
}

/** A loop without polls that is left to a poll of its own bytecode: what is left of strip mining when the outer loop runs once. */
function pollsBehind(code: Instructions, flow: ControlFlow, places: Uint8Array, number: number, bytecodes: () => readonly number[]): boolean {
	const inside = new Set(flow.loops[number]?.blocks);
	if ([...inside].some((block) => firstPlace(flow, places, block, Place.LoopPoll) >= 0)) {
		return false;
	}
	for (const block of inside) {
		const { to: end, successors } = flow.block(block);
		for (const exit of successors) {
			const poll = inside.has(exit) ? -1 : firstPlace(flow, places, exit, Place.LoopPoll);
			if (poll < 0) {
				continue;
			}
			const own = code.frames(end - 1)[0];
			const described = framesAt(code, poll, Place.LoopPoll)[0];
			if (own !== undefined && described?.method === own.method && (described.bci === own.bci || isOfLoop(bytecodes(), described.bci))) {
				return true;
			}
		}
	}
	return false;
}

/** Whether there is nothing but an uncommon trap: a test that never succeeded. */
function leadsToTrap(flow: ControlFlow, places: Uint8Array, start: number): boolean {
	for (let at = start, steps = 0; steps < 4; steps++) {
		if (firstPlace(flow, places, at, Place.Trap) >= 0) {
			return true;
		}
		const { successors } = flow.block(at);
		if (successors.length !== 1) {
			return false;
		}
		at = successors[0]!;
	}
	return false;
}

/** Whether the loop's header leads back to itself over blocks where nothing stops. */
function goesRound(flow: ControlFlow, number: number, stops: (block: number) => boolean): boolean {
	const loop = flow.loops[number]!;
	const inside = new Set(loop.blocks);
	if (stops(loop.header)) {
		return false;
	}
	const seen = new Set<number>();
	const stack = [loop.header];
	for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
		for (const to of flow.block(block).successors) {
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
