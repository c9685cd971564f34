/** `assay order decode --json`. */
import type { TracedFunction } from '../model/function-trace.js';
import type { JsonStream } from './json-stream.js';

export interface OrderDecodeView {
	/** The first to run first. */
	readonly functions: readonly TracedFunction[];
	readonly traces: readonly {
		readonly name: string;
		readonly file: string;
		readonly format: string;
		readonly weight: number;
		readonly isComplete: boolean;
		readonly order: { readonly length: number };
	}[];
	readonly collisions: readonly { readonly id: string; readonly symbols: readonly string[] }[];
	readonly sharedNames: readonly { readonly symbol: string; readonly ran: number; readonly inMap: number }[];
	/** What a symbol means in the source; left out: not asked for. */
	readonly demangle?: (symbol: string) => string | null;
}

export function writeOrderDecodeJson(json: JsonStream, view: OrderDecodeView): void {
	json.beginList('functions');
	for (const { symbol, module, isLocal, file, line } of view.functions) {
		json.item({
			symbol,
			...(view.demangle === undefined ? {} : { demangled: view.demangle(symbol) }),
			module,
			isLocal,
			...(file === null ? {} : { file }),
			...(line === null ? {} : { line }),
		});
	}
	json.closeTo(RESULT_DEPTH);
	json.field(
		'traces',
		view.traces.map(({ name, file, format, weight, isComplete, order }) => ({ name, file, format, weight, functions: order.length, isComplete })),
	);
	json.field('collisions', view.collisions);
	json.field('sharedNames', view.sharedNames);
}

const RESULT_DEPTH = 2;
