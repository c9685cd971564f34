/** The result of `assay order decode`: docs/schema/order-decode.json. */
import type { TracedFunction } from '../../model/function-trace.js';
import type { OpenedTraces } from '../../recording/open-function-traces.js';
import type { OrderDecodeResult } from '../results.js';
import { mapped, type Streamed } from '../streamed.js';

export interface DecodedOrder extends Pick<OpenedTraces, 'traces' | 'collisions' | 'sharedNames'> {
	/** The first to run first. */
	readonly functions: readonly TracedFunction[];
	/** What a symbol means in the source; null: not asked for. */
	readonly demangle: ((symbol: string) => string | null) | null;
}

export function decodeResult({ functions, traces, collisions, sharedNames, demangle }: DecodedOrder): Streamed<OrderDecodeResult> {
	return {
		functions: mapped(functions, ({ symbol, module, isLocal, file, line }) => ({
			symbol,
			...(demangle === null ? {} : { demangled: demangle(symbol) }),
			module,
			isLocal,
			...(file === null ? {} : { file }),
			...(line === null ? {} : { line }),
		})),
		traces: traces.map(({ name, file, format, weight, isComplete, order }) => ({ name, file, format, weight, functions: order.length, isComplete })),
		collisions,
		sharedNames,
	};
}
