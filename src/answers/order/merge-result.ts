/** The result of `assay order merge`: docs/schema/order-merge.json. */
import type { MergedOrder, ServedPage } from '../../startup/results.js';
import type { OrderMergeResult } from '../results.js';
import type { Streamed } from '../streamed.js';

export function mergeResult(
	{ symbols, functions, scenarios, inAll, comparedWith, pairs, disagreements }: MergedOrder,
	pages: readonly ServedPage[] | null,
	output: string | null,
): Streamed<OrderMergeResult> {
	return { output, scenarios, inAll, comparedWith, pairs, disagreements, functions, pages, symbols };
}
