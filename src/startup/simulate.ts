/** Which pages runs touch in several layouts of one program. */
import type { ExecutionTrace } from '../model/executed-code.js';
import type { TextLayout } from '../model/text-layout.js';
import { countPages } from './page-counts.js';
import { placeOrder, sectionPriorities } from './place-order.js';
import type { PageCounts, SimulatedLayout, Simulation } from './results.js';
import { carryTrace, type LaidTrace, layTrace } from './trace-on-layout.js';

/** An order to try: symbols, the first to come first. */
export interface CandidateOrder {
	readonly name: string;
	readonly symbols: readonly string[];
	/** What it is applied to; left out: the first binary. */
	readonly layout?: TextLayout;
}

/**
 * Lays the traces, recorded on `recordedOn`, on every binary and on the first one under every order; in this order. With several traces a layout's
 * counts are their sums.
 */
export function simulate(
	binaries: readonly TextLayout[],
	orders: readonly CandidateOrder[],
	traces: readonly ExecutionTrace[],
	recordedOn: TextLayout,
): Simulation {
	const laid = traces.map((trace) => layTrace(trace, recordedOn));
	const measure = (layout: TextLayout, kind: SimulatedLayout['kind'], order: CandidateOrder | null): SimulatedLayout => {
		const byTrace = laid.map((trace) => {
			const carried = carryTrace(trace, recordedOn, layout);
			return { name: trace.name, lost: carried.unplaced - trace.unplaced, ...countPages(layout, carried) };
		});
		return {
			name: layout.name,
			kind,
			counts: sumOfCounts(byTrace.map(({ counts }) => counts)),
			byTrace,
			listedSections: order === null ? null : sectionPriorities(layout, order.symbols).reduce((sum, priority) => sum + (priority >= 0 ? 1 : 0), 0),
		};
	};
	const [first] = binaries;
	return {
		recordedOn: recordedOn.name,
		traces: laid.map(({ name, weight, functions, loaded, ranges, unplaced, ambiguous, unknownNames }, i) => ({
			name,
			weight,
			functions: functions.length,
			executedBytes: ranges === null ? null : ranges.ends.reduce((sum, end, i) => sum + end - ranges.starts[i]!, 0),
			unplaced,
			ambiguous,
			unknownNames,
			loaded: loaded === null ? null : { ...loaded, share: shareInside(traces[i]!, laid[i]!) },
		})),
		layouts: [
			...binaries.map((binary) => measure(binary, 'binary', null)),
			...(first === undefined ? [] : orders.map((order) => measure(placeOrder(order.layout ?? first, order.symbols, order.name), 'order', order))),
		],
	};
}

function shareInside({ instructions }: ExecutionTrace, { functions, unplaced, elsewhere }: LaidTrace): number {
	const total = instructions?.addresses.length ?? functions.length + unplaced;
	return total === 0 ? 0 : (total - unplaced + (elsewhere?.sections.length ?? 0)) / total;
}

/** Text pages are those of the program, the others are added up. */
function sumOfCounts(counts: readonly PageCounts[]): PageCounts {
	const sum = (of: (one: PageCounts) => number): number => counts.reduce((total, one) => total + of(one), 0);
	const sumOrNull = (of: (one: PageCounts) => number | null): number | null => (counts.some((one) => of(one) === null) ? null : sum((one) => of(one) ?? 0));
	return {
		textPages: counts[0]?.textPages ?? 0,
		entryPages: sum(({ entryPages }) => entryPages),
		execPages: sumOrNull(({ execPages }) => execPages),
		wholeFunctionPages: sum(({ wholeFunctionPages }) => wholeFunctionPages),
		windows64k: sum(({ windows64k }) => windows64k),
		codePages: counts[0]?.codePages ?? null,
		codeExecPages: sumOrNull(({ codeExecPages }) => codeExecPages),
		codeWindows64k: sumOrNull(({ codeWindows64k }) => codeWindows64k),
		areaUnderCurve: sum(({ areaUnderCurve }) => areaUnderCurve),
	};
}
