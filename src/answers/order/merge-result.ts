/** The result of `assay order merge`: docs/schema/order-merge.json. */
import type { MergedOrder } from '../../startup/results.js';
import type { OrderMergeResult } from '../results.js';
import type { Streamed } from '../streamed.js';

export function mergeResult({ symbols, scenarios, inAll, comparedWith, pairs, disagreements }: MergedOrder, output: string | null): Streamed<OrderMergeResult> {
	return { output, scenarios, inAll, comparedWith, pairs, disagreements, symbols };
}
