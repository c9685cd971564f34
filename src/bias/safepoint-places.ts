/**
 * Where a thread in compiled code can be stopped, as HotSpot marks it on x86-64 and AArch64: `{poll}` in loops, `{poll_return}` before a
 * return, and calls. A poll in a loop reports the state described beside the instruction before it (the load of the polling page, or
 * what the compiler put between); a return poll comes when the frame is gone already, so the caller is seen at its call.
 */
import { Flow, type Frame, type Instructions, isCallWithoutReturn, Trait } from '../model/instructions.js';

export const Place = {
	/** Execution goes on: no thread stops here. */
	None: 0,
	LoopPoll: 1,
	ReturnPoll: 2,
	/** A call of a Java method. */
	JavaCall: 3,
	/** A call into the VM that describes its frames: allocation, locking. It comes back. */
	VmCall: 4,
	/** The same, but nothing comes back: uncommon traps, exceptions. */
	Trap: 5,
	/** A call of a stub or function that does not stop: copies, mathematics. */
	LeafCall: 6,
	/** The leaf call at a method's entry that patches or waits for the garbage collector: reached only when the method is disarmed. */
	EntryBarrier: 7,
} as const;

export type PlaceKind = (typeof Place)[keyof typeof Place];

const JAVA_CALL = /^\{(?:static_call|virtual_call|optimized virtual_call|opt_virtual_call)\b/;

export function placeOf(code: Instructions, i: number): PlaceKind {
	const traits = code.traits[i]!;
	if ((traits & Trait.Poll) !== 0) {
		return Place.LoopPoll;
	}
	if ((traits & Trait.ReturnPoll) !== 0) {
		return Place.ReturnPoll;
	}
	if (code.flow[i] !== Flow.Call) {
		return Place.None;
	}
	const comments = code.comments[i]!;
	if (comments.some((comment) => JAVA_CALL.test(comment))) {
		return Place.JavaCall;
	}
	if (isCallWithoutReturn(code, i)) {
		return Place.Trap;
	}
	if (comments.some((comment) => comment.startsWith('{runtime_call') && comment.includes('method_entry_barrier'))) {
		return Place.EntryBarrier;
	}
	return comments.some((comment) => comment.startsWith('ImmutableOopMap') || comment.startsWith('OopMap')) ? Place.VmCall : Place.LeafCall;
}

/** The frames that a thread stopped there shows, the innermost first; empty where nothing is described. */
export function framesAt(code: Instructions, i: number, kind: PlaceKind): readonly Frame[] {
	const described = kind === Place.LoopPoll && i > 0 ? i - 1 : i;
	return code.frames(described);
}

/** The name of the method that a call goes to, without its holder; null where the text does not say. */
export function calledName(code: Instructions, i: number): string | null {
	for (const comment of code.comments[i]!) {
		const name = /^\*invoke\w+ (\S+)/.exec(comment)?.[1];
		if (name !== undefined) {
			return name;
		}
	}
	return null;
}

/** Whether debug information stands beside the instruction itself: what is inherited from a later one may be of code behind a loop. */
export function isDescribed({ comments }: Instructions, i: number): boolean {
	return comments[i]!.some((comment) => comment.startsWith('- '));
}
