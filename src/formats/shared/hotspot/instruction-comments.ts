/** What HotSpot prints beside instructions, and what follows from it. */
import { DebugInfo, Flow, type Frame, type Instructions, Trait } from '../../../model/instructions.js';
import { isLateCall } from './late-calls.js';

const NO_FRAMES: readonly Frame[] = [];

/** Columns that are there, with what follows from them. */
export function completeInstructions(
	columns: Omit<Instructions, 'traits' | 'debugInfo' | 'textAt' | 'formAt' | 'frames' | 'methods' | 'calledName' | 'runtimeCalls' | 'lateCalls'>,
): Instructions {
	const { length, text, flow, comments, position, positions } = columns;
	const traits = new Uint8Array(length);
	const debugInfo = new Uint8Array(length);
	for (let i = 0; i < length; i++) {
		for (const comment of comments[i]!) {
			traits[i] = traits[i]! | traitOf(comment, flow[i]!);
			debugInfo[i] = debugInfo[i]! | debugInfoOf(comment);
		}
	}
	const textAt = (i: number): string => text[i] ?? '';
	const frames = (i: number): readonly Frame[] => positions[position[i]!] ?? NO_FRAMES;
	const methods = (): ReadonlySet<string> => methodsOf(positions);
	const calledName = (i: number): string | null => comments[i]?.map(nameOfCall).find((name) => name !== null) ?? null;
	const runtimeCalls = (i: number): string[] => comments[i]?.filter((comment) => comment.startsWith('{runtime_call')) ?? [];
	const lateCalls = (): number[] => comments.flatMap((own, i) => (own.some((comment) => comment.startsWith('*') && isLateCall(comment.slice(1))) ? [i] : []));
	return { ...columns, traits, debugInfo, textAt, formAt: textAt, frames, methods, calledName, runtimeCalls, lateCalls };
}

export function methodsOf(chains: readonly (readonly Frame[])[]): ReadonlySet<string> {
	const result = new Set<string>();
	for (const chain of chains) {
		for (const { method } of chain) {
			result.add(method);
		}
	}
	return result;
}

/** Of `*invokevirtual next {reexecute=0 rethrow=0 return_oop=1}` the name; null where a comment tells none. */
export function nameOfCall(comment: string): string | null {
	return /^\*invoke\w+ (\S+)/.exec(comment)?.[1] ?? null;
}

/** As HotSpot names what calls that do not come back go to: uncommon traps and deoptimization, thrown and forwarded exceptions. */
const NO_RETURN =
	/uncommon.?trap|throw_|rethrow|handle_exception|unwind_exception|forward_exception|deoptimiz|DeoptimizationBlob|ExceptionBlob|predicate_failed|debug64/i;

/** What a comment says of its instruction. */
export function traitOf(comment: string, flow: number): number {
	if (comment === '{poll}') {
		return Trait.Poll;
	}
	if (comment === '{poll_return}') {
		return Trait.ReturnPoll;
	}
	if (flow !== Flow.Call) {
		return 0;
	}
	if (comment.startsWith('{runtime_call')) {
		return (NO_RETURN.test(comment) ? Trait.NoReturn : 0) | (comment.includes('method_entry_barrier') ? Trait.EntryBarrier : 0);
	}
	return isJavaCall(comment) ? Trait.JavaCall : 0;
}

export function isJavaCall(comment: string): boolean {
	return /^\{(?:static_call|virtual_call|optimized virtual_call|opt_virtual_call)\b/.test(comment);
}

/** What a comment says of the state behind its instruction. */
export function debugInfoOf(comment: string): number {
	if (comment.startsWith('- ')) {
		return DebugInfo.Frames;
	}
	if (comment.startsWith('*')) {
		return comment.includes('reexecute=1') ? DebugInfo.Reexecute : 0;
	}
	return /^(?:Immutable)?OopMap/.test(comment) ? DebugInfo.OopMap : 0;
}
