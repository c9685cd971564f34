/** Many runs, on many devices, into one order; and where they disagree. */
import type { ExecutionTrace } from '../../model/executed-code.js';
import { InputError, type Problem } from '../../model/problem.js';
import type { TextLayout } from '../../model/text-layout.js';
import { mergeOrders, type Scenario } from '../../startup/merge-orders.js';
import { uniqueNames } from '../../startup/optimize-order.js';
import type { MergedOrder, ServedPage } from '../../startup/results.js';
import { servedPages } from '../../startup/served-pages.js';
import type { OrderMergeResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { mergeResult } from './merge-result.js';
import { laidOn, OrderInputs, type WeightedTrace } from './open-layout.js';

export interface MergeRequest {
	/** What ran; a name counts once. */
	readonly traces: readonly (string | WeightedTrace)[];
	/** The program or a listing of it, for traces that are addresses. */
	readonly program?: string | undefined;
	/** Maps of the build, for dumps. */
	readonly maps?: readonly string[] | undefined;
	/** The file that the order goes to, as the result tells it; nothing is written. */
	readonly output?: string | undefined;
	/** Relative paths start here. */
	readonly workingDirectory: string;
}

export interface MergeAnswer {
	readonly merged: MergedOrder;
	/** Of the program under the order; null without one. */
	readonly pages: readonly ServedPage[] | null;
	readonly problems: readonly Problem[];
	result(): Streamed<OrderMergeResult>;
}

/** Throws an InputError for a file that cannot be used. */
export async function mergeTraces({ traces, program, maps = [], output, workingDirectory }: MergeRequest): Promise<MergeAnswer> {
	const inputs = new OrderInputs(workingDirectory);
	const layout = program === undefined ? null : await inputs.layout(program);
	// Of a Mach-O program an order file can name each function, whatever traces call it.
	const exact = layout === null || layout.machOArchitecture === null ? null : uniqueNames(layout);
	const nameOf = (on: TextLayout, f: number): string => exact?.[on.functionSections[f]!] ?? on.functionNames[f]!;
	const scenarios = (await inputs.traces(traces, maps, program)).map(({ file, trace }): Scenario => {
		const told = exact === null ? namesOf(trace, layout === null) : null;
		const symbols = told ?? namesOn(layout, file.name, (on) => Array.from(laidOn(trace, on).functions, (f) => nameOf(on, f)));
		return { name: trace.name, weight: trace.weight, symbols: [...new Set(symbols)] };
	});
	const merged = mergeOrders(scenarios);
	const pages = layout === null ? null : servedPages(layout, merged.symbols, scenarios);
	return { merged, pages, problems: inputs.problems, result: () => mergeResult(merged, pages, output ?? null) };
}

/** Null where addresses have to tell them. */
function namesOf({ functions }: ExecutionTrace, isProgramMissing: boolean): string[] | null {
	const symbols = functions?.flatMap(({ symbol }) => symbol ?? []) ?? [];
	return functions !== null && (symbols.length === functions.length || (isProgramMissing && symbols.length > 0)) ? symbols : null;
}

function namesOn(layout: TextLayout | null, file: string, names: (layout: TextLayout) => string[]): string[] {
	if (layout === null) {
		throw new InputError({ severity: 'error', file, message: 'lists addresses', action: 'give the program with --elf, or a listing of it with --nm' });
	}
	return names(layout);
}
