/** Who called the compilations that samples are in, as the tops of their stacks tell. */

import { lastAtOrBelow } from '../model/binary-search.js';
import type { CodeMap } from '../model/code-map.js';
import { type GeneratedCode, isDispatchStub } from '../model/generated-code.js';
import { callEndingAt, targetOf } from '../model/instructions.js';
import { type InterpretedMethod, LEFT_FOR_KERNEL, type StackTops } from '../model/samples.js';
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
	/** With the wrappers of native methods. */
	readonly methods: ReadonlyMap<GeneratedCode, PrintedMethod>;
	/** Of the JVM's clock; NaN where it is not known. */
	readonly secondsOf: (sample: number) => number;
}

/** What of Java led into native code, or into the interpreter. */
export interface NativeOwner {
	/** The native method that the code is of, or the method that is interpreted; null: compiled code called the JVM, or a function. */
	readonly method: string | null;
	/** The code through which compiled code calls that method; null where it was interpreted. */
	readonly wrapper: GeneratedCode | null;
	/** The call of compiled code that led there; null where it was interpreted, or is not known. */
	readonly call: Call | null;
	/** The method is no native one, and was interpreted; left out of others. */
	readonly isInterpreted?: true;
}

/** Where a stub that makes a frame has the return address: it saves few registers. */
export const STUB_SLOTS = 8;
/** The frame of a native method's wrapper is not larger: what it passes on the stack, a handle for each argument, and its own few words. */
export const WRAPPER_SLOTS = 48;

