/** The result of `assay order merge` as JSON: see docs/json.md. */
import type { MergedOrder } from '../startup/results.js';
import type { JsonStream } from './json-stream.js';

export function writeMergeJson(json: JsonStream, { symbols, scenarios, inAll, pairs, disagreements }: MergedOrder, output: string | null): void {
	json.field('output', output);
	json.field('scenarios', scenarios);
	json.field('inAll', inAll);
	json.field('pairs', pairs);
	json.field('disagreements', disagreements);
	json.field('symbols', symbols);
}
