/** Calls that do not come back, as HotSpot names what they go to: uncommon traps and deoptimization, thrown and forwarded exceptions. */
import { Flow, type Instructions } from './instructions.js';

const NO_RETURN =
	/uncommon.?trap|throw_|rethrow|handle_exception|unwind_exception|forward_exception|deoptimiz|DeoptimizationBlob|ExceptionBlob|predicate_failed|debug64/i;

/** Whether an instruction is a call that never comes back: what lies behind it belongs to something else. */
export function isCallWithoutReturn({ comments, flow }: Instructions, i: number): boolean {
	return flow[i] === Flow.Call && comments[i]!.some((comment) => comment.startsWith('{runtime_call') && NO_RETURN.test(comment));
}
