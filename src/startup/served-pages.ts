/** Which pages of an order serve which share of the runs that it was made of. */
import type { TextLayout } from '../model/text-layout.js';
import { functionStarts } from './function-starts.js';
import type { Scenario } from './merge-orders.js';
import { placeOrder } from './place-order.js';
import type { ServedPage } from './results.js';
import { functionsByName } from './trace-on-layout.js';

interface TouchedPage {
	functions: number;
	weight: number;
	lastRun: number;
}

/**
 * Of the program linked with the order, each page that a function of a run lies in, by address. Functions count as a whole: runs that tell their names tell no more.
 * What the program does not have is left out.
 */
export function servedPages(layout: TextLayout, symbols: readonly string[], runs: readonly Scenario[]): ServedPage[] {
	const { pageBytes } = layout;
	const placed = placeOrder(layout, symbols, 'merged order');
	const starts = functionStarts(placed);
	const byName = functionsByName(placed);
	const pages = new Map<number, TouchedPage>();
	const pagesOf = new Map<string, TouchedPage[]>();
	for (const symbol of symbols) {
		const own: TouchedPage[] = [];
		for (const f of byName.get(symbol) ?? []) {
			const last = Math.floor((starts[f]! + Math.max(1, placed.functionSizes[f]!) - 1) / pageBytes);
			for (let number = Math.floor(starts[f]! / pageBytes); number <= last; number++) {
				const page = pages.get(number) ?? { functions: 0, weight: 0, lastRun: -1 };
				pages.set(number, page);
				page.functions++;
				own.push(page);
			}
		}
		pagesOf.set(symbol, own);
	}
	let total = 0;
	runs.forEach(({ weight, symbols: ran }, run) => {
		total += weight;
		for (const symbol of ran) {
			for (const page of pagesOf.get(symbol) ?? []) {
				page.weight += page.lastRun === run ? 0 : weight;
				page.lastRun = run;
			}
		}
	});
	return [...pages].sort(([a], [b]) => a - b).map(([number, { functions, weight }]) => ({ address: number * pageBytes, functions, share: weight / total }));
}