/** The calls that samples came by. A word is taken for a return address only where a call ends there; what the interpreter or a stub called is not among them. */
export class TopsOfStacks {
	private readonly frames: SampledFrames;
	/** By sample its first row, which stand one after the other; -1: it has none. */
	private readonly rows: Int32Array;
	private readonly depths = new Map<PrintedMethod, Int32Array | null>();
	/** By the position of the code that an address lies in, and the address. */
	private readonly calls = new Map<number, Map<number, Call | null>>();
	/** By return address what lay before it. */
	private readonly lying = new Map<number, readonly number[]>();

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
		const meant = this.depthsOf(method)?.[instruction] ?? -1;
		const { sample, slot, address } = this.frames.tops;
		for (let row = this.rows[number] ?? -1; row >= 0 && sample[row] === number; row++) {
			if (slot[row] === meant) {
				return address[row]!;
			}
		}
		return null;
	}

	/** Of a sample in the kernel: the instruction of a compilation at which it took over; null elsewhere. */
	leftForKernel(number: number): Call | null {
		const left = this.leftAt(number);
		const method = left === null || left.code?.kind !== 'compilation' ? undefined : this.frames.methods.get(left.code);
		return left === null || method === undefined ? null : { method, instruction: Math.max(0, lastAtOrBelow(method.instructions.address, left.address)) };
	}

	/** Of a sample that is in no compilation whose work it is. `target`: the generated code that it is in; undefined in native code and the kernel. */
	ownerOf(number: number, target: GeneratedCode | undefined): NativeOwner | null {
		const code = this.leftAt(number)?.code ?? target;
		if (code === undefined) {
			return this.ownerOfNative(number);
		}
		const call = code.kind === 'stub' ? this.callerOfStub(number, code) : this.leftForKernel(number);
		if (call !== null) {
			return { method: null, wrapper: null, call };
		}
		const method = code.kind === 'interpreter' || code.kind === 'stub' ? this.frames.tops.interpretedMethods?.bySample.get(number) : undefined;
		return method === undefined ? null : interpretedOwner(method);
	}

	/** Where the kernel took over from generated code, and which; null where it did not. */
	private leftAt(number: number): { readonly address: number; readonly code: GeneratedCode | undefined } | null {
		const { tops, map, secondsOf } = this.frames;
		const row = this.rows[number] ?? -1;
		if (row < 0 || tops.slot[row] !== LEFT_FOR_KERNEL) {
			return null;
		}
		const address = tops.address[row]!;
		return { address, code: map.code[this.positionBefore(address + 1, secondsOf(number))] };
	}

	/** Of a sample that is in a stub: a call that may go there, or of a stub without a frame the one that it stands for. */
	callerOfStub(number: number, { name, start, end }: GeneratedCode): Call | null {
		if (isDispatchStub(name)) {
			return this.callAt(number, (slot) => slot === 0);
		}
		const call = this.callAt(number, (slot) => slot < STUB_SLOTS);
		const target = call === null ? Number.NaN : targetOf(call.method.instructions, call.instruction);
		// C2 calls stubs through a register, and nothing else.
		return Number.isNaN(target) || (target >= start && target < end) ? call : null;
	}

	/**
	 * Of a sample in native code the innermost frame of Java. Where its functions keep no chain of frames, words of earlier calls lie between theirs: a word
	 * counts only where what lies above it fits: above the return address into a wrapper what called it, above that into a stub a call of the stub. Of compiled code
	 * alone it has to be a call that leaves generated code; those of methods name their target.
	 */
	private ownerOfNative(number: number): NativeOwner | null {
		const { tops, secondsOf, map } = this.frames;
		const { sample, slot, address } = tops;
		const seconds = secondsOf(number);
		const isOf = (row: number): boolean => sample[row] === number;
		for (let row = this.rows[number] ?? -1; row >= 0 && isOf(row); row++) {
			const code = slot[row] === LEFT_FOR_KERNEL ? undefined : this.codeBefore(address[row]!, seconds);
			switch (code?.kind) {
				case 'native wrapper': {
					const place = this.returnSlotAbove(code, address[row]!);
					const from = place === null ? slot[row]! + 1 : slot[row]! + 1 + place;
					const to = place === null ? slot[row]! + WRAPPER_SLOTS : from;
					for (let above = row + 1; isOf(above) && slot[above]! <= to; above++) {
						const call = this.compiledCallBefore(address[above]!, seconds);
						if (slot[above]! >= from && (call !== null || this.codeBefore(address[above]!, seconds)?.kind === 'interpreter')) {
							// Without its frame's size, the first may be of an earlier call.
							return { method: code.name, wrapper: code, call: place === null ? null : call };
						}
					}
					break;
				}
				case 'stub':
					for (let above = row + 1; isOf(above) && slot[above]! <= slot[row]! + STUB_SLOTS; above++) {
						const call = this.compiledCallBefore(address[above]!, seconds);
						const target = call === null ? Number.NaN : targetOf(call.method.instructions, call.instruction);
						if (call !== null && target >= code.start && target < code.end) {
							return { method: null, wrapper: null, call };
						}
					}
					break;
				case 'compilation': {
					const call = this.callBefore(address[row]!, seconds);
					const target = call === null ? 0 : targetOf(call.method.instructions, call.instruction);
					if (call !== null && (Number.isNaN(target) || map.at(target).length === 0)) {
						return { method: null, wrapper: null, call };
					}
					break;
				}
				case 'interpreter': {
					// A native method by the function that was called; another one by its frame.
					const native = tops.nativeMethods?.get(row);
					const interpreted = tops.interpretedMethods?.byRow.get(row);
					return native !== undefined ? { method: native, wrapper: null, call: null } : interpreted === undefined ? null : interpretedOwner(interpreted);
				}
				default:
			}
		}
		return null;
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
		const position = this.positionBefore(returnAddress, seconds);
		let ofCode = this.calls.get(position);
		if (ofCode === undefined) {
			ofCode = new Map();
			this.calls.set(position, ofCode);
		}
		let call = ofCode.get(returnAddress);
		if (call === undefined) {
			const method = position < 0 || map.code[position]!.kind === 'native wrapper' ? undefined : methods.get(map.code[position]!);
			const instruction = method === undefined ? -1 : callEndingAt(method.instructions, returnAddress);
			call = method === undefined || instruction < 0 ? null : { method, instruction };
			ofCode.set(returnAddress, call);
		}
		return call;
	}

	/** From the stack pointer, when a wrapper was returned to, the words to its own return address; null where its code is not known. */
	private returnSlotAbove(wrapper: GeneratedCode, returnAddress: number): number | null {
		const method = this.frames.methods.get(wrapper);
		const at = method === undefined ? -1 : method.instructions.end.indexOf(returnAddress);
		return method === undefined || at < 0 ? null : (this.depthsOf(method)?.[at] ?? null);
	}

	private depthsOf(method: PrintedMethod): Int32Array | null {
		let depth = this.depths.get(method);
		if (depth === undefined) {
			depth = frameDepths(method);
			this.depths.set(method, depth);
		}
		return depth;
	}

	/** None of a stub, whose code may be printed too. */
	private compiledCallBefore(returnAddress: number, seconds: number): Call | null {
		const call = this.callBefore(returnAddress, seconds);
		return call?.method.code.kind === 'compilation' ? call : null;
	}

	private codeBefore(returnAddress: number, seconds: number): GeneratedCode | undefined {
		return this.frames.map.code[this.positionBefore(returnAddress, seconds)];
	}

	/** -1: no code lay there. */
	private positionBefore(returnAddress: number, seconds: number): number {
		const { map } = this.frames;
		let there = this.lying.get(returnAddress);
		if (there === undefined) {
			there = map.at(returnAddress - 1);
			this.lying.set(returnAddress, there);
		}
		// Code that took the place of other code was installed later.
		for (let i = there.length - 1; i >= 0; i--) {
			if (!((map.code[there[i]!]!.installedSeconds ?? Number.NEGATIVE_INFINITY) > seconds)) {
				return there[i]!;
			}
		}
		return there[0] ?? -1;
	}
}

/** Of what the interpreter does for a method. */
export function interpretedOwner({ name, bytecodeBytes }: InterpretedMethod): NativeOwner {
	return { method: name, wrapper: null, call: null, ...(bytecodeBytes === 0 ? {} : { isInterpreted: true }) };
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
