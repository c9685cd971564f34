/** One order out of several traces: that of the first, then what is new in the second, and so on. */
import type { FunctionTrace } from '../model/function-trace.js';

/** Positions of functions, each once. */
export function uniteTraces(traces: readonly FunctionTrace[]): Int32Array {
	const united = new Set<number>();
	for (const { order } of traces) {
		for (const position of order) {
			united.add(position);
		}
	}
	return Int32Array.from(united);
}
