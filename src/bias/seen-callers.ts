/** Who called the compilations that samples are in, as the tops of their stacks tell. */
import { lastAtOrBelow } from '../model/binary-search.js';
import type { CodeMap } from '../model/code-map.js';
import { type GeneratedCode, isDispatchStub } from '../model/generated-code.js';
import { Flow } from '../model/instructions.js';
import type { StackTops } from '../model/samples.js';
import { frameDepths } from './frame-depth.js';
import type { PrintedMethod } from './printed-method.js';

/** A call in printed code. */
export interface Call {
	readonly method: PrintedMethod;
	readonly instruction: number;
}

/** A call that led into a compilation. */
interface SeenCall extends Call {
	/** Samples that came by it. */
	readonly count: number;
}

export type SeenCallers = ReadonlyMap<PrintedMethod, readonly SeenCall[]>;

interface SampledFrames {
	readonly tops: StackTops;
	readonly map: CodeMap;
	readonly methods: ReadonlyMap<GeneratedCode, PrintedMethod>;
	/** Of the JVM's clock; NaN where it is not known. */
	readonly secondsOf: (sample: number) => number;
}

/** Where a stub that makes a frame has the return address: it saves few registers. */
export const STUB_SLOTS = 8;

/** The calls that samples came by. A word is taken for a return address only where a call ends there; what the interpreter or a stub called is not among them. */
export class TopsOfStacks {
	private readonly frames: SampledFrames;
	/** By sample its first row, which stand one after the other; -1: it has none. */
	private readonly rows: Int32Array;
	private readonly depths = new Map<PrintedMethod, Int32Array | null>();
	private readonly calls = new Map<string, Call | null>();

	constructor(frames: SampledFrames) {
		this.frames = frames;
		const { sample } = frames.tops;
		this.rows = new Int32Array((sample.at(-1) ?? -1) + 1).fill(-1);
		for (let row = sample.length - 1; row >= 0; row--) {
			this.rows[sample[row]!] = row;
		}
	}

	/** Of a sample that is in a compilation, before that instruction. */
	callerOf(number: number, method: PrintedMethod, instruction: number): Call | null {
		const address = this.returnAddressOf(number, method, instruction);
		return address === null ? null : this.callBefore(address, this.frames.secondsOf(number));
	}

	/** The word where the return address of that frame stands; null where it is none of code. */
	returnAddressOf(number: number, method: PrintedMethod, instruction: number): number | null {
		let depth = this.depths.get(method);
		if (depth === undefined) {
			depth = frameDepths(method);
			this.depths.set(method, depth);
		}
		const meant = depth?.[instruction] ?? -1;
		const { sample, slot, address } = this.frames.tops;
		for (let row = this.rows[number] ?? -1; row >= 0 && sample[row] === number; row++) {
			if (slot[row] === meant) {
				return address[row]!;
			}
		}
		return null;
	}

	/** Of a sample that is in a stub: a call that may go there, or of a stub without a frame the one that it stands for. */
	callerOfStub(number: number, { name, start, end }: GeneratedCode): Call | null {
		if (isDispatchStub(name)) {
			return this.callAt(number, (slot) => slot === 0);
		}
		const call = this.callAt(number, (slot) => slot < STUB_SLOTS);
		const target = call?.method.instructions.target[call.instruction] ?? Number.NaN;
		// C2 calls stubs through a register, and nothing else.
		return Number.isNaN(target) || (target >= start && target < end) ? call : null;
	}

	/** The first word in a slot that is meant, behind a call. */
	private callAt(number: number, isMeant: (slot: number) => boolean): Call | null {
		const { tops, secondsOf } = this.frames;
		const { sample, slot, address } = tops;
		for (let row = this.rows[number] ?? -1; row >= 0 && sample[row] === number; row++) {
			const call = isMeant(slot[row]!) ? this.callBefore(address[row]!, secondsOf(number)) : null;
			if (call !== null) {
				return call;
			}
		}
		return null;
	}

	/** The call of printed code that returns to an address. */
	private callBefore(returnAddress: number, seconds: number): Call | null {
		const { map, methods } = this.frames;
		const there = map.at(returnAddress - 1);
		// Code that took the place of other code was installed later.
		const inTime = there.filter((position) => !((map.code[position]!.installedSeconds ?? Number.NEGATIVE_INFINITY) > seconds));
		const position = inTime.at(-1) ?? there[0] ?? -1;
		const key = `${returnAddress} ${position}`;
		let call = this.calls.get(key);
		if (call === undefined) {
			const method = position < 0 ? undefined : methods.get(map.code[position]!);
			call = method === undefined ? null : callEndingAt(method, returnAddress);
			this.calls.set(key, call);
		}
		return call;
	}
}

function callEndingAt(method: PrintedMethod, returnAddress: number): Call | null {
	const { address, end, flow } = method.instructions;
	const instruction = lastAtOrBelow(address, returnAddress - 1);
	return instruction >= 0 && end[instruction] === returnAddress && flow[instruction] === Flow.Call ? { method, instruction } : null;
}

/** Counts the calls that led into each compilation. */
export function seenCallers(calls: Iterable<readonly [callee: PrintedMethod, call: Call]>): SeenCallers {
	const seen = new Map<PrintedMethod, Map<Call, number>>();
	for (const [callee, call] of calls) {
		const known = seen.get(callee) ?? new Map<Call, number>();
		seen.set(callee, known.set(call, (known.get(call) ?? 0) + 1));
	}
	return new Map([...seen].map(([callee, known]) => [callee, [...known].map(([call, count]) => ({ ...call, count }))]));
}
