/**
 * Lists of blocks for several traces at once, and an order with them: functions that ran are split in several ways, and each trace is left out once, as for orders of
 * functions. What is compared is the order of first execution, whole functions against split ones; sizes of split ones are estimated (split-layout.ts).
 */
import type { LayoutBlocks, TextLayout } from '../model/text-layout.js';
import { sumOf } from '../statistics/sums.js';
import { type BlockList, makeBlockList } from './block-list.js';
import { generalizes } from './held-out.js';
import { type OptimizeOptions, optimizeOrder } from './optimize-order.js';
import { countPages } from './page-counts.js';
import { withParts } from './part-order.js';
import { placeOrder } from './place-order.js';
import type { OptimizedOrder, OptimizeObjective } from './results.js';
import { splitLayout } from './split-layout.js';
import { carryTrace, type LaidTrace } from './trace-on-layout.js';

export interface OptimizedBlocks {
	/** Without functions where no way to split them serves the traces that were left out. */
	readonly list: BlockList;
	/** About as it will be linked; the given layout where the list is empty. */
	readonly layout: TextLayout;
	readonly order: OptimizedOrder;
	/** Bytes that a function has to have put apart, for it to be split; null: nothing is split. */
	readonly leastColdBytes: number | null;
	readonly tried: number;
	/** Of these, those that do not serve each trace that is left out. */
	readonly refused: number;
}

/** Few bytes apart fit the traced runs best, many serve others better. */
const LEAST_COLD_BYTES = [16, 64, 256];
/** With more traces some are left out together. */
const MOST_PARTS = 8;

/** `traces` are laid on the layout and tell executed bytes. */
export function optimizeBlocks(layout: TextLayout, blocks: LayoutBlocks, traces: readonly LaidTrace[], options: OptimizeOptions): OptimizedBlocks {
	const { objective } = options;
	const page = objective === 'pages' ? traces.reduce((sum, { weight }) => sum + weight, 0) / traces.length : 0;
	const loses = LEAST_COLD_BYTES.map((least) => losesOfLeftOut(layout, blocks, traces, objective, least));
	const allowed = LEAST_COLD_BYTES.flatMap((least, way) => {
		const lost = loses[way]!;
		if (!generalizes(lost, page)) {
			return [];
		}
		const list = makeBlockList(layout, blocks, traces, least);
		const split = splitLayout(layout, blocks, list.functions, layout.name);
		const placed = firstExecution(split, carried(traces, layout, split));
		const counts = counted(placed, carried(traces, layout, placed), objective);
		return [{ least, list, split, cost: sumOf(counts) + sumOf(lost) }];
	});
	const [best] = allowed.toSorted((a, b) => a.cost - b.cost);
	const tried = LEAST_COLD_BYTES.length;
	const refused = tried - allowed.length;
	if (best === undefined || best.list.functions.length === 0) {
		const list = { ...makeBlockList(layout, blocks, traces, LEAST_COLD_BYTES[0]!), functions: [] };
		return { list, layout, order: optimizeOrder(layout, traces, options), leastColdBytes: null, tried, refused };
	}
	const order = optimizeOrder(best.split, carried(traces, layout, best.split), options);
	return {
		list: best.list,
		layout: best.split,
		order: { ...order, symbols: withParts(best.split, order.symbols) },
		leastColdBytes: best.least,
		tried,
		refused,
	};
}

/** By run that is left out how many more pages (windows, where these are the objective) it touches with split functions than with whole ones, weighted. */
function losesOfLeftOut(layout: TextLayout, blocks: LayoutBlocks, traces: readonly LaidTrace[], objective: OptimizeObjective, least: number): number[] {
	const parts = traces.length > 1 ? Math.min(traces.length, MOST_PARTS) : 0;
	const loses: number[] = [];
	for (let part = 0; part < parts; part++) {
		const others = traces.filter((_trace, i) => i % parts !== part);
		const runs = traces.filter((_trace, i) => i % parts === part);
		const split = splitLayout(layout, blocks, makeBlockList(layout, blocks, others, least).functions, layout.name);
		const whole = counted(firstExecution(layout, others), runs, objective);
		const placed = firstExecution(split, carried(others, layout, split));
		counted(placed, carried(runs, layout, placed), objective).forEach((count, i) => {
			loses.push(count - whole[i]!);
		});
	}
	return loses;
}

function carried(traces: readonly LaidTrace[], from: TextLayout, to: TextLayout): LaidTrace[] {
	return traces.map((trace) => carryTrace(trace, from, to));
}

/** The layout under the order of first execution. */
function firstExecution(layout: TextLayout, traces: readonly LaidTrace[]): TextLayout {
	const { symbols } = optimizeOrder(layout, traces, { method: 'first-execution', objective: 'pages' });
	return placeOrder(layout, withParts(layout, symbols), layout.name);
}

function counted(layout: TextLayout, traces: readonly LaidTrace[], objective: OptimizeObjective): number[] {
	return traces.map((trace) => {
		const { counts } = countPages(layout, trace);
		const pages = counts.execPages ?? counts.wholeFunctionPages;
		return trace.weight * (objective === 'pages' ? pages : counts.windows64k);
	});
}
