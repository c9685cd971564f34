/**
 * Where a thread in compiled code can be stopped, as HotSpot marks it on x86-64 and AArch64: `{poll}` in loops, `{poll_return}` before a
 * return, and calls. A poll in a loop reports the state described beside the instruction before it (the load of the polling page, or
 * what the compiler put between); a return poll comes when the frame is gone already, so the caller is seen at its call.
 */
import { DebugInfo, Flow, type Frame, type Instructions, Trait } from '../model/instructions.js';

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
	if ((traits & Trait.JavaCall) !== 0) {
		return Place.JavaCall;
	}
	if ((traits & Trait.NoReturn) !== 0) {
		return Place.Trap;
	}
	if ((traits & Trait.EntryBarrier) !== 0) {
		return Place.EntryBarrier;
	}
	return hasOopMap(code, i) ? Place.VmCall : Place.LeafCall;
}

/** {@link placeOf} of all instructions, found once for each code. */
export function allPlaces(code: Instructions): Uint8Array {
	let places = PLACES.get(code);
	if (places === undefined) {
		places = new Uint8Array(code.length);
		const { flow, traits } = code;
		for (let i = 0; i < places.length; i++) {
			if (traits[i] !== 0 || flow[i] === Flow.Call) {
				places[i] = placeOf(code, i);
			}
		}
		PLACES.set(code, places);
	}
	return places;
}

const PLACES = new WeakMap<Instructions, Uint8Array>();

/** What {@link placeOf} calls so, told without what is described. */
export function isJavaCall({ flow, traits }: Instructions, i: number): boolean {
	return flow[i] === Flow.Call && (traits[i]! & (Trait.Poll | Trait.ReturnPoll | Trait.JavaCall)) === Trait.JavaCall;
}

/** The frames that a thread stopped there shows, the innermost first; empty where nothing is described. */
export function framesAt(code: Instructions, i: number, kind: PlaceKind): readonly Frame[] {
	const described = kind === Place.LoopPoll && i > 0 ? i - 1 : i;
	return code.frames(described);
}

/** A native method, of which no bytecode is executed. */
export function inNative(method: string): Frame {
	return { method, bci: -1, line: null };
}

/** Whether a thread may be stopped behind the instruction. */
function hasOopMap({ debugInfo }: Instructions, i: number): boolean {
	return (debugInfo[i]! & DebugInfo.OopMap) !== 0;
}

/** Whether debug information stands beside the instruction itself: what is inherited from a later one may be of code behind a loop. */
export function isDescribed({ debugInfo }: Instructions, i: number): boolean {
	return (debugInfo[i]! & DebugInfo.Frames) !== 0;
}
